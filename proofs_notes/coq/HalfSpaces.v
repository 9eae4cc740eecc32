(** * A soft step across a coordinate with Gaussian noise

    The integral of Phi(a t + b) over a coordinate with Gaussian noise is Phi at another point.  So
    a step across several coordinates is one across a single coordinate, and no rotation is needed:
    what is beyond a plane has the probability of what is beyond a point. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson.
Open Scope R_scope.

Lemma Phi_continuous t : continuous Phi t.
Proof. apply (ex_derive_continuous Phi). eexists; apply Phi_derive. Qed.

(** How the noise of the coordinate flattens a step of slope [a]. *)
Definition flatter (sigma a : R) : R := sqrt (1 + a * sigma * (a * sigma)).

Lemma flatter_square sigma a : flatter sigma a * flatter sigma a = 1 + a * sigma * (a * sigma).
Proof. apply sqrt_sqrt. pose proof (Rle_0_sqr (a * sigma)) as H. unfold Rsqr in H. lra. Qed.

Lemma flatter_pos sigma a : 0 < flatter sigma a.
Proof. apply sqrt_lt_R0. pose proof (Rle_0_sqr (a * sigma)) as H. unfold Rsqr in H. lra. Qed.

Section Step.
Variables (sigma c a A B : R).
Hypothesis Hs : 0 < sigma.
Hypothesis HAB : A <= B.

Let n := flatter sigma a.
Let W (b : R) := RInt (fun t => density sigma c t * Phi (a * t + b)) A B.

Lemma step_continuous b t : continuous (fun t => density sigma c t * Phi (a * t + b)) t.
Proof.
  apply (continuous_mult (density sigma c)); [apply density_continuous, Hs |].
  apply (continuous_comp (fun t => a * t + b) Phi); [| apply Phi_continuous].
  apply (ex_derive_continuous (fun t => a * t + b)). auto_derive. trivial.
Qed.

Lemma step_integrable b : ex_RInt (fun t => density sigma c t * Phi (a * t + b)) A B.
Proof. apply continuous_integrable, step_continuous. Qed.

Lemma step_derive b t :
  is_derive (fun b => density sigma c t * Phi (a * t + b)) b (density sigma c t * phi (a * t + b)).
Proof.
  apply (is_derive_scal (fun b => Phi (a * t + b))). evar_last.
  - apply (is_derive_comp Phi (fun b => a * t + b)); [apply Phi_derive |].
    instantiate (1 := 1). auto_derive; [trivial | ring].
  - unfold scal; simpl. unfold mult; simpl. ring.
Qed.

(** A product of two bells is a bell. *)
Lemma product_of_bells b t :
  density sigma c t * phi (a * t + b)
  = phi ((a * c + b) / n) / n
    * density (sigma / n) (c - a * sigma * sigma * (a * c + b) / (n * n)) t.
Proof.
  pose proof (flatter_pos sigma a) as N. pose proof (flatter_square sigma a) as S. fold n in N, S.
  pose proof sqrt_2pi_pos as P. unfold density, phi. set (d := a * c + b).
  transitivity (exp (- ((t - c) / sigma * ((t - c) / sigma)) / 2
                     + - ((a * t + b) * (a * t + b)) / 2)
                / (sqrt (2 * PI) * sqrt (2 * PI) * sigma)).
  { rewrite exp_plus. field. lra. }
  replace (- ((t - c) / sigma * ((t - c) / sigma)) / 2 + - ((a * t + b) * (a * t + b)) / 2)
    with (- (d / n * (d / n)) / 2
          + - ((t - (c - a * sigma * sigma * d / (n * n))) / (sigma / n)
               * ((t - (c - a * sigma * sigma * d / (n * n))) / (sigma / n))) / 2).
  { rewrite exp_plus. field. lra. }
  replace (a * t + b) with (a * sigma * ((t - c) / sigma) + d) by (unfold d; field; lra).
  replace ((t - (c - a * sigma * sigma * d / (n * n))) / (sigma / n))
    with (n * ((t - c) / sigma) + a * sigma * d / n) by (field; lra).
  set (z := (t - c) / sigma). set (s := a * sigma) in *.
  apply Rmult_eq_reg_r with (2 * (n * n)); [| nra].
  transitivity (- (d * d) * (1 + s * s) - n * n * (n * n) * (z * z) - 2 * (n * n) * s * z * d);
    [field; lra |].
  rewrite S. unfold Rdiv. field.
Qed.

Lemma W_derive b :
  is_derive W b (phi ((a * c + b) / n) / n
    * RInt (density (sigma / n) (c - a * sigma * sigma * (a * c + b) / (n * n))) A B).
Proof.
  pose proof (flatter_pos sigma a) as N. fold n in N.
  evar_last.
  - apply (is_derive_RInt_param (fun b t => density sigma c t * Phi (a * t + b)) A B b).
    + exists (mkposreal 1 Rlt_0_1). intros y _ t _. eexists. apply step_derive.
    + intros t _.
      apply (continuity_2d_pt_ext (fun u v => density sigma c v * phi (a * v + u))).
      { intros u v. symmetry. apply is_derive_unique, step_derive. }
      apply continuity_2d_pt_mult.
      * apply (continuity_1d_2d_pt_comp (density sigma c) (fun _ v => v));
          [| apply continuity_2d_pt_id2].
        apply continuity_pt_filterlim, density_continuous, Hs.
      * apply (continuity_1d_2d_pt_comp phi (fun u v => a * v + u)).
        -- apply continuity_pt_filterlim, phi_continuous.
        -- apply continuity_2d_pt_plus; [| apply continuity_2d_pt_id1].
           apply continuity_2d_pt_mult; [apply continuity_2d_pt_const | apply continuity_2d_pt_id2].
    + exists (mkposreal 1 Rlt_0_1). intros y _. apply step_integrable.
  - rewrite (RInt_ext _ (fun t => scal (phi ((a * c + b) / n) / n)
      (density (sigma / n) (c - a * sigma * sigma * (a * c + b) / (n * n)) t))).
    + rewrite (RInt_scal (V := R_CompleteNormedModule)); [reflexivity |].
      apply density_integrable, Rdiv_lt_0_compat; assumption.
    + intros t _. etransitivity; [apply is_derive_unique, step_derive | apply product_of_bells].
Qed.

Lemma window_below_1 s x : 0 < s -> 0 <= RInt (density s x) A B <= 1.
Proof.
  intros H. rewrite (is_RInt_unique _ _ _ _ (density_integral s x A B H)).
  assert (Phi ((A - x) / s) <= Phi ((B - x) / s)).
  { apply Phi_increasing, Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, H | lra]. }
  pose proof (Phi_bounds ((A - x) / s)). pose proof (Phi_bounds ((B - x) / s)). lra.
Qed.

Lemma W_vanishes e : 0 < e -> forall b, exists b0, b0 <= b /\ W b0 <= e.
Proof.
  intros He b. destruct (Phi_tail_below e He) as [x [Hx T]].
  set (M := Rabs a * (Rabs A + Rabs B)).
  assert (forall t, A <= t <= B -> a * t <= M) as HM.
  { intros t Ht. apply Rle_trans with (Rabs (a * t)); [apply Rle_abs |]. rewrite Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos |]. unfold Rabs.
    destruct (Rcase_abs t), (Rcase_abs A), (Rcase_abs B); lra. }
  exists (Rmin b (- x - M)). split; [apply Rmin_l |].
  pose proof (Rmin_r b (- x - M)). set (b0 := Rmin b _) in *.
  apply Rle_trans with (RInt (fun t => scal e (density sigma c t)) A B).
  - apply RInt_le; [exact HAB | apply step_integrable | |].
    + apply (ex_RInt_scal (V := R_CompleteNormedModule)), density_integrable, Hs.
    + intros t Ht. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_comm.
      apply Rmult_le_compat_r; [apply Rlt_le, density_pos, Hs |].
      replace (a * t + b0) with (- - (a * t + b0)) by ring. apply T. specialize (HM t). lra.
  - rewrite (RInt_scal (V := R_CompleteNormedModule)); [| apply density_integrable, Hs].
    unfold scal; simpl; unfold mult; simpl. pose proof (window_below_1 sigma c Hs). nra.
Qed.

Lemma W_below b : W b <= Phi ((a * c + b) / n).
Proof.
  pose proof (flatter_pos sigma a) as N. fold n in N.
  apply le_epsilon. intros e He. destruct (W_vanishes e He b) as [b0 [L V]].
  enough (Phi ((a * c + b0) / n) - W b0 <= Phi ((a * c + b) / n) - W b).
  { pose proof (Phi_bounds ((a * c + b0) / n)). lra. }
  apply (nondecreasing (fun b => Phi ((a * c + b) / n) - W b)
    (fun b => phi ((a * c + b) / n) / n
      - phi ((a * c + b) / n) / n
        * RInt (density (sigma / n) (c - a * sigma * sigma * (a * c + b) / (n * n))) A B)).
  - exact L.
  - intros x _. apply (is_derive_minus (fun b => Phi ((a * c + b) / n)) W); [| apply W_derive].
    evar_last.
    + apply (is_derive_comp Phi (fun b => (a * c + b) / n)); [apply Phi_derive |].
      instantiate (1 := / n). auto_derive; [trivial | field; lra].
    + unfold scal; simpl. unfold mult; simpl. unfold Rdiv. ring.
  - intros x _. set (p := phi _ / n). assert (0 < p) by (apply Rdiv_lt_0_compat; [apply phi_pos | lra]).
    pose proof (window_below_1 (sigma / n) (c - a * sigma * sigma * (a * c + x) / (n * n))
                  ltac:(apply Rdiv_lt_0_compat; lra)). nra.
Qed.
End Step.

(** What is missing is at most the probability beyond the window. *)
Theorem step_integral sigma c a b A B :
  0 < sigma -> A <= B ->
  exists v, is_RInt (fun t => density sigma c t * Phi (a * t + b)) A B v
    /\ Phi ((a * c + b) / flatter sigma a)
         - (1 - (Phi ((B - c) / sigma) - Phi ((A - c) / sigma))) <= v
    /\ v <= Phi ((a * c + b) / flatter sigma a).
Proof.
  intros Hs HAB. eexists. split; [| split].
  - apply (RInt_correct (V := R_CompleteNormedModule)), step_integrable, Hs.
  - pose proof (W_below sigma c (- a) A B Hs HAB (- b)) as H.
    replace (flatter sigma (- a)) with (flatter sigma a) in H by (unfold flatter; f_equal; ring).
    replace ((- a * c + - b) / flatter sigma a) with (- ((a * c + b) / flatter sigma a)) in H
      by (unfold Rdiv; ring).
    rewrite Phi_opp in H.
    pose proof (is_RInt_unique _ _ _ _ (density_integral sigma c A B Hs)) as M. simpl in M.
    rewrite (RInt_ext _ (fun t => minus (density sigma c t) (density sigma c t * Phi (a * t + b)))) in H.
    + rewrite (RInt_minus (V := R_CompleteNormedModule)) in H;
        [| apply density_integrable, Hs | apply step_integrable, Hs].
      rewrite M in H. unfold minus, plus, opp in H; simpl in H. lra.
    + intros t _. replace (- a * t + - b) with (- (a * t + b)) by ring. rewrite Phi_opp.
      unfold minus, plus, opp; simpl. real_equation. ring.
  - apply W_below; assumption.
Qed.
