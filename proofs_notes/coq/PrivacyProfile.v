(** * The privacy profile of the Gaussian mechanism

    delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), with mu = D/sigma.  Here: that it
    rises with mu (Balle and Wang 2018, Lemma 7) and falls with eps.  That it is what its name says
    is Theorem 8 ([Theorem8.v]). *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
Open Scope R_scope.

Definition profile (eps mu : R) : R :=
  Phi (mu / 2 - eps / mu) - exp eps * Phi (- mu / 2 - eps / mu).

(** e^eps phi(w) = phi(y), for w = eps/mu + mu/2 and y = eps/mu - mu/2. *)
Lemma phi_shift eps mu :
  0 < mu -> exp eps * phi (- mu / 2 - eps / mu) = phi (mu / 2 - eps / mu).
Proof.
  intros H. unfold phi.
  replace (- ((mu / 2 - eps / mu) * (mu / 2 - eps / mu)) / 2)
    with (eps + - ((- mu / 2 - eps / mu) * (- mu / 2 - eps / mu)) / 2) by (field; lra).
  rewrite exp_plus. unfold Rdiv. ring.
Qed.

Lemma profile_derive eps mu :
  0 < mu -> is_derive (profile eps) mu (phi (mu / 2 - eps / mu)).
Proof.
  intros H. unfold profile. evar_last.
  - apply (is_derive_minus (fun mu => Phi (mu / 2 - eps / mu))
             (fun mu => exp eps * Phi (- mu / 2 - eps / mu))).
    + apply (is_derive_comp Phi (fun mu => mu / 2 - eps / mu)); [apply Phi_derive |].
      instantiate (1 := / 2 + eps / (mu * mu)). auto_derive; [lra | field; lra].
    + apply (is_derive_scal (fun mu => Phi (- mu / 2 - eps / mu))).
      apply (is_derive_comp Phi (fun mu => - mu / 2 - eps / mu)); [apply Phi_derive |].
      instantiate (1 := - / 2 + eps / (mu * mu)). auto_derive; [lra | field; lra].
  - unfold minus, plus, opp, scal; simpl. unfold mult; simpl.
    pose proof (phi_shift eps mu H) as E.
    set (A := phi (mu / 2 - eps / mu)) in *. set (B := phi (- mu / 2 - eps / mu)) in *.
    set (C := eps / (mu * mu)).
    replace (exp eps * ((- / 2 + C) * B)) with ((- / 2 + C) * (exp eps * B)) by ring.
    rewrite E. field.
Qed.

(** BW18.L7 (Lemma 7): the profile rises with the distance of the answers. *)
Theorem profile_increasing eps a b : 0 < a -> a <= b -> profile eps a <= profile eps b.
Proof.
  intros Ha Hab.
  apply (nondecreasing (profile eps) (fun mu => phi (mu / 2 - eps / mu))); [exact Hab | |].
  - intros x Hx. apply profile_derive. lra.
  - intros x _. apply Rlt_le, phi_pos.
Qed.

Theorem profile_strictly_increasing eps a b : 0 < a -> a < b -> profile eps a < profile eps b.
Proof.
  intros Ha Hab.
  destruct (MVT_gen (profile eps) a b (fun mu => phi (mu / 2 - eps / mu))) as [c [Hc H]].
  - intros x Hx. apply profile_derive. rewrite Rmin_left in Hx by lra. lra.
  - intros x Hx. rewrite Rmin_left in Hx by lra.
    apply continuity_pt_filterlim, (ex_derive_continuous (profile eps)).
    eexists. apply profile_derive. lra.
  - pose proof (phi_pos (c / 2 - eps / c)). nra.
Qed.

Lemma profile_derive_eps eps mu :
  0 < mu ->
  is_derive (fun e => profile e mu) eps (- (exp eps * Phi (- mu / 2 - eps / mu))).
Proof.
  intros H. unfold profile. evar_last.
  - apply (is_derive_minus (fun e => Phi (mu / 2 - e / mu))
             (fun e => exp e * Phi (- mu / 2 - e / mu))).
    + apply (is_derive_comp Phi (fun e => mu / 2 - e / mu)); [apply Phi_derive |].
      instantiate (1 := - / mu). auto_derive; [trivial | field; lra].
    + apply (is_derive_mult exp (fun e => Phi (- mu / 2 - e / mu)));
        [apply is_derive_exp | | intros; apply Rmult_comm].
      apply (is_derive_comp Phi (fun e => - mu / 2 - e / mu)); [apply Phi_derive |].
      instantiate (1 := - / mu). auto_derive; [trivial | field; lra].
  - unfold minus, plus, opp, scal, mult; simpl. unfold mult; simpl.
    rewrite <- (phi_shift eps mu H). ring.
Qed.

Theorem profile_decreasing_eps mu e1 e2 : 0 < mu -> e1 <= e2 -> profile e2 mu <= profile e1 mu.
Proof.
  intros H H12. enough (- profile e1 mu <= - profile e2 mu) by lra.
  apply (nondecreasing (fun e => - profile e mu)
           (fun eps => exp eps * Phi (- mu / 2 - eps / mu))); [exact H12 | |].
  - intros y _. evar_last.
    + apply (is_derive_opp (fun e => profile e mu)), profile_derive_eps, H.
    + unfold opp; simpl. ring.
  - intros y _. apply Rmult_le_pos; [apply Rlt_le, exp_pos | apply Phi_bounds].
Qed.

(** The first of the two terms alone is an upper bound: the tail of the privacy loss. *)
Lemma profile_below_tail eps mu : profile eps mu <= Phi (mu / 2 - eps / mu).
Proof.
  unfold profile. pose proof (Phi_bounds (- mu / 2 - eps / mu)). pose proof (exp_pos eps).
  assert (0 <= exp eps * Phi (- mu / 2 - eps / mu)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma profile_below_1 eps mu : profile eps mu <= 1.
Proof.
  pose proof (profile_below_tail eps mu). pose proof (Phi_bounds (mu / 2 - eps / mu)). lra.
Qed.
