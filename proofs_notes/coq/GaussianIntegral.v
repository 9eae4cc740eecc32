(** * The Gaussian integral

    The square of the area under e^(-t^2/2) from 0 to x is between
    pi/2 (1 - e^(-x^2/2)) and pi/2.
    With K(x) = int_0^1 e^(-x^2 (1 + t^2)/2) / (1 + t^2) dt the sum (area x)^2 + 2 K(x) has
    derivative 0, and at x = 0 it is 2 atan 1 = pi/2. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Calculus.
Open Scope R_scope.

Definition bell (t : R) : R := exp (- (t * t) / 2).
Definition area (x : R) : R := RInt bell 0 x.

Lemma bell_pos t : 0 < bell t.
Proof. apply exp_pos. Qed.

Lemma bell_derive x : is_derive bell x (- x * bell x).
Proof. unfold bell. auto_derive; [trivial |]. unfold Rdiv. set (E := exp _). field. Qed.

Lemma bell_continuous t : continuous bell t.
Proof. apply (ex_derive_continuous bell). eexists; apply bell_derive. Qed.

Lemma bell_opp x : bell (- x) = bell x.
Proof. unfold bell. f_equal. field. Qed.

Lemma bell_le_1 x : bell x <= 1.
Proof.
  unfold bell. rewrite <- exp_0. destruct (Req_dec x 0) as [-> | H].
  - right; f_equal; field.
  - apply Rlt_le, exp_increasing. assert (0 < x * x) by (apply Rsqr_pos_lt; exact H). lra.
Qed.

Lemma bell_falls x y : y * y <= x * x -> bell x <= bell y.
Proof.
  intros H. unfold bell. destruct (Req_dec (x * x) (y * y)) as [-> | N]; [lra |].
  apply Rlt_le, exp_increasing. lra.
Qed.

Lemma area_derive x : is_derive area x (bell x).
Proof. apply integral_derive, bell_continuous. Qed.

Lemma area_0 : area 0 = 0.
Proof. unfold area. rewrite RInt_point. reflexivity. Qed.

Lemma area_opp x : area (- x) = - area x.
Proof.
  pose proof (constant (fun x => area (- x) + area x)) as C.
  enough (area (- x) + area x = area (- 0) + area 0) as E
    by (rewrite Ropp_0, area_0 in E; lra).
  apply C. intros y. evar_last.
  - apply (is_derive_plus (fun x => area (- x)) area).
    + apply (is_derive_comp area Ropp y); [apply area_derive |].
      apply is_derive_Reals, derivable_pt_lim_opp, derivable_pt_lim_id.
    + apply area_derive.
  - unfold plus, scal; simpl. unfold mult; simpl. rewrite bell_opp. ring.
Qed.

(** ** The second function *)

Definition kernel (x t : R) : R := exp (- (x * x * (1 + t * t)) / 2) / (1 + t * t).
Definition K (x : R) : R := RInt (fun t => kernel x t) 0 1.

Lemma one_plus_square t : 0 < 1 + t * t.
Proof. nra. Qed.

Lemma kernel_derive x t :
  is_derive (fun u => kernel u t) x (- x * exp (- (x * x * (1 + t * t)) / 2)).
Proof.
  unfold kernel. pose proof (one_plus_square t). auto_derive; [lra |].
  replace (- (x * x * (1 + t * t)) * / 2) with (- (x * x * (1 + t * t)) / 2) by reflexivity.
  set (E := exp _). field. lra.
Qed.

Lemma kernel_continuous x t : continuous (kernel x) t.
Proof.
  apply (ex_derive_continuous (kernel x)). unfold kernel.
  pose proof (one_plus_square t). auto_derive. lra.
Qed.

Lemma kernel_integrable x : ex_RInt (fun t => kernel x t) 0 1.
Proof. apply continuous_integrable. intros; apply kernel_continuous. Qed.

(** Differentiation under the integral sign. *)
Lemma K_derive_inside x : is_derive K x (RInt (fun t => Derive (fun u => kernel u t) x) 0 1).
Proof.
  apply (is_derive_RInt_param kernel 0 1 x).
  - exists (mkposreal 1 Rlt_0_1). intros y _ t _. eexists. apply kernel_derive.
  - intros t _.
    apply (continuity_2d_pt_ext (fun u v => (- u) * exp (- (u * u * (1 + v * v)) / 2))).
    { intros u v. symmetry. apply is_derive_unique. apply kernel_derive. }
    apply continuity_2d_pt_mult.
    + apply continuity_2d_pt_opp, continuity_2d_pt_id1.
    + apply (continuity_1d_2d_pt_comp exp).
      * apply derivable_continuous_pt, derivable_pt_exp.
      * unfold Rdiv. apply continuity_2d_pt_mult; [| apply continuity_2d_pt_const].
        apply continuity_2d_pt_opp, continuity_2d_pt_mult.
        -- apply continuity_2d_pt_mult; apply continuity_2d_pt_id1.
        -- apply continuity_2d_pt_plus; [apply continuity_2d_pt_const |].
           apply continuity_2d_pt_mult; apply continuity_2d_pt_id2.
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply kernel_integrable.
Qed.

(** The substitution u = x t. *)
Lemma K_derive x : is_derive K x (- (bell x * area x)).
Proof.
  replace (- (bell x * area x)) with (RInt (fun t => Derive (fun u => kernel u t) x) 0 1).
  { apply K_derive_inside. }
  rewrite (RInt_ext _ (fun t => scal (- bell x) (scal x (bell (x * t + 0))))).
  2:{ intros t _.
      transitivity (- x * exp (- (x * x * (1 + t * t)) / 2)).
      { apply is_derive_unique. apply kernel_derive. }
      unfold scal; simpl; unfold mult; simpl. unfold bell.
      replace (- (x * x * (1 + t * t)) / 2)
        with (- (x * x) / 2 + - ((x * t + 0) * (x * t + 0)) / 2) by field.
      rewrite exp_plus. ring. }
  rewrite (RInt_scal (V := R_CompleteNormedModule)).
  2:{ apply continuous_integrable. intros z.
      apply (ex_derive_continuous (fun y => scal x (bell (x * y + 0)))).
      change (ex_derive (fun y : R => x * exp (- ((x * y + 0) * (x * y + 0)) / 2)) z).
      auto_derive. trivial. }
  rewrite (RInt_comp_lin (V := R_CompleteNormedModule));
    [| apply continuous_integrable, bell_continuous].
  unfold area. rewrite Rmult_0_r, Rmult_1_r, !Rplus_0_r.
  unfold scal; simpl; unfold mult; simpl. ring.
Qed.

Lemma K_0 : K 0 = PI / 4.
Proof.
  unfold K. rewrite <- atan_1.
  replace (atan 1) with (atan 1 - atan 0) by (rewrite atan_0; ring).
  apply is_RInt_unique.
  apply (is_RInt_ext (fun t => / (1 + t * t))).
  { intros t _. unfold kernel. pose proof (one_plus_square t).
    replace (- (0 * 0 * (1 + t * t)) / 2) with 0 by field.
    rewrite exp_0. unfold Rdiv. rewrite Rmult_1_l. reflexivity. }
  apply (is_RInt_derive atan).
  - intros t _. evar_last; [apply is_derive_Reals, derivable_pt_lim_atan |].
    simpl. rewrite ?Rmult_1_r. reflexivity.
  - intros t _. apply (ex_derive_continuous (fun t => / (1 + t * t))).
    pose proof (one_plus_square t). auto_derive. lra.
Qed.

Lemma K_bounds x : 0 <= K x <= PI / 4 * bell x.
Proof.
  split.
  - apply RInt_ge_0; [lra | apply kernel_integrable |].
    intros t _. unfold kernel. pose proof (one_plus_square t).
    apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos | lra].
  - rewrite <- K_0. replace (K 0 * bell x) with (RInt (fun t => scal (bell x) (kernel 0 t)) 0 1).
    2:{ rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply kernel_integrable.
        unfold scal; simpl; unfold mult; simpl. apply Rmult_comm. }
    apply RInt_le; [lra | apply kernel_integrable | |].
    { apply (ex_RInt_scal (V := R_CompleteNormedModule)), kernel_integrable. }
    intros t _. unfold scal; simpl; unfold mult; simpl. unfold kernel.
    pose proof (one_plus_square t).
    unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra |].
    unfold bell. rewrite <- exp_plus.
    assert (- (x * x * (1 + t * t)) * / 2
            <= - (x * x) / 2 + - (0 * 0 * (1 + t * t)) * / 2) as [L | E].
    { assert (0 <= x * t * (x * t)) by apply Rle_0_sqr. lra. }
    + apply Rlt_le, exp_increasing, L.
    + rewrite E. lra.
Qed.

(** ** The sum is constant *)

Lemma area_and_K x : area x * area x + 2 * K x = PI / 2.
Proof.
  rewrite (constant (fun x => area x * area x + 2 * K x)).
  { rewrite area_0, K_0. field. }
  intros y. evar_last.
  - apply (is_derive_plus (fun x => area x * area x) (fun x => 2 * K x)).
    + apply (is_derive_mult area area y); [apply area_derive .. | intros; apply Rmult_comm].
    + apply (is_derive_scal K y 2), K_derive.
  - unfold plus, mult, scal; simpl. unfold mult; simpl. ring.
Qed.

Theorem gaussian_integral x : PI / 2 * (1 - bell x) <= area x * area x <= PI / 2.
Proof. pose proof (area_and_K x). pose proof (K_bounds x). lra. Qed.
