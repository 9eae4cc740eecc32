(** * Several releases with Gaussian noise about the same data: what they are, and no more is told

    Each release answers a query with as many coordinates as one likes, and may be chosen by the
    outputs before it.  All outputs together are (eps,delta)-DP, as one release with
    mu^2 = sum of (D/sigma)^2 is, for sensitivities D that no pair of neighbours exceeds. *)

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
