(** * The standard normal distribution function

    It rises from 0 to 1, Phi(-x) = 1 - Phi(x), and its tails are bounded: all of it from the
    Gaussian integral, by 4 Phi(x) Phi(-x) = 1 - (2/pi) (area x)^2. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral.
Open Scope R_scope.

Lemma sqrt_2pi_pos : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Lemma sqrt_2pi_square : sqrt (2 * PI) * sqrt (2 * PI) = 2 * PI.
Proof. apply sqrt_sqrt. pose proof PI_RGT_0. lra. Qed.

Lemma PI_gt_2 : 2 < PI.
Proof. pose proof PI2_1. lra. Qed.

Lemma phi_bell t : phi t = bell t / sqrt (2 * PI).
Proof. reflexivity. Qed.

Lemma phi_pos t : 0 < phi t.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos | apply sqrt_2pi_pos]. Qed.

Lemma phi_below_1 t : phi t <= 1.
Proof.
  rewrite phi_bell. apply div_mult_le; [apply sqrt_2pi_pos |]. rewrite Rmult_1_l.
  apply Rle_trans with (1 := bell_le_1 t). rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt.
  pose proof PI_gt_2. lra.
Qed.

Lemma phi_opp t : phi (- t) = phi t.
Proof. rewrite !phi_bell, bell_opp. reflexivity. Qed.

Lemma phi_derive x : is_derive phi x (- x * phi x).
Proof.
  evar_last.
  - apply (is_derive_ext (fun t => scal (/ sqrt (2 * PI)) (bell t))).
    + intros t. rewrite phi_bell. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
    + apply (is_derive_scal bell x), bell_derive.
  - rewrite phi_bell. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
Qed.

Lemma phi_continuous t : continuous phi t.
Proof. apply (ex_derive_continuous phi). eexists; apply phi_derive. Qed.

Lemma Phi_area x : Phi x = 1 / 2 + area x / sqrt (2 * PI).
Proof.
  unfold Phi, area. f_equal.
  rewrite (RInt_ext phi (fun t => scal (/ sqrt (2 * PI)) (bell t))).
  2:{ intros t _. rewrite phi_bell. unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring. }
  rewrite (RInt_scal (V := R_CompleteNormedModule));
    [| apply continuous_integrable, bell_continuous].
  unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
Qed.

Lemma Phi_derive x : is_derive Phi x (phi x).
Proof.
  unfold Phi. evar_last.
  - apply (is_derive_plus (fun _ => 1 / 2) (fun x => RInt phi 0 x));
      [apply (is_derive_const (1 / 2) x) | apply integral_derive, phi_continuous].
  - unfold plus, zero; simpl. ring.
Qed.

Lemma Phi_0 : Phi 0 = 1 / 2.
Proof. rewrite Phi_area, area_0. unfold Rdiv. ring. Qed.

Lemma Phi_opp x : Phi (- x) = 1 - Phi x.
Proof. rewrite !Phi_area, area_opp. field. pose proof sqrt_2pi_pos. lra. Qed.

Lemma Phi_increasing x y : x <= y -> Phi x <= Phi y.
Proof.
  intros H. apply (nondecreasing Phi phi); auto.
  - intros; apply Phi_derive.
  - intros; apply Rlt_le, phi_pos.
Qed.

(** ** The tails *)

Lemma Phi_product x : 0 <= 4 * (Phi x * Phi (- x)) <= bell x.
Proof.
  rewrite Phi_opp, Phi_area. pose proof (gaussian_integral x) as G.
  pose proof sqrt_2pi_pos as Hp. pose proof sqrt_2pi_square as Hs. pose proof PI_RGT_0 as P.
  set (s := sqrt (2 * PI)) in *. set (i := area x) in *.
  replace (4 * ((1 / 2 + i / s) * (1 - (1 / 2 + i / s)))) with (1 - 4 * (i * i) / (s * s))
    by (field; lra).
  rewrite Hs.
  replace (1 - 4 * (i * i) / (2 * PI)) with ((PI / 2 - i * i) * (2 / PI)) by (field; lra).
  replace (bell x) with (PI / 2 * bell x * (2 / PI)) by (field; lra).
  assert (0 < 2 / PI) by (apply Rdiv_lt_0_compat; lra).
  split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra].
Qed.

(** GN.L1, with the factor 1/2. *)
Theorem Phi_tail x : 0 <= x -> 0 <= Phi (- x) <= bell x / 2.
Proof.
  intros Hx. pose proof (Phi_product x) as [A B].
  pose proof (Phi_increasing 0 x Hx) as C. rewrite Phi_0 in C.
  assert (0 <= Phi (- x)) by (apply Rmult_le_reg_l with (4 * Phi x); lra).
  split; nra.
Qed.

Lemma Phi_bounds x : 0 <= Phi x <= 1.
Proof.
  destruct (Rle_lt_dec 0 x) as [H | H].
  - pose proof (Phi_tail x H) as T. pose proof (Phi_increasing 0 x H) as M.
    rewrite Phi_0 in M. rewrite Phi_opp in T. lra.
  - pose proof (Phi_tail (- x)) as T. rewrite Ropp_involutive in T.
    pose proof (Phi_increasing x 0) as M. rewrite Phi_0 in M. lra.
Qed.

Lemma Phi_strictly_increasing x y : x < y -> Phi x < Phi y.
Proof.
  intros H. destruct (MVT_gen Phi x y phi) as [c [_ E]].
  - intros; apply Phi_derive.
  - intros. apply continuity_pt_filterlim, (ex_derive_continuous Phi). eexists; apply Phi_derive.
  - pose proof (phi_pos c). nra.
Qed.

Lemma Phi_positive x : 0 < Phi x.
Proof.
  apply Rle_lt_trans with (Phi (x - 1)); [apply Phi_bounds |].
  apply Phi_strictly_increasing. lra.
Qed.

Lemma Phi_tail_below e : 0 < e -> exists b, 0 <= b /\ forall x, b <= x -> Phi (- x) <= e.
Proof.
  intros He. exists (1 + 2 / e).
  assert (0 < 2 / e) as H0 by (apply Rdiv_lt_0_compat; lra).
  split; [lra |]. intros x Hx.
  apply Rle_trans with (bell x / 2); [apply Phi_tail; lra |].
  assert (bell x <= / (1 + x * x / 2)) as G.
  { unfold bell. replace (- (x * x) / 2) with (- (x * x / 2)) by field.
    rewrite exp_Ropp. apply Rinv_le_contravar; [nra |]. apply Rlt_le, exp_ineq1. nra. }
  pose proof (bell_pos x).
  apply Rle_trans with (/ (1 + x * x / 2)); [lra |].
  apply Rmult_le_reg_r with (1 + x * x / 2); [nra |].
  rewrite Rinv_l by nra. assert (e * (2 / e) = 2) by (field; lra). nra.
Qed.

(** Every probability between 0 and 1 has a quantile. *)
Theorem quantile_exists delta : 0 < delta < 1 -> exists z, Phi (- z) = delta.
Proof.
  intros H. destruct (Phi_tail_below (Rmin delta (1 - delta))) as [b [Hb B]];
    [apply Rmin_glb_lt; lra |].
  pose proof (B b (Rle_refl b)) as T.
  pose proof (Rmin_l delta (1 - delta)). pose proof (Rmin_r delta (1 - delta)).
  pose proof (Phi_increasing (- b) b ltac:(lra)) as M. pose proof (Phi_opp b) as O.
  destruct (IVT_gen Phi (- b) b delta) as [x [_ E]].
  - intros x. apply continuity_pt_filterlim, (ex_derive_continuous Phi).
    eexists; apply Phi_derive.
  - rewrite Rmin_left, Rmax_right by lra. lra.
  - exists (- x). rewrite Ropp_involutive. exact E.
Qed.

(** The total probability is 1. *)
Theorem Phi_limits : is_lim Phi p_infty 1 /\ is_lim Phi m_infty 0.
Proof.
  split; intros P [e He].
  - destruct (Phi_tail_below (e / 2)) as [b [_ B]]; [pose proof (cond_pos e); lra |].
    exists b. intros x Hx. apply He. unfold ball; simpl; unfold AbsRing_ball; simpl.
    unfold abs, minus, plus, opp; simpl. pose proof (B x (Rlt_le _ _ Hx)) as T.
    rewrite Phi_opp in T. pose proof (Phi_bounds x). pose proof (cond_pos e).
    rewrite Rabs_left1; lra.
  - destruct (Phi_tail_below (e / 2)) as [b [_ B]]; [pose proof (cond_pos e); lra |].
    exists (- b). intros x Hx. apply He. unfold ball; simpl; unfold AbsRing_ball; simpl.
    unfold abs, minus, plus, opp; simpl. pose proof (B (- x)) as T.
    rewrite Ropp_involutive in T. pose proof (Phi_bounds x). pose proof (cond_pos e).
    assert (Phi x <= e / 2) by (apply T; lra). rewrite Rabs_pos_eq; lra.
Qed.
