(** * Conversions from Renyi and concentrated differential privacy

    About every mechanism, not the Gaussian one: for two data sets its outputs have positive
    densities p and q, of integral 1, for some integration.  The Renyi divergence of order a > 1 is
    at most d where the integral of p^a q^(1-a) is at most e^((a-1) d).  On paper: where p = 0 < q
    an output adds nothing to the divergence and takes nothing from the right side of
    [tests_within]; where q = 0 < p the divergence is infinite, and no premise is true. *)

From Coq Require Import Reals ZArith Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson Theorem8.
From Dporacle Require Import UnboundedWindows Expressions.
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

Definition laws : Prop :=
  (forall s, 0 < p s) /\ (forall s, 0 < q s) /\
  integrable J p /\ integral J p = 1 /\ integrable J q /\ integral J q = 1.

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
    laws J p q -> renyi_at_most J p q order d -> tests_within J p q eps delta.

(** Every rho-zCDP mechanism is (eps,delta)-DP. *)
Definition zcdp_implies_dp (rho eps delta : R) : Prop :=
  forall (J : integration) (p q : points J -> R),
    laws J p q -> concentrated J p q rho -> tests_within J p q eps delta.

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
  intros Ha Hd J p q (Hp & Hq & _) [R1 R2] h Hh P Q.
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
  intros Ha Hd J p q L C. exact (conversion_at_order a (a * rho) eps delta Ha Hd J p q L (C a Ha)).
Qed.

(** ** A refuted conversion: Gaussian noise is within its premise

    [line] is improper integration.  The laws of an answer with noise 1 and of one at a distance
    of [mu] have the divergence a mu^2/2 at every order a > 1 (X.RDP for these two). *)

Definition line : integration.
Proof.
  refine {| points := R; integrable := fun f => exists l, improper f l;
            integral := fun f => RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) |}.
  - intros f g k [l F] [m G].
    pose proof (is_RInt_gen_minus (V := R_NormedModule) f _ l _ F (improper_scal g k m G)) as D.
    change (improper (fun s => f s - k * g s) (l - k * m)) in D.
    split; [eexists; exact D |].
    rewrite (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ D).
    rewrite (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ F).
    rewrite (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ G). reflexivity.
  - intros f k [l F]. pose proof (improper_scal f k l F) as D. split; [eexists; exact D |].
    rewrite (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ D).
    rewrite (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ F). reflexivity.
  - intros f g F G H.
    exact (improper_le f g _ _
             (RInt_gen_correct (V := R_CompleteNormedModule) f F)
             (RInt_gen_correct (V := R_CompleteNormedModule) g G) H).
Defined.

Lemma line_integral f l : improper f l -> integrable line f /\ integral line f = l.
Proof.
  intros H. split; [exists l; exact H |].
  exact (is_RInt_gen_unique (V := R_CompleteNormedModule) _ _ H).
Qed.

Lemma gaussian_laws mu : laws line (density 1 mu) (density 1 0).
Proof.
  destruct (line_integral _ _ (density_improper 1 mu Rlt_0_1)).
  destruct (line_integral _ _ (density_improper 1 0 Rlt_0_1)).
  repeat split; try assumption; intros; apply density_pos, Rlt_0_1.
Qed.

Lemma gaussian_power a mu t :
  Rpower (density 1 mu t) a * Rpower (density 1 0 t) (1 - a)
  = exp ((a - 1) * (a * (mu * mu / 2))) * density 1 (a * mu) t.
Proof.
  assert (forall c, ln (density 1 c t) = - ((t - c) * (t - c)) / 2 - ln (sqrt (2 * PI))) as L.
  { intros c. unfold density, phi. unfold Rdiv. rewrite Rinv_1, !Rmult_1_r.
    rewrite ln_mult, ln_Rinv, ln_exp; [ring | | |];
      try apply Rinv_0_lt_compat; try apply sqrt_2pi_pos; apply exp_pos. }
  unfold Rpower. rewrite <- (exp_ln (density 1 (a * mu) t)) by apply density_pos, Rlt_0_1.
  rewrite !L, <- !exp_plus. f_equal. field.
Qed.

Theorem gaussian_concentrated mu : concentrated line (density 1 mu) (density 1 0) (mu * mu / 2).
Proof.
  intros a Ha. set (k := exp ((a - 1) * (a * (mu * mu / 2)))).
  destruct (line_integral
              (fun s => Rpower (density 1 mu s) a * Rpower (density 1 0 s) (1 - a)) k) as [I E].
  - replace k with (k * 1) by ring.
    refine (is_RInt_gen_ext _ _ _ _
              (improper_scal _ k _ (density_improper 1 (a * mu) Rlt_0_1))).
    apply filter_forall. intros uv t _. symmetry. apply gaussian_power.
  - split; [exact I | right; exact E].
Qed.

Lemma gaussian_tests eps delta mu :
  0 <= eps -> 0 < mu -> tests_within line (density 1 mu) (density 1 0) eps delta ->
  gaussian_dp eps delta mu 1.
Proof.
  intros He Hm T. apply profile_suffices; try lra. apply pair_necessary; try lra.
  apply window_of_line. intros p q h Hh P Q.
  destruct (line_integral _ _ P) as [IP EP]. destruct (line_integral _ _ Q) as [IQ EQ].
  rewrite <- EP, <- EQ. exact (T h Hh IP IQ).
Qed.

Theorem zcdp_not_converted rho eps delta :
  0 <= eps -> 0 < rho ->
  ~ gaussian_dp eps delta (sqrt (2 * rho)) 1 -> ~ zcdp_implies_dp rho eps delta.
Proof.
  intros He Hr V C. apply V. apply gaussian_tests; [exact He | apply sqrt_lt_R0; lra |].
  apply (C line); [apply gaussian_laws |].
  pose proof (gaussian_concentrated (sqrt (2 * rho))) as G. rewrite sqrt_sqrt in G by lra.
  replace (2 * rho / 2) with rho in G by field. exact G.
Qed.

Theorem renyi_not_converted a d eps delta :
  0 <= eps -> 0 < d -> 1 < a ->
  ~ gaussian_dp eps delta (sqrt (2 * d / a)) 1 -> ~ renyi_implies_dp a d eps delta.
Proof.
  intros He Hd Ha V C. assert (0 < 2 * d / a) as P by (apply Rdiv_lt_0_compat; lra).
  apply V. apply gaussian_tests; [exact He | apply sqrt_lt_R0, P |].
  apply (C line); [apply gaussian_laws |].
  pose proof (gaussian_concentrated (sqrt (2 * d / a)) a Ha) as G.
  rewrite sqrt_sqrt in G by lra.
  replace (a * (2 * d / a / 2)) with d in G by (field; lra). exact G.
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

(** [not_converted by numbers] refutes one at the Gaussian noise that its premise is met by. *)
Tactic Notation "not_converted" "by" tactic(numbers) :=
  first [apply zcdp_not_converted | apply renyi_not_converted]; [lra .. | numbers].
