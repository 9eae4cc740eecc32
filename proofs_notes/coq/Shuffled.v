(** * Shuffled batches: what they are, and a claim about them refuted

    In each epoch the records are put in a random order, which is cut into [count] batches of [size];
    what is left at its end is dropped.  The orders are drawn independently of the data and not
    released. *)

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

(** (eps,delta)-DP of all outputs of so many epochs of [count] batches of [size] records.  The larger
    of the data sets has [dropped] records more than these. *)
Definition shuffled_dp (related : relation) (eps delta sigma : R) (count size dropped epochs : Z) : Prop :=
  let count := Z.to_nat count in let size := Z.to_nat size in let epochs := Z.to_nat epochs in
  forall (d : nat) (record : Type) (contribution : list (list R) -> record -> vector)
      (data data' : list record) (boxes : list (list (R * R))) (h : list (list R) -> R) (v v' : R),
    (forall past one, norm_squared d (contribution past one) <= 1) ->
    neighbours related contribution data data' \/ neighbours related contribution data' data ->
    Nat.max (length data) (length data') = (count * size + Z.to_nat dropped)%nat ->
    length boxes = (epochs * count)%nat -> List.Forall (is_box d) boxes ->
    (forall ys, 0 <= h ys <= 1) ->
    let release data := epochs_density contribution sigma count size epochs data [] in
    boxes_integral boxes (fun ys => h ys * release data ys) v ->
    boxes_integral boxes (fun ys => h ys * release data' ys) v' ->
    v <= exp eps * v' + delta.

(** ** One record against all others

    Every other record contributes -1.  Whatever the order, one batch has the record, or it is
    dropped; in either case all orders give an event about all outputs the same probability. *)

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
  (forall x, In x l -> boxes_integral boxes (f x) (m x)) ->
  boxes_integral boxes (fun ys => sum_of (fun x => f x ys) l) (sum_of m l).
Proof.
  induction l as [| x l IH]; intros H; [apply boxes_zero |].
  apply (boxes_plus boxes (f x)); [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma sum_app {A : Type} (f : A -> R) k l : sum_of f (k ++ l) = sum_of f k + sum_of f l.
Proof. induction k as [| x k IH]; cbn [app sum_of fold_right] in *; [unfold sum_of; simpl; ring | fold (sum_of f (k ++ l)); rewrite IH; unfold sum_of; ring]. Qed.

Lemma sum_constant {A : Type} (f : A -> R) c l :
  (forall x, In x l -> f x = c) -> sum_of f l = INR (length l) * c.
Proof.
  induction l as [| x l IH]; intros H; [unfold sum_of; simpl; ring |].
  cbn [sum_of fold_right length]. rewrite S_INR, (H x (or_introl eq_refl)).
  fold (sum_of f l). rewrite IH by (intros; apply H; right; assumption). ring.
Qed.

Lemma sum_factor {A : Type} (f : A -> R) c l : sum_of (fun x => f x * c) l = sum_of f l * c.
Proof. induction l as [| x l IH]; unfold sum_of in *; simpl; [ring | rewrite IH; ring]. Qed.

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

Lemma batches_first count : forall l : list record,
  batches count size (firstn (count * size) l) = batches count size l.
Proof.
  induction count as [| count IH]; intros l; [reflexivity |]. cbn [batches]. f_equal.
  - rewrite firstn_firstn. f_equal. lia.
  - rewrite skipn_firstn_comm. replace (S count * size - size)%nat with (count * size)%nat by lia. apply IH.
Qed.

(** The mean over the orders of a function of how many marked records are kept. *)
Definition mean (kept : nat) (g : nat -> R) (data : list record) : R :=
  sum_of (fun order => g (marked (firstn kept order))) (orders data) / INR (length (orders data)).

Lemma mean_unmarked kept g data : marked data = 0%nat -> mean kept g data = g 0%nat.
Proof.
  intros M. unfold mean. pose proof (lt_0_INR _ (orders_some data)).
  rewrite (sum_constant _ (g 0%nat)); [field; lra |]. intros order I.
  destruct (orders_keep data order I) as [M' _]. pose proof (marked_app kept order). cbv beta. f_equal. lia.
Qed.

Lemma insertions_sum x g : mark x = true -> forall l kept, marked l = 0%nat -> (kept <= S (length l))%nat ->
  sum_of (fun order => g (marked (firstn kept order))) (insertions x l)
  = INR kept * g 1%nat + (INR (S (length l)) - INR kept) * g 0%nat
  /\ length (insertions x l) = S (length l).
Proof.
  intros X. induction l as [| y l IH]; intros kept M K.
  - split; [| reflexivity]. unfold sum_of. simpl.
    destruct kept as [| [| kept]]; simpl in *; rewrite ?X; simpl; try lia; ring.
  - cbn [marked] in M. cbn [insertions length]. split.
    2:{ rewrite map_length. f_equal. apply (IH 0%nat); lia. }
    assert (mark y = false) as Y by (destruct (mark y); [discriminate | reflexivity]).
    rewrite Y in M. cbn [length] in K. simpl in M.
    assert (forall k ls, sum_of (fun order => g (marked (firstn (S k) order))) (map (cons y) ls)
              = sum_of (fun order => g (marked (firstn k order))) ls) as Map.
    { intros k. induction ls as [| l0 ls E]; [reflexivity |].
      unfold sum_of in *. simpl in *. rewrite Y, E. reflexivity. }
    unfold sum_of at 1. cbn [fold_right].
    change (fold_right _ 0 (map (cons y) (insertions x l)))
      with (sum_of (fun order => g (marked (firstn kept order))) (map (cons y) (insertions x l))).
    destruct kept as [| kept].
    + rewrite (sum_constant _ (g 0%nat)) by reflexivity. rewrite map_length.
      destruct (IH 0%nat ltac:(lia) ltac:(lia)) as [_ ->]. rewrite !S_INR. simpl. ring.
    + rewrite Map. destruct (IH kept ltac:(lia) ltac:(lia)) as [-> _]. cbn [firstn marked].
      rewrite X. replace (1 + marked (firstn kept (y :: l)))%nat with 1%nat.
      * rewrite !S_INR. ring.
      * pose proof (marked_app kept (y :: l)) as A. assert (marked (y :: l) = 0%nat) by (simpl; rewrite Y; exact M). lia.
Qed.

Lemma mean_marked x data kept g :
  mark x = true -> marked data = 0%nat -> (kept <= S (length data))%nat ->
  mean kept g (x :: data)
  = (INR kept * g 1%nat + (INR (S (length data)) - INR kept) * g 0%nat) / INR (S (length data)).
Proof.
  intros X M K. unfold mean. cbn [orders].
  pose proof (fun l I => orders_keep data l I) as O.
  assert (forall ls, (forall l, In l ls -> marked l = 0%nat /\ length l = length data) ->
    sum_of (fun order => g (marked (firstn kept order))) (flat_map (insertions x) ls)
    = INR (length ls) * (INR kept * g 1%nat + (INR (S (length data)) - INR kept) * g 0%nat)
    /\ INR (length (flat_map (insertions x) ls)) = INR (length ls) * INR (S (length data))) as All.
  { induction ls as [| l ls IH]; intros H; [unfold sum_of; simpl; split; ring |].
    cbn [flat_map]. rewrite sum_app, app_length, plus_INR.
    destruct (IH (fun l I => H l (or_intror I))) as [-> ->].
    destruct (H l (or_introl eq_refl)) as [M' L'].
    destruct (insertions_sum x g X l kept M' ltac:(lia)) as [-> ->]. rewrite L'. cbn [length].
    rewrite (S_INR (length ls)). split; ring. }
  destruct (All (orders data)) as [-> ->].
  { intros l I. destruct (O l I) as (M' & L & _). split; lia. }
  pose proof (lt_0_INR _ (orders_some data)). pose proof (pos_INR (length data)). rewrite S_INR.
  field. lra.
Qed.

Lemma epochs_integral count epochs data : forall past,
  (count * size <= length data)%nat -> (marked data <= 1)%nat -> told data ->
  boxes_integral (repeat [(lo, hi)] (epochs * count))
    (epochs_density contribution sigma count size epochs data past)
    (mean (count * size) (fun k => m 0 ^ (count - k) * m 1 ^ k) data ^ epochs).
Proof.
  induction epochs as [| epochs IH]; intros past L M D; [reflexivity |].
  replace (repeat [(lo, hi)] (S epochs * count))
    with (repeat [(lo, hi)] count ++ repeat [(lo, hi)] (epochs * count))
    by (rewrite <- repeat_app; reflexivity).
  cbn [epochs_density pow]. set (v := mean _ _ data ^ epochs) in *.
  match goal with |- boxes_integral _ ?f _ => replace f with (fun ys =>
    / INR (length (orders data)) * sum_of (fun order =>
        batches_density contribution sigma (batches count size order) past ys
          (epochs_density contribution sigma count size epochs data)) (orders data)) end.
  2:{ apply functional_extensionality. intros ys. unfold Rdiv. ring. }
  replace (mean (count * size) (fun k => m 0 ^ (count - k) * m 1 ^ k) data * v)
    with (/ INR (length (orders data)) * sum_of (fun order =>
      m 0 ^ (count - marked (firstn (count * size) order)) * m 1 ^ marked (firstn (count * size) order) * v)
      (orders data)).
  2:{ rewrite sum_factor. unfold mean, Rdiv. ring. }
  apply boxes_scale. apply (sum_integral _ (fun order ys =>
    batches_density contribution sigma (batches count size order) past ys
      (epochs_density contribution sigma count size epochs data))).
  intros order I. destruct (orders_keep data order I) as (M' & L' & I'). rewrite <- batches_first.
  pose proof (marked_app (count * size) order). apply batches_integral.
  - rewrite firstn_length. lia.
  - lia.
  - intros x X. apply D, I', (first_in (count * size)), X.
  - intros past'. apply IH; assumption.
Qed.
End OneAgainstAll.

(** ** The theorem *)

Inductive people : Set := first | second | others.

(** What the record contributes to the first data set, and what to the second; under add or remove
    another record is in its place there, or none, which is the same. *)
Definition against (related : relation) (u u' : R) : Prop :=
  match related with
  | replace_one => u = 1 /\ u' = -1
  | add_remove => u = 1 /\ u' = -1 \/ u = -1 /\ u' = 1
  | zero_out => u = 1 /\ u' = 0 \/ u = 0 /\ u' = 1
  end.

(** How many of the records an epoch has. *)
Definition kept (count size dropped : Z) : R := IZR (count * size) / IZR (count * size + dropped).

(** The probability that all outputs are at most [cut], less [size]. *)
Definition all_below (sigma u cut : R) (count size dropped epochs : Z) : R :=
  powerRZ (powerRZ (Phi (cut / sigma)) (count - 1)
    * (kept count size dropped * Phi ((cut - (u + 1)) / sigma)
       + (1 - kept count size dropped) * Phi (cut / sigma))) epochs.

Theorem shuffled_events related eps delta sigma count size dropped epochs u u' cut :
  0 < sigma -> (0 < count)%Z -> (0 < size)%Z -> (0 <= dropped)%Z -> (0 <= epochs)%Z ->
  (related = add_remove -> (0 < dropped)%Z) -> against related u u' ->
  shuffled_dp related eps delta sigma count size dropped epochs ->
  all_below sigma u cut count size dropped epochs
    <= exp eps * all_below sigma u' cut count size dropped epochs + delta
  /\ 1 - all_below sigma u cut count size dropped epochs
     <= exp eps * (1 - all_below sigma u' cut count size dropped epochs) + delta.
Proof.
  intros Hs Hc Hz Hd He Hr Hu DP.
  destruct (Z_of_nat_complete count ltac:(lia)) as [T ->].
  destruct (Z_of_nat_complete size ltac:(lia)) as [b ->].
  destruct (Z_of_nat_complete dropped ltac:(lia)) as [r ->].
  destruct (Z_of_nat_complete epochs He) as [E ->].
  unfold shuffled_dp in DP. cbv zeta in DP. rewrite !Nat2Z.id in DP. unfold all_below, kept.
  rewrite <- !Nat2Z.inj_mul, <- !Nat2Z.inj_add, <- !INR_IZR_INZ.
  replace (Z.of_nat T - 1)%Z with (Z.of_nat (T - 1)) by lia. rewrite <- !pow_powerRZ.
  set (K := INR (T * b) / INR (T * b + r)).
  set (value := fun p => match p with first => u | second => u' | others => -1 end).
  set (mark := fun p => match p with others => false | _ => true end).
  set (contribution := fun (_ : list (list R)) (p : people) (_ : nat) => value p).
  set (rest := repeat others (T * b + r - 1)).
  assert (0 < T * b)%nat as P by nia.
  assert (forall z, z ^ T = z ^ (T - 1) * z) as Power.
  { intros z. replace (z ^ T) with (z ^ (1 + (T - 1))) by (f_equal; nia). simpl. ring. }
  assert (length rest = (T * b + r - 1)%nat) as Len by apply repeat_length.
  assert (forall past one, norm_squared 1 (contribution past one) <= 1) as N.
  { assert (-1 <= u <= 1 /\ -1 <= u' <= 1) as [].
    { unfold against in Hu. destruct related; lra. }
    intros past [| |]; simpl; unfold contribution; simpl; nra. }
  assert (marked mark rest = 0)%nat as Z.
  { unfold rest. generalize (T * b + r - 1)%nat. induction n as [| n IH]; [reflexivity | exact IH]. }
  assert (forall w, told mark value w rest) as Others.
  { intros w x X. apply repeat_spec in X. subst x. reflexivity. }
  set (part := fun w (k : nat) lo hi =>
    Phi ((hi - (INR k * (w + 1) - INR b)) / sigma) - Phi ((lo - (INR k * (w + 1) - INR b)) / sigma)).
  set (p := fun w lo hi =>
    (part w 0%nat lo hi ^ (T - 1) * (K * part w 1%nat lo hi + (1 - K) * part w 0%nat lo hi)) ^ E).
  set (law := fun data w => forall lo hi, boxes_integral (repeat [(lo, hi)] (E * T))
    (epochs_density contribution sigma T b E data []) (p w lo hi)).
  assert (forall q w, (q = first /\ w = u \/ q = second /\ w = u') -> law (q :: rest) w) as With.
  { intros q w O lo hi.
    assert (mark q = true) as M by (destruct O as [[-> _] | [-> _]]; reflexivity).
    pose proof (epochs_integral mark value sigma w lo hi b Hs T E (q :: rest) [] ) as I.
    rewrite (mean_marked mark) in I; [| exact M | exact Z | lia]. rewrite Len in I.
    replace (S (T * b + r - 1)) with (T * b + r)%nat in I by lia.
    unfold p. change (epochs_density contribution sigma) with
      (epochs_density (fun (_ : list (list R)) (x : people) => (fun _ => value x) : vector) sigma).
    match type of I with _ -> _ -> _ -> boxes_integral _ _ (?x ^ _) => replace (_ * _) with x end.
    - apply I; [simpl; lia | simpl; rewrite M, Z; lia |].
      intros x [<- | X]; [rewrite M; destruct O as [[-> ->] | [-> ->]]; reflexivity | apply Others, X].
    - fold (part w 0%nat lo hi). fold (part w 1%nat lo hi). rewrite Nat.sub_0_r, !pow_1.
      rewrite Power. unfold K. assert (0 < INR (T * b + r)) by (apply lt_0_INR; lia). simpl pow. field. lra. }
  assert ((0 < r)%nat -> law rest (-1)) as Without.
  { intros More lo hi.
    pose proof (epochs_integral mark value sigma (-1) lo hi b Hs T E rest []) as I.
    rewrite (mean_unmarked mark _ _ rest Z) in I.
    change (epochs_density contribution sigma) with
      (epochs_density (fun (_ : list (list R)) (x : people) => (fun _ => value x) : vector) sigma).
    unfold p. match type of I with _ -> _ -> _ -> boxes_integral _ _ (?x ^ _) => replace (_ * _) with x end.
    - apply I; [lia | lia | apply Others].
    - fold (part (-1) 0%nat lo hi). replace (part (-1) 1%nat lo hi) with (part (-1) 0%nat lo hi).
      + rewrite Nat.sub_0_r, Power. simpl pow. ring.
      + unfold part. replace (INR 1 * (-1 + 1)) with (INR 0 * (-1 + 1)) by (simpl; ring). reflexivity. }
  assert (exists data data',
    (neighbours related contribution data data' \/ neighbours related contribution data' data)
    /\ Nat.max (length data) (length data') = (T * b + r)%nat /\ law data u /\ law data' u')
    as (data & data' & Ne & Max & I1 & I2).
  { assert (neighbours replace_one contribution (first :: rest) (second :: rest)) as Rep.
    { exists [], first, second, rest. split; reflexivity. }
    assert (forall q, neighbours add_remove contribution (q :: rest) rest) as Add.
    { intros q. exists [], q, q, rest. split; reflexivity. }
    pose proof (With first u ltac:(left; split; reflexivity)) as L1.
    pose proof (With second u' ltac:(right; split; reflexivity)) as L2.
    unfold against in Hu. destruct related.
    - specialize (Hr eq_refl). specialize (Without ltac:(lia)).
      destruct Hu as [[-> ->] | [-> ->]].
      + exists (first :: rest), rest. split; [left; apply Add |].
        split; [cbn [length]; lia | split; assumption].
      + exists rest, (second :: rest). split; [right; apply Add |].
        split; [cbn [length]; lia | split; assumption].
    - exists (first :: rest), (second :: rest).
      split; [| split; [cbn [length]; lia | split; assumption]]. destruct Hu as [[-> ->] | [-> ->]]; [left | right].
      + exists [], first, second, rest. repeat split.
      + exists [], second, first, rest. repeat split.
    - exists (first :: rest), (second :: rest). split; [left; exact Rep |].
      split; [cbn [length]; lia | split; assumption]. }
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
  set (l := fun w => (Phi (cut / sigma) ^ (T - 1)
    * (K * Phi ((cut - (w + 1)) / sigma) + (1 - K) * Phi (cut / sigma))) ^ E).
  assert (forall m0 m1 v0 v1, is_lim_seq m0 (Finite v0) -> is_lim_seq m1 (Finite v1) ->
    is_lim_seq (fun i => (m0 i ^ (T - 1) * (K * m1 i + (1 - K) * m0 i)) ^ E)
      ((v0 ^ (T - 1) * (K * v1 + (1 - K) * v0)) ^ E)) as Mixed.
  { intros m0 m1 v0 v1 A B. apply (power_limit (fun i => m0 i ^ (T - 1) * (K * m1 i + (1 - K) * m0 i))).
    apply is_lim_seq_mult'; [apply power_limit, A |]. apply (is_lim_seq_plus' (fun i => K * m1 i));
      (apply is_lim_seq_mult'; [apply is_lim_seq_const | assumption]). }
  assert (forall w, is_lim_seq (fun i => p w (0 - INR i) at_) (l w)
            /\ is_lim_seq (fun i => p w (0 - INR i) (0 + INR i)) 1) as Limits.
  { intros w. destruct (Lim w 0%nat) as [A0 B0]. destruct (Lim w 1%nat) as [A1 B1].
    unfold p, l. split.
    - replace (cut / sigma) with ((at_ - (INR 0 * (w + 1) - INR b)) / sigma)
        by (unfold at_; simpl; field; lra).
      replace ((cut - (w + 1)) / sigma) with ((at_ - (INR 1 * (w + 1) - INR b)) / sigma)
        by (unfold at_; simpl; field; lra).
      apply Mixed; assumption.
    - replace (Finite 1) with (Finite ((1 ^ (T - 1) * (K * 1 + (1 - K) * 1)) ^ E)).
      + apply Mixed; assumption.
      + f_equal. replace (K * 1 + (1 - K) * 1) with 1 by ring. rewrite pow1, Rmult_1_l. apply pow1. }
  destruct (Limits u) as [L A]. destruct (Limits u') as [L' A'].
  pose proof (fun boxes h v w => DP 1%nat people contribution data data' boxes h v w N Ne Max) as F.
  split.
  - exact (all_below_event eps delta at_ (E * T) _ _ (p u) (p u') _ _ I1 I2 L L' F).
  - exact (one_above_event eps delta at_ (E * T) _ _ (p u) (p u') _ _ I1 I2 L L' A A' F).
Qed.
