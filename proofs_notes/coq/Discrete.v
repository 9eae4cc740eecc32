(** * Noise on the integers: the largest of several errors, and claims of privacy refuted (X.DG) *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals ZArith Lia Psatz.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson Expressions.
From Dporacle Require FastChecker.
Open Scope R_scope.

(** ** Definitions *)

(** The discrete Gaussian noise is [x] with a probability that is proportional to this. *)
Definition weight (sigma : R) (x : Z) : R := exp (- (IZR x * IZR x) / (2 * (sigma * sigma))).

(** The sum from [-n] to [n]. *)
Fixpoint summed (f : Z -> R) (n : nat) : R :=
  match n with
  | O => f 0%Z
  | S m => summed f m + (f (Z.of_nat n) + f (- Z.of_nat n)%Z)
  end.

Definition window (sigma : R) : nat -> R := summed (weight sigma).

(** The largest of the errors of [k] counts exceeds [a] with probability at most [alpha]: however far
    the weights are summed, those from [-a] to [a] are so large a part of them. *)
Definition discrete_accuracy (a : Z) (alpha sigma : R) (k : Z) : Prop :=
  forall n, 1 - alpha <= powerRZ (window sigma (Z.to_nat a) / window sigma n) k.

(** The mechanism with whole answers and noise is (eps,delta)-DP at sensitivity [D]: for every
    randomised test [h] of the output and every window.  The sum of all weights is the least number
    [all] that no window exceeds. *)
Definition discrete_dp (eps delta : R) (D : Z) (sigma : R) : Prop :=
  forall (x x' : Z) (h : Z -> R) (n : nat) (all : R),
    (Z.abs (x - x') <= D)%Z ->
    (forall y, 0 <= h y <= 1) ->
    (forall m, window sigma m <= all) ->
    summed (fun y => h y * weight sigma (y - x)) n
      <= exp eps * summed (fun y => h y * weight sigma (y - x')) n + delta * all.

(** ** What is beyond a window is at most an integral *)

Section Sums.
Variable sigma : R.
Hypothesis Hs : 0 < sigma.

Lemma weight_pos x : 0 < weight sigma x.
Proof. apply exp_pos. Qed.

Lemma weight_opp x : weight sigma (- x) = weight sigma x.
Proof. unfold weight. rewrite opp_IZR. f_equal. f_equal. ring. Qed.

Lemma window_pos n : 0 < window sigma n.
Proof.
  induction n as [| n IH]; [apply weight_pos |]. unfold window in *. cbn [summed].
  pose proof (weight_pos (Z.of_nat (S n))). pose proof (weight_pos (- Z.of_nat (S n))). lra.
Qed.

Lemma window_step n : window sigma (S n) = window sigma n + 2 * weight sigma (Z.of_nat (S n)).
Proof. unfold window. cbn [summed]. rewrite weight_opp. ring. Qed.

Definition beyond (n : nat) : R := sigma * sqrt (2 * PI) * Phi (- (INR n / sigma)).

Lemma weight_below_integral n :
  weight sigma (Z.of_nat (S n)) <= beyond n - beyond (S n).
Proof.
  unfold beyond. rewrite !Phi_opp. rewrite S_INR. set (x := INR n).
  destruct (MVT_gen (fun t => Phi ((t - 0) / sigma)) x (x + 1) (density sigma 0)) as [c [Hc E]].
  - intros t _. apply density_antiderivative, Hs.
  - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous (fun t => Phi ((t - 0) / sigma))).
    eexists. apply density_antiderivative, Hs.
  - rewrite Rmin_left, Rmax_right in Hc by lra. rewrite !Rminus_0_r in E.
    replace (sigma * sqrt (2 * PI) * (1 - Phi (x / sigma))
             - sigma * sqrt (2 * PI) * (1 - Phi ((x + 1) / sigma)))
      with (sigma * sqrt (2 * PI) * (Phi ((x + 1) / sigma) - Phi (x / sigma))) by ring.
    rewrite E. unfold density, phi. pose proof sqrt_2pi_pos as P. rewrite Rminus_0_r.
    replace (sigma * sqrt (2 * PI)
             * (exp (- (c / sigma * (c / sigma)) / 2) / sqrt (2 * PI) / sigma * (x + 1 - x)))
      with (exp (- (c / sigma * (c / sigma)) / 2)) by (field; lra).
    unfold weight. rewrite <- INR_IZR_INZ, S_INR. fold x.
    assert (0 <= x) as X by apply pos_INR.
    assert (- ((x + 1) * (x + 1)) / (2 * (sigma * sigma)) <= - (c / sigma * (c / sigma)) / 2) as L.
    { replace (- ((x + 1) * (x + 1)) / (2 * (sigma * sigma)))
        with (- ((x + 1) / sigma * ((x + 1) / sigma)) / 2) by (field; lra).
      assert (0 < / sigma) by (apply Rinv_0_lt_compat, Hs).
      assert (0 <= c / sigma) by (apply Rmult_le_pos; lra).
      assert (c / sigma <= (x + 1) / sigma) by (apply Rmult_le_compat_r; lra). nra. }
    destruct (Rle_lt_or_eq_dec _ _ L) as [H | ->]; [apply Rlt_le, exp_increasing, H | lra].
Qed.

Lemma beyond_pos n : 0 <= beyond n.
Proof.
  unfold beyond. pose proof sqrt_2pi_pos. pose proof (Phi_bounds (- (INR n / sigma))).
  apply Rmult_le_pos; [apply Rlt_le, Rmult_lt_0_compat |]; lra.
Qed.

Lemma window_further N j : window sigma (N + j) <= window sigma N + 2 * (beyond N - beyond (N + j)).
Proof.
  induction j as [| j IH]; [rewrite Nat.add_0_r; lra |].
  rewrite Nat.add_succ_r, window_step. pose proof (weight_below_integral (N + j)). lra.
Qed.

Lemma window_rises m n : (m <= n)%nat -> window sigma m <= window sigma n.
Proof.
  induction 1 as [| n _ IH]; [lra |]. rewrite window_step.
  pose proof (weight_pos (Z.of_nat (S n))). lra.
Qed.

(** All of the weights. *)
Lemma window_most N n : window sigma n <= window sigma N + 2 * beyond N.
Proof.
  pose proof (beyond_pos N). destruct (Nat.le_gt_cases n N) as [L | L].
  - pose proof (window_rises n N L). lra.
  - replace n with (N + (n - N))%nat by lia. pose proof (window_further N (n - N)).
    pose proof (beyond_pos (N + (n - N))). lra.
Qed.

Theorem discrete_accurate a alpha k N :
  (0 <= k)%Z ->
  1 - alpha <= powerRZ (window sigma (Z.to_nat a) / (window sigma N + 2 * beyond N)) k ->
  discrete_accuracy a alpha sigma k.
Proof.
  intros K H n. apply Rle_trans with (1 := H). destruct (Z_of_nat_complete k K) as [j ->].
  rewrite <- !pow_powerRZ. pose proof (window_pos (Z.to_nat a)). pose proof (window_pos n).
  pose proof (window_pos N). pose proof (beyond_pos N). apply pow_incr. split.
  - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; [lra | apply window_most].
Qed.

(** The sum of [n] weights from [t] on. *)
Fixpoint onwards (t : Z) (n : nat) : R :=
  match n with O => 0 | S m => onwards t m + weight sigma (t + Z.of_nat m) end.

Lemma tail_sum t x : (x = 1 - t)%Z -> forall n,
  summed (fun y => (if (0 <? y)%Z then 1 else 0) * weight sigma (y - x)) n = onwards t n.
Proof.
  intros ->. induction n as [| n IH]; [simpl; ring |]. cbn [summed onwards]. rewrite IH.
  replace (0 <? Z.of_nat (S n))%Z with true by (symmetry; apply Z.ltb_lt; lia).
  replace (0 <? - Z.of_nat (S n))%Z with false by (symmetry; apply Z.ltb_ge; lia).
  replace (Z.of_nat (S n) - (1 - t))%Z with (t + Z.of_nat n)%Z by lia. ring.
Qed.

(** Whatever is large is more likely than that allows. *)
Theorem discrete_event eps delta D t n N :
  (0 <= D)%Z -> discrete_dp eps delta D sigma ->
  onwards t n <= exp eps * onwards (t + D) n + delta * (window sigma N + 2 * beyond N).
Proof.
  intros HD DP. rewrite <- (tail_sum t (1 - t) eq_refl n), <- (tail_sum (t + D) (1 - t - D) ltac:(lia) n).
  apply DP; [lia | | intros m; apply window_most].
  intros y. destruct (0 <? y)%Z; lra.
Qed.
End Sums.

(** ** At given numbers, by computation *)

Fixpoint window_text (sigma : expression) (n : nat) : expression :=
  match n with
  | O => Whole 1
  | S m => Add (window_text sigma m) (Mul (Whole 2)
      (Exp (Div (Whole (- (Z.of_nat n * Z.of_nat n))) (Mul (Whole 2) (Mul sigma sigma)))))
  end.

Lemma window_value sigma n : denote (window_text sigma n) = window (denote sigma) n.
Proof.
  induction n as [| n IH].
  - change (1 = weight (denote sigma) 0). unfold weight. rewrite Rmult_0_l, Ropp_0. unfold Rdiv. rewrite Rmult_0_l, exp_0. reflexivity.
  - rewrite window_step. cbn [window_text denote]. rewrite IH, opp_IZR, mult_IZR. reflexivity.
Qed.

Definition beyond_text (terms : nat) (sigma : expression) (n : nat) : expression :=
  Mul (Mul sigma (Sqrt (Mul (Whole 2) Circle)))
    (Normal terms (Sub (Whole 0) (Div (Whole (Z.of_nat n)) sigma))).

Lemma beyond_value terms sigma n : denote (beyond_text terms sigma n) = beyond (denote sigma) n.
Proof. unfold beyond. cbn [beyond_text denote]. rewrite <- INR_IZR_INZ, Rminus_0_l. reflexivity. Qed.

(** [N] says how many of the weights are summed. *)
Definition discrete_accurate_at (N terms : nat) (bits : positive) (a : Z) (alpha sigma : expression) (k : Z)
    : bool :=
  (0 <=? k)%Z && FastChecker.below bits (Whole 0) sigma
  && FastChecker.at_most bits (Sub (Whole 1) alpha)
       (Power (Div (window_text sigma (Z.to_nat a))
          (Add (window_text sigma N) (Mul (Whole 2) (beyond_text terms sigma N)))) k).

Theorem discrete_accurate_ok N terms bits a alpha sigma k :
  discrete_accurate_at N terms bits a alpha sigma k = true ->
  discrete_accuracy a (denote alpha) (denote sigma) k.
Proof.
  unfold discrete_accurate_at. rewrite !Bool.andb_true_iff. intros [[K S] H].
  apply Z.leb_le in K. apply FastChecker.below_ok in S. apply FastChecker.at_most_ok in H.
  cbn [denote] in H. rewrite !window_value, beyond_value in H.
  apply (discrete_accurate _ S a _ k N K H).
Qed.

Definition discrete_inaccurate_at (N : nat) (bits : positive) (a : Z) (alpha sigma : expression) (k : Z)
    : bool :=
  FastChecker.below bits (Power (Div (window_text sigma (Z.to_nat a)) (window_text sigma N)) k)
    (Sub (Whole 1) alpha).

Theorem discrete_inaccurate_ok N bits a alpha sigma k :
  discrete_inaccurate_at N bits a alpha sigma k = true ->
  ~ discrete_accuracy a (denote alpha) (denote sigma) k.
Proof.
  intros H A. apply FastChecker.below_ok in H. cbn [denote] in H. rewrite !window_value in H.
  specialize (A N). lra.
Qed.

Fixpoint onwards_text (sigma : expression) (t : Z) (n : nat) : expression :=
  match n with
  | O => Whole 0
  | S m => Add (onwards_text sigma t m)
      (Exp (Div (Whole (- ((t + Z.of_nat m) * (t + Z.of_nat m)))) (Mul (Whole 2) (Mul sigma sigma))))
  end.

Lemma onwards_value sigma t n : denote (onwards_text sigma t n) = onwards (denote sigma) t n.
Proof.
  induction n as [| n IH]; [reflexivity |]. cbn [onwards_text denote onwards].
  rewrite IH, opp_IZR, mult_IZR. reflexivity.
Qed.

(** The event is that the output is [t] or more; [n] and [N] say how many of the weights are summed. *)
Definition discrete_event_at (n N terms : nat) (bits : positive) (t : Z) (eps delta : expression) (D : Z)
    (sigma : expression) : bool :=
  (0 <=? D)%Z && FastChecker.below bits (Whole 0) sigma
  && FastChecker.below bits
       (Add (Mul (Exp eps) (onwards_text sigma (t + D) n))
          (Mul delta (Add (window_text sigma N) (Mul (Whole 2) (beyond_text terms sigma N)))))
       (onwards_text sigma t n).

Theorem discrete_event_ok n N terms bits t eps delta D sigma :
  discrete_event_at n N terms bits t eps delta D sigma = true ->
  ~ discrete_dp (denote eps) (denote delta) D (denote sigma).
Proof.
  unfold discrete_event_at. rewrite !Bool.andb_true_iff. intros [[HD S] H] DP.
  apply Z.leb_le in HD. apply FastChecker.below_ok in S, H.
  pose proof (discrete_event _ S _ _ D t n N HD DP) as E.
  cbn [denote] in H. rewrite !onwards_value, window_value, beyond_value in H. lra.
Qed.

(** [by_tail t n N bits terms] refutes a claim of privacy. *)
Ltac by_tail t n N bits terms :=
  match goal with
  | |- context [discrete_dp ?eps ?delta ?D ?sigma] =>
      let eps := text_of terms terms eps in let delta := text_of terms terms delta in
      let sigma := text_of terms terms sigma in
      refine (discrete_event_ok n N terms bits t eps delta D sigma _)
  end;
  vm_cast_no_check (@eq_refl bool true).

(** [by_sums N bits terms] decides whether the errors of noise on the integers are within a bound. *)
Ltac by_sums N bits terms :=
  match goal with
  | |- context [discrete_accuracy ?a ?alpha ?sigma ?k] =>
      let alpha := text_of terms terms alpha in let sigma := text_of terms terms sigma in
      first [refine (discrete_accurate_ok N terms bits a alpha sigma k _)
            | refine (discrete_inaccurate_ok N bits a alpha sigma k _)]
  end;
  vm_cast_no_check (@eq_refl bool true).
