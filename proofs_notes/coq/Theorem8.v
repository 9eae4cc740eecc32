(** * Theorem 8 of Balle and Wang (2018), both ways

    The Gaussian mechanism is (eps,delta)-DP if and only if its profile at eps is at most delta. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus GaussianIntegral NormalDistribution.
From Dporacle Require Import PrivacyProfile NeymanPearson.
Open Scope R_scope.

(** ** Reflection: x < x' is x' < x seen in a mirror *)

Lemma density_opp sigma c t : density sigma c (- t) = density sigma (- c) t.
Proof. unfold density, phi. do 3 f_equal. unfold Rdiv. ring. Qed.

Lemma mirrored (k : R -> R) a b :
  ex_RInt k a b -> is_RInt (fun t => k (- t)) (- b) (- a) (RInt k a b).
Proof.
  intros E. pose proof (RInt_correct (V := R_CompleteNormedModule) k a b E) as C.
  apply is_RInt_swap in C. apply is_RInt_opp in C. rewrite opp_opp in C.
  apply (is_RInt_ext (fun t => opp (opp (k (- t))))); [intros; apply opp_opp |].
  apply (is_RInt_comp_opp (V := R_NormedModule) (fun u => opp (k u)) (- b) (- a)).
  rewrite !Ropp_involutive. exact C.
Qed.

Lemma mirrored_test (h : R -> R) sigma c a b :
  ex_RInt (fun t => h t * density sigma c t) a b ->
  is_RInt (fun t => h (- t) * density sigma (- c) t) (- b) (- a)
    (RInt (fun t => h t * density sigma c t) a b).
Proof.
  intros E. pose proof (mirrored _ _ _ E) as F.
  apply (is_RInt_ext (fun t => h (- t) * density sigma c (- t))); [| exact F].
  intros t _. rewrite density_opp. reflexivity.
Qed.

Lemma distance_profile eps d D sigma :
  0 < sigma -> 0 < d -> d <= D -> profile eps (d / sigma) <= profile eps (D / sigma).
Proof.
  intros Hs Hd HD. apply profile_increasing; [apply Rdiv_lt_0_compat; lra |].
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | lra].
Qed.

Lemma profile_at_distance_nonneg eps D sigma : 0 < D -> 0 < sigma -> 0 <= profile eps (D / sigma).
Proof.
  intros HD Hs. replace (D / sigma) with ((D - 0) / sigma) by (unfold Rdiv; ring).
  apply profile_nonneg; assumption.
Qed.

(** ** If: every test of every window *)

Lemma profile_suffices eps delta D sigma :
  0 <= eps -> 0 < D -> 0 < sigma ->
  profile eps (D / sigma) <= delta -> gaussian_dp eps delta D sigma.
Proof.
  intros He HD Hs HP x x' a b h Hd Hab Hh E1 E2.
  destruct (Rtotal_order x x') as [L | [E | L]].
  - pose proof (mirrored_test h sigma x a b E1) as F1.
    pose proof (mirrored_test h sigma x' a b E2) as F2.
    rewrite Rabs_left in Hd by lra.
    pose proof (distance_profile eps (- x - - x') D sigma Hs) as M.
    pose proof (no_test_gains_more eps sigma (- x) (- x') Hs ltac:(lra) (fun t => h (- t))
                  (fun t => Hh (- t)) (- b) (- a) ltac:(lra)
                  (ex_intro _ _ F1) (ex_intro _ _ F2)) as U.
    cbv beta in U. rewrite (is_RInt_unique _ _ _ _ F1), (is_RInt_unique _ _ _ _ F2) in U.
    assert (profile eps ((- x - - x') / sigma) <= profile eps (D / sigma)) by (apply M; lra).
    lra.
  - subst x'.
    assert (0 <= RInt (fun t => h t * density sigma x t) a b) as P.
    { apply RInt_ge_0; auto. intros t _. pose proof (Hh t). pose proof (density_pos sigma x t Hs).
      apply Rmult_le_pos; lra. }
    assert (1 <= exp eps) by (pose proof (exp_ineq1_le eps); lra).
    pose proof (profile_at_distance_nonneg eps D sigma HD Hs).
    set (r := RInt _ a b) in *.
    assert (1 * r <= exp eps * r) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite Rabs_pos_eq in Hd by lra.
    pose proof (distance_profile eps (x - x') D sigma Hs ltac:(lra) Hd).
    pose proof (no_test_gains_more eps sigma x x' Hs L h Hh a b Hab E1 E2). lra.
Qed.

(** ** Only if: the tails of the pair (D, 0) *)

Lemma constant_test sigma c a b :
  0 < sigma -> is_RInt (fun t => 1 * density sigma c t) a b (RInt (density sigma c) a b).
Proof.
  intros Hs. apply (is_RInt_ext (density sigma c)); [intros; symmetry; apply Rmult_1_l |].
  apply (RInt_correct (V := R_CompleteNormedModule)), density_integrable, Hs.
Qed.

Lemma pair_necessary eps delta D sigma :
  0 < D -> 0 < sigma -> pair_dp eps delta D 0 sigma -> profile eps (D / sigma) <= delta.
Proof.
  intros HD Hs DP. replace (D / sigma) with ((D - 0) / sigma) by (unfold Rdiv; ring).
  apply (tails_attain_profile eps sigma D 0 Hs HD). intros b Hb.
  set (tau := D + _) in *.
  pose proof (constant_test sigma D tau b Hs) as C1.
  pose proof (constant_test sigma 0 tau b Hs) as C0.
  pose proof (DP tau b (fun _ => 1)) as P. cbv beta in P.
  rewrite (is_RInt_unique _ _ _ _ C1), (is_RInt_unique _ _ _ _ C0) in P.
  rewrite (RInt_ext _ (fun t => minus (density sigma D t) (scal (exp eps) (density sigma 0 t))))
    by reflexivity.
  rewrite (RInt_minus (V := R_CompleteNormedModule));
    [| apply density_integrable, Hs
     | apply (ex_RInt_scal (V := R_CompleteNormedModule)), density_integrable, Hs].
  rewrite (RInt_scal (V := R_CompleteNormedModule)); [| apply density_integrable, Hs].
  unfold minus, plus, opp, scal; simpl. unfold mult; simpl.
  enough (RInt (density sigma D) tau b <= exp eps * RInt (density sigma 0) tau b + delta) by lra.
  apply P.
  - exact Hb.
  - intros; lra.
  - eexists; exact C1.
  - eexists; exact C0.
Qed.

Lemma profile_necessary eps delta D sigma :
  0 < D -> 0 < sigma -> gaussian_dp eps delta D sigma -> profile eps (D / sigma) <= delta.
Proof.
  intros HD Hs DP. apply pair_necessary; [exact HD | exact Hs |].
  intros a b h. apply DP. rewrite Rminus_0_r, Rabs_pos_eq; lra.
Qed.

(** BW18.T8 (Theorem 8). *)
Theorem theorem8 eps delta D sigma :
  0 <= eps -> 0 < D -> 0 < sigma ->
  (gaussian_dp eps delta D sigma <-> profile eps (D / sigma) <= delta).
Proof.
  intros. split; [apply profile_necessary | apply profile_suffices]; assumption.
Qed.

(** No noise gives delta = 0. *)
Lemma profile_positive eps mu : 0 < mu -> 0 < profile eps mu.
Proof.
  intros H. apply Rle_lt_trans with (profile eps (mu / 2)).
  - replace (mu / 2) with (mu / 2 / 1) by field. apply profile_at_distance_nonneg; lra.
  - apply profile_strictly_increasing; lra.
Qed.
