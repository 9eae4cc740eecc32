(** * The best test between two answers is a tail, and it attains the profile

    BW18.T5 (Theorem 5 of Balle and Wang 2018) for one pair of answers.

    For answers x' < x let f = density x - e^eps density x'.  Its sign changes once, at tau, from
    negative to positive.  So no test of a window gains more than the integral of f from tau
    onwards, which is the profile at mu = (x - x')/sigma; and the tails [tau, b] come as close to
    it as one likes. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
From Dporacle Require Import PrivacyProfile.
Open Scope R_scope.

Lemma density_continuous sigma c t : 0 < sigma -> continuous (density sigma c) t.
Proof.
  intros Hs. apply (ex_derive_continuous (density sigma c)). unfold density, phi.
  pose proof sqrt_2pi_pos. auto_derive. repeat split; lra.
Qed.

Lemma density_integrable sigma c a b : 0 < sigma -> ex_RInt (density sigma c) a b.
Proof. intros. apply continuous_integrable. intros. apply density_continuous; assumption. Qed.

Lemma density_pos sigma c t : 0 < sigma -> 0 < density sigma c t.
Proof. intros. apply Rdiv_lt_0_compat; [apply phi_pos | assumption]. Qed.

(** Phi((t - c)/sigma) is an antiderivative of the density. *)
Lemma density_antiderivative sigma c t :
  0 < sigma -> is_derive (fun t => Phi ((t - c) / sigma)) t (density sigma c t).
Proof.
  intros Hs. unfold density. evar_last.
  - apply (is_derive_comp Phi (fun t => (t - c) / sigma)); [apply Phi_derive |].
    instantiate (1 := / sigma). auto_derive; [trivial | field; lra].
  - unfold scal; simpl. unfold mult; simpl. unfold Rdiv. ring.
Qed.

Lemma density_integral sigma c a b :
  0 < sigma ->
  is_RInt (density sigma c) a b (Phi ((b - c) / sigma) - Phi ((a - c) / sigma)).
Proof.
  intros Hs. apply (is_RInt_derive (fun t => Phi ((t - c) / sigma)) (density sigma c)).
  - intros; apply density_antiderivative, Hs.
  - intros; apply density_continuous, Hs.
Qed.

(** Far out little probability is left. *)
Lemma tail_vanishes sigma c e :
  0 < sigma -> 0 < e -> exists t0, forall t, t0 <= t -> Phi (- ((t - c) / sigma)) <= e.
Proof.
  intros Hs He. destruct (Phi_tail_below e He) as [b [_ B]].
  exists (c + sigma * b). intros t Ht. apply B.
  apply Rmult_le_reg_r with sigma; [exact Hs |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section TwoAnswers.
Variables (eps sigma x x' : R).
Hypothesis Hs : 0 < sigma.
Hypothesis Hx : x' < x.

Let mu := (x - x') / sigma.
Let tau := x + sigma * (eps / mu - mu / 2).
Let f (t : R) := density sigma x t - exp eps * density sigma x' t.
(** An antiderivative of f, and how far it is from its limit 1 - e^eps at infinity. *)
Let G (t : R) := Phi ((t - x) / sigma) - exp eps * Phi ((t - x') / sigma).
Let H (t : R) := Phi (- ((t - x) / sigma)) - exp eps * Phi (- ((t - x') / sigma)).

Lemma mu_pos : 0 < mu.
Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma G_derive t : is_derive G t (f t).
Proof.
  apply (is_derive_minus (fun t => Phi ((t - x) / sigma))
           (fun t => exp eps * Phi ((t - x') / sigma))); [apply density_antiderivative, Hs |].
  apply (is_derive_scal (fun t => Phi ((t - x') / sigma))), density_antiderivative, Hs.
Qed.

Lemma f_integral a b : is_RInt f a b (G b - G a).
Proof.
  apply (is_RInt_derive G f); [intros; apply G_derive |].
  intros t _. apply (ex_derive_continuous f). unfold f, density, phi.
  pose proof sqrt_2pi_pos. auto_derive. repeat split; lra.
Qed.

(** ** The sign of f *)

Lemma f_exponents t :
  f t = (exp (- ((t - x) / sigma * ((t - x) / sigma)) / 2)
         - exp (eps - (t - x') / sigma * ((t - x') / sigma) / 2)) / (sqrt (2 * PI) * sigma).
Proof.
  unfold f, density, phi.
  replace (eps - (t - x') / sigma * ((t - x') / sigma) / 2)
    with (eps + - ((t - x') / sigma * ((t - x') / sigma)) / 2) by (field; lra).
  rewrite exp_plus. set (A := exp (_ / 2)). set (B := exp (_ / 2)).
  field. pose proof sqrt_2pi_pos. lra.
Qed.

(** The privacy loss minus eps is linear in the output. *)
Lemma loss_linear t :
  - ((t - x) / sigma * ((t - x) / sigma)) / 2 - (eps - (t - x') / sigma * ((t - x') / sigma) / 2)
  = mu * ((t - tau) / sigma).
Proof. unfold tau, mu. field. lra. Qed.

Lemma f_sign t : (tau <= t -> 0 <= f t) /\ (t <= tau -> f t <= 0).
Proof.
  rewrite f_exponents. pose proof (loss_linear t) as E. pose proof mu_pos as Hm.
  pose proof sqrt_2pi_pos.
  assert (0 < / (sqrt (2 * PI) * sigma)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  assert (0 < / sigma) by (apply Rinv_0_lt_compat; lra).
  set (A := - ((t - x) / sigma * ((t - x) / sigma)) / 2) in *.
  set (B := eps - (t - x') / sigma * ((t - x') / sigma) / 2) in *.
  unfold Rdiv in E. split; intros Ht.
  - apply Rmult_le_pos; [| lra].
    assert (0 <= mu * ((t - tau) * / sigma)).
    { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; lra. }
    destruct (Req_dec A B) as [-> | N]; [lra |]. assert (B < A) as L by lra.
    pose proof (exp_increasing _ _ L). lra.
  - assert (0 <= mu * ((tau - t) * / sigma)).
    { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; lra. }
    assert (exp A <= exp B).
    { destruct (Req_dec A B) as [-> | N]; [lra |]. apply Rlt_le, exp_increasing.
      assert (mu * ((t - tau) * / sigma) = - (mu * ((tau - t) * / sigma))) by ring. lra. }
    unfold Rdiv. replace 0 with (0 * / (sqrt (2 * PI) * sigma)) by ring.
    apply Rmult_le_compat_r; lra.
Qed.

(** ** What is left beyond a point *)

Lemma G_and_H t : G t = 1 - exp eps - H t.
Proof. unfold G, H. rewrite !Phi_opp. ring. Qed.

Lemma G_rises s t : tau <= s -> s <= t -> G s <= G t.
Proof.
  intros A B. apply (nondecreasing G f); [exact B | intros; apply G_derive |].
  intros u Hu. apply f_sign. lra.
Qed.

Lemma H_at_tau : H tau = profile eps mu.
Proof.
  unfold H, profile. pose proof mu_pos.
  replace (- ((tau - x) / sigma)) with (mu / 2 - eps / mu) by (unfold tau; field; lra).
  replace (- ((tau - x') / sigma)) with (- mu / 2 - eps / mu); [reflexivity |].
  replace (tau - x') with (sigma * mu + sigma * (eps / mu - mu / 2))
    by (unfold tau; unfold mu at 1; field; lra).
  field. lra.
Qed.

Lemma H_nonneg t : tau <= t -> 0 <= H t.
Proof.
  intros Ht. apply le_epsilon. intros e He. pose proof (exp_pos eps) as P.
  destruct (tail_vanishes sigma x' (e / exp eps) Hs) as [t0 F].
  { apply Rdiv_lt_0_compat; lra. }
  pose proof (F (Rmax t t0) (Rmax_r _ _)) as F'.
  pose proof (G_rises t (Rmax t t0) Ht (Rmax_l _ _)) as M. rewrite !G_and_H in M.
  enough (0 <= H (Rmax t t0) + e) by lra.
  unfold H. pose proof (Phi_bounds (- ((Rmax t t0 - x) / sigma))).
  enough (exp eps * Phi (- ((Rmax t t0 - x') / sigma)) <= e) by lra.
  apply Rle_trans with (exp eps * (e / exp eps)); [apply Rmult_le_compat_l; lra |].
  right. field. lra.
Qed.

Lemma profile_nonneg : 0 <= profile eps mu.
Proof. rewrite <- H_at_tau. apply H_nonneg. lra. Qed.

(** ** No test of a window gains more than the profile *)

Section OneTest.
Variable h : R -> R.
Hypothesis Hh : forall t, 0 <= h t <= 1.
Let hf (t : R) := h t * f t.

Lemma below_tau a b : a <= b -> b <= tau -> ex_RInt hf a b -> RInt hf a b <= 0.
Proof.
  intros Hab Hb He.
  replace 0 with (RInt (fun _ : R => 0) a b).
  2:{ rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring. }
  apply RInt_le; [exact Hab | exact He | apply ex_RInt_const |].
  intros t Ht. unfold hf. pose proof (Hh t).
  assert (f t <= 0) by (apply f_sign; lra). nra.
Qed.

Lemma above_tau a b : a <= b -> tau <= a -> ex_RInt hf a b -> RInt hf a b <= profile eps mu.
Proof.
  intros Hab Ha He. apply Rle_trans with (RInt f a b).
  - apply RInt_le; [exact Hab | exact He | eexists; apply f_integral |].
    intros t Ht. unfold hf. pose proof (Hh t).
    assert (0 <= f t) by (apply f_sign; lra). nra.
  - rewrite (is_RInt_unique _ _ _ _ (f_integral a b)), <- H_at_tau.
    pose proof (G_rises tau a (Rle_refl _) Ha). pose proof (G_and_H tau).
    pose proof (G_and_H b). assert (0 <= H b) by (apply H_nonneg; lra). lra.
Qed.

Lemma window_below a b : a <= b -> ex_RInt hf a b -> RInt hf a b <= profile eps mu.
Proof.
  intros Hab He. pose proof profile_nonneg.
  destruct (Rle_lt_dec b tau) as [L | L]; [pose proof (below_tau a b Hab L He); lra |].
  destruct (Rle_lt_dec tau a) as [L' | L']; [apply above_tau; assumption |].
  assert (ex_RInt hf a tau) as A1 by (apply (ex_RInt_Chasles_1 hf a tau b); [lra | exact He]).
  assert (ex_RInt hf tau b) as A2 by (apply (ex_RInt_Chasles_2 hf a tau b); [lra | exact He]).
  rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) hf a tau b A1 A2). unfold plus; simpl.
  assert (RInt hf a tau <= 0) by (apply below_tau; [lra | lra | exact A1]).
  assert (RInt hf tau b <= profile eps mu) by (apply above_tau; [lra | lra | exact A2]). lra.
Qed.

Theorem no_test_gains_more a b :
  a <= b ->
  ex_RInt (fun t => h t * density sigma x t) a b ->
  ex_RInt (fun t => h t * density sigma x' t) a b ->
  RInt (fun t => h t * density sigma x t) a b
    <= exp eps * RInt (fun t => h t * density sigma x' t) a b + profile eps mu.
Proof.
  intros Hab E1 E2.
  assert (is_RInt hf a b
            (RInt (fun t => h t * density sigma x t) a b
             - exp eps * RInt (fun t => h t * density sigma x' t) a b)) as HI.
  { apply (is_RInt_ext (fun t => minus (h t * density sigma x t)
                                   (scal (exp eps) (h t * density sigma x' t)))).
    { intros t _. unfold hf, f, minus, plus, opp, scal; simpl. unfold mult; simpl. ring. }
    apply (is_RInt_minus (V := R_NormedModule)).
    - apply (RInt_correct (V := R_CompleteNormedModule)); exact E1.
    - apply (is_RInt_scal (V := R_NormedModule)).
      apply (RInt_correct (V := R_CompleteNormedModule)); exact E2. }
  pose proof (window_below a b Hab (ex_intro _ _ HI)) as W.
  rewrite (is_RInt_unique _ _ _ _ HI) in W. lra.
Qed.

End OneTest.

(** ** The tails attain it *)

Theorem tails_attain_profile delta :
  (forall b, tau <= b -> RInt f tau b <= delta) -> profile eps mu <= delta.
Proof.
  intros HA. apply le_epsilon. intros e He.
  destruct (tail_vanishes sigma x e Hs He) as [t0 F].
  pose proof (HA (Rmax tau t0) (Rmax_l _ _)) as A.
  rewrite (is_RInt_unique _ _ _ _ (f_integral _ _)) in A.
  pose proof (F (Rmax tau t0) (Rmax_r _ _)) as B. rewrite !G_and_H, H_at_tau in A.
  enough (H (Rmax tau t0) <= e) by lra. unfold H.
  pose proof (Phi_bounds (- ((Rmax tau t0 - x') / sigma))) as C. pose proof (exp_pos eps) as P.
  pose proof (Rmult_le_pos _ _ (Rlt_le _ _ P) (proj1 C)). lra.
Qed.

End TwoAnswers.
