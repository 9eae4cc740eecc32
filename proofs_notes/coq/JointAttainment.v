(** * As much as that is told, where one pair of neighbours is as far apart in all releases

    A soft step across all coordinates is integrated one coordinate after the other; in the limit of
    a steep step it gains what one release would. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions Calculus NormalDistribution PrivacyProfile NeymanPearson.
From Dporacle Require Import Boxes HalfSpaces Releases.
Import ListNotations.
Open Scope R_scope.

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
