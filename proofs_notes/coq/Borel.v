(** * Borel sets

    For every two distributions on the Borel sets that have the densities of two answers, what
    randomised tests of windows say is what Borel sets say: both distributions are approximated at
    once by sets that are unions of finitely many windows inside of every window. *)

From Coq Require Import Reals Psatz Lia Classical_Prop.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution PrivacyProfile NeymanPearson Theorem8.
From Dporacle Require Import UnboundedWindows JointAttainment.
Open Scope R_scope.

(** ** Definitions *)

(** The rays (-infinity, b], and what complements and countable unions make of them. *)
Inductive borel : (R -> Prop) -> Prop :=
  | borel_ray b : borel (fun t => t <= b)
  | borel_not S : borel S -> borel (fun t => ~ S t)
  | borel_some (S : nat -> R -> Prop) : (forall n, borel (S n)) -> borel (fun t => exists n, S n t)
  | borel_same S S' : (forall t, S t <-> S' t) -> borel S -> borel S'.

(** A probability distribution on them. *)
Record distribution (P : (R -> Prop) -> R) : Prop := {
  same_sets : forall S S', (forall t, S t <-> S' t) -> P S = P S';
  nonneg : forall S, borel S -> 0 <= P S;
  everything : P (fun _ => True) = 1;
  countable_sum : forall S : nat -> R -> Prop, (forall n, borel (S n)) ->
    (forall m n t, S m t -> S n t -> m = n) ->
    is_series (fun n => P (S n)) (P (fun t => exists n, S n t))
}.

(** One that has the density of an answer with Gaussian noise. *)
Definition gaussian_distribution (sigma c : R) (P : (R -> Prop) -> R) : Prop :=
  distribution P /\ forall a b, a <= b -> P (fun t => a < t <= b) = RInt (density sigma c) a b.

(** The Gaussian mechanism is (eps,delta)-DP, as it is usually defined. *)
Definition borel_dp (eps delta D sigma : R) : Prop :=
  forall x x' P Q S, Rabs (x - x') <= D ->
    gaussian_distribution sigma x P -> gaussian_distribution sigma x' Q -> borel S ->
    P S <= exp eps * Q S + delta.

(** ** Sets *)

Lemma borel_or A B : borel A -> borel B -> borel (fun t => A t \/ B t).
Proof.
  intros HA HB. apply (borel_same (fun t => exists n : nat, (match n with O => A | _ => B end) t)).
  - intros t. split; [intros [[| n] H]; auto | intros [H | H]; [exists O | exists 1%nat]; exact H].
  - apply borel_some. intros [| n]; assumption.
Qed.

Lemma borel_minus A B : borel A -> borel B -> borel (fun t => A t /\ ~ B t).
Proof.
  intros HA HB. apply (borel_same (fun t => ~ (~ A t \/ B t))); [| apply borel_not, borel_or; [apply borel_not |]; assumption].
  intros t. destruct (classic (A t)), (classic (B t)); tauto.
Qed.

Definition differ (A B : R -> Prop) (t : R) : Prop := A t /\ ~ B t \/ B t /\ ~ A t.

Lemma borel_differ A B : borel A -> borel B -> borel (differ A B).
Proof. intros. apply borel_or; apply borel_minus; assumption. Qed.

Lemma borel_window a b : borel (fun t => a < t <= b).
Proof.
  apply (borel_same (fun t => t <= b /\ ~ t <= a)); [intros t; lra |].
  apply borel_minus; apply borel_ray.
Qed.

(** The first [N + 1] of them, and the others. *)
Definition first (S : nat -> R -> Prop) (N : nat) (t : R) : Prop := exists n, (n <= N)%nat /\ S n t.

Lemma borel_first S : (forall n, borel (S n)) -> forall N, borel (first S N).
Proof.
  intros H. induction N as [| N IH].
  - apply (borel_same (S O)); [| apply H]. intros t. split.
    + intros A. exists O. auto.
    + intros (n & L & A). replace n with O in A by lia. exact A.
  - apply (borel_same (fun t => first S N t \/ S (Datatypes.S N) t)); [| apply borel_or; [exact IH | apply H]].
    intros t. split.
    + intros [(n & L & A) | A]; [exists n | exists (Datatypes.S N)]; split; auto; lia.
    + intros (n & L & A). destruct (Nat.eq_dec n (Datatypes.S N)) as [-> | E]; [auto |].
      left. exists n. split; [lia | exact A].
Qed.

(** ** Distributions *)

Section One.
Variable P : (R -> Prop) -> R.
Hypothesis HP : distribution P.

Lemma nothing : P (fun _ => False) = 0.
Proof.
  assert (borel (fun _ => False)) as B.
  { apply (borel_same (fun t => t <= 0 /\ ~ t <= 0)); [tauto | apply borel_minus; apply borel_ray]. }
  pose proof (countable_sum P HP (fun _ _ => False) (fun _ => B) ltac:(intros; contradiction)) as H.
  assert (ex_series (fun _ : nat => P (fun _ => False))) as E by (eexists; exact H).
  apply ex_series_lim_0 in E.
  pose proof (is_lim_seq_unique _ _ E) as U. rewrite Lim_seq_const in U. injection U as U. exact U.
Qed.

Lemma disjoint_sum A B : borel A -> borel B -> (forall t, A t -> B t -> False) ->
  P (fun t => A t \/ B t) = P A + P B.
Proof.
  intros HA HB D.
  set (S := fun n : nat => match n with O => A | 1%nat => B | _ => fun _ => False end).
  assert (borel (fun _ => False)) as N.
  { apply (borel_same (fun t => t <= 0 /\ ~ t <= 0)); [tauto | apply borel_minus; apply borel_ray]. }
  pose proof (countable_sum P HP S) as H.
  rewrite (same_sets P HP _ (fun t => A t \/ B t)) in H.
  - assert (is_series (fun n => P (S n)) (P (fun t => A t \/ B t))) as I.
    { apply H; [intros [| [| n]]; assumption |]. intros [| [| m]] [| [| n]] t X Y; simpl in *;
        try reflexivity; try contradiction; exfalso; eauto. }
    assert (is_series (fun n => P (S n)) (P A + P B)) as J.
    { apply (is_series_decr_1 (fun n => P (S n))), (is_series_decr_1 (fun n => P (S (Datatypes.S n)))).
      match goal with |- is_series _ ?l => replace l with (@zero R_NormedModule)
        by (unfold plus, opp, zero; simpl; real_equation; ring) end.
      apply (is_series_ext (fun _ => zero)); [intros n; symmetry; apply nothing |].
      apply (filterlim_ext (fun _ => zero)); [| apply filterlim_const].
      intros n. symmetry. rewrite sum_n_const. apply Rmult_0_r. }
    rewrite <- (is_series_unique _ _ I). apply is_series_unique, J.
  - intros t. split; [intros [[| [| n]] X]; simpl in X; tauto |].
    intros [X | X]; [exists O | exists 1%nat]; exact X.
Qed.

Lemma split_by A B : borel A -> borel B -> P A = P (fun t => A t /\ ~ ~ B t) + P (fun t => A t /\ ~ B t).
Proof.
  intros HA HB. rewrite <- disjoint_sum.
  - apply (same_sets P HP). intros t. destruct (classic (B t)); tauto.
  - apply borel_minus; [exact HA | apply borel_not, HB].
  - apply borel_minus; assumption.
  - intros t. tauto.
Qed.

Lemma monotone A B : borel A -> borel B -> (forall t, A t -> B t) -> P A <= P B.
Proof.
  intros HA HB I. rewrite (split_by B A HB HA).
  rewrite (same_sets P HP (fun t => B t /\ ~ ~ A t) A).
  - pose proof (nonneg P HP _ (borel_minus B A HB HA)). lra.
  - intros t. specialize (I t). destruct (classic (A t)); tauto.
Qed.

Lemma sub_sum A B : borel A -> borel B -> P (fun t => A t \/ B t) <= P A + P B.
Proof.
  intros HA HB. rewrite (same_sets P HP _ (fun t => A t \/ (B t /\ ~ A t))).
  - rewrite disjoint_sum; [| exact HA | apply borel_minus; assumption | tauto].
    apply Rplus_le_compat_l, monotone; [apply borel_minus; assumption | exact HB | tauto].
  - intros t. destruct (classic (A t)); tauto.
Qed.

(** Few of countably many sets have nearly everything. *)
Lemma rest_vanishes S k : (forall n, borel (S n)) -> 0 < k ->
  exists N, forall M, (N <= M)%nat -> P (fun t => (exists n, S n t) /\ ~ first S M t) <= k.
Proof.
  intros HS Hk. pose proof (borel_first S HS) as BF.
  set (new := fun n t => S n t /\ ~ (exists m, (m < n)%nat /\ S m t)).
  assert (forall n, borel (new n)) as HN.
  { intros [| n].
    - apply (borel_same (S O)); [| apply HS]. intros t. unfold new. split; [| tauto].
      intros X. split; [exact X | intros (m & L & _); lia].
    - apply (borel_same (fun t => S (Datatypes.S n) t /\ ~ first S n t)); [| apply borel_minus; [apply HS | apply BF]].
      intros t. unfold new, first. split; intros [X Y]; split; auto; intros (m & L & Z); apply Y;
        exists m; split; auto; lia. }
  assert (forall N, sum_n (fun n => P (new n)) N = P (first S N)) as Sums.
  { induction N as [| N IH].
    - rewrite sum_O. apply (same_sets P HP). intros t. unfold new, first. split.
      + intros [X _]. exists O. auto.
      + intros (n & L & X). replace n with O in X by lia. split; [exact X | intros (m & M & _); lia].
    - rewrite sum_Sn, IH. unfold plus; simpl. rewrite <- disjoint_sum; [| apply BF | apply HN |].
      + apply (same_sets P HP). intros t. unfold new, first. split.
        * intros [(n & L & X) | [X _]]; [exists n | exists (Datatypes.S N)]; split; auto; lia.
        * intros (n & L & X). destruct (classic (exists m, (m <= N)%nat /\ S m t)) as [Y | Y]; [auto |].
          right. assert (n = Datatypes.S N) as ->.
          { destruct (Nat.eq_dec n (Datatypes.S N)); [assumption |]. exfalso. apply Y. exists n. split; [lia | exact X]. }
          split; [exact X |]. intros (m & M & Z). apply Y. exists m. split; [lia | exact Z].
      + intros t (n & L & X) [_ Y]. apply Y. exists n. split; [lia | exact X]. }
  assert (forall t, (exists n, new n t) <-> exists n, S n t) as Same.
  { intros t. split; [intros (n & X & _); exists n; exact X |].
    intros (n & X). revert X. induction n as [n IH] using lt_wf_ind. intros X.
    destruct (classic (exists m, (m < n)%nat /\ S m t)) as [(m & L & Y) | Y]; [exact (IH m L Y) |].
    exists n. split; assumption. }
  assert (is_series (fun n => P (new n)) (P (fun t => exists n, S n t))) as I.
  { rewrite <- (same_sets P HP _ _ Same). apply (countable_sum P HP); [exact HN |].
    intros m n t [X X'] [Y Y']. destruct (Nat.lt_trichotomy m n) as [L | [E | L]]; [| exact E |];
      exfalso; [apply Y'; exists m | apply X'; exists n]; auto. }
  destruct (I (fun v => Rabs (v - P (fun t => exists n, S n t)) < k)) as [N HN'].
  { exists (mkposreal k Hk). intros v Hv. exact Hv. }
  exists N. intros M L. specialize (HN' M L). cbv beta in HN'. rewrite Sums in HN'.
  assert (borel (fun t => exists n, S n t)) as BS by (apply borel_some, HS).
  pose proof (split_by _ (first S M) BS (BF M)) as E. cbv beta in E.
  rewrite (same_sets P HP (fun t => (exists n, S n t) /\ ~ ~ first S M t) (first S M)) in E.
  - apply Rabs_def2 in HN'. lra.
  - intros t. split; [| intros (n & K & X); split; [exists n; exact X | intros Y; apply Y; exists n; auto]].
    intros [_ Y]. apply NNPP, Y.
Qed.
End One.

(** ** Sets that are finitely many windows inside of every window *)

Definition on (U : R -> bool) (t : R) : Prop := U t = true.

Inductive pieces (U : R -> bool) : R -> R -> Prop :=
  | whole a b v : a <= b -> (forall t, a < t <= b -> U t = v) -> pieces U a b
  | cut a c b : pieces U a c -> pieces U c b -> pieces U a b.

Definition simple (U : R -> bool) : Prop := forall a b, a <= b -> pieces U a b.

Lemma pieces_le U a b : pieces U a b -> a <= b.
Proof. induction 1; lra. Qed.

Lemma pieces_within U a b : pieces U a b ->
  forall c d, a <= c -> c <= d -> d <= b -> pieces U c d.
Proof.
  induction 1 as [a b v H E | a m b H1 IH1 H2 IH2]; intros c d A C D.
  - apply (whole U c d v C). intros t T. apply E. lra.
  - destruct (Rle_lt_dec d m); [apply IH1; lra |]. destruct (Rle_lt_dec m c); [apply IH2; lra |].
    apply (cut U c m d); [apply IH1 | apply IH2]; lra.
Qed.

Lemma pieces_same U V a b : pieces U a b -> (forall t, a < t <= b -> V t = U t) -> pieces V a b.
Proof.
  induction 1 as [a b v H E | a m b H1 IH1 H2 IH2]; intros S.
  - apply (whole V a b v H). intros t T. rewrite S by exact T. apply E, T.
  - pose proof (pieces_le _ _ _ H1). pose proof (pieces_le _ _ _ H2).
    apply (cut V a m b); [apply IH1 | apply IH2]; intros t T; apply S; lra.
Qed.

Lemma simple_or U V : simple U -> simple V -> simple (fun t => orb (U t) (V t)).
Proof.
  intros HU HV a b L. specialize (HU a b L). specialize (HV a b L). clear L. revert HV.
  induction HU as [a b [|] H E | a m b H1 IH1 H2 IH2]; intros W.
  - apply (whole _ a b true H). intros t T. rewrite E by exact T. reflexivity.
  - apply (pieces_same V); [exact W |]. intros t T. rewrite E by exact T. reflexivity.
  - pose proof (pieces_le _ _ _ H1). pose proof (pieces_le _ _ _ H2).
    apply (cut _ a m b); [apply IH1 | apply IH2]; apply (pieces_within V a b W); lra.
Qed.

Lemma simple_not U : simple U -> simple (fun t => negb (U t)).
Proof.
  intros HU a b L. specialize (HU a b L). induction HU as [a b v H E | a m b H1 IH1 H2 IH2].
  - apply (whole _ a b (negb v) H). intros t T. rewrite E by exact T. reflexivity.
  - pose proof (pieces_le _ _ _ H1). pose proof (pieces_le _ _ _ H2).
    apply (cut _ a m b); [apply IH1 | apply IH2]; lra.
Qed.

Definition ray (b t : R) : bool := if Rle_dec t b then true else false.

Lemma on_ray b t : on (ray b) t <-> t <= b.
Proof. unfold on, ray. destruct (Rle_dec t b); split; intros; try discriminate; auto; contradiction. Qed.

Lemma simple_ray c : simple (ray c).
Proof.
  assert (forall a b, a <= b -> b <= c -> pieces (ray c) a b) as Below.
  { intros a b L H. apply (whole _ a b true L). intros t T. apply on_ray. lra. }
  assert (forall a b, a <= b -> c <= a -> pieces (ray c) a b) as Above.
  { intros a b L H. apply (whole _ a b false L). intros t T. unfold ray.
    destruct (Rle_dec t c); [lra | reflexivity]. }
  intros a b L. destruct (Rle_lt_dec b c); [apply Below; lra |].
  destruct (Rle_lt_dec c a); [apply Above; lra |].
  apply (cut _ a c b); [apply Below | apply Above]; lra.
Qed.

Lemma borel_and A B : borel A -> borel B -> borel (fun t => A t /\ B t).
Proof.
  intros HA HB. apply (borel_same (fun t => A t /\ ~ ~ B t)).
  - intros t. destruct (classic (B t)); tauto.
  - apply borel_minus; [exact HA | apply borel_not, HB].
Qed.

Lemma pieces_integral sigma c P U : 0 < sigma -> gaussian_distribution sigma c P -> borel (on U) ->
  forall a b, pieces U a b ->
  is_RInt (fun t => (if U t then 1 else 0) * density sigma c t) a b (P (fun t => a < t <= b /\ on U t)).
Proof.
  intros Hs [HP HD] HU a b. induction 1 as [a b [|] H E | a m b H1 IH1 H2 IH2].
  - rewrite (same_sets P HP _ (fun t => a < t <= b)).
    + rewrite HD by exact H. apply (is_RInt_ext (density sigma c)).
      * intros t T. rewrite Rmin_left, Rmax_right in T by exact H. rewrite E by lra.
        real_equation. ring.
      * apply (RInt_correct (V := R_CompleteNormedModule)), density_integrable, Hs.
    + intros t. split; [tauto |]. intros T. split; [exact T | apply E, T].
  - rewrite (same_sets P HP _ (fun _ => False)).
    + rewrite (nothing P HP). apply zero_integral. intros t T.
      rewrite Rmin_left, Rmax_right in T by exact H. rewrite E by lra. ring.
    + intros t. split; [| tauto]. intros [T O]. unfold on in O. rewrite E in O by exact T. discriminate.
  - pose proof (pieces_le _ _ _ H1). pose proof (pieces_le _ _ _ H2).
    rewrite (same_sets P HP _ (fun t => (a < t <= m /\ on U t) \/ (m < t <= b /\ on U t))).
    + rewrite (disjoint_sum P HP); [| apply borel_and; [apply borel_window | exact HU] .. |].
      * exact (is_RInt_Chasles (V := R_NormedModule) _ a m b _ _ IH1 IH2).
      * intros t [T _] [T' _]. lra.
    + intros t. destruct (Rle_lt_dec t m); intuition lra.
Qed.

Lemma simple_dp eps delta D sigma x x' P Q U :
  0 < sigma -> gaussian_dp eps delta D sigma -> Rabs (x - x') <= D ->
  gaussian_distribution sigma x P -> gaussian_distribution sigma x' Q ->
  simple U -> borel (on U) -> P (on U) <= exp eps * Q (on U) + delta.
Proof.
  intros Hs DP Hd GP GQ SU BU. apply le_epsilon. intros k Hk.
  destruct (wide_enough sigma x k Hs Hk) as (a & b & L & W).
  pose proof (pieces_integral sigma x P U Hs GP BU a b (SU a b L)) as I.
  pose proof (pieces_integral sigma x' Q U Hs GQ BU a b (SU a b L)) as J.
  pose proof (DP x x' a b (fun t => if U t then 1 else 0) Hd L) as H. cbv beta in H.
  rewrite (is_RInt_unique _ _ _ _ I), (is_RInt_unique _ _ _ _ J) in H.
  specialize (H (fun t => ltac:(destruct (U t); lra)) (ex_intro _ _ I) (ex_intro _ _ J)).
  destruct GP as [HP DP']. destruct GQ as [HQ _]. pose proof (borel_window a b) as BW.
  pose proof (borel_and _ _ BW BU) as BWU.
  assert (Q (fun t => a < t <= b /\ on U t) <= Q (on U)) by (apply (monotone Q HQ); tauto).
  assert (P (on U) <= P (fun t => a < t <= b /\ on U t) + P (fun t => ~ a < t <= b)).
  { apply Rle_trans with (2 := sub_sum P HP _ _ BWU (borel_not _ BW)).
    apply (monotone P HP); [exact BU | apply borel_or; [exact BWU | apply borel_not, BW] |].
    intros t T. destruct (classic (a < t <= b)); tauto. }
  assert (P (fun t => a < t <= b) + P (fun t => ~ a < t <= b) = 1) as All.
  { rewrite <- (disjoint_sum P HP _ _ BW (borel_not _ BW)) by tauto. rewrite <- (everything P HP).
    apply (same_sets P HP). intros t. destruct (classic (a < t <= b)); tauto. }
  rewrite DP', (is_RInt_unique _ _ _ _ (density_integral sigma x a b Hs)) in All by exact L.
  pose proof (exp_pos eps). nra.
Qed.

(** ** Every Borel set is near to such a set *)

Section Two.
Variables P Q : (R -> Prop) -> R.
Hypothesis HP : distribution P.
Hypothesis HQ : distribution Q.

Definition near (A : R -> Prop) : Prop :=
  borel A /\ forall k, 0 < k -> exists U, simple U /\ borel (on U)
    /\ P (differ A (on U)) <= k /\ Q (differ A (on U)) <= k.

Lemma near_or A B : near A -> near B -> near (fun t => A t \/ B t).
Proof.
  intros [BA NA] [BB NB]. split; [apply borel_or; assumption |]. intros k Hk.
  destruct (NA (k / 2) ltac:(lra)) as (U & SU & BU & P1 & Q1).
  destruct (NB (k / 2) ltac:(lra)) as (V & SV & BV & P2 & Q2).
  exists (fun t => orb (U t) (V t)).
  assert (forall t, on (fun t => orb (U t) (V t)) t <-> on U t \/ on V t) as O.
  { intros t. unfold on. apply Bool.orb_true_iff. }
  assert (borel (on (fun t => orb (U t) (V t)))) as BO.
  { apply (borel_same (fun t => on U t \/ on V t)); [intros t; rewrite O; tauto | apply borel_or; assumption]. }
  split; [apply simple_or; assumption | split; [exact BO |]].
  assert (forall t, differ (fun t => A t \/ B t) (on (fun t => orb (U t) (V t))) t ->
            differ A (on U) t \/ differ B (on V) t) as I.
  { intros t. unfold differ. rewrite O. tauto. }
  pose proof (borel_differ _ _ (borel_or _ _ BA BB) BO) as D0.
  pose proof (borel_differ _ _ BA BU) as D1. pose proof (borel_differ _ _ BB BV) as D2.
  pose proof (monotone P HP _ _ D0 (borel_or _ _ D1 D2) I). pose proof (sub_sum P HP _ _ D1 D2).
  pose proof (monotone Q HQ _ _ D0 (borel_or _ _ D1 D2) I). pose proof (sub_sum Q HQ _ _ D1 D2). lra.
Qed.

Lemma near_same A B : (forall t, A t <-> B t) -> near A -> near B.
Proof.
  intros E [BA NA]. split; [exact (borel_same A B E BA) |]. intros k Hk.
  destruct (NA k Hk) as (U & SU & BU & PU & QU). exists U. split; [exact SU | split; [exact BU |]].
  assert (forall t, differ B (on U) t <-> differ A (on U) t) as D.
  { intros t. unfold differ. rewrite E. tauto. }
  rewrite (same_sets P HP _ _ D), (same_sets Q HQ _ _ D). split; assumption.
Qed.

Lemma near_borel A : borel A -> near A.
Proof.
  induction 1 as [b | A BA [_ IH] | A BA IH | A B E BA IH].
  - split; [apply borel_ray |]. intros k Hk. exists (ray b).
    assert (forall t, differ (fun t => t <= b) (on (ray b)) t <-> False) as D.
    { intros t. unfold differ. rewrite on_ray. tauto. }
    rewrite (same_sets P HP _ _ D), (same_sets Q HQ _ _ D), (nothing P HP), (nothing Q HQ).
    split; [apply simple_ray | split; [| lra]].
    apply (borel_same (fun t => t <= b)); [intros t; rewrite on_ray; tauto | apply borel_ray].
  - split; [apply borel_not, BA |]. intros k Hk. destruct (IH k Hk) as (U & SU & BU & PU & QU).
    exists (fun t => negb (U t)).
    assert (forall t, on (fun t => negb (U t)) t <-> ~ on U t) as O.
    { intros t. unfold on. destruct (U t); simpl; split; intros; try discriminate; auto; contradiction. }
    assert (forall t, differ (fun t => ~ A t) (on (fun t => negb (U t))) t <-> differ A (on U) t) as D.
    { intros t. unfold differ. rewrite O. destruct (classic (A t)), (classic (on U t)); tauto. }
    rewrite (same_sets P HP _ _ D), (same_sets Q HQ _ _ D).
    split; [apply simple_not, SU | split; [| split; assumption]].
    apply (borel_same (fun t => ~ on U t)); [intros t; rewrite O; tauto | apply borel_not, BU].
  - assert (forall n, borel (A n)) as BN by (intros n; apply BA).
    split; [apply borel_some, BN |]. intros k Hk.
    destruct (rest_vanishes P HP A (k / 2) BN ltac:(lra)) as [N1 R1].
    destruct (rest_vanishes Q HQ A (k / 2) BN ltac:(lra)) as [N2 R2].
    set (N := Nat.max N1 N2). specialize (R1 N ltac:(lia)). specialize (R2 N ltac:(lia)).
    assert (forall M, near (first A M)) as F.
    { induction M as [| M FM].
      - apply (near_same (A O)); [| apply IH]. intros t. split; [intros X; exists O; auto |].
        intros (n & L & X). replace n with O in X by lia. exact X.
      - apply (near_same (fun t => first A M t \/ A (S M) t)); [| apply near_or; [exact FM | apply IH]].
        intros t. split.
        + intros [(n & L & X) | X]; [exists n | exists (S M)]; split; auto; lia.
        + intros (n & L & X). destruct (Nat.eq_dec n (S M)) as [-> | E]; [auto |].
          left. exists n. split; [lia | exact X]. }
    destruct (F N) as [BF NF]. destruct (NF (k / 2) ltac:(lra)) as (U & SU & BU & PU & QU).
    exists U. split; [exact SU | split; [exact BU |]].
    set (rest := fun t => (exists n, A n t) /\ ~ first A N t) in *.
    assert (borel rest) as BR by (apply borel_minus; [apply borel_some, BN | exact BF]).
    assert (forall t, differ (fun t => exists n, A n t) (on U) t -> rest t \/ differ (first A N) (on U) t) as I.
    { intros t. unfold differ, rest.
      assert (first A N t -> exists n, A n t) by (intros (n & _ & X); exists n; exact X).
      destruct (classic (first A N t)); tauto. }
    pose proof (borel_differ _ _ (borel_some _ BN) BU) as D0. pose proof (borel_differ _ _ BF BU) as D1.
    pose proof (monotone P HP _ _ D0 (borel_or _ _ BR D1) I). pose proof (sub_sum P HP _ _ BR D1).
    pose proof (monotone Q HQ _ _ D0 (borel_or _ _ BR D1) I). pose proof (sub_sum Q HQ _ _ BR D1). lra.
  - exact (near_same A B E IH).
Qed.
End Two.

Theorem borel_sets eps delta D sigma :
  0 < sigma -> gaussian_dp eps delta D sigma -> borel_dp eps delta D sigma.
Proof.
  intros Hs DP x x' P Q A Hd GP GQ BA. apply le_epsilon. intros k Hk.
  pose proof (exp_pos eps) as E. pose proof (proj1 GP) as HP. pose proof (proj1 GQ) as HQ.
  destruct (near_borel P Q HP HQ A BA) as [_ N].
  destruct (N (k / (1 + exp eps)) ltac:(apply Rdiv_lt_0_compat; lra)) as (U & SU & BU & PU & QU).
  pose proof (simple_dp eps delta D sigma x x' P Q U Hs DP Hd GP GQ SU BU) as H.
  pose proof (borel_differ _ _ BA BU) as BD.
  assert (P A <= P (on U) + P (differ A (on U))).
  { apply Rle_trans with (2 := sub_sum P HP _ _ BU BD).
    apply (monotone P HP); [exact BA | apply borel_or; assumption |].
    intros t T. unfold differ. destruct (classic (on U t)); tauto. }
  assert (Q (on U) <= Q A + Q (differ A (on U))).
  { apply Rle_trans with (2 := sub_sum Q HQ _ _ BA BD).
    apply (monotone Q HQ); [exact BU | apply borel_or; assumption |].
    intros t T. unfold differ. destruct (classic (A t)); tauto. }
  assert (k / (1 + exp eps) * (1 + exp eps) = k) by (field; lra). nra.
Qed.

(** If there are such distributions, which is Lebesgue's theorem, Borel sets refute what windows do. *)
Theorem borel_sets_suffice eps delta D sigma P Q :
  0 <= eps -> 0 < D -> 0 < sigma ->
  gaussian_distribution sigma D P -> gaussian_distribution sigma 0 Q ->
  borel_dp eps delta D sigma -> gaussian_dp eps delta D sigma.
Proof.
  intros He HD Hs GP GQ DP. apply profile_suffices; try assumption.
  replace (D / sigma) with ((D - 0) / sigma) by (unfold Rdiv; ring).
  apply (tails_attain_profile eps sigma D 0 Hs HD). intros b Hb. set (tau := D + _) in *.
  assert (Rabs (D - 0) <= D) as L by (rewrite Rminus_0_r, Rabs_pos_eq; lra).
  pose proof (DP D 0 P Q _ L GP GQ (borel_window tau b)) as H.
  rewrite (proj2 GP), (proj2 GQ) in H by exact Hb.
  rewrite (RInt_ext _ (fun t => minus (density sigma D t) (scal (exp eps) (density sigma 0 t))))
    by reflexivity.
  rewrite (RInt_minus (V := R_CompleteNormedModule));
    [| apply density_integrable, Hs
     | apply (ex_RInt_scal (V := R_CompleteNormedModule)), density_integrable, Hs].
  rewrite (RInt_scal (V := R_CompleteNormedModule)); [| apply density_integrable, Hs].
  unfold minus, plus, opp, scal; simpl. unfold mult; simpl. lra.
Qed.
