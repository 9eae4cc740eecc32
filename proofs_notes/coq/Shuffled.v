(** * Shuffled batches: what they are, and a claim about them refuted

    In each epoch the records are put in a random order, which is cut into batches of [size]: every
    record is in one batch.  The orders are drawn independently of the data and not released. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Lia Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson UnboundedWindows.
From Dporacle Require Import Boxes Sampling Events.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

Section Orders.
Context {record : Type}.

Fixpoint insertions (x : record) (l : list record) : list (list record) :=
  (x :: l) :: match l with [] => [] | y :: l => map (cons y) (insertions x l) end.

(** All orders of a list, each as often as every other. *)
Fixpoint orders (l : list record) : list (list record) :=
  match l with [] => [[]] | x :: l => flat_map (insertions x) (orders l) end.

(** Its batches, one after the other. *)
Fixpoint batches (count size : nat) (l : list record) : list (list record) :=
  match count with
  | O => []
  | S count => firstn size l :: batches count size (skipn size l)
  end.

Definition sum_of {A : Type} (f : A -> R) (l : list A) : R := fold_right (fun x s => f x + s) 0 l.

Variable contribution : list (list R) -> record -> vector.

(** The density of the outputs of given batches, and of what follows them. *)
Fixpoint batches_density (sigma : R) (given : list (list record)) (past ys : list (list R))
    (next : list (list R) -> list (list R) -> R) : R :=
  match given, ys with
  | batch :: given, y :: ys =>
      vector_density sigma (fold_right (fun one => sum_vector (contribution past one)) no_vector batch) y
      * batches_density sigma given (y :: past) ys next
  | _, _ => next past ys
  end.

(** The density of all outputs: each epoch draws one of the orders, all of them alike. *)
Fixpoint epochs_density (sigma : R) (count size epochs : nat) (data : list record)
    (past ys : list (list R)) : R :=
  match epochs with
  | O => 1
  | S epochs =>
      sum_of (fun order =>
        batches_density sigma (batches count size order) past ys
          (epochs_density sigma count size epochs data)) (orders data)
      / INR (length (orders data))
  end.
End Orders.

(** (eps,delta)-DP of all outputs of so many epochs of [count] batches of [size] records. *)
Definition shuffled_dp (related : relation) (eps delta sigma : R) (count size epochs : Z) : Prop :=
  let count := Z.to_nat count in let size := Z.to_nat size in let epochs := Z.to_nat epochs in
  forall (d : nat) (record : Type) (contribution : list (list R) -> record -> vector)
      (data data' : list record) (boxes : list (list (R * R))) (h : list (list R) -> R) (v v' : R),
    (forall past one, norm_squared d (contribution past one) <= 1) ->
    neighbours related contribution data data' \/ neighbours related contribution data' data ->
    length data = (count * size)%nat -> length data' = (count * size)%nat ->
    length boxes = (epochs * count)%nat -> List.Forall (is_box d) boxes ->
    (forall ys, 0 <= h ys <= 1) ->
    let release data := epochs_density contribution sigma count size epochs data [] in
    boxes_integral boxes (fun ys => h ys * release data ys) v ->
    boxes_integral boxes (fun ys => h ys * release data' ys) v' ->
    v <= exp eps * v' + delta.

(** ** One record against all others

    Every other record contributes -1.  Whatever the order, one batch has the record, so that all
    orders give an event about all outputs the same probability. *)

Lemma boxes_plus boxes : forall f g v w,
  boxes_integral boxes f v -> boxes_integral boxes g w ->
  boxes_integral boxes (fun ys => f ys + g ys) (v + w).
Proof.
  induction boxes as [| box boxes IH]; simpl; intros f g v w F G; [rewrite F, G; reflexivity |].
  destruct F as [f' [F I]]. destruct G as [g' [G J]]. exists (fun y => f' y + g' y).
  split; [intros y; apply (IH (fun ys => f (y :: ys))); auto | apply box_plus; assumption].
Qed.

Lemma boxes_zero boxes : boxes_integral boxes (fun _ => 0) 0.
Proof.
  induction boxes as [| box boxes IH]; [reflexivity |].
  exists (fun _ => 0). split; [intros; exact IH | apply box_zero].
Qed.

Lemma sum_integral {A : Type} boxes (f : A -> list (list R) -> R) m : forall l,
  (forall x, In x l -> boxes_integral boxes (f x) m) ->
  boxes_integral boxes (fun ys => sum_of (fun x => f x ys) l) (INR (length l) * m).
Proof.
  induction l as [| x l IH]; intros H.
  - simpl. rewrite Rmult_0_l. apply boxes_zero.
  - cbn [sum_of fold_right length]. rewrite S_INR.
    replace ((INR (length l) + 1) * m) with (m + INR (length l) * m) by ring.
    apply (boxes_plus boxes (f x)); [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Section OneAgainstAll.
Context {record : Type}.
Variables (mark : record -> bool) (value : record -> R).

Fixpoint marked (l : list record) : nat :=
  match l with [] => O | b :: l => ((if mark b then 1 else 0) + marked l)%nat end.

Lemma marked_app k l : marked l = (marked (firstn k l) + marked (skipn k l))%nat.
Proof.
  revert l. induction k as [| k IH]; intros [| b l]; simpl; try reflexivity. rewrite (IH l). lia.
Qed.

Lemma insertions_keep x l : forall l', In l' (insertions x l) ->
  marked l' = marked (x :: l) /\ length l' = S (length l) /\ incl l' (x :: l).
Proof.
  induction l as [| y l IH]; intros l'; simpl; intros [<- | H].
  - repeat split. apply incl_refl.
  - contradiction.
  - repeat split. apply incl_refl.
  - apply in_map_iff in H. destruct H as (l0 & <- & H). destruct (IH l0 H) as (M & L & I).
    simpl. rewrite M, L. simpl. repeat split; [lia |].
    intros z [<- | Z]; [right; left; reflexivity |]. destruct (I z Z) as [<- | ?]; simpl; auto.
Qed.

Lemma orders_keep l : forall l', In l' (orders l) ->
  marked l' = marked l /\ length l' = length l /\ incl l' l.
Proof.
  induction l as [| x l IH]; simpl; intros l' H.
  - destruct H as [<- | []]. repeat split. apply incl_refl.
  - apply in_flat_map in H. destruct H as (l0 & H0 & H). apply insertions_keep in H.
    destruct H as (M & L & I). destruct (IH l0 H0) as (M0 & L0 & I0). simpl in M. repeat split; [lia | lia |].
    intros z Z. destruct (I z Z) as [<- | ?]; simpl; auto.
Qed.

Lemma orders_some {A : Type} (l : list A) : (0 < length (orders l))%nat.
Proof.
  induction l as [| x l IH]; simpl; [lia |].
  destruct (orders l) as [| l0 ls]; simpl in *; [lia |]. rewrite app_length.
  destruct l0; simpl; lia.
Qed.

Variables (sigma u lo hi : R) (size : nat).
Hypothesis Hs : 0 < sigma.

(** The marked record contributes [u]. *)
Definition told (l : list record) : Prop := forall x, In x l -> value x = if mark x then u else -1.

Let contribution (_ : list (list R)) (x : record) : vector := fun _ => value x.
Let total (k : nat) : R := INR k * (u + 1) - INR size.
Let m (k : nat) : R := Phi ((hi - total k) / sigma) - Phi ((lo - total k) / sigma).

Lemma batch_sum past batch :
  told batch ->
  fold_right (fun one => sum_vector (contribution past one)) no_vector batch O
  = INR (marked batch) * (u + 1) - INR (length batch).
Proof.
  induction batch as [| b batch IH]; intros D; [unfold no_vector; simpl; ring |].
  cbn [fold_right]. unfold sum_vector at 1. rewrite IH by (intros x X; apply D; right; exact X).
  unfold contribution. rewrite (D b (or_introl eq_refl)).
  cbn [marked length]. rewrite plus_INR, S_INR. destruct (mark b); simpl; ring.
Qed.

Lemma first_in k (l : list record) x : In x (firstn k l) -> In x l.
Proof. intros H. rewrite <- (firstn_skipn k l). apply in_or_app. left. exact H. Qed.

Lemma skip_in k (l : list record) x : In x (skipn k l) -> In x l.
Proof. intros H. rewrite <- (firstn_skipn k l). apply in_or_app. right. exact H. Qed.

Lemma batches_integral count : forall l rest next v past,
  length l = (count * size)%nat -> (marked l <= 1)%nat -> told l ->
  (forall past, boxes_integral rest (next past) v) ->
  boxes_integral (repeat [(lo, hi)] count ++ rest)
    (fun ys => batches_density contribution sigma (batches count size l) past ys next)
    (m 0 ^ (count - marked l) * m 1 ^ (marked l) * v).
Proof.
  induction count as [| count IH]; intros l rest next v past L M D N.
  - destruct l; [| discriminate]. simpl. replace (1 * 1 * v) with v by ring. apply N.
  - assert (length (firstn size l) = size) as F by (rewrite firstn_length; lia).
    assert (length (skipn size l) = (count * size)%nat) as K by (rewrite skipn_length; lia).
    pose proof (marked_app size l) as A. set (k := marked (firstn size l)) in *.
    pose proof (fun past => IH (skipn size l) rest next v past K ltac:(lia)
      (fun x X => D x (skip_in _ _ _ X)) N) as I.
    set (rest_value := m 0 ^ (count - marked (skipn size l)) * m 1 ^ marked (skipn size l) * v) in *.
    exists (fun y => vector_density sigma
      (fold_right (fun one => sum_vector (contribution past one)) no_vector (firstn size l)) y
      * rest_value).
    split.
    + intros y. apply boxes_scale, I.
    + set (c := fold_right _ _ _).
      assert (m 0 ^ (S count - marked l) * m 1 ^ marked l * v = rest_value * m k) as E.
      { unfold rest_value. rewrite A. destruct (marked (skipn size l)) as [| [| n]] eqn:Z; try lia.
        - destruct k as [| [| k']]; try lia.
          + replace (S count - (0 + 0))%nat with (S count) by lia.
            replace (count - 0)%nat with count by lia. cbn [pow Nat.add]. ring.
          + replace (S count - (1 + 0))%nat with count by lia.
            replace (count - 0)%nat with count by lia. cbn [pow Nat.add]. ring.
        - assert (k = 0)%nat as -> by lia.
          assert (0 < count)%nat.
          { destruct count; [| lia]. simpl in K. destruct (skipn size l); [discriminate Z | discriminate K]. }
          replace (S count - (0 + 1))%nat with (S (count - 1)) by lia. cbn [pow Nat.add]. ring. }
      rewrite E.
      replace (fun y => vector_density sigma c y * rest_value)
        with (fun y => rest_value * vector_density sigma c y)
        by (apply functional_extensionality; intros; ring).
      apply box_scale. pose proof (mass_integral sigma Hs [(lo, hi)] c) as B.
      cbn [mass] in B. rewrite Rmult_1_r in B. unfold c in B at 2 3.
      rewrite batch_sum, F in B by (intros x X; apply D, (first_in size), X). exact B.
Qed.

Lemma epochs_integral count epochs data : forall past,
  length data = (count * size)%nat -> marked data = 1%nat -> told data ->
  boxes_integral (repeat [(lo, hi)] (epochs * count))
    (epochs_density contribution sigma count size epochs data past)
    ((m 0 ^ (count - 1) * m 1) ^ epochs).
Proof.
  induction epochs as [| epochs IH]; intros past L M D; [reflexivity |].
  replace (repeat [(lo, hi)] (S epochs * count))
    with (repeat [(lo, hi)] count ++ repeat [(lo, hi)] (epochs * count))
    by (rewrite <- repeat_app; reflexivity).
  cbn [epochs_density pow].
  pose proof (lt_0_INR _ (orders_some data)) as O.
  set (v := (m 0 ^ (count - 1) * m 1) ^ epochs).
  replace (m 0 ^ (count - 1) * m 1 * v)
    with (/ INR (length (orders data)) * (INR (length (orders data)) * (m 0 ^ (count - 1) * m 1 * v)))
    by (field; lra).
  match goal with |- boxes_integral _ ?f _ => replace f with (fun ys =>
    / INR (length (orders data)) * sum_of (fun order =>
        batches_density contribution sigma (batches count size order) past ys
          (epochs_density contribution sigma count size epochs data)) (orders data)) end.
  2:{ apply functional_extensionality. intros ys. unfold Rdiv. ring. }
  apply boxes_scale. apply (sum_integral _ (fun order ys =>
    batches_density contribution sigma (batches count size order) past ys
      (epochs_density contribution sigma count size epochs data))).
  intros order I. destruct (orders_keep data order I) as (M' & L' & I').
  pose proof (batches_integral count order _ _ v past ltac:(lia) ltac:(lia)
    (fun x X => D x (I' x X)) (fun past => IH past L M D)) as B.
  rewrite M', M in B. rewrite pow_1 in B. exact B.
Qed.
End OneAgainstAll.

(** ** The theorem *)

Inductive people : Set := first | second | others.

(** The probability that all outputs are at most [cut], plus [size]. *)
Definition all_below (sigma u cut : R) (count epochs : Z) : R :=
  powerRZ (powerRZ (Phi (cut / sigma)) (count - 1) * Phi ((cut - (u + 1)) / sigma)) epochs.

Theorem shuffled_events related eps delta sigma count size epochs u u' cut :
  0 < sigma -> (0 < count)%Z -> (0 < size)%Z -> (0 <= epochs)%Z ->
  related <> add_remove -> opposed related u u' ->
  shuffled_dp related eps delta sigma count size epochs ->
  all_below sigma u cut count epochs <= exp eps * all_below sigma u' cut count epochs + delta
  /\ 1 - all_below sigma u cut count epochs
     <= exp eps * (1 - all_below sigma u' cut count epochs) + delta.
Proof.
  intros Hs Hc Hz He Hr Hu DP.
  destruct (Z_of_nat_complete count ltac:(lia)) as [T ->].
  destruct (Z_of_nat_complete size ltac:(lia)) as [b ->].
  destruct (Z_of_nat_complete epochs He) as [E ->].
  unfold shuffled_dp in DP. cbv zeta in DP. rewrite !Nat2Z.id in DP. unfold all_below.
  replace (Z.of_nat T - 1)%Z with (Z.of_nat (T - 1)) by lia. rewrite <- !pow_powerRZ.
  set (value := fun p => match p with first => u | second => u' | others => -1 end).
  set (mark := fun p => match p with others => false | _ => true end).
  set (contribution := fun (_ : list (list R)) (p : people) (_ : nat) => value p).
  set (rest := repeat others (T * b - 1)).
  assert (0 < T * b)%nat as P by nia.
  assert (forall p, length (p :: rest) = (T * b)%nat) as Len.
  { intros p. simpl. unfold rest. rewrite repeat_length. lia. }
  assert (forall past one, norm_squared 1 (contribution past one) <= 1) as N.
  { assert (-1 <= u <= 1 /\ -1 <= u' <= 1) as [].
    { unfold opposed in Hu. destruct related; lra. }
    intros past [| |]; simpl; unfold contribution; simpl; nra. }
  assert (neighbours related contribution (first :: rest) (second :: rest)
          \/ neighbours related contribution (second :: rest) (first :: rest)) as Ne.
  { unfold opposed in Hu. destruct related; [contradiction | | left].
    - destruct Hu as [[-> ->] | [-> ->]]; [left | right].
      + exists [], first, second, rest. repeat split.
      + exists [], second, first, rest. repeat split.
    - exists [], first, second, rest. split; reflexivity. }
  assert (marked mark rest = 0)%nat as Z.
  { unfold rest. generalize (T * b - 1)%nat. induction n as [| n IH]; [reflexivity | exact IH]. }
  assert (forall p w, (p = first /\ w = u \/ p = second /\ w = u') ->
    marked mark (p :: rest) = 1%nat /\ told mark value w (p :: rest)) as M.
  { intros p w O. split.
    - simpl. rewrite Z. destruct O as [[-> _] | [-> _]]; reflexivity.
    - intros x [<- | X]; [destruct O as [[-> ->] | [-> ->]]; reflexivity |].
      apply repeat_spec in X. subst x. reflexivity. }
  set (part := fun w (k : nat) lo hi =>
    Phi ((hi - (INR k * (w + 1) - INR b)) / sigma) - Phi ((lo - (INR k * (w + 1) - INR b)) / sigma)).
  set (p := fun w lo hi => (part w 0%nat lo hi ^ (T - 1) * part w 1%nat lo hi) ^ E).
  assert (forall q w, (q = first /\ w = u \/ q = second /\ w = u') -> forall lo hi,
    boxes_integral (repeat [(lo, hi)] (E * T))
      (epochs_density contribution sigma T b E (q :: rest) []) (p w lo hi)) as I.
  { intros q w O lo hi. destruct (M q w O) as [M1 M2].
    exact (epochs_integral mark value sigma w lo hi b Hs T E (q :: rest) [] (Len q) M1 M2). }
  set (at_ := cut - INR b).
  assert (forall w k, is_lim_seq (fun i => part w k (0 - INR i) at_)
            (Phi ((at_ - (INR k * (w + 1) - INR b)) / sigma))
          /\ is_lim_seq (fun i => part w k (0 - INR i) (0 + INR i)) 1) as Lim.
  { intros w k. unfold part. split.
    - replace (Finite (Phi ((at_ - (INR k * (w + 1) - INR b)) / sigma)))
        with (Finite (Phi ((at_ - (INR k * (w + 1) - INR b)) / sigma) - 0)) by (f_equal; ring).
      apply is_lim_seq_minus'; [apply is_lim_seq_const | apply Phi_left, Hs].
    - replace (Finite 1) with (Finite (1 - 0)) by (f_equal; ring).
      apply is_lim_seq_minus'; [apply Phi_right, Hs | apply Phi_left, Hs]. }
  set (l := fun w => (Phi (cut / sigma) ^ (T - 1) * Phi ((cut - (w + 1)) / sigma)) ^ E).
  assert (forall w, is_lim_seq (fun i => p w (0 - INR i) at_) (l w)
            /\ is_lim_seq (fun i => p w (0 - INR i) (0 + INR i)) 1) as Limits.
  { intros w. destruct (Lim w 0%nat) as [A0 B0]. destruct (Lim w 1%nat) as [A1 B1].
    unfold p, l. split.
    - replace (cut / sigma) with ((at_ - (INR 0 * (w + 1) - INR b)) / sigma)
        by (unfold at_; simpl; field; lra).
      replace ((cut - (w + 1)) / sigma) with ((at_ - (INR 1 * (w + 1) - INR b)) / sigma)
        by (unfold at_; simpl; field; lra).
      apply power_limit, is_lim_seq_mult'; [apply power_limit, A0 | exact A1].
    - replace (Finite 1) with (Finite ((1 ^ (T - 1) * 1) ^ E))
        by (rewrite !pow1, Rmult_1_l, pow1; reflexivity).
      apply power_limit, is_lim_seq_mult'; [apply power_limit, B0 | exact B1]. }
  destruct (Limits u) as [L A]. destruct (Limits u') as [L' A'].
  pose proof (I first u ltac:(left; split; reflexivity)) as I1.
  pose proof (I second u' ltac:(right; split; reflexivity)) as I2.
  pose proof (fun boxes h v w => DP 1%nat people contribution (first :: rest) (second :: rest) boxes h v w
                N Ne (Len first) (Len second)) as F.
  split.
  - exact (all_below_event eps delta at_ (E * T) _ _ (p u) (p u') _ _ I1 I2 L L' F).
  - exact (one_above_event eps delta at_ (E * T) _ _ (p u) (p u') _ _ I1 I2 L L' A A' F).
Qed.
