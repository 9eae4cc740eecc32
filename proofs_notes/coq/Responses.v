(** * Releases with finitely many outputs: equal black boxes, and randomised response (X.BOXES, X.REPORTS)

    A release is known by its law on two data sets: a list that has, for each output, its
    probability on one and on the other. *)

From Coq Require Import Reals ZArith List Lia Psatz.
From Interval Require Import Xreal.
From Dporacle Require Import Definitions Expressions.
From Dporacle Require FastChecker.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

Definition law := list (R * R).

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | x :: rest => f x + sum f rest end.

(** The outputs of a law are numbered. *)
Definition outputs (l : law) : list nat := seq 0 (length l).
Definition chance (side : R * R -> R) (l : law) (i : nat) : R := side (nth i l (0, 0)).

Definition is_test {A : Type} (h : A -> R) : Prop := forall y, 0 <= h y <= 1.

(** Both lists of probabilities are laws, and no test of the output tells more than that, either
    way. *)
Definition is_private (eps delta : R) (l : law) : Prop :=
  (forall p, In p l -> 0 <= fst p /\ 0 <= snd p) /\ sum fst l = 1 /\ sum snd l = 1 /\
  forall h : nat -> R, is_test h ->
    sum (fun i => h i * chance fst l i) (outputs l)
      <= exp eps * sum (fun i => h i * chance snd l i) (outputs l) + delta
    /\ sum (fun i => h i * chance snd l i) (outputs l)
      <= exp eps * sum (fun i => h i * chance fst l i) (outputs l) + delta.

(** The mean of a test of [k] outputs; the law of a release may depend on [past], the outputs of
    those before it, of which the last one stands first. *)
Fixpoint mean (side : R * R -> R) (release : list nat -> law) (past : list nat) (k : nat)
    (h : list nat -> R) : R :=
  match k with
  | O => h []
  | S rest =>
      sum (fun i => chance side (release past) i
                    * mean side release (i :: past) rest (fun later => h (i :: later)))
        (outputs (release past))
  end.

(** No test of all [k] outputs tells the first data set from the second better than (eps,delta)-DP
    allows.  Nor the second from the first: what is claimed below is claimed of the swapped laws too. *)
Definition together_dp (release : list nat -> law) (k : nat) (eps delta : R) : Prop :=
  forall h : list nat -> R, is_test h ->
    mean fst release [] k h <= exp eps * mean snd release [] k h + delta.

(** [k] releases that are (eps0,delta0)-DP each, whatever they are and however each is chosen by the
    outputs before it, are (eps,delta)-DP together. *)
Definition boxes_dp (eps0 delta0 : R) (k : nat) (eps delta : R) : Prop :=
  forall release : list nat -> law,
    (forall past, is_private eps0 delta0 (release past)) -> together_dp release k eps delta.

(** Randomised response on [kinds] values: the law of a report of one of them, and of another.  The
    first output is the one value, the second the other, and all else is reported alike. *)
Definition report (eps0 : R) (kinds : nat) : law :=
  let all := exp eps0 + INR kinds - 1 in
  (exp eps0 / all, 1 / all) :: (1 / all, exp eps0 / all) :: repeat (1 / all, 1 / all) (kinds - 2).

(** [k] reports, all about a value that is replaced by another.  Swapped, the law is the same but
    for the names of two outputs. *)
Definition reports_dp (eps0 : R) (kinds : Z) (k : nat) (eps delta : R) : Prop :=
  together_dp (fun _ => report eps0 (Z.to_nat kinds)) k eps delta.

(** ** Sums *)

Lemma sum_ext {A} (f g : A -> R) l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
  induction l as [| x l IH]; intros H; [reflexivity |]. cbn [sum].
  rewrite H by (left; reflexivity). rewrite IH; [reflexivity |]. intros y Y. apply H. right. exact Y.
Qed.

Lemma sum_le {A} (f g : A -> R) l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [| x l IH]; intros H; cbn [sum]; [lra |].
  apply Rplus_le_compat; [apply H; left; reflexivity |]. apply IH. intros y Y. apply H. right. exact Y.
Qed.

Lemma sum_scale {A} (f : A -> R) c l : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l as [| x l IH]; cbn [sum]; [ring | rewrite IH; ring]. Qed.

Lemma sum_minus {A} (f g : A -> R) l : sum (fun x => f x - g x) l = sum f l - sum g l.
Proof. induction l as [| x l IH]; cbn [sum]; [ring | rewrite IH; ring]. Qed.

Lemma sum_zero {A} (l : list A) : sum (fun _ => 0) l = 0.
Proof. induction l as [| x l IH]; cbn [sum]; [reflexivity | rewrite IH; ring]. Qed.

Lemma sum_plus {A} (f g : A -> R) l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l as [| x l IH]; cbn [sum]; [ring | rewrite IH; ring]. Qed.

Lemma sum_app {A} (f : A -> R) l l' : sum f (l ++ l') = sum f l + sum f l'.
Proof. induction l as [| x l IH]; cbn [sum app]; [ring | rewrite IH; ring]. Qed.

Lemma sum_map {A B} (g : A -> B) (f : B -> R) l : sum f (map g l) = sum (fun x => f (g x)) l.
Proof. induction l as [| x l IH]; cbn [sum map]; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma sum_swap {A B} (f : A -> B -> R) l l' :
  sum (fun x => sum (f x) l') l = sum (fun y => sum (fun x => f x y) l) l'.
Proof.
  induction l as [| x l IH]; cbn [sum]; [symmetry; apply sum_zero |]. rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma sum_repeat {A} (f : A -> R) x n : sum f (repeat x n) = INR n * f x.
Proof. induction n as [| n IH]; [simpl; ring |]. cbn [repeat sum]. rewrite IH, S_INR. ring. Qed.

(** A sum over the numbers of the outputs is one over the law. *)
Lemma sum_outputs (f : R * R -> R) l : sum (fun i => f (nth i l (0, 0))) (outputs l) = sum f l.
Proof.
  unfold outputs. induction l as [| x l IH]; [reflexivity |].
  cbn [length seq sum nth]. rewrite <- seq_shift, sum_map. cbn [nth]. rewrite IH. reflexivity.
Qed.

(** ** What a test gains: the price of [a] times the first law against [b] times the second *)

Definition above (x : R) : R := Rmax 0 x.

Definition gain (l : law) (a b : R) : R := sum (fun p => above (a * fst p - b * snd p)) l.

Lemma above_scale c x : 0 <= c -> above (c * x) = c * above x.
Proof.
  intros Hc. unfold above. destruct (Rle_lt_dec 0 x).
  - rewrite !Rmax_right; [reflexivity | assumption | apply Rmult_le_pos; assumption].
  - rewrite !Rmax_left; [ring | lra |]. nra.
Qed.

(** The law of [k] independent releases. *)
Fixpoint power (l : law) (k : nat) : law :=
  match k with
  | O => [(1, 1)]
  | S rest => flat_map (fun p => map (fun r => (fst p * fst r, snd p * snd r)) (power l rest)) l
  end.

Lemma gain_power_step l k a b :
  gain (power l (S k)) a b = sum (fun p => gain (power l k) (a * fst p) (b * snd p)) l.
Proof.
  unfold gain. cbn [power]. generalize (power l k) as rest. intros rest.
  induction l as [| p l IH]; [reflexivity |]. cbn [flat_map sum].
  rewrite sum_app, IH, sum_map. f_equal. apply sum_ext. intros r _. cbn [fst snd]. f_equal. ring.
Qed.

(** Another law tells no more. *)
Definition dominated (l worst : law) : Prop :=
  forall a b, 0 <= a -> 0 <= b -> gain l a b <= gain worst a b.

Definition nonnegative (l : law) : Prop := forall p, In p l -> 0 <= fst p /\ 0 <= snd p.

Lemma power_nonnegative l k : nonnegative l -> nonnegative (power l k).
Proof.
  intros H. induction k as [| k IH]; intros p P.
  - destruct P as [<- | []]. simpl. lra.
  - cbn [power] in P. apply in_flat_map in P. destruct P as [q [Q P]].
    apply in_map_iff in P. destruct P as [r [<- Hr]].
    destruct (H q Q). destruct (IH r Hr). split; apply Rmult_le_pos; assumption.
Qed.

Lemma nth_nonnegative l i : nonnegative l -> 0 <= fst (nth i l (0, 0)) /\ 0 <= snd (nth i l (0, 0)).
Proof.
  intros H. destruct (nth_in_or_default i l (0, 0)) as [I | ->]; [apply H, I | simpl; lra].
Qed.

Theorem test_gains_at_most worst release :
  nonnegative worst -> (forall past, nonnegative (release past)) ->
  (forall past, dominated (release past) worst) ->
  forall k past a b h, 0 <= a -> 0 <= b -> is_test h ->
  a * mean fst release past k h - b * mean snd release past k h <= gain (power worst k) a b.
Proof.
  intros W N D. induction k as [| k IH]; intros past a b h Ha Hb Hh.
  - cbn [mean power]. unfold gain. cbn [sum fst snd]. rewrite !Rmult_1_r, Rplus_0_r. unfold above.
    pose proof (Hh []). pose proof (Rmax_l 0 (a - b)). pose proof (Rmax_r 0 (a - b)).
    destruct (Rle_lt_dec 0 (a - b)); nra.
  - cbn [mean]. rewrite <- !sum_scale, <- sum_minus.
    apply Rle_trans with
      (sum (fun i => gain (power worst k) (a * chance fst (release past) i) (b * chance snd (release past) i))
         (outputs (release past))).
    + apply sum_le. intros i _. destruct (nth_nonnegative (release past) i (N past)) as [A B].
      pose proof (IH (i :: past) (a * chance fst (release past) i) (b * chance snd (release past) i)
        (fun later => h (i :: later)) (Rmult_le_pos _ _ Ha A) (Rmult_le_pos _ _ Hb B)
        (fun later => Hh (i :: later))). lra.
    + unfold chance.
      rewrite (sum_outputs (fun p => gain (power worst k) (a * fst p) (b * snd p)) (release past)).
      rewrite gain_power_step. unfold gain. rewrite (sum_swap _ (release past)), (sum_swap _ worst).
      apply sum_le. intros r R.
      destruct (power_nonnegative worst k W r R) as [U V].
      pose proof (D past (a * fst r) (b * snd r) (Rmult_le_pos _ _ Ha U) (Rmult_le_pos _ _ Hb V)) as G.
      unfold gain in G.
      rewrite (sum_ext _ (fun p => above (a * fst r * fst p - b * snd r * snd p)) (release past))
        by (intros; f_equal; ring).
      rewrite (sum_ext _ (fun p => above (a * fst r * fst p - b * snd r * snd p)) worst)
        by (intros; f_equal; ring).
      exact G.
Qed.

(** One test gains all of that from a law: what is likelier under the first. *)
Fixpoint best (l : law) (a b : R) (seen : list nat) : R :=
  match seen with
  | [] => if Rlt_dec b a then 1 else 0
  | i :: later => best l (a * chance fst l i) (b * chance snd l i) later
  end.

Lemma best_is_test l : forall seen a b, 0 <= best l a b seen <= 1.
Proof.
  induction seen as [| i seen IH]; intros a b; cbn [best]; [destruct (Rlt_dec b a); lra | apply IH].
Qed.

Theorem best_gains l : forall k past a b,
  a * mean fst (fun _ => l) past k (best l a b) - b * mean snd (fun _ => l) past k (best l a b)
  = gain (power l k) a b.
Proof.
  induction k as [| k IH]; intros past a b.
  - cbn [mean power best]. unfold gain, above. cbn [sum fst snd]. rewrite !Rmult_1_r, Rplus_0_r.
    destruct (Rlt_dec b a); [rewrite Rmax_right by lra; ring | rewrite Rmax_left by lra; ring].
  - cbn [mean best]. rewrite <- !sum_scale, <- sum_minus, gain_power_step.
    rewrite <- (sum_outputs (fun p => gain (power l k) (a * fst p) (b * snd p))).
    apply sum_ext. intros i _.
    pose proof (IH (i :: past) (a * chance fst l i) (b * chance snd l i)) as H.
    change (fun later => best l (a * chance fst l i) (b * chance snd l i) later)
      with (best l (a * chance fst l i) (b * chance snd l i)).
    change (fst (nth i l (0, 0))) with (chance fst l i). change (snd (nth i l (0, 0))) with (chance snd l i).
    rewrite <- H. ring.
Qed.

(** ** Reports: the price is a sum over the losses

    [weighed masses f z] is the sum of the masses times [f] at [z], [z - 1], ... *)

Fixpoint weighed (masses : list R) (f : R -> R) (z : R) : R :=
  match masses with [] => 0 | m :: rest => m * f z + weighed rest f (z - 1) end.

Fixpoint added (l l' : list R) : list R :=
  match l, l' with
  | [], _ => l'
  | _, [] => l
  | x :: l, y :: l' => (x + y) :: added l l'
  end.

Lemma weighed_added f : forall l l' z, weighed (added l l') f z = weighed l f z + weighed l' f z.
Proof.
  induction l as [| x l IH]; intros [| y l'] z; cbn [weighed added]; try ring. rewrite IH. ring.
Qed.

Lemma weighed_scaled f c : forall l z, weighed (map (Rmult c) l) f z = c * weighed l f z.
Proof. induction l as [| x l IH]; intros z; cbn [weighed map]; [ring | rewrite IH; ring]. Qed.

(** Masses of the losses [k], [k - 1], ..., [- k] times eps0: one step up, none or one down. *)
Fixpoint masses (up stay down : R) (k : nat) : list R :=
  match k with
  | O => [1]
  | S rest =>
      let before := masses up stay down rest in
      added (map (Rmult up) before)
        (0 :: added (map (Rmult stay) before) (0 :: map (Rmult down) before))
  end.

Section Reports.
Variables eps0 b : R.
Variable kinds : nat.
Hypothesis Hkinds : (2 <= kinds)%nat.
Hypothesis Hb : 0 <= b.

Let all := exp eps0 + INR kinds - 1.
Let up := exp eps0 / all.
Let down := 1 / all.
Let stay := INR (kinds - 2) / all.
Let price (z : R) : R := above (1 - b * exp (- (z * eps0))).

Lemma all_pos : 0 < all.
Proof. unfold all. pose proof (exp_pos eps0). apply le_INR in Hkinds. simpl in Hkinds. lra. Qed.

Lemma report_gain : forall k c z, 0 <= c ->
  gain (power (report eps0 kinds) k) c (c * (b * exp (- (z * eps0))))
  = c * weighed (masses up stay down k) price (z + INR k).
Proof.
  pose proof all_pos as A. pose proof (exp_pos eps0) as G.
  assert (0 < / all) as I by (apply Rinv_0_lt_compat, A).
  induction k as [| k IH]; intros c z Hc.
  - unfold gain. cbn [power sum masses weighed fst snd INR]. unfold price.
    rewrite !Rmult_1_r, !Rplus_0_r, Rmult_1_l, <- above_scale by exact Hc. f_equal. ring.
  - rewrite gain_power_step. unfold report. fold all. cbn [sum fst snd]. rewrite sum_repeat. cbn [fst snd].
    replace (c * (b * exp (- (z * eps0))) * (1 / all))
      with (c * (exp eps0 / all) * (b * exp (- ((z + 1) * eps0)))) at 1.
    2:{ replace (- ((z + 1) * eps0)) with (- (z * eps0) + - eps0) by ring.
        rewrite exp_plus, (exp_Ropp eps0). field. split; lra. }
    replace (c * (b * exp (- (z * eps0))) * (exp eps0 / all))
      with (c * (1 / all) * (b * exp (- ((z - 1) * eps0)))).
    2:{ replace (- ((z - 1) * eps0)) with (- (z * eps0) + eps0) by ring.
        rewrite exp_plus. field. lra. }
    replace (c * (b * exp (- (z * eps0))) * (1 / all))
      with (c * (1 / all) * (b * exp (- (z * eps0)))) by (field; lra).
    rewrite !IH; [| apply Rmult_le_pos; [exact Hc |]; unfold Rdiv; nra ..].
    cbn [masses]. rewrite S_INR, weighed_added. cbn [weighed]. rewrite weighed_added. cbn [weighed].
    rewrite !weighed_scaled.
    replace (z + 1 + INR k) with (z + (INR k + 1)) by ring.
    replace (z + (INR k + 1) - 1) with (z + INR k) by ring.
    replace (z + INR k - 1) with (z - 1 + INR k) by ring.
    fold up down.
    assert (stay = INR (kinds - 2) * down) as S by (unfold stay, down; field; lra).
    generalize (weighed (masses up stay down k) price (z + (INR k + 1)))
      (weighed (masses up stay down k) price (z + INR k))
      (weighed (masses up stay down k) price (z - 1 + INR k)).
    intros. rewrite S. ring.
Qed.
End Reports.

(** The price of [k] reports against e^eps: the finite sum. *)
Definition reports_delta (eps0 : R) (kinds : Z) (k : nat) (eps : R) : R :=
  let all := exp eps0 + IZR kinds - 1 in
  weighed (masses (exp eps0 / all) ((IZR kinds - 2) / all) (1 / all) k)
    (fun z => above (1 - exp (eps - z * eps0))) (INR k).

Lemma weighed_ext f g : (forall z, f z = g z) -> forall l z, weighed l f z = weighed l g z.
Proof. intros H. induction l as [| x l IH]; intros z; cbn [weighed]; [reflexivity |]. rewrite H, IH. reflexivity. Qed.

Lemma reports_gain eps0 kinds k eps c :
  (2 <= kinds)%Z -> 0 <= c ->
  gain (power (report eps0 (Z.to_nat kinds)) k) c (c * exp eps) = c * reports_delta eps0 kinds k eps.
Proof.
  intros H Hc. pose proof (report_gain eps0 (exp eps) (Z.to_nat kinds) ltac:(lia) k c 0 Hc) as G.
  rewrite Rmult_0_l, Ropp_0, exp_0, Rmult_1_r, Rplus_0_l in G. rewrite G. f_equal.
  unfold reports_delta. rewrite minus_INR by lia. rewrite INR_IZR_INZ, Z2Nat.id by lia.
  apply weighed_ext. intros z. unfold Rminus. rewrite exp_plus. reflexivity.
Qed.

Lemma report_nonnegative eps0 kinds : (2 <= kinds)%nat -> nonnegative (report eps0 kinds).
Proof.
  intros H p P. pose proof (all_pos eps0 kinds H) as A. pose proof (exp_pos eps0) as G.
  apply Rinv_0_lt_compat in A. unfold report in P.
  assert (0 <= exp eps0 / (exp eps0 + INR kinds - 1)) by (apply Rmult_le_pos; lra).
  assert (0 <= 1 / (exp eps0 + INR kinds - 1)) by (apply Rmult_le_pos; lra).
  destruct P as [<- | [<- | P]]; [simpl; split; assumption .. |].
  apply repeat_spec in P. subst p. simpl. split; assumption.
Qed.

(** X.REPORTS. *)
Theorem reports eps0 kinds k eps delta :
  (2 <= kinds)%Z -> (reports_dp eps0 kinds k eps delta <-> reports_delta eps0 kinds k eps <= delta).
Proof.
  intros H. pose proof (reports_gain eps0 kinds k eps 1 H Rle_0_1) as G. rewrite !Rmult_1_l in G.
  pose proof (report_nonnegative eps0 (Z.to_nat kinds) ltac:(lia)) as N. pose proof (exp_pos eps) as E.
  split.
  - intros D. pose proof (best_gains (report eps0 (Z.to_nat kinds)) k [] 1 (exp eps)) as B.
    pose proof (D _ (fun seen => best_is_test (report eps0 (Z.to_nat kinds)) seen 1 (exp eps))). lra.
  - intros D h Hh.
    pose proof (test_gains_at_most (report eps0 (Z.to_nat kinds)) (fun _ => report eps0 (Z.to_nat kinds))
      N (fun _ => N) (fun _ a b _ _ => Rle_refl _) k [] 1 (exp eps) h Rle_0_1 (Rlt_le _ _ E) Hh). lra.
Qed.

(** ** Boxes: with probability delta0 everything is told, else it is a report of one of two values *)

Definition worst_box (eps0 delta0 : R) : law :=
  let all := exp eps0 + 1 in
  [(delta0, 0); (0, delta0); ((1 - delta0) * (exp eps0 / all), (1 - delta0) * (1 / all));
   ((1 - delta0) * (1 / all), (1 - delta0) * (exp eps0 / all))].

Lemma above_pos x : 0 <= x -> above x = x.
Proof. intros H. apply Rmax_right, H. Qed.

Lemma above_neg x : x <= 0 -> above x = 0.
Proof. intros H. apply Rmax_left, H. Qed.

(** What a test gains is the largest of its gains. *)
Lemma gain_is_of_test l a b :
  gain l a b = a * sum (fun i => (if Rlt_dec 0 (a * chance fst l i - b * chance snd l i) then 1 else 0)
                                 * chance fst l i) (outputs l)
             - b * sum (fun i => (if Rlt_dec 0 (a * chance fst l i - b * chance snd l i) then 1 else 0)
                                 * chance snd l i) (outputs l).
Proof.
  rewrite <- !sum_scale, <- sum_minus. unfold gain.
  rewrite <- (sum_outputs (fun p => above (a * fst p - b * snd p))). apply sum_ext. intros i _.
  unfold chance. destruct (Rlt_dec 0 _); [rewrite above_pos by lra | rewrite above_neg by lra]; ring.
Qed.

Theorem box_dominated eps0 delta0 l :
  0 <= eps0 -> 0 <= delta0 <= 1 -> is_private eps0 delta0 l -> dominated l (worst_box eps0 delta0).
Proof.
  intros He Hd (N & P1 & Q1 & DP) a b Ha Hb. rewrite gain_is_of_test.
  set (h := fun i => if Rlt_dec 0 (a * chance fst l i - b * chance snd l i) then 1 else 0).
  assert (is_test h) as Hh by (intros i; unfold h; destruct (Rlt_dec 0 _); lra).
  assert (is_test (fun i => 1 - h i)) as Hh' by (intros i; pose proof (Hh i); lra).
  destruct (DP h Hh) as [D _]. destruct (DP _ Hh') as [_ D'].
  assert (forall side : R * R -> R, sum side l = 1 ->
    sum (fun i => (1 - h i) * chance side l i) (outputs l) = 1 - sum (fun i => h i * chance side l i) (outputs l))
    as Rest.
  { intros side S. transitivity (sum side l - sum (fun i => h i * chance side l i) (outputs l)); [| rewrite S; ring].
    rewrite <- (sum_outputs side), <- sum_minus. apply sum_ext. intros i _. unfold chance. ring. }
  rewrite (Rest fst P1), (Rest snd Q1) in D'.
  change (a * sum (fun i => h i * chance fst l i) (outputs l)
          - b * sum (fun i => h i * chance snd l i) (outputs l) <= gain (worst_box eps0 delta0) a b).
  assert (forall side, (forall p, In p l -> 0 <= side p) -> side (0, 0) = 0 ->
    0 <= sum (fun i => h i * chance side l i) (outputs l)) as Pos.
  { intros side S Z. rewrite <- (sum_zero (outputs l)). apply sum_le. intros i _.
    apply Rmult_le_pos; [apply Hh |]. unfold chance.
    destruct (nth_in_or_default i l (0, 0)) as [I | ->]; [apply S, I | lra]. }
  pose proof (Pos fst (fun p I => proj1 (N p I)) eq_refl) as P0.
  pose proof (Pos snd (fun p I => proj2 (N p I)) eq_refl) as Q0.
  assert (forall side, (forall p, In p l -> 0 <= side p) -> side (0, 0) = 0 -> sum side l = 1 ->
    sum (fun i => h i * chance side l i) (outputs l) <= 1) as Most.
  { intros side S Z E. rewrite <- E, <- (sum_outputs side). apply sum_le. intros i _. unfold chance.
    assert (0 <= side (nth i l (0, 0)))
      by (destruct (nth_in_or_default i l (0, 0)) as [I | ->]; [apply S, I | lra]).
    pose proof (Hh i). nra. }
  pose proof (Most fst (fun p I => proj1 (N p I)) eq_refl P1) as P2.
  clear Pos Most Rest.
  set (p := sum (fun i => h i * chance fst l i) (outputs l)) in *.
  set (q := sum (fun i => h i * chance snd l i) (outputs l)) in *.
  clearbody p q h. clear N P1 Q1 DP Hh Hh' l.
  unfold gain, worst_box. cbn [sum fst snd].
  assert (1 <= exp eps0) as G by (pose proof (exp_ineq1_le eps0); lra).
  set (g := exp eps0) in *. clearbody g. clear He.
  assert (0 < g + 1) as W by lra. assert (0 < / (g + 1)) as I by (apply Rinv_0_lt_compat, W).
  rewrite (above_pos (a * delta0 - b * 0)) by nra. rewrite (above_neg (a * 0 - b * delta0)) by nra.
  replace (a * ((1 - delta0) * (g / (g + 1))) - b * ((1 - delta0) * (1 / (g + 1))))
    with ((1 - delta0) * / (g + 1) * (a * g - b)) by (field; lra).
  replace (a * ((1 - delta0) * (1 / (g + 1))) - b * ((1 - delta0) * (g / (g + 1))))
    with ((1 - delta0) * / (g + 1) * (a - b * g)) by (field; lra).
  assert (0 <= (1 - delta0) * / (g + 1)) as C by (apply Rmult_le_pos; lra).
  rewrite !above_scale by exact C.
  destruct (Rle_lt_dec (b * g) a) as [L | L]; [| destruct (Rle_lt_dec b (a * g)) as [M | M]].
  - (* b is small: the second inequality *)
    rewrite !above_pos by nra.
    replace (a * delta0 - b * 0 + (0 + ((1 - delta0) * / (g + 1) * (a * g - b)
             + ((1 - delta0) * / (g + 1) * (a - b * g) + 0))))
      with (a - b + b * delta0) by (field; lra).
    nra.
  - (* between: both *)
    rewrite above_pos by lra. rewrite above_neg by lra.
    replace (a * delta0 - b * 0 + (0 + ((1 - delta0) * / (g + 1) * (a * g - b)
             + ((1 - delta0) * / (g + 1) * 0 + 0))))
      with (a * delta0 + (1 - delta0) * (a * g - b) / (g + 1)) by (field; lra).
    assert (1 < g) as G1 by (destruct (Req_dec g 1) as [-> | ?]; lra).
    assert (0 < g * g - 1) as G2 by nra.
    apply Rmult_le_reg_l with (g * g - 1); [exact G2 |].
    replace ((g * g - 1) * (a * delta0 + (1 - delta0) * (a * g - b) / (g + 1)))
      with ((b * g - a) * delta0 + (a * g - b) * (g - 1 + delta0)) by (field; lra).
    replace ((g * g - 1) * (a * p - b * q)) with ((b * g - a) * (p - g * q) + (a * g - b) * (g * p - q)) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - (* b is large: the first inequality *)
    rewrite !above_neg by nra. nra.
Qed.

Lemma gain_scale l c a b : 0 <= c -> gain l (c * a) (c * b) = c * gain l a b.
Proof.
  intros Hc. unfold gain. rewrite <- sum_scale. apply sum_ext. intros p _.
  rewrite <- above_scale by exact Hc. f_equal. ring.
Qed.

Lemma gain_of_all l k : nonnegative l -> sum fst l = 1 -> forall a, 0 <= a -> gain (power l k) a 0 = a.
Proof.
  intros N S. induction k as [| k IH]; intros a Ha.
  - unfold gain. cbn [power sum fst snd]. rewrite above_pos by lra. ring.
  - rewrite gain_power_step. transitivity (sum (fun p => a * fst p) l).
    + apply sum_ext. intros p P. cbv beta. rewrite Rmult_0_l. apply IH. apply Rmult_le_pos; [exact Ha | apply N, P].
    + rewrite sum_scale, S. ring.
Qed.

Lemma gain_of_nothing l k : nonnegative l -> forall b, 0 <= b -> gain (power l k) 0 b = 0.
Proof.
  intros N. induction k as [| k IH]; intros b Hb.
  - unfold gain. cbn [power sum fst snd]. rewrite above_neg by lra. ring.
  - rewrite gain_power_step. transitivity (sum (fun _ : R * R => 0) l); [| apply sum_zero]. apply sum_ext. intros p P. cbv beta. rewrite Rmult_0_l. apply IH.
    apply Rmult_le_pos; [exact Hb | apply N, P].
Qed.

Lemma report_of_two eps0 :
  report eps0 2 = [(exp eps0 / (exp eps0 + 1), 1 / (exp eps0 + 1)); (1 / (exp eps0 + 1), exp eps0 / (exp eps0 + 1))].
Proof.
  unfold report. replace (exp eps0 + INR 2 - 1) with (exp eps0 + 1) by (simpl; ring). reflexivity.
Qed.

Lemma worst_box_nonnegative eps0 delta0 : 0 <= delta0 <= 1 -> nonnegative (worst_box eps0 delta0).
Proof.
  intros Hd p P. pose proof (exp_pos eps0) as G.
  assert (0 < / (exp eps0 + 1)) as A by (apply Rinv_0_lt_compat; lra).
  assert (0 <= exp eps0 / (exp eps0 + 1)) by (apply Rmult_le_pos; lra).
  assert (0 <= 1 / (exp eps0 + 1)) by (apply Rmult_le_pos; lra).
  destruct P as [<- | [<- | [<- | [<- | []]]]]; simpl;
    split; try lra; apply Rmult_le_pos; lra.
Qed.

Lemma box_gain eps0 delta0 : 0 <= delta0 <= 1 -> forall k a b, 0 <= a -> 0 <= b ->
  gain (power (worst_box eps0 delta0) k) a b
  = a * (1 - (1 - delta0) ^ k) + (1 - delta0) ^ k * gain (power (report eps0 2) k) a b.
Proof.
  intros Hd. pose proof (exp_pos eps0) as G.
  assert (nonnegative (report eps0 2)) as N by (apply report_nonnegative; lia).
  assert (sum fst (report eps0 2) = 1) as S by (rewrite report_of_two; cbn [sum fst]; field; lra).
  assert (0 < / (exp eps0 + 1)) as A by (apply Rinv_0_lt_compat; lra).
  assert (0 <= exp eps0 / (exp eps0 + 1)) as U by (apply Rmult_le_pos; lra).
  assert (0 <= 1 / (exp eps0 + 1)) as V by (apply Rmult_le_pos; lra).
  induction k as [| k IH]; intros a b Ha Hb; [cbn [power pow]; ring |].
  rewrite !gain_power_step.
  assert (forall f : R * R -> R, sum f (report eps0 2)
    = f (exp eps0 / (exp eps0 + 1), 1 / (exp eps0 + 1)) + (f (1 / (exp eps0 + 1), exp eps0 / (exp eps0 + 1)) + 0))
    as T by (intros; rewrite report_of_two; reflexivity).
  assert (forall f : R * R -> R, sum f (worst_box eps0 delta0)
    = f (delta0, 0) + (f (0, delta0)
      + (f ((1 - delta0) * (exp eps0 / (exp eps0 + 1)), (1 - delta0) * (1 / (exp eps0 + 1)))
      + (f ((1 - delta0) * (1 / (exp eps0 + 1)), (1 - delta0) * (exp eps0 / (exp eps0 + 1))) + 0))))
    as T' by reflexivity.
  rewrite T, T'. cbn [fst snd]. clear T T'.
  rewrite !IH by (repeat apply Rmult_le_pos; lra). rewrite !Rmult_0_r.
  rewrite gain_of_all by (first [assumption | apply Rmult_le_pos; lra]).
  rewrite gain_of_nothing by (first [assumption | apply Rmult_le_pos; lra]).
  replace (a * ((1 - delta0) * (exp eps0 / (exp eps0 + 1)))) with ((1 - delta0) * (a * (exp eps0 / (exp eps0 + 1)))) by ring.
  replace (b * ((1 - delta0) * (exp eps0 / (exp eps0 + 1)))) with ((1 - delta0) * (b * (exp eps0 / (exp eps0 + 1)))) by ring.
  replace (a * ((1 - delta0) * (1 / (exp eps0 + 1)))) with ((1 - delta0) * (a * (1 / (exp eps0 + 1)))) by ring.
  replace (b * ((1 - delta0) * (1 / (exp eps0 + 1)))) with ((1 - delta0) * (b * (1 / (exp eps0 + 1)))) by ring.
  rewrite !gain_scale by lra.
  generalize (gain (power (report eps0 2) k) (a * (exp eps0 / (exp eps0 + 1))) (b * (1 / (exp eps0 + 1))))
    (gain (power (report eps0 2) k) (a * (1 / (exp eps0 + 1))) (b * (exp eps0 / (exp eps0 + 1)))).
  intros x y. cbn [pow]. field. lra.
Qed.

Lemma worst_box_is_private eps0 delta0 :
  0 <= eps0 -> 0 <= delta0 <= 1 -> is_private eps0 delta0 (worst_box eps0 delta0).
Proof.
  intros He Hd. assert (1 <= exp eps0) as G by (pose proof (exp_ineq1_le eps0); lra).
  split; [apply worst_box_nonnegative, Hd |].
  split; [unfold worst_box; cbn [sum fst]; field; lra |].
  split; [unfold worst_box; cbn [sum snd]; field; lra |].
  intros h Hh. unfold outputs, worst_box, chance. cbn [length seq sum nth fst snd].
  pose proof (Hh 0%nat). pose proof (Hh 1%nat). pose proof (Hh 2%nat). pose proof (Hh 3%nat).
  set (g := exp eps0) in *. clearbody g. clear He.
  assert (0 < / (g + 1)) as A by (apply Rinv_0_lt_compat; lra).
  assert (0 <= (1 - delta0) * / (g + 1)) as C by (apply Rmult_le_pos; lra).
  replace ((1 - delta0) * (g / (g + 1))) with (g * ((1 - delta0) * / (g + 1))) by (field; lra).
  replace ((1 - delta0) * (1 / (g + 1))) with ((1 - delta0) * / (g + 1)) by (field; lra).
  set (c := (1 - delta0) * / (g + 1)) in *. clearbody c.
  assert (1 <= g * g) by nra. assert (0 <= (g * g - 1) * c) by (apply Rmult_le_pos; lra).
  assert (0 <= h 2%nat * ((g * g - 1) * c)) by (apply Rmult_le_pos; lra).
  assert (0 <= h 3%nat * ((g * g - 1) * c)) by (apply Rmult_le_pos; lra).
  assert (0 <= g * (h 1%nat * delta0)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= g * (h 0%nat * delta0)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= (1 - h 0%nat) * delta0) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 - h 1%nat) * delta0) by (apply Rmult_le_pos; lra).
  split; nra.
Qed.

Definition boxes_delta (eps0 delta0 : R) (k : nat) (eps : R) : R :=
  (1 - (1 - delta0) ^ k) + (1 - delta0) ^ k * reports_delta eps0 2 k eps.

(** X.BOXES, for releases with finitely many outputs. *)
Theorem boxes eps0 delta0 k eps delta :
  0 <= eps0 -> 0 <= delta0 <= 1 ->
  (boxes_dp eps0 delta0 k eps delta <-> boxes_delta eps0 delta0 k eps <= delta).
Proof.
  intros He Hd. pose proof (exp_pos eps) as E.
  pose proof (box_gain eps0 delta0 Hd k 1 (exp eps) Rle_0_1 (Rlt_le _ _ E)) as G.
  pose proof (reports_gain eps0 2 k eps 1 ltac:(lia) Rle_0_1) as B. rewrite !Rmult_1_l in B.
  change (Z.to_nat 2) with 2%nat in B. rewrite B, Rmult_1_l in G.
  fold (boxes_delta eps0 delta0 k eps) in G. split.
  - intros D. pose proof (best_gains (worst_box eps0 delta0) k [] 1 (exp eps)).
    pose proof (D (fun _ => worst_box eps0 delta0) (fun _ => worst_box_is_private _ _ He Hd) _
      (fun seen => best_is_test (worst_box eps0 delta0) seen 1 (exp eps))). lra.
  - intros D release P h Hh.
    pose proof (test_gains_at_most (worst_box eps0 delta0) release (worst_box_nonnegative _ _ Hd)
      (fun past => proj1 (P past)) (fun past => box_dominated _ _ _ He Hd (P past))
      k [] 1 (exp eps) h Rle_0_1 (Rlt_le _ _ E) Hh). lra.
Qed.

(** No loss is above [k] times eps0. *)
Lemma reports_delta_none eps0 kinds k eps : 0 <= eps0 -> INR k * eps0 <= eps -> reports_delta eps0 kinds k eps = 0.
Proof.
  intros He H. unfold reports_delta. generalize (masses (exp eps0 / (exp eps0 + IZR kinds - 1))
    ((IZR kinds - 2) / (exp eps0 + IZR kinds - 1)) (1 / (exp eps0 + IZR kinds - 1)) k) as l.
  intros l. revert H. generalize (INR k) as top. induction l as [| x l IH]; intros top H; cbn [weighed]; [reflexivity |].
  rewrite IH by nra. rewrite above_neg; [ring |].
  pose proof (exp_ineq1_le (eps - top * eps0)). lra.
Qed.

Theorem boxes_above_all eps0 delta0 k eps delta :
  0 <= eps0 -> 0 <= delta0 <= 1 -> INR k * eps0 <= eps -> 1 - (1 - delta0) ^ k <= delta ->
  boxes_dp eps0 delta0 k eps delta.
Proof.
  intros He Hd H D. apply boxes; [exact He | exact Hd |]. unfold boxes_delta.
  rewrite reports_delta_none by assumption. lra.
Qed.

Theorem reports_above_all eps0 kinds k eps delta :
  (2 <= kinds)%Z -> 0 <= eps0 -> INR k * eps0 <= eps -> 0 <= delta -> reports_dp eps0 kinds k eps delta.
Proof.
  intros K He H D. apply reports; [exact K |]. rewrite reports_delta_none by assumption. exact D.
Qed.

(** ** At given numbers, by computation *)

Module C := FastChecker.

Section Computed.
Variable bits : positive.
Let prec := C.F.PtoP bits.

(** The interval of [above], also where the sign is not known. *)
Definition above_in (i : C.I.type) : C.I.type :=
  match C.I.sign_strict i with
  | Xlt => C.I.fromZ prec 0
  | Xgt => i
  | _ => C.I.join (C.I.fromZ prec 0) i
  end.

Lemma above_has i x : C.has i x -> C.has (above_in i) (above x).
Proof.
  intros H. unfold above_in. pose proof (C.I.sign_strict_correct i) as S.
  assert (C.has (C.I.join (C.I.fromZ prec 0) i) (above x)) as J.
  { destruct (Rle_lt_dec 0 x) as [L | L].
    - rewrite above_pos by exact L. apply (C.join_has _ _ 0 x x); [apply C.whole_has | exact H | lra].
    - rewrite above_neg by lra. unfold C.has. apply C.I.join_correct. left. apply C.whole_has. }
  destruct (C.I.sign_strict i); [exact J | | | exact J]; destruct (S _ H) as [_ L]; simpl in L.
  - rewrite above_neg by lra. apply C.whole_has.
  - rewrite above_pos by lra. exact H.
Qed.

(** 1 - e^(eps - z eps0), or nothing where that is soon seen. *)
Definition price_in (eps0 eps : C.I.type) (z : Z) : C.I.type :=
  let gap := C.I.sub prec eps (C.I.mul prec (C.I.fromZ prec z) eps0) in
  match C.I.sign_strict gap with
  | Xgt => C.I.fromZ prec 0
  | _ => above_in (C.I.sub prec (C.I.fromZ prec 1) (C.I.exp prec gap))
  end.

Lemma price_has i j eps0 eps z :
  C.has i eps0 -> C.has j eps -> C.has (price_in i j z) (above (1 - exp (eps - IZR z * eps0))).
Proof.
  intros A B. unfold price_in.
  set (gap := C.I.sub prec j (C.I.mul prec (C.I.fromZ prec z) i)).
  assert (C.has gap (eps - IZR z * eps0)) as G
    by (apply C.sub_has; [exact B |]; apply C.mul_has; [apply C.whole_has | exact A]).
  assert (C.has (above_in (C.I.sub prec (C.I.fromZ prec 1) (C.I.exp prec gap)))
            (above (1 - exp (eps - IZR z * eps0)))) as E.
  { apply above_has, C.sub_has; [apply C.whole_has | apply C.exp_has, G]. }
  pose proof (C.I.sign_strict_correct gap) as S.
  destruct (C.I.sign_strict gap); try exact E. destruct (S _ G) as [_ L]. simpl in L.
  rewrite above_neg; [apply C.whole_has |]. pose proof (exp_ineq1_le (eps - IZR z * eps0)). lra.
Qed.

Fixpoint added_in (l l' : list C.I.type) : list C.I.type :=
  match l, l' with
  | [], _ => l'
  | _, [] => l
  | x :: l, y :: l' => C.I.add prec x y :: added_in l l'
  end.

Lemma added_has : forall l m, Forall2 C.has l m -> forall l' m', Forall2 C.has l' m' ->
  Forall2 C.has (added_in l l') (added m m').
Proof.
  induction 1 as [| x u l m X L IH]; intros l' m' H'; [exact H' |].
  destruct H' as [| y v l' m' Y L']; cbn [added_in added]; constructor; try assumption.
  - apply C.add_has; assumption.
  - apply IH, L'.
Qed.

Lemma scaled_has i c : C.has i c -> forall l m, Forall2 C.has l m ->
  Forall2 C.has (map (C.I.mul prec i) l) (map (Rmult c) m).
Proof. intros A. induction 1; constructor; [apply C.mul_has; assumption | assumption]. Qed.

Fixpoint masses_in (up stay down : C.I.type) (k : nat) : list C.I.type :=
  match k with
  | O => [C.I.fromZ prec 1]
  | S rest =>
      let before := masses_in up stay down rest in
      added_in (map (C.I.mul prec up) before)
        (C.I.fromZ prec 0 :: added_in (map (C.I.mul prec stay) before)
           (C.I.fromZ prec 0 :: map (C.I.mul prec down) before))
  end.

Lemma masses_has i j l up stay down : C.has i up -> C.has j stay -> C.has l down ->
  forall k, Forall2 C.has (masses_in i j l k) (masses up stay down k).
Proof.
  intros U V W. induction k as [| k IH]; cbn [masses_in masses].
  - constructor; [apply C.whole_has | constructor].
  - apply added_has; [apply scaled_has; assumption |]. constructor; [apply C.whole_has |].
    apply added_has; [apply scaled_has; assumption |]. constructor; [apply C.whole_has |].
    apply scaled_has; assumption.
Qed.

Fixpoint weighed_in (l : list C.I.type) (f : Z -> C.I.type) (z : Z) : C.I.type :=
  match l with
  | [] => C.I.fromZ prec 0
  | m :: rest => C.I.add prec (C.I.mul prec m (f z)) (weighed_in rest f (z - 1))
  end.

Lemma weighed_has f g : (forall z, C.has (f z) (g (IZR z))) -> forall l m, Forall2 C.has l m ->
  forall z, C.has (weighed_in l f z) (weighed m g (IZR z)).
Proof.
  intros F. induction 1 as [| x u l m X L IH]; intros z; cbn [weighed_in weighed]; [apply C.whole_has |].
  apply C.add_has; [apply C.mul_has; [exact X | apply F] |]. rewrite <- minus_IZR. apply IH.
Qed.

Definition reports_in (eps0 eps : C.I.type) (kinds : Z) (k : nat) : C.I.type :=
  let power := C.I.exp prec eps0 in
  let all := C.I.sub prec (C.I.add prec power (C.I.fromZ prec kinds)) (C.I.fromZ prec 1) in
  let others := C.I.sub prec (C.I.fromZ prec kinds) (C.I.fromZ prec 2) in
  weighed_in
    (masses_in (C.I.div prec power all) (C.I.div prec others all)
       (C.I.div prec (C.I.fromZ prec 1) all) k)
    (price_in eps0 eps) (Z.of_nat k).

Lemma reports_has i j eps0 eps kinds k :
  C.has i eps0 -> C.has j eps -> C.has (reports_in i j kinds k) (reports_delta eps0 kinds k eps).
Proof.
  intros A B. unfold reports_in, reports_delta. rewrite INR_IZR_INZ.
  apply (weighed_has _ (fun z => above (1 - exp (eps - z * eps0)))); [intros z; apply price_has; assumption |].
  apply masses_has; apply C.div_has;
    repeat first [apply C.sub_has | apply C.add_has | apply C.exp_has | apply C.whole_has | exact A].
Qed.

Definition boxes_in (eps0 delta0 eps : C.I.type) (k : nat) : C.I.type :=
  let kept := C.I.power_int prec (C.I.sub prec (C.I.fromZ prec 1) delta0) (Z.of_nat k) in
  C.I.add prec (C.I.sub prec (C.I.fromZ prec 1) kept) (C.I.mul prec kept (reports_in eps0 eps 2 k)).

Lemma boxes_has i j l eps0 delta0 eps k :
  C.has i eps0 -> C.has j delta0 -> C.has l eps ->
  C.has (boxes_in i j l k) (boxes_delta eps0 delta0 k eps).
Proof.
  intros A B E. unfold boxes_in, boxes_delta. rewrite pow_powerRZ.
  assert (C.has (C.I.power_int prec (C.I.sub prec (C.I.fromZ prec 1) j) (Z.of_nat k))
            (powerRZ (1 - delta0) (Z.of_nat k))) as K
    by (apply C.power_has, C.sub_has; [apply C.whole_has | exact B]).
  apply C.add_has; [apply C.sub_has; [apply C.whole_has | exact K] |].
  apply C.mul_has; [exact K | apply reports_has; assumption].
Qed.

Definition at_most_in (i j : C.I.type) : bool :=
  match C.I.sign_large (C.I.sub prec i j) with Xlt | Xeq => true | _ => false end.

Definition below_in (i j : C.I.type) : bool :=
  match C.I.sign_strict (C.I.sub prec i j) with Xlt => true | _ => false end.

Lemma at_most_in_ok i j x y : C.has i x -> C.has j y -> at_most_in i j = true -> x <= y.
Proof.
  intros A B. unfold at_most_in. pose proof (C.I.sign_large_correct (C.I.sub prec i j)) as S.
  pose proof (C.sub_has bits _ _ _ _ A B) as V.
  destruct (C.I.sign_large (C.I.sub prec i j)); intros; try discriminate.
  - pose proof (S _ V) as E. injection E. lra.
  - pose proof (S _ V) as [_ E]. simpl in E. lra.
Qed.

Lemma below_in_ok i j x y : C.has i x -> C.has j y -> below_in i j = true -> x < y.
Proof.
  intros A B. unfold below_in. pose proof (C.I.sign_strict_correct (C.I.sub prec i j)) as S.
  pose proof (C.sub_has bits _ _ _ _ A B) as V.
  destruct (C.I.sign_strict (C.I.sub prec i j)); intros; try discriminate.
  pose proof (S _ V) as [_ E]. simpl in E. lra.
Qed.

Let value := C.value bits.

Definition reports_at (eps0 : expression) (kinds : Z) (k : nat) (eps delta : expression) : bool :=
  (2 <=? kinds)%Z && at_most_in (reports_in (value eps0) (value eps) kinds k) (value delta).

Definition not_reports_at (eps0 : expression) (kinds : Z) (k : nat) (eps delta : expression) : bool :=
  (2 <=? kinds)%Z && below_in (value delta) (reports_in (value eps0) (value eps) kinds k).

Definition is_box_at (eps0 delta0 : expression) : bool :=
  C.at_most bits (Whole 0) eps0 && C.at_most bits (Whole 0) delta0 && C.at_most bits delta0 (Whole 1).

Definition boxes_at (eps0 delta0 : expression) (k : nat) (eps delta : expression) : bool :=
  is_box_at eps0 delta0 && at_most_in (boxes_in (value eps0) (value delta0) (value eps) k) (value delta).

Definition not_boxes_at (eps0 delta0 : expression) (k : nat) (eps delta : expression) : bool :=
  is_box_at eps0 delta0 && below_in (value delta) (boxes_in (value eps0) (value delta0) (value eps) k).

Theorem reports_ok eps0 kinds k eps delta :
  reports_at eps0 kinds k eps delta = true -> reports_dp (denote eps0) kinds k (denote eps) (denote delta).
Proof.
  unfold reports_at. rewrite Bool.andb_true_iff. intros [K H]. apply Z.leb_le in K.
  apply reports; [exact K |]. refine (at_most_in_ok _ _ _ _ _ _ H);
    [apply reports_has |]; apply C.value_has.
Qed.

Theorem not_reports_ok eps0 kinds k eps delta :
  not_reports_at eps0 kinds k eps delta = true ->
  ~ reports_dp (denote eps0) kinds k (denote eps) (denote delta).
Proof.
  unfold not_reports_at. rewrite Bool.andb_true_iff. intros [K H] D. apply Z.leb_le in K.
  apply reports in D; [| exact K]. apply Rle_not_lt in D. apply D.
  refine (below_in_ok _ _ _ _ _ _ H); [| apply reports_has]; apply C.value_has.
Qed.

Lemma is_box_at_ok eps0 delta0 : is_box_at eps0 delta0 = true -> 0 <= denote eps0 /\ 0 <= denote delta0 <= 1.
Proof.
  unfold is_box_at. rewrite !Bool.andb_true_iff. intros [[A B] D].
  apply C.at_most_ok in A, B, D. simpl in A, B, D. lra.
Qed.

Theorem boxes_ok eps0 delta0 k eps delta :
  boxes_at eps0 delta0 k eps delta = true ->
  boxes_dp (denote eps0) (denote delta0) k (denote eps) (denote delta).
Proof.
  unfold boxes_at. rewrite Bool.andb_true_iff. intros [X H]. apply is_box_at_ok in X. destruct X as [A B].
  apply boxes; [exact A | exact B |]. refine (at_most_in_ok _ _ _ _ _ _ H);
    [apply boxes_has |]; apply C.value_has.
Qed.

Theorem not_boxes_ok eps0 delta0 k eps delta :
  not_boxes_at eps0 delta0 k eps delta = true ->
  ~ boxes_dp (denote eps0) (denote delta0) k (denote eps) (denote delta).
Proof.
  unfold not_boxes_at. rewrite Bool.andb_true_iff. intros [X H] D. apply is_box_at_ok in X. destruct X as [A B].
  apply boxes in D; [| exact A | exact B]. apply Rle_not_lt in D. apply D.
  refine (below_in_ok _ _ _ _ _ _ H); [| apply boxes_has]; apply C.value_has.
Qed.

End Computed.

(** [by_losses bits] decides a claim about given numbers by the finite sum over the losses. *)
Ltac by_losses bits :=
  let text t := text_of 0%nat 0%nat t in
  match goal with
  | |- reports_dp ?x ?n ?k ?e ?d =>
      let x := text x in let e := text e in let d := text d in refine (reports_ok bits x n k e d _)
  | |- ~ reports_dp ?x ?n ?k ?e ?d =>
      let x := text x in let e := text e in let d := text d in refine (not_reports_ok bits x n k e d _)
  | |- boxes_dp ?x ?y ?k ?e ?d =>
      let x := text x in let y := text y in let e := text e in let d := text d in
      refine (boxes_ok bits x y k e d _)
  | |- ~ boxes_dp ?x ?y ?k ?e ?d =>
      let x := text x in let y := text y in let e := text e in let d := text d in
      refine (not_boxes_ok bits x y k e d _)
  end;
  vm_cast_no_check (@eq_refl bool true).

(** [by_largest_loss] proves one where no loss is above eps, also if delta is reached exactly. *)
Ltac by_largest_loss :=
  first [apply boxes_above_all; [lra | lra | | ] | apply reports_above_all; [lia | lra | | ]];
  [rewrite INR_IZR_INZ; simpl Z.of_nat; lra | cbn [pow]; lra].
