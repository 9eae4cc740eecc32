(** * Conversions from Renyi and concentrated differential privacy

    About every mechanism, not the Gaussian one: for two answers its outputs have positive
    densities p and q for some integration.  (Outputs with q = 0 < p make the divergence infinite.
    Outputs with p = 0 add nothing to the divergence, and nothing to the left side of
    [tests_within]: on paper both are left out.)  The Renyi divergence of order a is at most d
    where the integral of p^a q^(1-a) is at most e^((a-1) d). *)

From Coq Require Import Reals ZArith Psatz.
From Dporacle Require Import Expressions.
From Dporacle Require FastChecker.
Open Scope R_scope.

(** What is used of an integration: it is linear and monotone. *)
Record integration : Type := {
  points : Type;
  integrable : (points -> R) -> Prop;
  integral : (points -> R) -> R;
  linear : forall f g (k : R), integrable f -> integrable g ->
    integrable (fun s => f s - k * g s) /\
    integral (fun s => f s - k * g s) = integral f - k * integral g;
  multiple : forall f (k : R), integrable f ->
    integrable (fun s => k * f s) /\ integral (fun s => k * f s) = k * integral f;
  monotone : forall f g, integrable f -> integrable g -> (forall s, f s <= g s) ->
    integral f <= integral g
}.

Section TwoLaws.
Variable J : integration.
Variables p q : points J -> R.

Definition renyi_at_most (order d : R) : Prop :=
  integrable J (fun s => Rpower (p s) order * Rpower (q s) (1 - order)) /\
  integral J (fun s => Rpower (p s) order * Rpower (q s) (1 - order)) <= exp ((order - 1) * d).

(** rho-zCDP: the divergence of every order a > 1 is at most a rho. *)
Definition concentrated (rho : R) : Prop :=
  forall order, 1 < order -> renyi_at_most order (order * rho).

Definition tests_within (eps delta : R) : Prop :=
  forall h : points J -> R, (forall s, 0 <= h s <= 1) ->
    integrable J (fun s => h s * p s) -> integrable J (fun s => h s * q s) ->
    integral J (fun s => h s * p s) <= exp eps * integral J (fun s => h s * q s) + delta.
End TwoLaws.

(** Every mechanism whose divergence of an order is at most [d] is (eps,delta)-DP. *)
Definition renyi_implies_dp (order d eps delta : R) : Prop :=
  forall (J : integration) (p q : points J -> R),
    (forall s, 0 < p s) -> (forall s, 0 < q s) ->
    renyi_at_most J p q order d -> tests_within J p q eps delta.

(** Every rho-zCDP mechanism is (eps,delta)-DP. *)
Definition zcdp_implies_dp (rho eps delta : R) : Prop :=
  forall (J : integration) (p q : points J -> R),
    (forall s, 0 < p s) -> (forall s, 0 < q s) ->
    concentrated J p q rho -> tests_within J p q eps delta.

(** ** The conversion at one order (X.RDP) *)

(** e^(ax) is above its tangent in e^x at x = 0. *)
Lemma tangent a x : 1 < a -> a * exp x - (a - 1) <= exp (a * x).
Proof.
  intros Ha. replace (a * x) with (x + (a - 1) * x) by ring. rewrite exp_plus.
  pose proof (exp_pos x) as E. pose proof (exp_ineq1_le ((a - 1) * x)) as F.
  pose proof (exp_ineq1_le (- x)) as G. rewrite exp_Ropp in G.
  assert (exp x * (1 + (a - 1) * x) <= exp x * exp ((a - 1) * x))
    by (apply Rmult_le_compat_l; lra).
  assert (exp x * (1 - x) <= 1).
  { replace 1 with (exp x * / exp x) at 2 by (field; lra). apply Rmult_le_compat_l; lra. }
  nra.
Qed.

(** (a-1)^(a-1)/a^a e^(-(a-1) eps), the least factor for which the next lemma is true. *)
Definition factor (a eps : R) : R :=
  exp ((a - 1) * ln (a - 1) - a * ln a) * exp (0 - (a - 1) * eps).

Lemma pointwise a eps p q :
  1 < a -> 0 < p -> 0 < q ->
  p - exp eps * q <= factor a eps * (Rpower p a * Rpower q (1 - a)).
Proof.
  intros Ha Hp Hq. set (x := ln p - ln q - eps - ln a + ln (a - 1)).
  pose proof (tangent a x Ha) as T.
  assert (0 < exp eps * q / (a - 1)) as W.
  { apply Rdiv_lt_0_compat; [| lra]. apply Rmult_lt_0_compat; [apply exp_pos | exact Hq]. }
  apply Rmult_le_compat_l with (r := exp eps * q / (a - 1)) in T; [| lra].
  replace (exp eps * q / (a - 1) * (a * exp x - (a - 1))) with (p - exp eps * q) in T.
  - apply Rle_trans with (1 := T). right.
    unfold factor, Rpower.
    rewrite <- (exp_ln q Hq) at 1. rewrite <- (exp_ln (a - 1)) at 1 by lra.
    unfold Rdiv. rewrite <- exp_Ropp, <- !exp_plus. f_equal. unfold x. ring.
  - unfold x. replace (ln p - ln q - eps - ln a + ln (a - 1))
      with (ln p + (- ln q + (- eps + (- ln a + ln (a - 1))))) by ring.
    rewrite !exp_plus, !exp_Ropp, !exp_ln by lra.
    field. repeat split; try lra. apply Rgt_not_eq, exp_pos.
Qed.

Theorem conversion_at_order a d eps delta :
  1 < a -> factor a eps * exp ((a - 1) * d) <= delta -> renyi_implies_dp a d eps delta.
Proof.
  intros Ha Hd J p q Hp Hq [R1 R2] h Hh P Q.
  destruct (linear J _ _ (exp eps) P Q) as [L1 L2].
  destruct (multiple J _ (factor a eps) R1) as [M1 M2].
  pose proof (monotone J _ _ L1 M1) as M. rewrite L2, M2 in M.
  assert (0 < factor a eps) as F by (apply Rmult_lt_0_compat; apply exp_pos).
  assert (factor a eps
            * integral J (fun s => Rpower (p s) a * Rpower (q s) (1 - a)) <= delta).
  { apply Rle_trans with (2 := Hd). apply Rmult_le_compat_l; lra. }
  assert (forall s, h s * p s - exp eps * (h s * q s)
                    <= factor a eps * (Rpower (p s) a * Rpower (q s) (1 - a))) as I.
  { intros s. pose proof (pointwise a eps (p s) (q s) Ha (Hp s) (Hq s)) as B.
    assert (0 < Rpower (p s) a * Rpower (q s) (1 - a))
      by (apply Rmult_lt_0_compat; apply exp_pos).
    assert (0 < factor a eps * (Rpower (p s) a * Rpower (q s) (1 - a)))
      by (apply Rmult_lt_0_compat; assumption).
    pose proof (Hh s). replace (h s * p s - exp eps * (h s * q s))
      with (h s * (p s - exp eps * q s)) by ring.
    destruct (Rle_lt_dec 0 (p s - exp eps * q s)); nra. }
  pose proof (M I). lra.
Qed.

Theorem zcdp_conversion_at_order a rho eps delta :
  1 < a -> factor a eps * exp ((a - 1) * (a * rho)) <= delta -> zcdp_implies_dp rho eps delta.
Proof.
  intros Ha Hd J p q Hp Hq C.
  exact (conversion_at_order a (a * rho) eps delta Ha Hd J p q Hp Hq (C a Ha)).
Qed.

(** ** At given numbers *)

Definition factor_text (a eps : expression) : expression :=
  let step := Sub a (Whole 1) in
  Mul (Exp (Sub (Mul step (Ln step)) (Mul a (Ln a)))) (Exp (Sub (Whole 0) (Mul step eps))).

Definition converts (bits : positive) (a d eps delta : expression) : bool :=
  FastChecker.below bits (Whole 1) a
  && FastChecker.at_most bits
       (Mul (factor_text a eps) (Exp (Mul (Sub a (Whole 1)) d))) delta.

Theorem renyi_converts bits a d eps delta :
  converts bits a d eps delta = true ->
  renyi_implies_dp (denote a) (denote d) (denote eps) (denote delta).
Proof.
  unfold converts. rewrite Bool.andb_true_iff. intros [A B].
  apply FastChecker.below_ok in A. apply FastChecker.at_most_ok in B.
  exact (conversion_at_order _ _ _ _ A B).
Qed.

Theorem zcdp_converts bits a rho eps delta :
  converts bits a (Mul a rho) eps delta = true ->
  zcdp_implies_dp (denote rho) (denote eps) (denote delta).
Proof.
  unfold converts. rewrite Bool.andb_true_iff. intros [A B].
  apply FastChecker.below_ok in A. apply FastChecker.at_most_ok in B.
  exact (zcdp_conversion_at_order _ _ _ _ A B).
Qed.

(** [by_order a bits] proves such a conversion by the Renyi divergence of order [a]. *)
Ltac by_order a bits :=
  let text t := text_of 0%nat 0%nat t in
  let a := text a in
  match goal with
  | |- zcdp_implies_dp ?r ?e ?d =>
      let r := text r in let e := text e in let d := text d in
      refine (zcdp_converts bits a r e d _)
  | |- renyi_implies_dp _ ?r ?e ?d =>
      let r := text r in let e := text e in let d := text d in
      refine (renyi_converts bits a r e d _)
  end;
  vm_cast_no_check (@eq_refl bool true).
