(** * A verified decision procedure for claims about given numbers

    Interval arithmetic of coq-interval, one lemma per operation: the interval of an expression
    contains the number.  The precision and the counts of terms are hints: whatever they are, a
    comparison that comes out [true] is true.  The arithmetic is a parameter ([FastChecker.v],
    [PureChecker.v]). *)

From Coq Require Import Reals ZArith Psatz.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Zaux.
From Interval Require Import Sig Interval Float_full Xreal.
From Dporacle Require Import Definitions GaussianIntegral BellSeries NormalDistribution.
From Dporacle Require Import PrivacyProfile Theorem8 Accuracy Expressions.
Open Scope R_scope.

Module Checker
  (F : FloatOps with Definition radix := radix2 with Definition sensible_format := true).

Module I := FloatIntervalFull F.

Definition has (i : I.type) (x : R) : Prop := contains (I.convert i) (Xreal x).

(** Where an operation is not defined its interval is the one that contains everything. *)
Lemma has_all i x : contains (I.convert i) Xnan -> has i x.
Proof. unfold has. destruct (I.convert i); simpl; [trivial | contradiction]. Qed.

Section Precision.
Variable bits : positive.
Let prec := F.PtoP bits.

(** ** One lemma per operation *)

Lemma whole_has z : has (I.fromZ prec z) (IZR z).
Proof. apply I.fromZ_correct. Qed.

Lemma pi_has : has (I.pi prec) PI.
Proof. apply I.pi_correct. Qed.

Lemma add_has a b x y : has a x -> has b y -> has (I.add prec a b) (x + y).
Proof. apply (I.add_correct prec a b (Xreal x) (Xreal y)). Qed.

Lemma sub_has a b x y : has a x -> has b y -> has (I.sub prec a b) (x - y).
Proof. apply (I.sub_correct prec a b (Xreal x) (Xreal y)). Qed.

Lemma mul_has a b x y : has a x -> has b y -> has (I.mul prec a b) (x * y).
Proof. apply (I.mul_correct prec a b (Xreal x) (Xreal y)). Qed.

Lemma neg_has a x : has a x -> has (I.neg a) (- x).
Proof. apply (I.neg_correct a (Xreal x)). Qed.

Lemma div_has a b x y : has a x -> has b y -> has (I.div prec a b) (x / y).
Proof.
  intros A B. pose proof (I.div_correct prec a b (Xreal x) (Xreal y) A B) as H.
  simpl in H. unfold Xdiv' in H.
  destruct (is_zero_spec y); [apply has_all, H | exact H].
Qed.

Lemma exp_has a x : has a x -> has (I.exp prec a) (exp x).
Proof. apply (I.exp_correct prec a (Xreal x)). Qed.

Lemma sqrt_has a x : has a x -> has (I.sqrt prec a) (sqrt x).
Proof. apply (I.sqrt_correct prec a (Xreal x)). Qed.

Lemma ln_has a x : has a x -> has (I.ln prec a) (ln x).
Proof.
  intros A. pose proof (I.ln_correct prec a (Xreal x) A) as H.
  simpl in H. unfold Xln' in H. destruct (is_positive_spec x); [exact H | apply has_all, H].
Qed.

Lemma power_has a x k : has a x -> has (I.power_int prec a k) (powerRZ x k).
Proof.
  intros A. pose proof (I.power_int_correct prec k a (Xreal x) A) as H. unfold has.
  simpl in H. destruct k as [| k | k]; simpl in H |- *; [exact H | exact H |].
  destruct (is_zero_spec x); [apply has_all, H | exact H].
Qed.

Lemma join_has a b x y z : has a x -> has b y -> x <= z <= y -> has (I.join a b) z.
Proof.
  intros A B [L U].
  assert (has (I.join a b) x) as H1 by (apply I.join_correct; left; exact A).
  assert (has (I.join a b) y) as H2 by (apply I.join_correct; right; exact B).
  unfold has in *. apply contains_connected with (1 := H1) (2 := H2). split; assumption.
Qed.

(** ** Phi by its series, or by the bound of its tail *)

Fixpoint series (n : nat) (k : Z) (xx t s : I.type) : I.type * I.type :=
  match n with
  | O => (t, s)
  | S n =>
      series n (k + 2) xx (I.div prec (I.mul prec t xx) (I.fromZ prec (k + 3)))
        (I.add prec s t)
  end.

Lemma series_has n j xx x t s k :
  k = (2 * Z.of_nat j)%Z -> has xx (x * x) -> has t (term j x) -> has s (partial_sum j x) ->
  has (fst (series n k xx t s)) (term (n + j) x)
  /\ has (snd (series n k xx t s)) (partial_sum (n + j) x).
Proof.
  revert j t s k. induction n as [| n IH]; intros j t s k Hk Hx Ht Hs; [split; assumption |].
  replace (S n + j)%nat with (n + S j)%nat by lia. cbn [series].
  apply (IH (S j)); [lia | exact Hx | |].
  - simpl. replace (2 * INR j + 3) with (IZR (k + 3)).
    + apply div_has; [apply mul_has; assumption | apply whole_has].
    + rewrite Hk, plus_IZR, mult_IZR, INR_IZR_INZ. reflexivity.
  - simpl. apply add_has; assumption.
Qed.

Definition bell_in (x : I.type) : I.type :=
  I.exp prec (I.div prec (I.neg (I.mul prec x x)) (I.fromZ prec 2)).

Lemma bell_has i x : has i x -> has (bell_in i) (bell x).
Proof.
  intros A. apply exp_has, div_has; [apply neg_has, mul_has; exact A | apply whole_has].
Qed.

Definition sqrt_2pi : I.type := I.sqrt prec (I.mul prec (I.fromZ prec 2) (I.pi prec)).

Definition Phi_by_series (n : nat) (x : I.type) : I.type :=
  let ts := series (S n) 0 (I.mul prec x x) x (I.fromZ prec 0) in
  let rest := I.join (I.fromZ prec 0) (fst ts) in
  I.add prec (I.div prec (I.fromZ prec 1) (I.fromZ prec 2))
    (I.div prec (I.add prec (I.mul prec (bell_in x) (snd ts)) rest) sqrt_2pi).

Lemma Phi_by_series_has n i x : has i x -> has (Phi_by_series n i) (Phi x).
Proof.
  intros A. unfold Phi_by_series.
  destruct (series_has (S n) 0 _ x i (I.fromZ prec 0) 0%Z eq_refl
              (mul_has _ _ _ _ A A) A (whole_has 0)) as [T Sum].
  rewrite Nat.add_0_r in T, Sum.
  rewrite Phi_area. apply add_has; [apply div_has; apply whole_has |].
  apply div_has; [| apply sqrt_has, mul_has; [apply whole_has | apply pi_has]].
  replace (area x)
    with (bell x * partial_sum (S n) x + (area x - bell x * partial_sum (S n) x)) by ring.
  apply add_has; [apply mul_has; [apply bell_has, A | exact Sum] |].
  destruct (area_rest n x) as [R | R].
  - apply join_has with 0 (term (S n) x); [apply whole_has | exact T | exact R].
  - unfold has. apply contains_connected with (term (S n) x) 0; [| | exact R];
      apply I.join_correct; [right; exact T | left; apply whole_has].
Qed.

(** Very far out a nearer point does as well, and its exponential is soon computed. *)
Definition far : Z := 1024.

Definition nearer (x : I.type) : I.type :=
  match I.sign_strict (I.sub prec x (I.fromZ prec far)) with
  | Xgt => I.fromZ prec far
  | _ =>
      match I.sign_strict (I.add prec x (I.fromZ prec far)) with
      | Xlt => I.neg (I.fromZ prec far)
      | _ => x
      end
  end.

Lemma nearer_has i x : has i x -> exists y, has (nearer i) y /\ y * y <= x * x.
Proof.
  intros A. unfold nearer.
  pose proof (I.sign_strict_correct (I.sub prec i (I.fromZ prec far))) as C.
  pose proof (sub_has _ _ _ _ A (whole_has far)) as S.
  destruct (I.sign_strict (I.sub _ _ _)).
  3:{ pose proof (C _ S) as [_ E]. simpl in E. exists (IZR far).
      split; [apply whole_has | unfold far in *; nra]. }
  all: clear C S; pose proof (I.sign_strict_correct (I.add prec i (I.fromZ prec far))) as C;
    pose proof (add_has _ _ _ _ A (whole_has far)) as S;
    destruct (I.sign_strict (I.add _ _ _)); try (exists x; split; [exact A | lra]);
    pose proof (C _ S) as [_ E]; simpl in E; exists (- IZR far);
    split; [apply neg_has, whole_has | unfold far in *; nra].
Qed.

Definition Phi_by_tail (x : I.type) : I.type :=
  let zero := I.fromZ prec 0 in
  let one := I.fromZ prec 1 in
  let t := bell_in (nearer x) in
  match I.sign_large x with
  | Xeq | Xlt => I.join zero t
  | Xgt => I.join (I.sub prec one t) one
  | Xund => I.join zero one
  end.

Lemma Phi_by_tail_has i x : has i x -> has (Phi_by_tail i) (Phi x).
Proof.
  intros A. destruct (nearer_has i x A) as [y [N Y]].
  pose proof (bell_has _ _ N) as B. unfold Phi_by_tail. apply bell_falls in Y.
  pose proof (I.sign_large_correct i) as C.
  assert (forall u, 0 <= u -> 0 <= Phi (- u) <= bell u) as T.
  { intros u Hu. pose proof (Phi_tail u Hu). pose proof (bell_pos u). lra. }
  assert (x <= 0 -> has (I.join (I.fromZ prec 0) (bell_in (nearer i))) (Phi x)) as L.
  { intros Hx. apply join_has with 0 (bell y); [apply whole_has | exact B |].
    pose proof (T (- x)) as T'. rewrite Ropp_involutive, bell_opp in T'.
    assert (0 <= Phi x <= bell x) by (apply T'; lra). lra. }
  destruct (I.sign_large i).
  - apply L. pose proof (C _ A) as E. injection E. lra.
  - apply L. pose proof (C _ A) as [_ E]. exact E.
  - pose proof (C _ A) as [_ E]. simpl in E.
    apply join_has with (1 - bell y) 1;
      [apply sub_has; [apply whole_has | exact B] | apply whole_has |].
    pose proof (T x E) as T'. rewrite Phi_opp in T'. lra.
  - apply join_has with 0 1; [apply whole_has .. | apply Phi_bounds].
Qed.

(** No terms: the bound of the tail. *)
Definition Phi_in (terms : nat) (x : I.type) : I.type :=
  match terms with O => Phi_by_tail x | S n => Phi_by_series n x end.

Lemma Phi_has terms i x : has i x -> has (Phi_in terms i) (Phi x).
Proof. destruct terms; [apply Phi_by_tail_has | apply Phi_by_series_has]. Qed.

Definition profile_in (terms terms' : nat) (eps mu : I.type) : I.type :=
  let half := I.div prec mu (I.fromZ prec 2) in
  let minus_half := I.div prec (I.neg mu) (I.fromZ prec 2) in
  let ratio := I.div prec eps mu in
  I.sub prec (Phi_in terms (I.sub prec half ratio))
    (I.mul prec (I.exp prec eps) (Phi_in terms' (I.sub prec minus_half ratio))).

Lemma profile_has terms terms' i j eps mu :
  has i eps -> has j mu -> has (profile_in terms terms' i j) (profile eps mu).
Proof.
  intros E M. unfold profile, profile_in. apply sub_has.
  - apply Phi_has, sub_has; apply div_has; try assumption; apply whole_has.
  - apply mul_has; [apply exp_has, E |].
    apply Phi_has, sub_has; apply div_has; try assumption; [apply neg_has, M | apply whole_has].
Qed.

(** ** Expressions and comparisons *)

Fixpoint value (e : expression) : I.type :=
  match e with
  | Whole z => I.fromZ prec z
  | Circle => I.pi prec
  | Add a b => I.add prec (value a) (value b)
  | Sub a b => I.sub prec (value a) (value b)
  | Mul a b => I.mul prec (value a) (value b)
  | Div a b => I.div prec (value a) (value b)
  | Sqrt a => I.sqrt prec (value a)
  | Exp a => I.exp prec (value a)
  | Ln a => I.ln prec (value a)
  | Power a k => I.power_int prec (value a) k
  | Normal terms a => Phi_in terms (value a)
  | Profile terms terms' a b => profile_in terms terms' (value a) (value b)
  end.

Theorem value_has e : has (value e) (denote e).
Proof.
  induction e; simpl.
  - apply whole_has.
  - apply pi_has.
  - apply add_has; assumption.
  - apply sub_has; assumption.
  - apply mul_has; assumption.
  - apply div_has; assumption.
  - apply sqrt_has; assumption.
  - apply exp_has; assumption.
  - apply ln_has; assumption.
  - apply power_has; assumption.
  - apply Phi_has; assumption.
  - apply profile_has; assumption.
Qed.

Definition at_most (a b : expression) : bool :=
  match I.sign_large (value (Sub a b)) with Xlt | Xeq => true | _ => false end.

Definition below (a b : expression) : bool :=
  match I.sign_strict (value (Sub a b)) with Xlt => true | _ => false end.

Theorem at_most_ok a b : at_most a b = true -> denote a <= denote b.
Proof.
  unfold at_most. pose proof (I.sign_large_correct (value (Sub a b))) as C.
  pose proof (value_has (Sub a b)) as V. cbn [denote] in V.
  destruct (I.sign_large (value (Sub a b))); intros; try discriminate.
  - pose proof (C _ V) as E. injection E. lra.
  - pose proof (C _ V) as [_ E]. simpl in E. lra.
Qed.

Theorem below_ok a b : below a b = true -> denote a < denote b.
Proof.
  unfold below. pose proof (I.sign_strict_correct (value (Sub a b))) as C.
  pose proof (value_has (Sub a b)) as V. cbn [denote] in V.
  destruct (I.sign_strict (value (Sub a b))); intros; try discriminate.
  pose proof (C _ V) as [_ E]. simpl in E. lra.
Qed.

Corollary not_at_most_ok a b : below b a = true -> ~ denote a <= denote b.
Proof. intros H. apply below_ok in H. lra. Qed.

(** ** Claims *)

Definition in_domain (eps D sigma : expression) : bool :=
  at_most (Whole 0) eps && below (Whole 0) D && below (Whole 0) sigma.

Lemma in_domain_ok eps D sigma :
  in_domain eps D sigma = true -> 0 <= denote eps /\ 0 < denote D /\ 0 < denote sigma.
Proof.
  unfold in_domain. rewrite !Bool.andb_true_iff. intros [[A B] C].
  apply at_most_ok in A. apply below_ok in B. apply below_ok in C. repeat split; assumption.
Qed.

Definition private (terms terms' : nat) (eps delta D sigma : expression) : bool :=
  in_domain eps D sigma
  && (at_most (Whole 1) delta || at_most (Profile terms terms' eps (Div D sigma)) delta).

Definition not_private (terms terms' : nat) (eps delta D sigma : expression) : bool :=
  in_domain eps D sigma
  && (at_most delta (Whole 0) || below delta (Profile terms terms' eps (Div D sigma))).

Theorem private_ok terms terms' eps delta D sigma :
  private terms terms' eps delta D sigma = true ->
  gaussian_dp (denote eps) (denote delta) (denote D) (denote sigma).
Proof.
  unfold private. rewrite Bool.andb_true_iff, Bool.orb_true_iff. intros [A B].
  destruct (in_domain_ok _ _ _ A) as [H1 [H2 H3]]. apply theorem8; try assumption.
  destruct B as [B | B]; apply at_most_ok in B.
  - pose proof (profile_below_1 (denote eps) (denote D / denote sigma)). simpl in B. lra.
  - exact B.
Qed.

Theorem not_private_ok terms terms' eps delta D sigma :
  not_private terms terms' eps delta D sigma = true ->
  ~ gaussian_dp (denote eps) (denote delta) (denote D) (denote sigma).
Proof.
  unfold not_private. rewrite Bool.andb_true_iff, Bool.orb_true_iff. intros [A B] DP.
  destruct (in_domain_ok _ _ _ A) as [H1 [H2 H3]]. apply theorem8 in DP; try assumption.
  destruct B as [B | B]; [apply at_most_ok in B | apply below_ok in B].
  - pose proof (profile_positive (denote eps) (denote D / denote sigma)) as P.
    assert (0 < denote D / denote sigma) by (apply Rdiv_lt_0_compat; assumption).
    simpl in B. pose proof (P H). lra.
  - simpl in B. lra.
Qed.

Definition within_probability (terms : nat) (a sigma : expression) (k : Z) : expression :=
  Power (Sub (Whole 1) (Mul (Whole 2) (Normal terms (Div (Sub (Whole 0) a) sigma)))) k.

Definition accurate (terms : nat) (a alpha sigma : expression) (k : Z) : bool :=
  below (Whole 0) sigma
  && at_most (Sub (Whole 1) alpha) (within_probability terms a sigma k).

Definition not_accurate (terms : nat) (a alpha sigma : expression) (k : Z) : bool :=
  below (Whole 0) sigma
  && below (within_probability terms a sigma k) (Sub (Whole 1) alpha).

Theorem accurate_ok terms a alpha sigma k :
  accurate terms a alpha sigma k = true ->
  gaussian_accuracy (denote a) (denote alpha) (denote sigma) k.
Proof.
  unfold accurate. rewrite Bool.andb_true_iff. intros [A B].
  apply below_ok in A. apply at_most_ok in B. apply accuracy; assumption.
Qed.

Theorem not_accurate_ok terms a alpha sigma k :
  not_accurate terms a alpha sigma k = true ->
  ~ gaussian_accuracy (denote a) (denote alpha) (denote sigma) k.
Proof.
  unfold not_accurate. rewrite Bool.andb_true_iff. intros [A B] C.
  apply below_ok in A. apply below_ok in B. apply accuracy in C; [| assumption].
  simpl in B. lra.
Qed.

Definition loss_within (most sigma : expression) (d : Z) : bool :=
  below (Whole 0) sigma && below (Whole 0) (Whole d)
  && at_most (Mul (Whole d) (Mul sigma sigma)) most.

Definition loss_beyond (most sigma : expression) (d : Z) : bool :=
  below (Whole 0) sigma && below (Whole 0) (Whole d)
  && below most (Mul (Whole d) (Mul sigma sigma)).

Theorem loss_within_ok most sigma d :
  loss_within most sigma d = true -> gaussian_loss (denote most) (denote sigma) d.
Proof.
  unfold loss_within. rewrite !Bool.andb_true_iff. intros [[A B] C].
  apply below_ok in A. apply below_ok in B. apply at_most_ok in C.
  apply expected_loss; [exact A | apply lt_IZR; exact B | exact C].
Qed.

Theorem loss_beyond_ok most sigma d :
  loss_beyond most sigma d = true -> ~ gaussian_loss (denote most) (denote sigma) d.
Proof.
  unfold loss_beyond. rewrite !Bool.andb_true_iff. intros [[A B] C] L.
  apply below_ok in A. apply below_ok in B. apply below_ok in C.
  apply expected_loss in L; [| exact A | apply lt_IZR; exact B]. simpl in C. lra.
Qed.

End Precision.

(** [by_computation bits terms terms'] proves a claim about given numbers, or fails at [Qed]. *)
Ltac by_computation bits terms terms' :=
  let text t := text_of terms terms' t in
  match goal with
  | |- gaussian_dp ?e ?d ?D ?s =>
      let e := text e in let d := text d in let D := text D in let s := text s in
      refine (private_ok bits terms terms' e d D s _)
  | |- ~ gaussian_dp ?e ?d ?D ?s =>
      let e := text e in let d := text d in let D := text D in let s := text s in
      refine (not_private_ok bits terms terms' e d D s _)
  | |- gaussian_accuracy ?a ?p ?s ?k =>
      let a := text a in let p := text p in let s := text s in
      refine (accurate_ok bits terms a p s k _)
  | |- ~ gaussian_accuracy ?a ?p ?s ?k =>
      let a := text a in let p := text p in let s := text s in
      refine (not_accurate_ok bits terms a p s k _)
  | |- gaussian_loss ?m ?s ?d =>
      let m := text m in let s := text s in refine (loss_within_ok bits m s d _)
  | |- ~ gaussian_loss ?m ?s ?d =>
      let m := text m in let s := text s in refine (loss_beyond_ok bits m s d _)
  | |- ~ (?a <= ?b) =>
      let a := text a in let b := text b in refine (not_at_most_ok bits a b _)
  | |- ?a <= ?b => let a := text a in let b := text b in refine (at_most_ok bits a b _)
  | |- ?a < ?b => let a := text a in let b := text b in refine (below_ok bits a b _)
  end;
  vm_cast_no_check (@eq_refl bool true).

End Checker.
