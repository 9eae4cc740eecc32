(** * The low-privacy regime: when is sigma at least D/sqrt(2 eps)?

    BW18.T4 (Theorem 4): at mu = sqrt(2 eps) the profile is tau = 1/2 - e^eps Phi(-sqrt(2 eps)), so
    a private sigma below D/sqrt(2 eps) exists exactly for delta above tau. *)

From Coq Require Import Reals Psatz.
From Dporacle Require Import Definitions NormalDistribution PrivacyProfile Theorem8.
Open Scope R_scope.

Definition low_privacy_threshold (eps : R) : R := 1 / 2 - exp eps * Phi (- sqrt (2 * eps)).

Lemma profile_at_threshold eps :
  0 < eps -> profile eps (sqrt (2 * eps)) = low_privacy_threshold eps.
Proof.
  intros He. unfold profile, low_privacy_threshold. set (m := sqrt (2 * eps)).
  assert (0 < m) as Hm by (apply sqrt_lt_R0; lra).
  assert (m * m = 2 * eps) as M by (apply sqrt_sqrt; lra).
  assert (eps / m = m / 2) as Q by (replace eps with (m * m / 2) by lra; field; lra).
  rewrite Q. replace (m / 2 - m / 2) with 0 by ring.
  replace (- m / 2 - m / 2) with (- m) by field. rewrite Phi_0. reflexivity.
Qed.

(** BW18.T4: below the threshold every private sigma is at least D/sqrt(2 eps). *)
Theorem low_privacy eps delta D sigma :
  0 < eps -> 0 < D -> 0 < sigma -> delta <= low_privacy_threshold eps ->
  gaussian_dp eps delta D sigma -> D / sqrt (2 * eps) <= sigma.
Proof.
  intros He HD Hs Hd DP. apply theorem8 in DP; [| lra | lra | lra].
  rewrite <- profile_at_threshold in Hd by exact He.
  assert (0 < sqrt (2 * eps)) as Hm by (apply sqrt_lt_R0; lra).
  destruct (Rle_lt_dec (D / sigma) (sqrt (2 * eps))) as [L | L].
  - apply Rmult_le_reg_r with (sqrt (2 * eps) / sigma).
    { apply Rdiv_lt_0_compat; lra. }
    replace (D / sqrt (2 * eps) * (sqrt (2 * eps) / sigma)) with (D / sigma) by (field; lra).
    replace (sigma * (sqrt (2 * eps) / sigma)) with (sqrt (2 * eps)) by (field; lra). exact L.
  - pose proof (profile_strictly_increasing eps _ _ Hm L). lra.
Qed.

(** Above it D/sqrt(2 eps) is private, with room to spare. *)
Theorem low_privacy_exact eps delta D :
  0 < eps -> 0 < D -> low_privacy_threshold eps < delta ->
  gaussian_dp eps delta D (D / sqrt (2 * eps)).
Proof.
  intros He HD Hd. assert (0 < sqrt (2 * eps)) as Hm by (apply sqrt_lt_R0; lra).
  apply theorem8; [lra | lra | apply Rdiv_lt_0_compat; lra |].
  replace (D / (D / sqrt (2 * eps))) with (sqrt (2 * eps)) by (field; lra).
  rewrite profile_at_threshold by exact He. lra.
Qed.
