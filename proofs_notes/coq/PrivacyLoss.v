(** * The privacy loss and its tail

    The privacy loss of an output t is the logarithm of the quotient of its densities for two
    answers at distance D.  Its tail, "Pr[loss >= eps] <= delta", is enough for (eps,delta)-DP and
    not necessary; as a definition of it the condition is refuted. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
From Dporacle Require Import PrivacyProfile NeymanPearson Theorem8 UnboundedWindows.
From Dporacle Require FastChecker.
Open Scope R_scope.

Definition privacy_loss (D sigma t : R) : R := ln (density sigma D t / density sigma 0 t).

Definition loss_reaches (eps D sigma t : R) : R :=
  if Rle_dec eps (privacy_loss D sigma t) then 1 else 0.

(** [p] is the probability, under the answer D, that the loss is at least eps. *)
Definition loss_tail (eps D sigma p : R) : Prop :=
  improper (fun t => loss_reaches eps D sigma t * density sigma D t) p.

(** BW18.L3: the loss is linear in the output, so that for normal outputs it is normal. *)
Lemma privacy_loss_linear D sigma t :
  0 < sigma -> privacy_loss D sigma t = D / sigma * (t / sigma) - D / sigma * (D / sigma) / 2.
Proof.
  intros Hs. unfold privacy_loss, density, phi. pose proof sqrt_2pi_pos as P.
  set (A := - ((t - D) / sigma * ((t - D) / sigma)) / 2).
  set (B := - ((t - 0) / sigma * ((t - 0) / sigma)) / 2).
  replace (exp A / sqrt (2 * PI) / sigma / (exp B / sqrt (2 * PI) / sigma)) with (exp (A - B)).
  - rewrite ln_exp. unfold A, B. field. lra.
  - unfold Rminus. rewrite exp_plus, exp_Ropp. field.
    repeat split; try lra. apply Rgt_not_eq, exp_pos.
Qed.

Definition threshold (eps D sigma : R) : R := D / 2 + eps * sigma * sigma / D.

Lemma loss_reaches_tail eps D sigma t :
  0 < D -> 0 < sigma -> (eps <= privacy_loss D sigma t <-> threshold eps D sigma <= t).
Proof.
  intros HD Hs. rewrite privacy_loss_linear by exact Hs.
  replace (D / sigma * (t / sigma) - D / sigma * (D / sigma) / 2)
    with (eps + D / (sigma * sigma) * (t - threshold eps D sigma))
    by (unfold threshold; field; lra).
  assert (0 < D / (sigma * sigma)) by (apply Rdiv_lt_0_compat; nra).
  split; intros H'; [| assert (0 <= D / (sigma * sigma) * (t - threshold eps D sigma))
                         by (apply Rmult_le_pos; lra); lra].
  apply Rnot_lt_le. intros L.
  assert (D / (sigma * sigma) * (t - threshold eps D sigma) < 0) by nra. lra.
Qed.

(** BW18.L6 (Lemma 6): Pr[loss >= eps] = Phi(mu/2 - eps/mu). *)
Theorem loss_tail_value eps D sigma :
  0 < D -> 0 < sigma ->
  loss_tail eps D sigma (Phi (D / sigma / 2 - eps / (D / sigma))).
Proof.
  intros HD Hs P [e He]. set (tau := threshold eps D sigma).
  destruct (tail_vanishes sigma D (e / 2) Hs) as [t0 F]; [pose proof (cond_pos e); lra |].
  apply (Filter_prod _ _ _ (fun u => u < tau) (fun v => Rmax tau t0 < v));
    [exists tau; auto | exists (Rmax tau t0); auto |].
  intros u v Hu Hv. pose proof (Rmax_l tau t0). pose proof (Rmax_r tau t0). simpl.
  exists (Phi ((v - D) / sigma) - Phi ((tau - D) / sigma)). split.
  - replace (Phi ((v - D) / sigma) - Phi ((tau - D) / sigma))
      with (plus 0 (Phi ((v - D) / sigma) - Phi ((tau - D) / sigma)))
      by (unfold plus; simpl; ring).
    apply (is_RInt_Chasles (V := R_NormedModule)) with tau.
    + apply zero_integral. intros t Ht. rewrite Rmax_right in Ht by lra. unfold loss_reaches.
      destruct (Rle_dec eps (privacy_loss D sigma t)) as [L | _]; [| ring].
      apply loss_reaches_tail in L; try assumption. fold tau in L. lra.
    + apply (is_RInt_ext (density sigma D)); [| apply density_integral, Hs].
      intros t Ht. rewrite Rmin_left in Ht by lra. unfold loss_reaches.
      destruct (Rle_dec eps (privacy_loss D sigma t)) as [_ | N]; [real_equation; ring |].
      exfalso. apply N, loss_reaches_tail; try assumption. fold tau. lra.
  - apply He. unfold ball; simpl; unfold AbsRing_ball; simpl.
    unfold abs, minus, plus, opp; simpl.
    replace (D / sigma / 2 - eps / (D / sigma)) with (- ((tau - D) / sigma))
      by (unfold tau, threshold; field; lra).
    rewrite Phi_opp. pose proof (F v ltac:(lra)) as T. rewrite Phi_opp in T.
    pose proof (Phi_bounds ((v - D) / sigma)). pose proof (cond_pos e).
    rewrite Rabs_left1; lra.
Qed.

Lemma improper_unique (f : R -> R) l l' : improper f l -> improper f l' -> l = l'.
Proof.
  intros L L'. destruct (Req_dec l l') as [E | N]; [exact E | exfalso].
  assert (0 < Rabs (l - l') / 2) as P.
  { assert (0 < Rabs (l - l')) by (apply Rabs_pos_lt; lra). lra. }
  destruct (windows_approach f l _ P L) as [A [B W]].
  destruct (windows_approach f l' _ P L') as [A' [B' W']].
  destruct (W (Rmin A A' - 1) (Rmax B B' + 1)) as [v [V1 V2]].
  { pose proof (Rmin_l A A'). lra. }
  { pose proof (Rmax_l B B'). lra. }
  destruct (W' (Rmin A A' - 1) (Rmax B B' + 1)) as [v' [V1' V2']].
  { pose proof (Rmin_r A A'). lra. }
  { pose proof (Rmax_r B B'). lra. }
  rewrite <- (is_RInt_unique _ _ _ _ V1), <- (is_RInt_unique _ _ _ _ V1') in *.
  apply Rabs_def2 in V2. apply Rabs_def2 in V2'.
  destruct (Rle_lt_dec 0 (l - l')) as [S | S];
    [rewrite (Rabs_pos_eq _ S) in * | rewrite (Rabs_left _ S) in *]; lra.
Qed.

(** BW18.O1: the tail condition is sufficient. *)
Theorem loss_tail_sufficient eps delta D sigma p :
  0 <= eps -> 0 < D -> 0 < sigma ->
  loss_tail eps D sigma p -> p <= delta -> gaussian_dp eps delta D sigma.
Proof.
  intros He HD Hs T Hp. apply theorem8; try assumption.
  rewrite (improper_unique _ _ _ T (loss_tail_value eps D sigma HD Hs)) in Hp.
  pose proof (profile_below_tail eps (D / sigma)). lra.
Qed.

(** It is never necessary: some smaller delta does, whatever the noise. *)
Theorem loss_tail_not_necessary eps D sigma p :
  0 <= eps -> 0 < D -> 0 < sigma ->
  loss_tail eps D sigma p -> exists delta, delta < p /\ gaussian_dp eps delta D sigma.
Proof.
  intros He HD Hs T. exists (profile eps (D / sigma)). split.
  - rewrite (improper_unique _ _ _ T (loss_tail_value eps D sigma HD Hs)). unfold profile.
    pose proof (Phi_positive (- (D / sigma) / 2 - eps / (D / sigma))). pose proof (exp_pos eps).
    assert (0 < exp eps * Phi (- (D / sigma) / 2 - eps / (D / sigma)))
      by (apply Rmult_lt_0_compat; assumption). lra.
  - apply theorem8; try assumption. lra.
Qed.

(** JL24.D1 states the tail condition as the definition of (eps,delta)-DP.  At (1, 1e-5) the
    noise 3.7306316348159424 is private, and the tail is sixteen times delta. *)
Theorem tail_definition_refuted :
  ~ (forall eps delta D sigma p,
       0 <= eps -> 0 < delta -> 0 < D -> 0 < sigma -> loss_tail eps D sigma p ->
       (gaussian_dp eps delta D sigma <-> p <= delta)).
Proof.
  intros C. set (sigma := 37306316348159424 / 10000000000000000).
  assert (0 < sigma) as Hs by (unfold sigma; lra).
  pose proof (loss_tail_value 1 1 sigma ltac:(lra) Hs) as T.
  apply (C 1 (1 / 100000) 1 sigma _ ltac:(lra) ltac:(lra) ltac:(lra) Hs) in T.
  assert (gaussian_dp 1 (1 / 100000) 1 sigma) as Private.
  { unfold sigma. FastChecker.by_computation 120%positive 60%nat 60%nat. }
  assert (~ Phi (1 / sigma / 2 - 1 / (1 / sigma)) <= 1 / 100000) as Tail.
  { unfold sigma. FastChecker.by_computation 120%positive 60%nat 60%nat. }
  apply Tail, T, Private.
Qed.
