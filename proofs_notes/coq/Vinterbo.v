(** * Vinterbo's bound (2020), for delta up to 1/2

    X.CF.vinterbo-2020: sigma = (sqrt(z + eps) + sqrt z)/(eps sqrt 2) with z = -ln(4 delta (1 - delta))
    is the calibration by the tail with sqrt(2z) in the place of the quantile: that the former is
    not below the latter is 4 Phi(x) Phi(-x) <= e^(-x^2/2), which is the Gaussian integral. *)

From Coq Require Import Reals Psatz.
From Dporacle Require Import Definitions GaussianIntegral NormalDistribution.
From Dporacle Require Import PrivacyProfile Theorem8 Domains.
Open Scope R_scope.

Theorem vinterbo_calibration eps delta :
  0 < eps -> 0 < delta <= 1 / 2 ->
  let z := ln (1 / (4 * delta * (1 - delta))) in
  gaussian_dp eps delta 1 ((sqrt (z + eps) + sqrt z) / (eps * sqrt 2)).
Proof.
  intros He Hd z.
  assert (0 < 4 * delta * (1 - delta) <= 1) as P by nra.
  assert (0 <= z) as Z.
  { unfold z. rewrite <- ln_1. destruct (Req_dec (4 * delta * (1 - delta)) 1) as [-> | N].
    - right. f_equal. field.
    - apply Rlt_le, ln_increasing; [lra |].
      apply Rmult_lt_reg_r with (4 * delta * (1 - delta)); [lra |]. field_simplify; lra. }
  assert (0 < sqrt 2) as R2 by (apply sqrt_lt_R0; lra).
  set (q := sqrt 2 * sqrt z).
  assert (q * q = 2 * z) as Q.
  { unfold q. replace (sqrt 2 * sqrt z * (sqrt 2 * sqrt z))
      with (sqrt 2 * sqrt 2 * (sqrt z * sqrt z)) by ring.
    rewrite !sqrt_sqrt by lra. ring. }
  assert (0 <= q) as Q0 by (apply Rmult_le_pos; [lra | apply sqrt_pos]).
  replace ((sqrt (z + eps) + sqrt z) / (eps * sqrt 2)) with (tail_sigma eps q).
  - apply (dp_larger_delta eps (Phi (- q))); [lra | lra | | | apply plrv_tail, He].
    + apply (tail_sigma_root eps q He).
    + pose proof (Phi_product q) as [_ B]. rewrite Phi_opp in *.
      pose proof (Phi_increasing 0 q Q0) as H. rewrite Phi_0 in H.
      unfold bell in B. rewrite Q in B.
      replace (- (2 * z) / 2) with (ln (4 * delta * (1 - delta))) in B.
      * rewrite exp_ln in B by lra. nra.
      * unfold z. replace (1 / (4 * delta * (1 - delta))) with (/ (4 * delta * (1 - delta)))
          by (field; lra).
        rewrite ln_Rinv by lra. field.
  - unfold tail_sigma. rewrite Q. replace (2 * z + 2 * eps) with (2 * (z + eps)) by ring.
    rewrite sqrt_mult by lra. unfold q.
    replace (2 * eps) with (sqrt 2 * sqrt 2 * eps) by (rewrite sqrt_sqrt by lra; ring).
    field. lra.
Qed.
