(** * Accuracy and expected loss in closed form *)

From Coq Require Import Reals ZArith Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
From Dporacle Require Import NeymanPearson.
Open Scope R_scope.

(** The error is within a with probability 1 - 2 Phi(-a/sigma). *)
Lemma within sigma a :
  0 < sigma -> RInt (density sigma 0) (- a) a = 1 - 2 * Phi ((0 - a) / sigma).
Proof.
  intros Hs.
  apply (eq_trans (A := R) (is_RInt_unique _ _ _ _ (density_integral sigma 0 (- a) a Hs))).
  replace ((a - 0) / sigma) with (- ((0 - a) / sigma)) by (field; lra).
  replace ((- a - 0) / sigma) with ((0 - a) / sigma) by (field; lra).
  rewrite Phi_opp. ring.
Qed.

(** GMA.T1, GN.A1. *)
Theorem accuracy a alpha sigma k :
  0 < sigma ->
  (gaussian_accuracy a alpha sigma k
   <-> 1 - alpha <= powerRZ (1 - 2 * Phi ((0 - a) / sigma)) k).
Proof. intros Hs. unfold gaussian_accuracy. rewrite within by exact Hs. tauto. Qed.

(** ** The second moment

    (t density)' = density - (t/sigma)^2 density, so a window gives sigma^2 times its probability,
    less a boundary term that vanishes. *)

Lemma second_moment_derive sigma t :
  0 < sigma ->
  is_derive (fun t => sigma * sigma * (Phi ((t - 0) / sigma) - t * density sigma 0 t)) t
    (t * t * density sigma 0 t).
Proof.
  intros Hs. evar_last.
  - apply (is_derive_scal (fun t => Phi ((t - 0) / sigma) - t * density sigma 0 t)).
    apply (is_derive_minus (fun t => Phi ((t - 0) / sigma)) (fun t => t * density sigma 0 t));
      [apply density_antiderivative, Hs |].
    apply (is_derive_mult (fun t => t) (density sigma 0) t);
      [apply is_derive_id | | intros; apply Rmult_comm].
    apply (is_derive_ext (fun t => scal (/ sigma) (phi ((t - 0) / sigma)))).
    { intros u. unfold density, scal; simpl; unfold mult; simpl. unfold Rdiv. ring. }
    apply (is_derive_scal (fun t => phi ((t - 0) / sigma))).
    apply (is_derive_comp phi (fun t => (t - 0) / sigma)); [apply phi_derive |].
    instantiate (1 := / sigma). auto_derive; [trivial | field; lra].
  - unfold density, minus, plus, opp, scal, one; simpl. unfold mult; simpl. field. lra.
Qed.

Lemma second_moment sigma b :
  0 < sigma ->
  RInt (fun t => t * t * density sigma 0 t) (- b) b
  = sigma * sigma * (1 - 2 * Phi (- (b / sigma)) - 2 * (b / sigma * phi (b / sigma))).
Proof.
  intros Hs. apply is_RInt_unique. evar_last.
  - apply (is_RInt_derive
             (fun t => sigma * sigma * (Phi ((t - 0) / sigma) - t * density sigma 0 t))).
    + intros t _. apply second_moment_derive, Hs.
    + intros t _. apply (ex_derive_continuous (fun t => t * t * density sigma 0 t)).
      unfold density, phi. pose proof sqrt_2pi_pos. auto_derive. repeat split; lra.
  - unfold minus, plus, opp; simpl. unfold density.
    replace ((b - 0) / sigma) with (- - (b / sigma)) by (field; lra).
    replace ((- b - 0) / sigma) with (- (b / sigma)) by (field; lra).
    rewrite (Phi_opp (- (b / sigma))), !phi_opp. field. lra.
Qed.

(** The boundary terms are as small as one likes. *)
Lemma boundary_vanishes e :
  0 < e -> exists u, 0 <= u /\ Phi (- u) <= e /\ u * phi u <= e.
Proof.
  intros He. destruct (Phi_tail_below e He) as [b [Hb B]].
  assert (0 < 2 / e) by (apply Rdiv_lt_0_compat; lra).
  exists (b + 2 / e). split; [lra |]. split; [apply B; lra |].
  set (u := b + 2 / e). assert (0 < u) by (unfold u; lra).
  assert (phi u <= / (1 + u * u / 2)) as P.
  { unfold phi. apply div_mult_le; [apply sqrt_2pi_pos |].
    apply Rle_trans with (/ (1 + u * u / 2) * 1).
    - rewrite Rmult_1_r. replace (- (u * u) / 2) with (- (u * u / 2)) by field.
      rewrite exp_Ropp. apply Rinv_le_contravar; [nra |]. apply Rlt_le, exp_ineq1. nra.
    - apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; nra |].
      rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt. pose proof PI_gt_2. lra. }
  apply Rle_trans with (u * / (1 + u * u / 2)); [apply Rmult_le_compat_l; lra |].
  fold (u / (1 + u * u / 2)). apply div_mult_le; [nra |].
  assert (2 <= e * u).
  { apply Rle_trans with (e * (2 / e)); [right; field; lra |].
    apply Rmult_le_compat_l; [lra |]. unfold u. lra. }
  nra.
Qed.

(** JL24.L1: the expected squared error of d coordinates is d sigma^2. *)
Theorem expected_loss most sigma d :
  0 < sigma -> (0 < d)%Z ->
  (gaussian_loss most sigma d <-> IZR d * (sigma * sigma) <= most).
Proof.
  intros Hs Hd. apply (IZR_lt 0) in Hd.
  assert (0 < IZR d * (sigma * sigma)) as P.
  { apply Rmult_lt_0_compat; [exact Hd |]. apply Rmult_lt_0_compat; exact Hs. }
  split.
  - intros L. apply le_epsilon. intros e He.
    destruct (boundary_vanishes (e / (4 * (IZR d * (sigma * sigma))))) as [u [U0 [U1 U2]]].
    { apply Rdiv_lt_0_compat; lra. }
    pose proof (L (u * sigma) ltac:(apply Rmult_le_pos; lra)) as B.
    rewrite second_moment in B by exact Hs.
    replace (u * sigma / sigma) with u in B by (field; lra).
    set (V := IZR d * (sigma * sigma)) in *. set (f := e / (4 * V)) in *.
    replace (IZR d * (sigma * sigma * (1 - 2 * Phi (- u) - 2 * (u * phi u))))
      with (V - V * (2 * Phi (- u) + 2 * (u * phi u))) in B by (unfold V; ring).
    assert (V * (2 * Phi (- u) + 2 * (u * phi u)) <= V * (4 * f))
      by (apply Rmult_le_compat_l; lra).
    replace (V * (4 * f)) with e in H by (unfold f; field; lra). lra.
  - intros L b Hb. rewrite second_moment by exact Hs.
    pose proof (Phi_bounds (- (b / sigma))). pose proof (phi_pos (b / sigma)).
    assert (0 <= b / sigma) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, Hs]).
    assert (0 <= b / sigma * phi (b / sigma)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (IZR d * (sigma * sigma)); [| exact L].
    rewrite <- Rmult_assoc. set (V := IZR d * (sigma * sigma)) in *. nra.
Qed.
