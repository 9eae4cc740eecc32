(** * Refutations of rank-one privacy at given parameters

    JL24.T1 at the parameters of its own case study among them: the inner ball shows that the
    published noise is not private. *)

From Coq Require Import Reals ZArith Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions NormalDistribution Expressions RankOne.
From Dporacle Require Import FastChecker.
Open Scope R_scope.

(** ** The quotient of Gamma functions, as an expression *)

Fixpoint gamma_ratio (n : nat) : expression :=
  match n with
  | O => Whole 1
  | S O => Div (Whole 2) Circle
  | S (S m) =>
      Mul (gamma_ratio m) (Div (Whole (Z.of_nat m + 1)) (Whole (Z.of_nat m + 2)))
  end.

Lemma gamma_half_step n : (0 < n)%nat -> gamma_half (S (S n)) = INR n / 2 * gamma_half n.
Proof. destruct n; [lia | reflexivity]. Qed.

Lemma gamma_half_pos n : (0 < n)%nat -> 0 < gamma_half n.
Proof.
  enough (forall n, 0 < gamma_half (S n) /\ 0 < gamma_half (S (S n))) as H
    by (destruct n as [| n]; [lia | intros _; apply H]).
  clear n. induction n as [| n [A B]].
  - split; [apply sqrt_lt_R0, PI_RGT_0 | apply Rlt_0_1].
  - split; [exact B |]. rewrite gamma_half_step by lia.
    apply Rmult_lt_0_compat; [| exact A].
    apply Rdiv_lt_0_compat; [apply (lt_INR 0); lia | lra].
Qed.

Lemma gamma_ratio_ok n :
  denote (gamma_ratio n) = gamma_half (n + 1) / (sqrt PI * gamma_half (n + 2)).
Proof.
  assert (0 < sqrt PI) as P by (apply sqrt_lt_R0, PI_RGT_0).
  assert (sqrt PI * sqrt PI = PI) as Q by (apply sqrt_sqrt; pose proof PI_RGT_0; lra).
  enough (forall n,
    denote (gamma_ratio n) = gamma_half (n + 1) / (sqrt PI * gamma_half (n + 2)) /\
    denote (gamma_ratio (S n)) = gamma_half (S n + 1) / (sqrt PI * gamma_half (S n + 2))) as H
    by apply H.
  clear n. induction n as [| n [A B]].
  - split; simpl; set (root := sqrt PI) in *.
    + field. lra.
    + rewrite <- Q. field. lra.
  - split; [exact B |].
    replace (S (S n) + 1)%nat with (S (S (n + 1))) by lia.
    replace (S (S n) + 2)%nat with (S (S (n + 2))) by lia.
    rewrite !gamma_half_step by lia.
    change (denote (gamma_ratio (S (S n))))
      with (denote (gamma_ratio n) * (IZR (Z.of_nat n + 1) / IZR (Z.of_nat n + 2))).
    rewrite A, !plus_IZR, <- INR_IZR_INZ, !plus_INR.
    pose proof (gamma_half_pos (n + 2) ltac:(lia)). pose proof (pos_INR n).
    simpl (INR 1). simpl (INR 2). replace (1 + 1) with 2 by ring. field. lra.
Qed.

Definition published (M : nat) (eps delta D : expression) : expression :=
  Div (Mul (Whole 2) (Mul D D))
    (Mul eps (Exp (Mul (Div (Whole 2) (Sub (Whole (Z.of_nat M)) (Whole 2)))
                     (Ln (Mul delta (gamma_ratio (M - 2))))))).

Lemma published_ok M eps delta D :
  (2 <= M)%nat ->
  denote (published M eps delta D)
  = published_variance M (denote eps) (denote delta) (denote D).
Proof.
  intros H. unfold published, published_variance, Rpower. cbn [denote].
  rewrite gamma_ratio_ok, <- INR_IZR_INZ.
  replace (M - 2 + 1)%nat with (M - 1)%nat by lia.
  replace (M - 2 + 2)%nat with M by lia. reflexivity.
Qed.

(** ** The comparison *)

Definition witness_above (bits : positive) (terms M : nat)
    (eps delta D sigma_star lambda : expression) : bool :=
  below bits (Whole 0) sigma_star && below bits (Whole 0) D
  && at_most bits (Whole 1) lambda
  && below bits delta
       (Mul (Sub (Whole 1) (Div (Exp eps) (Power lambda (Z.of_nat (M - 1)))))
          (Sub (Whole 1)
             (Mul (Whole 2)
                (Normal terms
                   (Div (Sub (Whole 0) (Div D (Add (Whole 1) lambda))) (Sqrt sigma_star)))))).

Lemma inner_ball_above_ok bits terms M eps delta D sigma_star lambda v :
  denote sigma_star = v ->
  witness_above bits terms M eps delta D sigma_star lambda = true ->
  forall S : rank_one_space M v, ~ rank_one_dp S (denote eps) (denote delta) (denote D).
Proof.
  intros <-. unfold witness_above. rewrite !Bool.andb_true_iff. intros [[[A B] C] E] S DP.
  apply below_ok in A. apply below_ok in B. apply at_most_ok in C. apply below_ok in E.
  pose proof (inner_ball_lemma M _ S _ _ _ (denote lambda) A B C DP) as W.
  cbn [denote] in E. rewrite <- pow_powerRZ in E. lra.
Qed.

(** X.R1: noise of a given variance. *)
Theorem not_private_at_variance bits terms M eps delta D sigma_star lambda :
  witness_above bits terms M eps delta D sigma_star lambda = true ->
  forall S : rank_one_space M (denote sigma_star),
    ~ rank_one_dp S (denote eps) (denote delta) (denote D).
Proof. apply inner_ball_above_ok. reflexivity. Qed.

(** JL24.T1: the published noise. *)
Theorem not_private_as_published bits terms M eps delta D e d lambda :
  (Nat.leb 2 M
   && witness_above bits terms M eps delta D (published M e d D) lambda)%bool = true ->
  forall S : rank_one_space M (published_variance M (denote e) (denote d) (denote D)),
    ~ rank_one_dp S (denote eps) (denote delta) (denote D).
Proof.
  rewrite Bool.andb_true_iff, Nat.leb_le. intros [H W].
  exact (inner_ball_above_ok _ _ _ _ _ _ _ _ _ (published_ok M e d D H) W).
Qed.

(** [by_inner_ball lambda bits terms] proves such a refutation. *)
Ltac by_inner_ball lambda bits terms :=
  let text t := text_of terms terms t in
  let l := text lambda in
  match goal with
  | |- forall S : rank_one_space ?M (published_variance ?M ?e' ?d' ?D),
         ~ rank_one_dp S ?e ?d ?D =>
      let e' := text e' in let d' := text d' in
      let e := text e in let d := text d in let D := text D in
      refine (not_private_as_published bits terms M e d D e' d' l _)
  | |- forall S : rank_one_space ?M ?s, ~ rank_one_dp S ?e ?d ?D =>
      let s := text s in let e := text e in let d := text d in let D := text D in
      refine (not_private_at_variance bits terms M e d D s l _)
  end;
  vm_cast_no_check (@eq_refl bool true).

(** The case study of JL24: 89 x 89 counts, eps = 1e-5, delta = 1e-7. *)
Theorem case_study_refuted :
  forall S : rank_one_space 7921 (published_variance 7921 (1 / 100000) (1 / 10000000) 1),
    ~ rank_one_dp S (1 / 100000) (1 / 10000000) 1.
Proof. by_inner_ball 2 120%positive 8%nat. Qed.
