(** * Several releases with Gaussian noise about the same data

    Each release answers a query with as many coordinates as one likes, and may be chosen by the
    outputs before it.  All outputs together are (eps,delta)-DP, as one release with
    mu^2 = sum of (D/sigma)^2 is, for sensitivities D that no pair of neighbours exceeds (X.COMP).
    They are not, where one pair of neighbours has the distances D in all of them. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions Calculus NormalDistribution PrivacyProfile NeymanPearson.
From Dporacle Require Import Theorem8 Boxes HalfSpaces.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

(** How many coordinates an answer has, and the answer to a data set after outputs (the last one
    first). *)
Record query (data : Type) := { coordinates : nat; answer : list (list R) -> data -> vector }.
Arguments coordinates {data}.
Arguments answer {data}.

(** A query, and the standard deviation of the noise that each coordinate of its answer gets. *)
Definition release (data : Type) : Type := query data * R.

(** The density of the outputs [ys] of the releases [rs], one after the other. *)
Fixpoint releases_density {data : Type} (rs : list (release data)) (d : data)
    (past ys : list (list R)) : R :=
  match rs, ys with
  | (q, sigma) :: rs, y :: ys =>
      vector_density sigma (answer q past d) y * releases_density rs d (y :: past) ys
  | _, _ => 1
  end.

(** Releases are (eps,delta)-DP together: for every pair of neighbours, every randomised test of all
    outputs, and every box of outputs. *)
Definition releases_dp {data : Type} (eps delta : R) (neighbours : data -> data -> Prop)
    (rs : list (release data)) : Prop :=
  forall (d d' : data) (boxes : list (list (R * R))) (h : list (list R) -> R) (v v' : R),
    neighbours d d' ->
    Forall2 (fun r box => is_box (coordinates (fst r)) box) rs boxes ->
    (forall ys, 0 <= h ys <= 1) ->
    boxes_integral boxes (fun ys => h ys * releases_density rs d [] ys) v ->
    boxes_integral boxes (fun ys => h ys * releases_density rs d' [] ys) v' ->
    v <= exp eps * v' + delta.

(** The same releases, with queries of their own, so many times. *)
Definition rounds {data : Type} (times : Z) (each : nat -> list (release data)) :=
  flat_map each (seq 0 (Z.to_nat times)).

Definition difference (u v : vector) : vector := fun i => u i - v i.

(** The answers to two data sets are at a distance of [D] at most, whatever was put out before. *)
Definition within {data : Type} (q : query data) (d d' : data) (D : R) : Prop :=
  forall past,
    norm_squared (coordinates q) (difference (answer q past d) (answer q past d')) <= D * D.

(** The answers to two data sets do not depend on outputs, and their distance is at least [D]. *)
Definition apart {data : Type} (q : query data) (d d' : data) (D : R) : Prop :=
  exists c c', (forall past, answer q past d = c /\ answer q past d' = c')
    /\ D * D <= norm_squared (coordinates q) (difference c c').

(** The Gaussian mechanism with answers of [k] coordinates and l2-sensitivity [D]. *)
Definition vector_gaussian_dp (k : nat) (eps delta D sigma : R) : Prop :=
  forall (c c' : vector) (box : list (R * R)) (h : list R -> R) (v v' : R),
    norm_squared k (difference c c') <= D * D ->
    is_box k box ->
    (forall y, 0 <= h y <= 1) ->
    box_integral box (fun y => h y * vector_density sigma c y) v ->
    box_integral box (fun y => h y * vector_density sigma c' y) v' ->
    v <= exp eps * v' + delta.

(** ** What is to be gained from one more release

    Of two weights [a] and [b] of the data sets, and a release with mu^2 = [M]. *)

Definition value (a b M : R) : R :=
  a * Phi (sqrt M / 2 - ln (b / a) / sqrt M) - b * Phi (- sqrt M / 2 - ln (b / a) / sqrt M).

Lemma value_profile a b M : 0 < a -> 0 < b -> value a b M = a * profile (ln (b / a)) (sqrt M).
Proof.
  intros Ha Hb. unfold value, profile. rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption).
  field. lra.
Qed.

Lemma profile_pos eps mu : 0 < mu -> 0 <= profile eps mu.
Proof.
  intros H. replace mu with ((mu - 0) / 1) by field. apply profile_nonneg; lra.
Qed.

Lemma value_nonneg a b M : 0 < a -> 0 < b -> 0 < M -> 0 <= value a b M.
Proof.
  intros Ha Hb HM. rewrite value_profile by assumption.
  apply Rmult_le_pos; [lra | apply profile_pos, sqrt_lt_R0, HM].
Qed.

Lemma value_increasing a b M M' : 0 < a -> 0 < b -> 0 < M -> M <= M' -> value a b M <= value a b M'.
Proof.
  intros Ha Hb HM L. rewrite !value_profile by assumption. apply Rmult_le_compat_l; [lra |].
  apply profile_increasing; [apply sqrt_lt_R0, HM | apply sqrt_le_1_alt, L].
Qed.

(** No test gains more before a release than after it. *)
Lemma value_of_nothing a b h M :
  0 < a -> 0 < b -> 0 < M -> 0 <= h <= 1 -> a * h - b * h <= value a b M.
Proof.
  intros Ha Hb HM Hh. pose proof (value_nonneg a b M Ha Hb HM) as V.
  enough (a - b <= value a b M) by nra.
  rewrite value_profile by assumption. set (e := ln (b / a)). apply sqrt_lt_R0 in HM.
  pose proof (profile_pos (- e) (sqrt M) HM) as P. set (mu := sqrt M) in *.
  assert (profile e mu - (1 - exp e) = exp e * profile (- e) mu) as E.
  { unfold profile. rewrite exp_Ropp.
    replace (mu / 2 - - e / mu) with (- (- mu / 2 - e / mu)) by (field; lra).
    replace (- mu / 2 - - e / mu) with (- (mu / 2 - e / mu)) by (field; lra).
    rewrite !Phi_opp. field. apply Rgt_not_eq, exp_pos. }
  assert (a * exp e = b) as B.
  { unfold e. rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption). field. lra. }
  pose proof (Rmult_le_pos _ _ (Rlt_le _ _ (exp_pos e)) P). rewrite <- B.
  replace (a - a * exp e) with (a * (1 - exp e)) by ring. apply Rmult_le_compat_l; lra.
Qed.

(** *** A coordinate adds the square of its distance *)

Section Coordinate.
Variables (sigma x x' a b M : R).
Hypothesis Hs : 0 < sigma.
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.
Hypothesis HM : 0 < M.

Let s := sqrt M.
Let e := ln (b / a).
Let total := M + (x - x') / sigma * ((x - x') / sigma).
Let slope := (x - x') / (sigma * sigma * s).
Let start (half : R) := half - e / s - (x - x') * (x + x') / (2 * (sigma * sigma) * s).

Lemma s_pos : 0 < s.
Proof. apply sqrt_lt_R0, HM. Qed.

Lemma s_square : s * s = M.
Proof. apply sqrt_sqrt. lra. Qed.

Lemma total_pos : 0 < total.
Proof. unfold total. pose proof (Rle_0_sqr ((x - x') / sigma)) as H. unfold Rsqr in H. lra. Qed.

Lemma log_odds t :
  ln (b * density sigma x' t / (a * density sigma x t))
  = e - (x - x') * (2 * t - x - x') / (2 * (sigma * sigma)).
Proof.
  pose proof sqrt_2pi_pos.
  replace (b * density sigma x' t / (a * density sigma x t))
    with (b / a * exp (- ((x - x') * (2 * t - x - x') / (2 * (sigma * sigma))))).
  - rewrite ln_mult, ln_exp; [reflexivity | apply Rdiv_lt_0_compat; assumption | apply exp_pos].
  - unfold density, phi.
    replace (- ((t - x') / sigma * ((t - x') / sigma)) / 2)
      with (- ((t - x) / sigma * ((t - x) / sigma)) / 2
            + - ((x - x') * (2 * t - x - x') / (2 * (sigma * sigma)))) by (field; lra).
    rewrite exp_plus. field. repeat split; try lra. apply Rgt_not_eq, exp_pos.
Qed.

Lemma value_at t :
  value (a * density sigma x t) (b * density sigma x' t) M
  = a * (density sigma x t * Phi (slope * t + start (s / 2)))
    - b * (density sigma x' t * Phi (slope * t + start (- s / 2))).
Proof.
  pose proof s_pos as S. unfold value. rewrite log_odds. fold s.
  replace (s / 2 - (e - (x - x') * (2 * t - x - x') / (2 * (sigma * sigma))) / s)
    with (slope * t + start (s / 2)) by (unfold slope, start; field; lra).
  replace (- s / 2 - (e - (x - x') * (2 * t - x - x') / (2 * (sigma * sigma))) / s)
    with (slope * t + start (- s / 2)) by (unfold slope, start; field; lra).
  ring.
Qed.

Lemma flatter_total : flatter sigma slope = sqrt total / s.
Proof.
  pose proof s_pos as S. pose proof total_pos as T. unfold flatter.
  replace (1 + slope * sigma * (slope * sigma)) with (total / M).
  - rewrite sqrt_div_alt by exact HM. reflexivity.
  - unfold total, slope. rewrite <- s_square. field. lra.
Qed.

Lemma integrated (far half : R) :
  (x - x') * (2 * far - x - x') / (2 * (sigma * sigma)) + half * s = sqrt total * sqrt total * (half / s) ->
  (slope * far + start half) / flatter sigma slope
  = half / s * sqrt total - e / sqrt total.
Proof.
  intros E. pose proof s_pos as S. pose proof (sqrt_lt_R0 _ total_pos) as T. rewrite flatter_total.
  apply Rmult_eq_reg_r with (sqrt total); [| lra].
  transitivity ((x - x') * (2 * far - x - x') / (2 * (sigma * sigma)) + half * s - e).
  - unfold slope, start. field. lra.
  - rewrite E. field. lra.
Qed.

Lemma coordinate_value F A B w :
  A <= B -> is_RInt F A B w ->
  (forall t, F t <= value (a * density sigma x t) (b * density sigma x' t) M) ->
  w <= value a b total.
Proof.
  intros HAB I H. pose proof s_pos as S. pose proof (sqrt_lt_R0 _ total_pos) as T.
  assert (sqrt total * sqrt total = total) as TT by (apply sqrt_sqrt, Rlt_le, total_pos).
  set (mass := fun k => Phi ((B + INR k - x') / sigma) - Phi ((A - INR k - x') / sigma)).
  apply (is_lim_seq_le (fun _ => w) (fun k => value a b total + b * (1 - mass k)) w (value a b total)).
  - intros k. pose proof (pos_INR k) as K.
    destruct (step_integral sigma x slope (start (s / 2)) (A - INR k) (B + INR k) Hs ltac:(lra))
      as (v & V & _ & V2).
    destruct (step_integral sigma x' slope (start (- s / 2)) (A - INR k) (B + INR k) Hs ltac:(lra))
      as (u & U & U1 & _).
    rewrite integrated in V2, U1.
    + fold (mass k) in U1. apply Rle_trans with (a * v - b * u).
      * apply (integral_grows F
          (fun t => value (a * density sigma x t) (b * density sigma x' t) M) A B (INR k));
          [exact HAB | exact K | exact H | | exact I |].
        -- intros t. apply value_nonneg; [| | exact HM];
             apply Rmult_lt_0_compat; try assumption; apply density_pos, Hs.
        -- apply (is_RInt_ext (fun t =>
             minus (scal a (density sigma x t * Phi (slope * t + start (s / 2))))
                   (scal b (density sigma x' t * Phi (slope * t + start (- s / 2)))))).
           ++ intros t _. rewrite value_at. unfold minus, plus, opp, scal; simpl.
              unfold mult; simpl. real_equation. ring.
           ++ apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule));
                assumption.
      * unfold value. fold e.
        replace (s / 2 / s * sqrt total - e / sqrt total) with (sqrt total / 2 - e / sqrt total) in V2
          by (field; lra).
        replace (- s / 2 / s * sqrt total - e / sqrt total) with (- sqrt total / 2 - e / sqrt total)
          in U1 by (field; lra).
        nra.
    + rewrite TT. unfold total. rewrite <- s_square. field. lra.
    + rewrite TT. unfold total. rewrite <- s_square. field. lra.
  - apply is_lim_seq_const.
  - replace (Finite (value a b total)) with (Finite (value a b total + b * (1 - (1 - 0))))
      by (f_equal; ring).
    apply is_lim_seq_plus'; [apply is_lim_seq_const |].
    apply is_lim_seq_mult'; [apply is_lim_seq_const |].
    apply is_lim_seq_minus'; [apply is_lim_seq_const |].
    apply is_lim_seq_minus'; [apply Phi_right, Hs | apply Phi_left, Hs].
Qed.
End Coordinate.

(** *** So do a box of coordinates and several releases *)

Lemma box_value sigma : 0 < sigma -> forall k box c c' a b M F w,
  is_box k box -> 0 < a -> 0 < b -> 0 < M -> box_integral box F w ->
  (forall y, length y = k ->
     F y <= value (a * vector_density sigma c y) (b * vector_density sigma c' y) M) ->
  w <= value a b (M + norm_squared k (difference c c') / (sigma * sigma)).
Proof.
  intros Hs. induction k as [| k IH]; intros [| [A B] box] c c' a b M F w [L W] Ha Hb HM I H;
    try discriminate; simpl in I.
  - rewrite I. apply Rle_trans with (1 := H [] eq_refl). simpl. rewrite !Rmult_1_r.
    right. f_equal. field. lra.
  - destruct I as [g [G I]]. inversion W as [| ? ? O1 O2]; subst. simpl in O1. injection L as L.
    set (c1 := fun i => c (S i)). set (c1' := fun i => c' (S i)).
    set (N := norm_squared k (difference c1 c1') / (sigma * sigma)).
    assert (0 <= N) as HN.
    { apply Rmult_le_pos; [apply norm_squared_nonneg |].
      apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; exact Hs. }
    replace (M + norm_squared (S k) (difference c c') / (sigma * sigma))
      with (M + N + (c O - c' O) / sigma * ((c O - c' O) / sigma)).
    + apply (coordinate_value sigma (c O) (c' O) a b (M + N) Hs Ha Hb ltac:(lra) g A B w O1 I).
      intros t. apply (IH box c1 c1' _ _ M (fun y => F (t :: y)) _ (conj L O2)); [| | exact HM | apply G |].
      * apply Rmult_lt_0_compat; [exact Ha | apply density_pos, Hs].
      * apply Rmult_lt_0_compat; [exact Hb | apply density_pos, Hs].
      * intros y Y. apply Rle_trans with (1 := H (t :: y) (f_equal S Y)). simpl.
        right. f_equal; fold c1 c1'; ring.
    + unfold N. simpl. unfold c1, c1', difference. cbv beta. field. lra.
Qed.

(** A release tells at most [m] about a pair of data sets. *)
Definition tells_at_most {data : Type} (d d' : data) (r : release data) (m : R) : Prop :=
  0 < snd r /\ forall past,
    norm_squared (coordinates (fst r)) (difference (answer (fst r) past d) (answer (fst r) past d'))
      <= m * (snd r * snd r).

Definition total (ms : list R) : R := fold_right Rplus 0 ms.

Lemma releases_value {data : Type} (d d' : data) : forall rs ms boxes past a b M h v v',
  Forall2 (tells_at_most d d') rs ms ->
  Forall2 (fun r box => is_box (coordinates (fst r)) box) rs boxes ->
  0 < a -> 0 < b -> 0 < M -> (forall ys, 0 <= h ys <= 1) ->
  boxes_integral boxes (fun ys => h ys * releases_density rs d past ys) v ->
  boxes_integral boxes (fun ys => h ys * releases_density rs d' past ys) v' ->
  a * v - b * v' <= value a b (M + total ms) /\ 0 <= total ms.
Proof.
  induction rs as [| [q sigma] rs IH]; intros ms boxes past a b M h v v' T B Ha Hb HM Hh V V';
    inversion T as [| ? m ? ms' T1 T2]; inversion B as [| ? box ? boxes' B1 B2]; subst;
    simpl in V, V'.
  - rewrite V, V', !Rmult_1_r. simpl. rewrite Rplus_0_r. split; [| lra].
    apply value_of_nothing; auto.
  - destruct T1 as [Hs T1]. simpl in Hs, T1, B1.
    destruct V as [g [G I]]. destruct V' as [g' [G' I']].
    set (c := answer q past d) in *. set (c' := answer q past d') in *.
    set (N := norm_squared (coordinates q) (difference c c') / (sigma * sigma)).
    assert (0 < sigma * sigma) as S2 by (apply Rmult_lt_0_compat; exact Hs).
    assert (0 <= N) as HN.
    { apply Rmult_le_pos; [apply norm_squared_nonneg | apply Rlt_le, Rinv_0_lt_compat, S2]. }
    assert (N <= m) as Hm by (apply div_mult_le; [exact S2 | apply T1]).
    assert (forall y, a * g y - b * g' y
              <= value (a * vector_density sigma c y) (b * vector_density sigma c' y) (M + total ms')
              /\ 0 <= total ms') as Step.
    { intros y. pose proof (vector_density_pos sigma y c Hs) as P.
      pose proof (vector_density_pos sigma y c' Hs) as P'.
      pose proof (IH ms' boxes' (y :: past) (a * vector_density sigma c y)
        (b * vector_density sigma c' y) M (fun ys => h (y :: ys))
        (/ vector_density sigma c y * g y) (/ vector_density sigma c' y * g' y) T2 B2
        (Rmult_lt_0_compat _ _ Ha P) (Rmult_lt_0_compat _ _ Hb P') HM (fun ys => Hh (y :: ys))
        (boxes_divided _ _ _ _ _ P (G y)) (boxes_divided _ _ _ _ _ P' (G' y))) as D.
      replace (a * vector_density sigma c y * (/ vector_density sigma c y * g y)
               - b * vector_density sigma c' y * (/ vector_density sigma c' y * g' y))
        with (a * g y - b * g' y) in D by (field; lra).
      exact D. }
    destruct (Step []) as [_ Hms]. simpl. split; [| lra].
    apply Rle_trans with (value a b (M + total ms' + N)).
    + apply (box_value sigma Hs (coordinates q) box c c' a b (M + total ms')
        (fun y => a * g y - b * g' y)); [exact B1 | exact Ha | exact Hb | lra | |].
      * apply (box_minus box (fun y => a * g y) (fun y => b * g' y)); apply box_scale; assumption.
      * intros y _. apply Step.
    + apply value_increasing; [exact Ha | exact Hb | lra | lra].
Qed.

Lemma profile_rises_slowly eps s k : 0 < s -> 0 <= k -> profile eps (s + k) <= profile eps s + k.
Proof.
  intros Hs Hk.
  enough (s - profile eps s <= s + k - profile eps (s + k)) by lra.
  apply (nondecreasing (fun m => m - profile eps m) (fun m => 1 - phi (m / 2 - eps / m))); [lra | |].
  - intros x Hx. apply (is_derive_minus (fun m => m) (profile eps)).
    + auto_derive; trivial.
    + apply profile_derive. lra.
  - intros x _. pose proof (phi_below_1 (x / 2 - eps / x)). lra.
Qed.

(** No pair of neighbours is told more about than [most], whatever was put out before. *)
Theorem releases_private (data : Type) eps delta (neighbours : data -> data -> Prop) rs most :
  (forall d d', neighbours d d' ->
     exists ms, Forall2 (tells_at_most d d') rs ms /\ total ms <= most) ->
  0 < most -> gaussian_dp eps delta (sqrt most) 1 -> releases_dp eps delta neighbours rs.
Proof.
  intros H Hm DP d d' boxes h v v' Ne B Hh V V'. pose proof (sqrt_lt_R0 _ Hm) as S.
  destruct (H d d' Ne) as (ms & T & Hms).
  apply profile_necessary in DP; [| exact S | exact Rlt_0_1].
  replace (sqrt most / 1) with (sqrt most) in DP by field.
  apply le_epsilon. intros k Hk.
  destruct (releases_value d d' rs ms boxes [] 1 (exp eps) (k * k) h v v' T B Rlt_0_1 (exp_pos eps)
              ltac:(nra) Hh V V') as [L P].
  assert (value 1 (exp eps) (k * k + total ms) <= profile eps (sqrt most) + k); [| lra].
  rewrite value_profile by (first [exact Rlt_0_1 | apply exp_pos]).
  replace (exp eps / 1) with (exp eps) by field. rewrite ln_exp, Rmult_1_l.
  apply Rle_trans with (profile eps (sqrt most + k)).
  - apply profile_increasing; [apply sqrt_lt_R0; nra |].
    apply Rle_trans with (sqrt ((sqrt most + k) * (sqrt most + k))).
    + apply sqrt_le_1_alt. pose proof (sqrt_sqrt most (Rlt_le _ _ Hm)). nra.
    + right. apply sqrt_square. lra.
  - apply profile_rises_slowly; lra.
Qed.

(** ** A soft step across all coordinates attains it *)

Fixpoint along (s : vector) (y : list R) : R :=
  match y with
  | [] => 0
  | t :: y => s O * t + along (fun i => s (S i)) y
  end.

Fixpoint score (ss : list vector) (ys : list (list R)) : R :=
  match ss, ys with
  | s :: ss, y :: ys => along s y + score ss ys
  | _, _ => 0
  end.

Fixpoint dot (k : nat) (u v : vector) : R :=
  match k with
  | O => 0
  | S k => u O * v O + dot k (fun i => u (S i)) (fun i => v (S i))
  end.

(** What the step is integrated to: a step at [m], of spread sqrt [N], but for [loss]. *)
Definition soft_step (U : R -> R) (m N loss : R) : Prop :=
  0 < N /\ 0 <= loss /\ (forall b b', U b' - U b <= Rabs (b' - b))
  /\ forall b, Phi ((b + m) / sqrt N) - loss <= U b <= Phi ((b + m) / sqrt N).

Lemma Phi_slow b b' : Phi b' - Phi b <= Rabs (b' - b).
Proof.
  destruct (Rle_lt_dec b b') as [L | L].
  - rewrite Rabs_pos_eq by lra. enough (b - Phi b <= b' - Phi b') by lra.
    apply (nondecreasing (fun x => x - Phi x) (fun x => 1 - phi x)); [exact L | |].
    + intros x _. apply (is_derive_minus (fun x => x) Phi); [auto_derive; trivial | apply Phi_derive].
    + intros x _. pose proof (phi_below_1 x). lra.
  - pose proof (Phi_increasing b' b ltac:(lra)). pose proof (Rabs_pos (b' - b)). lra.
Qed.

Lemma soft_Phi : soft_step Phi 0 1 0.
Proof.
  split; [lra | split; [lra | split; [apply Phi_slow |]]]. intros b.
  replace ((b + 0) / sqrt 1) with b by (rewrite sqrt_1; field). lra.
Qed.

Section SoftCoordinate.
Variables (U : R -> R) (m N loss sigma c s A B : R).
Hypothesis HU : soft_step U m N loss.
Hypothesis Hs : 0 < sigma.
Hypothesis HAB : A <= B.

Lemma soft_integrable b : ex_RInt (fun t => density sigma c t * U (b + s * t)) A B.
Proof.
  destruct HU as (_ & _ & L & _). apply continuous_integrable. intros t.
  apply (continuous_mult (density sigma c)); [apply density_continuous, Hs |].
  apply (continuous_comp (fun t => b + s * t) U).
  - apply (ex_derive_continuous (fun t => b + s * t)). auto_derive. trivial.
  - intros P [e HP]. exists e. intros x X. apply HP. revert X.
    unfold ball; simpl; unfold AbsRing_ball; simpl. unfold abs, minus, plus, opp; simpl. intros X.
    set (z := b + s * t) in *. pose proof (L z x) as L1. pose proof (L x z) as L2.
    rewrite Rabs_minus_sym in L2. unfold Rminus in L1, L2.
    apply Rle_lt_trans with (2 := X). unfold Rabs at 1. destruct (Rcase_abs _); lra.
Qed.

Let inside := Phi ((B - c) / sigma) - Phi ((A - c) / sigma).
Let V (b : R) := RInt (fun t => density sigma c t * U (b + s * t)) A B.

Lemma soft_coordinate :
  (forall b, is_RInt (fun t => density sigma c t * U (b + s * t)) A B (V b))
  /\ soft_step V (m + s * c) (N + sigma * sigma * (s * s)) (loss + (1 - inside)).
Proof.
  assert (forall b, is_RInt (fun t => density sigma c t * U (b + s * t)) A B (V b)) as I.
  { intros b. apply (RInt_correct (V := R_CompleteNormedModule)), soft_integrable. }
  split; [exact I |]. destruct HU as (HN & Hl & L & Bounds).
  pose proof (density_integral sigma c A B Hs) as D. fold inside in D.
  assert (0 <= inside <= 1) as In.
  { pose proof (window_below_1 A B HAB sigma c Hs) as W. rewrite (is_RInt_unique _ _ _ _ D) in W. exact W. }
  assert (0 < sqrt N) as SN by (apply sqrt_lt_R0, HN).
  assert (sqrt N * sqrt N = N) as NN by (apply sqrt_sqrt; lra).
  set (N' := N + sigma * sigma * (s * s)). pose proof (Rle_0_sqr (sigma * s)) as Q. unfold Rsqr in Q.
  assert (0 < N') as HN' by (unfold N'; nra).
  assert (forall b, exists v, is_RInt (fun t => density sigma c t * Phi ((b + s * t + m) / sqrt N)) A B v
    /\ Phi ((b + (m + s * c)) / sqrt N') - (1 - inside) <= v <= Phi ((b + (m + s * c)) / sqrt N')) as P.
  { intros b. destruct (step_integral sigma c (s / sqrt N) ((b + m) / sqrt N) A B Hs HAB)
      as (v & E & V1 & V2). fold inside in V1.
    assert (flatter sigma (s / sqrt N) = sqrt N' / sqrt N) as F.
    { unfold flatter. rewrite <- sqrt_div_alt by exact HN. f_equal. unfold N'. set (r := sqrt N) in *. rewrite <- NN. field. lra. }
    assert (0 < sqrt N') by (apply sqrt_lt_R0, HN').
    replace ((s / sqrt N * c + (b + m) / sqrt N) / flatter sigma (s / sqrt N))
      with ((b + (m + s * c)) / sqrt N') in V1, V2 by (rewrite F; field; lra).
    exists v. split; [| split; assumption]. revert E. apply is_RInt_ext. intros t _. do 2 f_equal.
    field. lra. }
  split; [exact HN' | split; [lra | split]].
  - intros b b'.
    apply Rle_trans with (Rabs (b' - b) * inside); [| pose proof (Rabs_pos (b' - b)); nra].
    apply (is_RInt_le (fun t => minus (density sigma c t * U (b' + s * t)) (density sigma c t * U (b + s * t)))
      (fun t => scal (Rabs (b' - b)) (density sigma c t)) A B); [exact HAB | | |].
    + apply (is_RInt_minus (V := R_NormedModule)); apply I.
    + apply (is_RInt_scal (V := R_NormedModule)), D.
    + intros t _. pose proof (L (b + s * t) (b' + s * t)) as H.
      replace (b' + s * t - (b + s * t)) with (b' - b) in H by ring.
      pose proof (density_pos sigma c t Hs). unfold minus, plus, opp, scal; simpl. unfold mult; simpl. nra.
  - intros b. destruct (P b) as (v & E & V1 & V2). split.
    + apply Rle_trans with (v - loss * inside); [nra |].
      apply (is_RInt_le (fun t => minus (density sigma c t * Phi ((b + s * t + m) / sqrt N))
          (scal loss (density sigma c t)))
        (fun t => density sigma c t * U (b + s * t)) A B); [exact HAB | | apply I |].
      * apply (is_RInt_minus (V := R_NormedModule)); [exact E |].
        apply (is_RInt_scal (V := R_NormedModule)), D.
      * intros t _. pose proof (density_pos sigma c t Hs). pose proof (Bounds (b + s * t)).
        unfold minus, plus, opp, scal; simpl. unfold mult; simpl. nra.
    + apply Rle_trans with (2 := V2).
      apply (is_RInt_le (fun t => density sigma c t * U (b + s * t)) _ A B _ _ HAB (I b) E).
      intros t _. pose proof (density_pos sigma c t Hs). pose proof (Bounds (b + s * t)). nra.
Qed.
End SoftCoordinate.

(** A window that little is beyond. *)
Lemma wide_enough sigma c k :
  0 < sigma -> 0 < k -> exists A B, A <= B
    /\ 1 - (Phi ((B - c) / sigma) - Phi ((A - c) / sigma)) <= k.
Proof.
  intros Hs Hk. destruct (Phi_tail_below (k / 2) ltac:(lra)) as [x [Hx T]].
  exists (c - sigma * x), (c + sigma * x). split; [nra |].
  replace ((c + sigma * x - c) / sigma) with x by (field; lra).
  replace ((c - sigma * x - c) / sigma) with (- x) by (field; lra).
  pose proof (T x (Rle_refl x)). pose proof (Phi_opp x). lra.
Qed.

Lemma soft_box sigma : 0 < sigma -> forall n c c' s U U' m m' N loss loss' k,
  0 < k -> soft_step U m N loss -> soft_step U' m' N loss' ->
  exists box V V' lost, is_box n box
    /\ (forall b, box_integral box (fun y => vector_density sigma c y * U (b + along s y)) (V b))
    /\ (forall b, box_integral box (fun y => vector_density sigma c' y * U' (b + along s y)) (V' b))
    /\ soft_step V (m + dot n s c) (N + sigma * sigma * norm_squared n s) (loss + k)
    /\ soft_step V' (m' + dot n s c') (N + sigma * sigma * norm_squared n s) lost.
Proof.
  intros Hs. induction n as [| n IH]; intros c c' s U U' m m' N loss loss' k Hk HU HU'.
  - exists [], U, U', loss'. simpl. rewrite !Rplus_0_r, Rmult_0_r, Rplus_0_r.
    split; [split; [reflexivity | constructor] |].
    split; [intros b; rewrite Rplus_0_r; ring |]. split; [intros b; rewrite Rplus_0_r; ring |].
    split; [| exact HU']. destruct HU as (A & B & C & D). split; [exact A | split; [lra | split; [exact C |]]].
    intros b. specialize (D b). lra.
  - destruct (IH (fun i => c (S i)) (fun i => c' (S i)) (fun i => s (S i)) U U' m m' N loss loss' (k / 2)
      ltac:(lra) HU HU') as (box & V & V' & lost & (L & W) & I & I' & H & H').
    destruct (wide_enough sigma (c O) (k / 2) Hs ltac:(lra)) as (A & B & HAB & K).
    destruct (soft_coordinate _ _ _ _ sigma (c O) (s O) A B H Hs HAB) as [J E].
    destruct (soft_coordinate _ _ _ _ sigma (c' O) (s O) A B H' Hs HAB) as [J' E'].
    eexists ((A, B) :: box), _, _, _.
    split; [split; [simpl; rewrite L; reflexivity | constructor; assumption] |].
    split; [| split; [| split]].
    + intros b. simpl. eexists. split; [| apply J]. intros t.
      replace (fun y => density sigma (c O) t * vector_density sigma (fun i => c (S i)) y
                        * U (b + (s O * t + along (fun i => s (S i)) y)))
        with (fun y => density sigma (c O) t * (vector_density sigma (fun i => c (S i)) y
                        * U (b + s O * t + along (fun i => s (S i)) y))).
      * apply box_scale, I.
      * apply functional_extensionality. intros y. rewrite <- Rplus_assoc. ring.
    + intros b. simpl. eexists. split; [| apply J']. intros t.
      replace (fun y => density sigma (c' O) t * vector_density sigma (fun i => c' (S i)) y
                        * U' (b + (s O * t + along (fun i => s (S i)) y)))
        with (fun y => density sigma (c' O) t * (vector_density sigma (fun i => c' (S i)) y
                        * U' (b + s O * t + along (fun i => s (S i)) y))).
      * apply box_scale, I'.
      * apply functional_extensionality. intros y. rewrite <- Rplus_assoc. ring.
    + simpl.
      replace (m + (s O * c O + dot n (fun i => s (S i)) (fun i => c (S i))))
        with (m + dot n (fun i => s (S i)) (fun i => c (S i)) + s O * c O) by ring.
      replace (N + sigma * sigma * (s O * s O + norm_squared n (fun i => s (S i))))
        with (N + sigma * sigma * norm_squared n (fun i => s (S i)) + sigma * sigma * (s O * s O)) by ring.
      destruct E as (E1 & E2 & E3 & E4). split; [exact E1 | split; [| split; [exact E3 |]]].
      * destruct HU as (_ & HU & _). lra.
      * intros b. specialize (E4 b). lra.
    + simpl.
      replace (m' + (s O * c' O + dot n (fun i => s (S i)) (fun i => c' (S i))))
        with (m' + dot n (fun i => s (S i)) (fun i => c' (S i)) + s O * c' O) by ring.
      replace (N + sigma * sigma * (s O * s O + norm_squared n (fun i => s (S i))))
        with (N + sigma * sigma * norm_squared n (fun i => s (S i)) + sigma * sigma * (s O * s O)) by ring.
      exact E'.
Qed.

(** A release answers [fst cc] and [snd cc], whatever was put out before. *)
Definition answers {data : Type} (d d' : data) (r : release data) (cc : vector * vector) : Prop :=
  0 < snd r /\ forall past, answer (fst r) past d = fst cc /\ answer (fst r) past d' = snd cc.

Fixpoint told {data : Type} (rs : list (release data)) (ccs : list (vector * vector)) : R :=
  match rs, ccs with
  | (q, sigma) :: rs, (c, c') :: ccs =>
      norm_squared (coordinates q) (difference c c') / (sigma * sigma) + told rs ccs
  | _, _ => 0
  end.

Definition slope (l sigma : R) (c c' : vector) : vector :=
  fun i => l * (c i - c' i) / (sigma * sigma).

Lemma slope_norm l sigma n : 0 < sigma -> forall c c',
  sigma * sigma * norm_squared n (slope l sigma c c')
  = l * l * (norm_squared n (difference c c') / (sigma * sigma)).
Proof.
  intros Hs. induction n as [| n IH]; intros c c'; simpl; [field; lra |].
  specialize (IH (fun i => c (S i)) (fun i => c' (S i))). unfold slope, difference in *.
  rewrite Rmult_plus_distr_l, IH. field. lra.
Qed.

Lemma slope_dot l sigma n : 0 < sigma -> forall c c',
  dot n (slope l sigma c c') c - dot n (slope l sigma c c') c'
  = l * (norm_squared n (difference c c') / (sigma * sigma)).
Proof.
  intros Hs. induction n as [| n IH]; intros c c'; simpl; [field; lra |].
  specialize (IH (fun i => c (S i)) (fun i => c' (S i))). unfold slope, difference in *.
  set (x := dot n _ (fun i => c (S i))) in *. set (y := dot n _ (fun i => c' (S i))) in *.
  replace (l * (c O - c' O) / (sigma * sigma) * c O + x - (l * (c O - c' O) / (sigma * sigma) * c' O + y))
    with (l * (c O - c' O) / (sigma * sigma) * (c O - c' O) + (x - y)) by ring.
  rewrite IH. field. lra.
Qed.

Lemma soft_releases {data : Type} (d d' : data) l : forall rs ccs k,
  Forall2 (answers d d') rs ccs -> 0 < k ->
  exists boxes ss V V' m m' lost,
    Forall2 (fun r box => is_box (coordinates (fst r)) box) rs boxes
    /\ (forall past b, boxes_integral boxes
          (fun ys => Phi (b + score ss ys) * releases_density rs d past ys) (V b))
    /\ (forall past b, boxes_integral boxes
          (fun ys => Phi (b + score ss ys) * releases_density rs d' past ys) (V' b))
    /\ soft_step V m (1 + l * l * told rs ccs) k
    /\ soft_step V' m' (1 + l * l * told rs ccs) lost
    /\ m - m' = l * told rs ccs.
Proof.
  induction rs as [| [q sigma] rs IH]; intros ccs k F Hk; inversion F as [| ? cc ? ccs' F1 F2]; subst.
  - exists [], [], Phi, Phi, 0, 0, 0. simpl. rewrite !Rmult_0_r, Rplus_0_r.
    split; [constructor |]. split; [intros _ b; rewrite Rplus_0_r; ring |].
    split; [intros _ b; rewrite Rplus_0_r; ring |]. pose proof soft_Phi as (A & B & C & D).
    split; [| split; [exact soft_Phi | ring]].
    split; [exact A | split; [lra | split; [exact C |]]]. intros b. specialize (D b). lra.
  - destruct cc as [c c']. destruct F1 as [Hs F1]. simpl in Hs, F1.
    destruct (IH ccs' (k / 2) F2 ltac:(lra))
      as (boxes & ss & V & V' & m & m' & lost & B & I & I' & H & H' & E).
    set (s := slope l sigma c c').
    destruct (soft_box sigma Hs (coordinates q) c c' s V V' m m' _ (k / 2) lost (k / 2)
                ltac:(lra) H H') as (box & W & W' & lost' & B1 & J & J' & G & G').
    exists (box :: boxes), (s :: ss), W, W', (m + dot (coordinates q) s c),
      (m' + dot (coordinates q) s c'), lost'.
    assert (forall p past b (f : list (list R) -> list (list R) -> R) (U : R -> R) (c0 : vector),
      (forall past b, boxes_integral boxes (fun ys => Phi (b + score ss ys) * f past ys) (U b)) ->
      boxes_integral boxes
        (fun ys => Phi (b + score (s :: ss) (p :: ys)) * (vector_density sigma c0 p * f past ys))
        (vector_density sigma c0 p * U (b + along s p))) as Inner.
    { intros p past b f U c0 HU. simpl score.
      replace (fun ys => Phi (b + (along s p + score ss ys)) * (vector_density sigma c0 p * f past ys))
        with (fun ys => vector_density sigma c0 p * (Phi (b + along s p + score ss ys) * f past ys)).
      - apply boxes_scale, HU.
      - apply functional_extensionality. intros ys. rewrite <- Rplus_assoc. ring. }
    split; [constructor; [exact B1 | exact B] |]. split; [| split].
    + intros past b. cbn [boxes_integral releases_density]. destruct (F1 past) as [-> _].
      eexists. split; [| apply J]. intros y.
      apply (Inner y (y :: past) b (releases_density rs d)). exact I.
    + intros past b. cbn [boxes_integral releases_density]. destruct (F1 past) as [_ ->].
      eexists. split; [| apply J']. intros y.
      apply (Inner y (y :: past) b (releases_density rs d')). exact I'.
    + cbn [told].
      replace (1 + l * l * (norm_squared (coordinates q) (difference c c') / (sigma * sigma)
                            + told rs ccs'))
        with (1 + l * l * told rs ccs' + sigma * sigma * norm_squared (coordinates q) s)
        by (unfold s; rewrite slope_norm by exact Hs; ring).
      split; [| split; [exact G' |]].
      * replace k with (k / 2 + k / 2) by field. exact G.
      * pose proof (slope_dot l sigma (coordinates q) Hs c c') as D. fold s in D.
        rewrite Rmult_plus_distr_l, <- D, <- E. ring.
Qed.

(** A pair of neighbours with such answers is told so much about. *)
Theorem releases_necessary {data : Type} eps delta (neighbours : data -> data -> Prop) rs d d' ccs :
  neighbours d d' -> Forall2 (answers d d') rs ccs -> 0 < told rs ccs ->
  releases_dp eps delta neighbours rs -> profile eps (sqrt (told rs ccs)) <= delta.
Proof.
  intros Ne F HM DP. set (M := told rs ccs) in *.
  set (f := fun x => Phi ((M / 2 - eps) / sqrt (M + x))
                     - exp eps * Phi ((- M / 2 - eps) / sqrt (M + x))).
  assert (forall x, 0 < x -> f x <= delta) as Soft.
  { intros x Hx. apply le_epsilon. intros k Hk.
    set (l := / sqrt x). pose proof (sqrt_lt_R0 x Hx) as X.
    assert (0 < l) as Hl by (apply Rinv_0_lt_compat, X).
    destruct (soft_releases d d' l rs ccs k F Hk)
      as (boxes & ss & V & V' & m & m' & lost & B & I & I' & H & H' & E). fold M in H, H', E.
    set (b := l * (M / 2 - eps) - m).
    pose proof (DP d d' boxes (fun ys => Phi (b + score ss ys)) (V b) (V' b) Ne B
                  (fun ys => Phi_bounds _) (I [] b) (I' [] b)) as P.
    destruct H as (_ & _ & _ & H). destruct H' as (_ & _ & _ & H').
    specialize (H b). specialize (H' b).
    assert (sqrt (1 + l * l * M) = sqrt (M + x) * l) as Q.
    { rewrite <- (sqrt_square l) at 3 by lra. rewrite <- sqrt_mult_alt by lra. f_equal.
      pose proof (sqrt_sqrt x (Rlt_le _ _ Hx)) as XX. unfold l. set (y := sqrt x) in *.
      rewrite <- XX. field. lra. }
    rewrite Q in H, H'.
    replace ((b + m) / (sqrt (M + x) * l)) with ((M / 2 - eps) / sqrt (M + x)) in H.
    2:{ unfold b. field. split; [lra |]. apply Rgt_not_eq, sqrt_lt_R0. lra. }
    replace ((b + m') / (sqrt (M + x) * l)) with ((- M / 2 - eps) / sqrt (M + x)) in H'.
    2:{ unfold b. replace (l * (M / 2 - eps) - m + m') with (l * (- M / 2 - eps)) by lra.
        field. split; [lra |]. apply Rgt_not_eq, sqrt_lt_R0. lra. }
    unfold f. pose proof (exp_pos eps). nra. }
  assert (forall c, continuous (fun x => Phi (c / sqrt (M + x))) 0) as C.
  { intros c. apply (continuous_comp (fun x => c / sqrt (M + x)) Phi); [| apply Phi_continuous].
    apply (ex_derive_continuous (fun x => c / sqrt (M + x))).
    assert (0 < sqrt (M + 0)) by (apply sqrt_lt_R0; lra). auto_derive. repeat split; lra. }
  apply (is_lim_seq_le (fun n => f (/ INR (S n))) (fun _ => delta) (profile eps (sqrt M)) delta).
  - intros n. apply Soft, Rinv_0_lt_compat, lt_0_INR. lia.
  - replace (profile eps (sqrt M)) with (f 0).
    + apply (is_lim_seq_continuous f (fun n => / INR (S n)) 0).
      * apply continuity_pt_filterlim. unfold f.
        apply (continuous_minus (V := R_NormedModule) (fun x => Phi ((M / 2 - eps) / sqrt (M + x)))
          (fun x => scal (exp eps) (Phi ((- M / 2 - eps) / sqrt (M + x)))));
          [| apply (continuous_scal_r (V := R_NormedModule) (exp eps)
               (fun x => Phi ((- M / 2 - eps) / sqrt (M + x))))]; apply C.
      * replace (Finite 0) with (Rbar_inv p_infty) by reflexivity.
        apply is_lim_seq_inv; [| discriminate]. apply (is_lim_seq_incr_1 INR), is_lim_seq_INR.
    + unfold f, profile. rewrite Rplus_0_r. pose proof (sqrt_lt_R0 M HM) as S.
      pose proof (sqrt_sqrt M (Rlt_le _ _ HM)) as SS. set (r := sqrt M) in *.
      rewrite <- SS. f_equal; [| f_equal]; f_equal; field; lra.
  - apply is_lim_seq_const.
Qed.

(** ** Rounds of releases *)

(** The square of distance over noise. *)
Definition mu_squared (far sigma : R) : R := far / sigma * (far / sigma).

(** A release tells at least [m] about a pair of data sets. *)
Definition tells_at_least {data : Type} (d d' : data) (r : release data) (m : R) : Prop :=
  exists c c', answers d d' r (c, c')
    /\ m * (snd r * snd r) <= norm_squared (coordinates (fst r)) (difference c c').

Lemma within_tells {data : Type} (q : query data) d d' D sigma :
  0 < sigma -> within q d d' D -> tells_at_most d d' (q, sigma) (mu_squared D sigma).
Proof.
  intros Hs W. split; [exact Hs |]. intros past. apply Rle_trans with (1 := W past). simpl.
  right. unfold mu_squared. field. lra.
Qed.

Lemma apart_tells {data : Type} (q : query data) d d' D sigma :
  0 < sigma -> apart q d d' D -> tells_at_least d d' (q, sigma) (mu_squared D sigma).
Proof.
  intros Hs (c & c' & A & L). exists c, c'. split; [split; [exact Hs | exact A] |].
  apply Rle_trans with (2 := L). simpl. right. unfold mu_squared. field. lra.
Qed.

Lemma mu_squared_0 sigma : mu_squared 0 sigma = 0.
Proof. unfold mu_squared, Rdiv. ring. Qed.

Lemma mu_squared_nonneg far sigma : 0 <= mu_squared far sigma.
Proof. apply Rle_0_sqr. Qed.

Lemma total_app ms ms' : total (ms ++ ms') = total ms + total ms'.
Proof. induction ms as [| m ms IH]; simpl; [ring | rewrite IH; ring]. Qed.

(** What holds of each round holds of all. *)
Lemma in_rounds {data : Type} (P : release data -> R -> Prop) each ms times :
  (0 <= times)%Z -> (forall i, Forall2 P (each i) ms) ->
  exists all, Forall2 P (rounds times each) all /\ total all = IZR times * total ms.
Proof.
  intros Ht H. unfold rounds. set (n := Z.to_nat times).
  replace (IZR times) with (INR n) by (rewrite INR_IZR_INZ; unfold n; rewrite Z2Nat.id by exact Ht; reflexivity).
  generalize O as start. induction n as [| n IH]; intros start.
  - exists []. simpl. split; [constructor | ring].
  - destruct (IH (S start)) as (all & F & E). exists (ms ++ all). split.
    + simpl. apply Forall2_app; [apply H | exact F].
    + rewrite total_app, E, S_INR. ring.
Qed.

Lemma told_at_least {data : Type} (d d' : data) : forall rs ms,
  Forall2 (tells_at_least d d') rs ms ->
  exists ccs, Forall2 (answers d d') rs ccs /\ total ms <= told rs ccs.
Proof.
  induction rs as [| [q sigma] rs IH]; intros ms F; inversion F as [| ? m ? ms' F1 F2]; subst.
  - exists []. split; [constructor | simpl; lra].
  - destruct (IH ms' F2) as (ccs & A & L). destruct F1 as (c & c' & [Hs B] & N). simpl in Hs, N.
    exists ((c, c') :: ccs). split; [constructor; [split; assumption | exact A] |]. simpl.
    apply Rplus_le_compat; [| exact L]. assert (0 < sigma * sigma) by nra.
    apply Rmult_le_reg_r with (sigma * sigma); [assumption |]. apply Rle_trans with (1 := N).
    right. field. lra.
Qed.

Theorem rounds_private (data : Type) eps delta (neighbours : data -> data -> Prop) times each most :
  (0 <= times)%Z ->
  (forall d d', neighbours d d' ->
     exists ms, (forall i, Forall2 (tells_at_most d d') (each i) ms) /\ IZR times * total ms <= most) ->
  0 < most -> gaussian_dp eps delta (sqrt most) 1 ->
  releases_dp eps delta neighbours (rounds times each).
Proof.
  intros Ht H. apply releases_private. intros d d' Ne. destruct (H d d' Ne) as (ms & F & L).
  destruct (in_rounds _ each ms times Ht F) as (all & A & E). exists all. rewrite E. split; assumption.
Qed.

Theorem rounds_not_private (data : Type) eps delta (neighbours : data -> data -> Prop) times each
    d d' ms least :
  (0 <= times)%Z -> neighbours d d' -> (forall i, Forall2 (tells_at_least d d') (each i) ms) ->
  least <= IZR times * total ms -> 0 <= eps -> 0 < least ->
  ~ gaussian_dp eps delta (sqrt least) 1 -> ~ releases_dp eps delta neighbours (rounds times each).
Proof.
  intros Ht Ne F L He Hl V DP. apply V.
  destruct (in_rounds _ each ms times Ht F) as (all & A & E).
  destruct (told_at_least d d' _ all A) as (ccs & C & T).
  pose proof (sqrt_lt_R0 _ Hl). apply profile_suffices; [exact He | assumption | lra |].
  apply Rle_trans with (profile eps (sqrt (told (rounds times each) ccs))).
  - replace (sqrt least / 1) with (sqrt least) by field.
    apply profile_increasing; [assumption | apply sqrt_le_1_alt; lra].
  - apply (releases_necessary eps delta neighbours _ d d'); [exact Ne | exact C | lra | exact DP].
Qed.

(** X.COMP: where one pair of neighbours is at the distances that none exceeds, the releases are
    exactly as private as one. *)
Theorem composition (data : Type) eps delta (neighbours : data -> data -> Prop) rs ms :
  (forall d d', neighbours d d' -> Forall2 (tells_at_most d d') rs ms) ->
  (exists d d', neighbours d d' /\ Forall2 (tells_at_least d d') rs ms) ->
  0 <= eps -> 0 < total ms ->
  (releases_dp eps delta neighbours rs <-> gaussian_dp eps delta (sqrt (total ms)) 1).
Proof.
  intros Most (d & d' & Ne & Least) He Hm. pose proof (sqrt_lt_R0 _ Hm). split.
  - intros DP. destruct (told_at_least d d' rs ms Least) as (ccs & C & T).
    apply profile_suffices; [exact He | assumption | lra |].
    apply Rle_trans with (profile eps (sqrt (told rs ccs))).
    + replace (sqrt (total ms) / 1) with (sqrt (total ms)) by field.
      apply profile_increasing; [assumption | apply sqrt_le_1_alt, T].
    + apply (releases_necessary eps delta neighbours _ d d'); [exact Ne | exact C | lra | exact DP].
  - apply releases_private; [| exact Hm]. intros x x' N. exists ms. split; [exact (Most x x' N) | lra].
Qed.

(** ** One release of several coordinates *)

Definition axis (D : R) : vector := fun i => match i with O => D | _ => 0 end.

Lemma axis_norm D k : norm_squared (S k) (difference (axis D) (axis 0)) = D * D.
Proof.
  simpl. unfold difference at 1 2. simpl. rewrite Rminus_0_r.
  enough (norm_squared k (fun i => difference (axis D) (axis 0) (S i)) = 0) as -> by ring.
  replace (fun i => difference (axis D) (axis 0) (S i)) with (fun _ : nat => 0)
    by (apply functional_extensionality; intros i; unfold difference; simpl; ring).
  induction k as [| k IH]; simpl; [reflexivity | rewrite IH; ring].
Qed.

(** The l2-sensitivity is all that matters. *)
Theorem every_dimension k eps delta D sigma :
  0 <= eps -> 0 < D -> 0 < sigma ->
  (vector_gaussian_dp (S k) eps delta D sigma <-> gaussian_dp eps delta D sigma).
Proof.
  intros He HD Hs. assert (0 < mu_squared D sigma) as HM.
  { assert (0 < D / sigma) by (apply Rdiv_lt_0_compat; assumption).
    apply Rmult_lt_0_compat; assumption. }
  assert (sqrt (total [mu_squared D sigma]) = D / sigma) as Q.
  { simpl. rewrite Rplus_0_r. apply sqrt_square, Rlt_le, Rdiv_lt_0_compat; assumption. }
  assert (gaussian_dp eps delta (sqrt (total [mu_squared D sigma])) 1 <-> gaussian_dp eps delta D sigma)
    as One.
  { rewrite Q. assert (0 < D / sigma) by (apply Rdiv_lt_0_compat; assumption).
    rewrite (theorem8 _ _ (D / sigma) 1), (theorem8 _ _ D sigma) by (assumption || exact Rlt_0_1).
    replace (D / sigma / 1) with (D / sigma) by (field; lra).
    reflexivity. }
  set (near := fun c c' : vector => norm_squared (S k) (difference c c') <= D * D).
  set (q := {| coordinates := S k; answer := fun _ (d : vector) => d |}).
  rewrite <- One, <- (composition vector eps delta near [(q, sigma)]).
  - split.
    + intros DP c c' boxes h v v' N B Hh V V'.
      inversion B as [| ? box ? boxes' B1 B2]; subst. inversion B2; subst. simpl in B1, V, V'.
      destruct V as (g & G & V). destruct V' as (g' & G' & V').
      apply (DP c c' box (fun y => h [y])); [exact N | exact B1 | intros; apply Hh | |].
      * replace (fun y => h [y] * vector_density sigma c y) with g; [exact V |].
        apply functional_extensionality. intros y. rewrite G. ring.
      * replace (fun y => h [y] * vector_density sigma c' y) with g'; [exact V' |].
        apply functional_extensionality. intros y. rewrite G'. ring.
    + intros DP c c' box h v v' N B Hh V V'.
      apply (DP c c' [box] (fun ys => h (hd [] ys))); [exact N | | intros; apply Hh | |].
      * constructor; [exact B | constructor].
      * eexists. split; [| exact V]. intros y. simpl. ring.
      * eexists. split; [| exact V']. intros y. simpl. ring.
  - intros c c' N. constructor; [| constructor]. apply within_tells; [exact Hs |]. intros past. exact N.
  - exists (axis D), (axis 0). split; [unfold near; rewrite axis_norm; lra |].
    constructor; [| constructor]. apply apart_tells; [exact Hs |].
    exists (axis D), (axis 0). split; [intros; split; reflexivity |]. simpl coordinates.
    rewrite axis_norm. lra.
  - exact He.
  - simpl. lra.
Qed.

(** ** At given numbers

    [most] and [least] are what the releases tell together, in numbers; [numbers] decides a
    comparison of such. *)

Ltac positive numbers := first [lra | unfold mu_squared; numbers].

(** The premise of one case, about the queries of any round. *)
Ltac each_tells tells numbers :=
  repeat (apply Forall2_cons; [apply tells; [positive numbers | eassumption] |]); apply Forall2_nil.

Ltac summed numbers :=
  unfold total, fold_right; rewrite ?mu_squared_0;
  first
    [ right; reflexivity
    | repeat match goal with |- context [mu_squared ?f ?s] =>
        generalize (mu_squared_nonneg f s); generalize (mu_squared f s); intros end;
      lra
    | rewrite ?Rplus_0_l, ?Rplus_0_r; unfold mu_squared; numbers ].

Ltac all_parts := repeat match goal with H : _ /\ _ |- _ => destruct H end.

Tactic Notation "releases_hold" constr(most) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : forall d d', _ |- _ =>
      apply (rounds_private _ _ _ _ _ _ most);
      [ lia
      | intros one other N; specialize (H one other N); clear N;
        repeat match goal with E : _ \/ _ |- _ => destruct E as [E | E] end;
        (eexists; split;
         [ intros i; match goal with E : forall i, _ |- _ => specialize (E i) end; all_parts;
           each_tells within_tells numbers
         | summed numbers ])
      | unfold mu_squared; numbers
      | unfold mu_squared; numbers ]
  end.

Tactic Notation "releases_fail" constr(least) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : exists d d', _ |- _ =>
      destruct H as (one & other & N & H);
      eapply (rounds_not_private _ _ _ _ _ _ one other _ least);
      [ lia
      | exact N
      | intros i; specialize (H i); all_parts; each_tells apart_tells numbers
      | summed numbers
      | lra
      | unfold mu_squared; numbers
      | unfold mu_squared; numbers ]
  end.
