(** * Statements in circulation, refuted at a point *)

From Coq Require Import Reals Psatz.
From Dporacle Require Import Definitions Domains.
From Dporacle Require FastChecker.
Open Scope R_scope.

(** BW18.C1: "the analytic calibration removes at least a third of the classical variance", that
    is, two thirds of it are always enough.  At (1, 1e-8) they are not. *)
Theorem third_refuted :
  ~ (forall eps delta,
       0 < eps <= 1 -> 0 < delta < 1 ->
       exists sigma, 0 < sigma /\ gaussian_dp eps delta 1 sigma
         /\ 3 * (sigma * sigma) <= 2 * (2 * ln ((5 / 4) / delta) / (eps * eps))).
Proof.
  intros C. set (delta := 1 / 100000000). set (most := sqrt (2 / 3) * sqrt (2 * ln ((5 / 4) / delta))).
  destruct (C 1 delta ltac:(lra) ltac:(unfold delta; lra)) as [sigma [Hs [DP V]]].
  assert (~ gaussian_dp 1 delta 1 most) as N.
  { unfold most, delta. FastChecker.by_computation 120%positive 70%nat 70%nat. }
  apply N. apply (dp_more_noise 1 delta 1 sigma); try lra; [| exact DP].
  unfold most. rewrite <- sqrt_mult_alt by lra.
  rewrite <- (sqrt_square sigma) by lra. apply sqrt_le_1_alt. lra.
Qed.

(** BW18.T4.misquoted: with 1/2 - e^(-3 eps)/sqrt(4 pi eps) in the place of the threshold tau of
    [LowPrivacy.v].  At (1, 0.4) it is above delta, and sigma = 0.6 is private. *)
Theorem misquoted_threshold_refuted :
  ~ (forall eps delta sigma,
       0 < eps -> 0 < delta < 1 -> 0 < sigma ->
       delta <= 1 / 2 - exp (0 - 3 * eps) / sqrt (4 * PI * eps) ->
       gaussian_dp eps delta 1 sigma -> 1 / sqrt (2 * eps) <= sigma).
Proof.
  intros C. assert (~ 1 / sqrt (2 * 1) <= 6 / 10) as N.
  { FastChecker.by_computation 60%positive 4%nat 4%nat. }
  apply N, (C 1 (4 / 10) (6 / 10)); try lra.
  - FastChecker.by_computation 60%positive 4%nat 4%nat.
  - FastChecker.by_computation 60%positive 20%nat 30%nat.
Qed.
