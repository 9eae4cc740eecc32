(** * Theorems over whole domains

    Calibrations that are private at every point of their domain.  All of them follow from the
    tail bound: the profile is at most Phi(-y), y = eps/mu - mu/2. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
From Dporacle Require Import PrivacyProfile Theorem8.
From Dporacle Require PureChecker.
Open Scope R_scope.

(** The few numbers that are needed, without machine integers. *)
Ltac numeric := PureChecker.by_computation 30%positive 4%nat 4%nat.

Lemma ln_inverse_pos delta : 0 < delta < 1 -> 0 < ln (1 / delta).
Proof.
  intros Hd. rewrite <- ln_1. apply ln_increasing; [lra |].
  apply Rmult_lt_reg_r with delta; [lra |]. field_simplify; lra.
Qed.

(** ** Tails *)

(** X.CF.plrv-tail: sigma = D (z + sqrt(z^2 + 2 eps))/(2 eps), where z is the upper delta-quantile,
    makes the tail of the privacy loss delta exactly. *)
Definition tail_sigma (eps z : R) : R := (z + sqrt (z * z + 2 * eps)) / (2 * eps).

Lemma tail_sigma_root eps z :
  0 < eps ->
  let mu := sqrt (z * z + 2 * eps) - z in
  0 < mu /\ 1 / tail_sigma eps z = mu /\ 0 < tail_sigma eps z /\ mu / 2 - eps / mu = - z.
Proof.
  intros He. unfold tail_sigma. set (r := sqrt (z * z + 2 * eps)).
  assert (r * r = z * z + 2 * eps) as Hr by (apply sqrt_sqrt; nra).
  assert (0 <= r) by apply sqrt_pos.
  assert (Rabs z < r) as Hz by (apply Rabs_def1; nra).
  apply Rabs_def2 in Hz. cbv zeta.
  assert (0 < r - z) by lra. assert (0 < r + z) by lra.
  assert ((r - z) * (r + z) = 2 * eps) as P by (ring_simplify; lra).
  split; [lra |]. split; [| split].
  - rewrite <- P. replace (z + r) with (r + z) by ring. field. lra.
  - apply Rdiv_lt_0_compat; lra.
  - replace eps with ((r - z) * (r + z) / 2) by lra. field. lra.
Qed.

Theorem plrv_tail eps z : 0 < eps -> gaussian_dp eps (Phi (- z)) 1 (tail_sigma eps z).
Proof.
  intros He. destruct (tail_sigma_root eps z He) as [M [S [P Y]]].
  apply theorem8; [lra | lra | exact P |]. rewrite S, <- Y. apply profile_below_tail.
Qed.

(** More noise is as private. *)
Lemma dp_more_noise eps delta D sigma sigma' :
  0 <= eps -> 0 < D -> 0 < sigma -> sigma <= sigma' ->
  gaussian_dp eps delta D sigma -> gaussian_dp eps delta D sigma'.
Proof.
  intros He HD Hs Hs' DP. apply theorem8 in DP; try assumption.
  apply theorem8; try assumption; [lra |]. apply Rle_trans with (2 := DP).
  apply profile_increasing; [apply Rdiv_lt_0_compat; lra |].
  apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra.
Qed.

Lemma dp_larger_delta eps delta delta' D sigma :
  0 <= eps -> 0 < D -> 0 < sigma -> delta <= delta' ->
  gaussian_dp eps delta D sigma -> gaussian_dp eps delta' D sigma.
Proof.
  intros He HD Hs Hd DP. apply theorem8 in DP; try assumption.
  apply theorem8; try assumption. lra.
Qed.

(** JL24.L2.reversed: the analytic mechanism's variance is below (z^2 + eps)/eps^2, which is called
    a lower bound of it (JL24.L2). *)
Theorem analytic_variance_below eps z :
  0 < eps ->
  let sigma := tail_sigma eps z in
  0 < sigma /\ gaussian_dp eps (Phi (- z)) 1 sigma
  /\ sigma * sigma < (z * z + eps) / (eps * eps).
Proof.
  intros He sigma. destruct (tail_sigma_root eps z He) as [_ [_ [P _]]].
  split; [exact P |]. split; [apply plrv_tail, He |].
  unfold sigma, tail_sigma. set (r := sqrt (z * z + 2 * eps)).
  assert (r * r = z * z + 2 * eps) as Hr by (apply sqrt_sqrt; nra).
  assert (0 <= r) by apply sqrt_pos.
  replace ((z + r) / (2 * eps) * ((z + r) / (2 * eps)))
    with ((z + r) * (z + r) / 4 / (eps * eps)) by (field; lra).
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; nra |].
  (* (z + r)^2 = 2 z^2 + 2 eps + 2 z r, and z r < z^2 + eps by squaring *)
  assert ((z * r) * (z * r) < (z * z + eps) * (z * z + eps)) as S.
  { replace ((z * r) * (z * r)) with (z * z * (r * r)) by ring. rewrite Hr. nra. }
  assert (0 < z * z + eps) by nra.
  assert (z * r < z * z + eps) by nra. nra.
Qed.

(** GN.T1: noise of variance 1/rho is (rho/2 + sqrt(2 rho ln(1/delta)), delta)-DP. *)
Theorem concentrated_conversion rho delta :
  0 < rho -> 0 < delta < 1 ->
  gaussian_dp (rho / 2 + sqrt (2 * rho * ln (1 / delta))) delta 1 (1 / sqrt rho).
Proof.
  intros Hr Hd. pose proof (ln_inverse_pos delta Hd) as L.
  pose proof (sqrt_lt_R0 rho Hr) as S.
  pose proof (sqrt_pos (2 * rho * ln (1 / delta))) as S2.
  apply theorem8; [lra | lra | apply Rdiv_lt_0_compat; lra |].
  replace (1 / (1 / sqrt rho)) with (sqrt rho) by (field; lra).
  apply Rle_trans with (1 := profile_below_tail _ _).
  set (z := sqrt (2 * ln (1 / delta))). assert (0 <= z) as Z by apply sqrt_pos.
  assert (sqrt (2 * rho * ln (1 / delta)) = sqrt rho * z) as E.
  { unfold z. rewrite <- sqrt_mult by lra. f_equal. ring. }
  replace (sqrt rho / 2 - (rho / 2 + sqrt (2 * rho * ln (1 / delta))) / sqrt rho) with (- z).
  2:{ rewrite E. rewrite <- (sqrt_sqrt rho) at 2 by lra. field. lra. }
  apply Rle_trans with (bell z / 2); [apply Phi_tail, Z |].
  unfold bell, z. rewrite sqrt_sqrt by lra.
  replace (- (2 * ln (1 / delta)) / 2) with (ln delta).
  2:{ replace (1 / delta) with (/ delta) by (field; lra). rewrite ln_Rinv by lra. field. }
  rewrite exp_ln by lra. lra.
Qed.

(** ** eps = 0 *)

Lemma Phi_above_half x : 0 <= x -> Phi x <= 1 / 2 + x / sqrt (2 * PI).
Proof.
  intros Hx. rewrite Phi_area. apply Rplus_le_compat_l, Rmult_le_compat_r.
  - apply Rlt_le, Rinv_0_lt_compat, sqrt_2pi_pos.
  - replace x with (x - 0) at 2 by ring.
    apply Rminus_le_0.
    replace 0 with (0 - 0 - area 0) at 1 by (rewrite area_0; ring).
    apply (nondecreasing (fun x => x - 0 - area x) (fun x => 1 - bell x)); [exact Hx | |].
    + intros y _. evar_last.
      * apply (is_derive_minus (fun x => x - 0) area); [| apply area_derive].
        instantiate (1 := 1). auto_derive; [trivial | ring].
      * reflexivity.
    + intros y _. pose proof (bell_le_1 y). lra.
Qed.

(** BW18.T2 (Theorem 2): sigma = D/(2 delta) is (0, delta)-DP. *)
Theorem pinsker_calibration delta D :
  0 < delta -> 0 < D -> gaussian_dp 0 delta D (D / (2 * delta)).
Proof.
  intros Hd HD. apply theorem8; [lra | lra | apply Rdiv_lt_0_compat; lra |].
  replace (D / (D / (2 * delta))) with (2 * delta) by (field; lra).
  unfold profile. rewrite exp_0.
  replace (2 * delta / 2 - 0 / (2 * delta)) with delta by (field; lra).
  replace (- (2 * delta) / 2 - 0 / (2 * delta)) with (- delta) by (field; lra).
  rewrite Phi_opp. pose proof (Phi_above_half delta (Rlt_le _ _ Hd)).
  assert (2 <= sqrt (2 * PI)) as S.
  { apply Rle_trans with (sqrt (2 * 2)); [rewrite sqrt_square; lra |].
    apply sqrt_le_1_alt. pose proof PI_gt_2. lra. }
  assert (delta / sqrt (2 * PI) <= delta / 2).
  { apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra. }
  lra.
Qed.

(** ** The classical calibrations

    sigma = D c/eps with c = sqrt(2 ln(a/delta)), so delta = a e^(-c^2/2).  With mu = eps/c and
    y = c - eps/(2c), e^(-y^2/2) <= e^(eps/2) e^(-c^2/2): where y >= 0, that is c^2 >= eps/2, the
    tail is at most e^(eps/2)/(2a) times delta.  Elsewhere delta is above 7/8, and the tail is
    little more than 1/2.  No boxes are needed for eps <= 1. *)

Definition linear_sigma (a eps delta D : R) : R := D * sqrt (2 * ln (a / delta)) / eps.

Lemma linear_tail a eps c :
  0 < c -> 0 < eps -> eps / 2 <= c * c -> exp (eps / 2) / 2 <= a ->
  profile eps (eps / c) <= a * exp (- (c * c) / 2).
Proof.
  intros Hc He Hy Ha. apply Rle_trans with (1 := profile_below_tail _ _).
  set (y := c - eps / (2 * c)).
  replace (eps / c / 2 - eps / (eps / c)) with (- y) by (unfold y; field; lra).
  assert (0 <= y) as Y.
  { unfold y. assert (eps / (2 * c) <= c); [| lra].
    apply div_mult_le; nra. }
  apply Rle_trans with (bell y / 2); [apply Phi_tail, Y |].
  apply Rle_trans with (exp (eps / 2) / 2 * exp (- (c * c) / 2)).
  - enough (bell y <= exp (eps / 2) * exp (- (c * c) / 2)) by lra.
    rewrite <- exp_plus. unfold bell.
    assert (- (y * y) / 2 <= eps / 2 + - (c * c) / 2) as X.
    { replace (y * y) with (c * c - eps + (eps / (2 * c)) * (eps / (2 * c)))
        by (unfold y; field; lra).
      assert (0 <= eps / (2 * c) * (eps / (2 * c))) by apply Rle_0_sqr. lra. }
    destruct X as [X | X]; [apply Rlt_le, exp_increasing, X | rewrite X; lra].
  - apply Rmult_le_compat_r; [apply Rlt_le, exp_pos | exact Ha].
Qed.

Lemma linear_calibration a eps delta D :
  6/5 <= a -> 0 < eps <= 1 -> 0 < delta < 1 -> 0 < D ->
  gaussian_dp eps delta D (linear_sigma a eps delta D).
Proof.
  intros Ha He Hd HD. unfold linear_sigma.
  assert (1 < a / delta) as Q.
  { apply Rmult_lt_reg_r with delta; [lra |]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (0 < ln (a / delta)) as L by (rewrite <- ln_1; apply ln_increasing; lra).
  set (c := sqrt (2 * ln (a / delta))).
  assert (0 < c) as Hc by (apply sqrt_lt_R0; lra).
  assert (c * c = 2 * ln (a / delta)) as C2 by (apply sqrt_sqrt; lra).
  assert (delta = a * exp (- (c * c) / 2)) as E.
  { rewrite C2. replace (- (2 * ln (a / delta)) / 2) with (- ln (a / delta)) by field.
    rewrite exp_Ropp, exp_ln by lra. field. lra. }
  apply theorem8; [lra | lra | apply Rdiv_lt_0_compat; nra |].
  replace (D / (D * c / eps)) with (eps / c) by (field; lra).
  destruct (Rle_lt_dec (eps / 2) (c * c)) as [Y | Y].
  - rewrite E at 1. apply linear_tail; try lra.
    apply Rle_trans with (exp (1 / 2) / 2).
    + enough (exp (eps / 2) <= exp (1 / 2)) by lra.
      destruct (Req_dec eps 1) as [-> | N]; [lra | apply Rlt_le, exp_increasing; lra].
    + apply Rle_trans with (6 / 5); [numeric | exact Ha].
  - (* delta is above 7/8, and the tail is little more than 1/2 *)
    apply Rle_trans with (1 := profile_below_tail _ _).
    apply Rle_trans with (7 / 8).
    + apply Rle_trans with (Phi (1 / 4)).
      * apply Phi_increasing.
        replace (eps / c / 2 - eps / (eps / c)) with ((eps / 2 - c * c) / c) by (field; lra).
        apply div_mult_le; [exact Hc |].
        (* c >= sqrt(2 ln(6/5)) > 3/5 *)
        assert (3 / 5 <= c) as B.
        { apply Rsqr_incr_0_var; [| lra]. unfold Rsqr. rewrite C2.
          apply Rle_trans with (2 * ln (6 / 5)); [numeric |].
          apply Rmult_le_compat_l; [lra |].
          destruct (Rle_lt_or_eq_dec (6 / 5) (a / delta)) as [K | K].
          - apply Rmult_le_reg_r with delta; [lra |]. unfold Rdiv at 2.
            rewrite Rmult_assoc, Rinv_l by lra. nra.
          - apply Rlt_le, ln_increasing; lra.
          - rewrite K; lra. }
        nra.
      * pose proof (Phi_above_half (1 / 4)) as H. apply Rle_trans with (1 := H ltac:(lra)).
        numeric.
    + rewrite E. apply Rle_trans with (6 / 5 * exp (0 - 1 / 4)).
      * numeric.
      * apply Rmult_le_compat; try lra; [apply Rlt_le, exp_pos |].
        apply Rlt_le, exp_increasing. lra.
Qed.

(** BW18.T1 (Theorem 1): the classical calibration, for all 0 < eps <= 1 and 0 < delta < 1. *)
Theorem classical_calibration eps delta D :
  0 < eps <= 1 -> 0 < delta < 1 -> 0 < D ->
  gaussian_dp eps delta D (D * sqrt (2 * ln ((5 / 4) / delta)) / eps).
Proof. intros. apply linear_calibration; lra. Qed.

(** GMA.R1: the same with sqrt(2 e^(8/9)/pi) = 1.2443... in the place of 1.25. *)
Theorem dwork_roth_calibration eps delta D :
  0 < eps <= 1 -> 0 < delta < 1 -> 0 < D ->
  gaussian_dp eps delta D (D * sqrt (2 * ln (sqrt (2 * exp (8 / 9) / PI) / delta)) / eps).
Proof. intros. apply linear_calibration; try lra. numeric. Qed.

(** X.CF.dwork-2006: with 2. *)
Theorem dwork_2006_calibration eps delta D :
  0 < eps <= 1 -> 0 < delta < 1 -> 0 < D ->
  gaussian_dp eps delta D (D * sqrt (2 * ln (2 / delta)) / eps).
Proof. intros. apply linear_calibration; lra. Qed.

(** ** The forms in which ranges and points of these formulas are claimed *)

Theorem plrv_tail_at eps delta z :
  0 < eps -> Phi (- z) = delta -> gaussian_dp eps delta 1 (tail_sigma eps z).
Proof. intros He <-. apply plrv_tail, He. Qed.

Theorem analytic_variance_at eps delta z :
  0 < eps -> Phi (- z) = delta ->
  exists sigma, 0 < sigma /\ gaussian_dp eps delta 1 sigma
    /\ sigma * sigma < (z * z + eps) / (eps * eps).
Proof.
  intros He <-. exists (tail_sigma eps z). apply analytic_variance_below, He.
Qed.

(** X.CF.zcdp-conversion: the same sigma with sqrt(2 ln(1/delta)) in the place of the quantile. *)
Theorem rho_calibration eps delta :
  0 < eps -> 0 < delta < 1 ->
  gaussian_dp eps delta 1
    ((sqrt (2 * ln (1 / delta)) + sqrt (2 * ln (1 / delta) + 2 * eps)) / (2 * eps)).
Proof.
  intros He Hd. pose proof (ln_inverse_pos delta Hd) as L.
  set (z := sqrt (2 * ln (1 / delta))).
  assert (z * z = 2 * ln (1 / delta)) as Z by (apply sqrt_sqrt; lra).
  rewrite <- Z. apply (dp_larger_delta eps (Phi (- z))); try lra.
  - apply (tail_sigma_root eps z He).
  - apply Rle_trans with (bell z / 2); [apply Phi_tail, sqrt_pos |].
    unfold bell. rewrite Z.
    replace (- (2 * ln (1 / delta)) / 2) with (ln delta).
    2:{ replace (1 / delta) with (/ delta) by (field; lra). rewrite ln_Rinv by lra. field. }
    rewrite exp_ln by lra. lra.
  - exact (plrv_tail eps z He).
Qed.

Theorem linear_range a eps delta :
  6 / 5 <= a -> 0 < eps <= 1 -> 0 < delta < 1 ->
  gaussian_dp eps delta 1 (sqrt (2 * ln (a / delta)) / eps).
Proof.
  intros Ha He Hd. pose proof (linear_calibration a eps delta 1 Ha He Hd Rlt_0_1) as C.
  unfold linear_sigma in C. rewrite Rmult_1_l in C. exact C.
Qed.

Lemma dwork_roth_constant : 6 / 5 <= sqrt (2 * exp (8 / 9) / PI).
Proof. numeric. Qed.
