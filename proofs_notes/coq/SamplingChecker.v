(** * DP-SGD at given numbers, by computation *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals ZArith List Psatz.
From Dporacle Require Import Definitions Expressions Boxes Sampling Moments Events Shuffled.
From Dporacle Require FastChecker.
Import ListNotations.
Open Scope R_scope.

(** ** HOLDS: the moments as texts *)

Fixpoint factorial (k : nat) : Z :=
  match k with O => 1 | S k => Z.of_nat (S k) * factorial k end.

Lemma factorial_value k : IZR (factorial k) = INR (fact k).
Proof.
  induction k as [| k IH]; [reflexivity |].
  cbn [factorial]. rewrite mult_IZR, IH, <- INR_IZR_INZ, fact_simpl, mult_INR. reflexivity.
Qed.

Fixpoint sum_text (f : nat -> expression) (N : nat) : expression :=
  match N with O => f O | S N => Add (sum_text f N) (f (S N)) end.

Lemma sum_value f N : denote (sum_text f N) = sum_f_R0 (fun k => denote (f k)) N.
Proof. induction N as [| N IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Definition count (k : nat) : expression := Whole (Z.of_nat k).

Lemma count_value k : denote (count k) = INR k.
Proof. simpl. symmetry. apply INR_IZR_INZ. Qed.

Definition growth_text (sigma : expression) (k : nat) : expression :=
  Exp (Div (Mul (count k) (Sub (count k) (Whole 1))) (Mul (Whole 2) (Mul sigma sigma))).

Definition more_text (n : nat) (sigma q : expression) (k : nat) : expression :=
  Mul (Mul (Div (Whole (factorial (S n))) (Mul (Whole (factorial k)) (Whole (factorial (S n - k)))))
        (Mul (Power q (Z.of_nat k)) (Power (Sub (Whole 1) q) (Z.of_nat (S n - k)))))
    (growth_text sigma k).

Definition less_text (n : nat) (sigma q : expression) : expression :=
  Add (Whole 1)
    (Mul (Sub (Sub (Div (Whole 1) (Power (Sub (Whole 1) q) (Z.of_nat n))) (Whole 1)) (Mul (count n) q))
      (Sub (growth_text sigma 2) (Whole 1))).

Definition gain_text (n : nat) (eps : expression) : expression :=
  Div (Whole 1)
    (Mul (count (S n)) (Power (Mul (Exp eps) (Div (count (S n)) (count n))) (Z.of_nat n))).

Lemma growth_value sigma k : denote (growth_text sigma k) = growth (denote sigma) k.
Proof. unfold growth_text. cbn [denote]. rewrite count_value. reflexivity. Qed.

Lemma more_value n sigma q :
  denote (sum_text (more_text n sigma q) (S n)) = more_moment n (denote sigma) (denote q).
Proof.
  rewrite sum_value. apply sum_eq. intros k _. unfold more_text, more_coefficient, Binomial.C.
  cbn [denote]. rewrite growth_value, !factorial_value, <- !pow_powerRZ. reflexivity.
Qed.

Lemma less_value n sigma q :
  denote (less_text n sigma q) = less_moment n (denote sigma) (denote q).
Proof.
  unfold less_text, less_moment. cbn [denote]. rewrite growth_value, count_value, <- pow_powerRZ.
  unfold Rdiv. rewrite Rmult_1_l. reflexivity.
Qed.

Lemma gain_value n eps : denote (gain_text n eps) = gain n (denote eps).
Proof.
  unfold gain_text, gain. cbn [denote]. rewrite !count_value, <- pow_powerRZ.
  unfold Rdiv at 1. rewrite Rmult_1_l. reflexivity.
Qed.

Definition sampled (bits : positive) (sigma q : expression) : bool :=
  FastChecker.below bits (Whole 0) sigma && FastChecker.at_most bits (Whole 0) q.

Lemma sampled_ok bits sigma q : sampled bits sigma q = true -> 0 < denote sigma /\ 0 <= denote q.
Proof.
  unfold sampled. rewrite Bool.andb_true_iff. intros [A B].
  apply FastChecker.below_ok in A. apply FastChecker.at_most_ok in B. split; assumption.
Qed.

Definition by_moment (n : nat) (bits : positive) (related : relation)
    (eps delta sigma q : expression) (steps : Z) : bool :=
  (0 <? n)%nat && (0 <=? steps)%Z
  && match related with replace_one => false | _ => true end
  && sampled bits sigma q && FastChecker.below bits q (Whole 1)
  && FastChecker.at_most bits
       (Mul (gain_text n eps) (Power (sum_text (more_text n sigma q) (S n)) steps)) delta
  && FastChecker.at_most bits (Mul (gain_text n eps) (Power (less_text n sigma q) steps)) delta.

Theorem by_moment_ok n bits related eps delta sigma q steps :
  by_moment n bits related eps delta sigma q steps = true ->
  dp_sgd_dp related (denote eps) (denote delta) (denote sigma) (denote q) steps.
Proof.
  unfold by_moment. rewrite !Bool.andb_true_iff. intros [[[[[[N K] Re] S] B] More] Less].
  apply Nat.ltb_lt in N. apply Z.leb_le in K. apply sampled_ok in S. destruct S.
  apply FastChecker.below_ok in B. apply FastChecker.at_most_ok in More, Less.
  cbn [denote] in More, Less. rewrite gain_value in More, Less.
  rewrite more_value in More. rewrite less_value in Less.
  apply (private_by_moments n); try assumption; [split; assumption |].
  intros ->. discriminate.
Qed.

(** ** VIOLATED: an event *)

Definition below_text (terms terms' : nat) (sigma q cut : expression) (u : Z) : expression :=
  Add (Mul (Sub (Whole 1) q) (Normal terms (Div cut sigma)))
    (Mul q (Normal terms' (Div (Sub cut (Whole u)) sigma))).

Definition opposed_whole (related : relation) (u u' : Z) : bool :=
  match related with
  | replace_one => (u =? 1)%Z && (u' =? -1)%Z
  | _ => (u =? 1)%Z && (u' =? 0)%Z || (u =? 0)%Z && (u' =? 1)%Z
  end.

Lemma opposed_ok related u u' :
  opposed_whole related u u' = true -> opposed related (IZR u) (IZR u').
Proof.
  unfold opposed_whole, opposed.
  destruct related; rewrite ?Bool.orb_true_iff, !Bool.andb_true_iff, !Z.eqb_eq;
    intuition (subst; auto).
Qed.

(** [above]: the event is that a sum is above the cut. *)
Definition by_event (terms terms' terms'' : nat) (bits : positive) (above : bool) (u u' : Z)
    (cut : expression) (related : relation) (eps delta sigma q : expression) (steps : Z) : bool :=
  let p := Power (below_text terms terms' sigma q cut u) steps in
  let p' := Power (below_text terms terms'' sigma q cut u') steps in
  let event x := if above then Sub (Whole 1) x else x in
  opposed_whole related u u' && (0 <=? steps)%Z && FastChecker.below bits (Whole 0) sigma
  && FastChecker.below bits (Add (Mul (Exp eps) (event p')) delta) (event p).

Theorem by_event_ok terms terms' terms'' bits above u u' cut related eps delta sigma q steps :
  by_event terms terms' terms'' bits above u u' cut related eps delta sigma q steps = true ->
  ~ dp_sgd_dp related (denote eps) (denote delta) (denote sigma) (denote q) steps.
Proof.
  unfold by_event. rewrite !Bool.andb_true_iff. intros [[[O K] S] E] DP.
  apply opposed_ok in O. apply Z.leb_le in K. apply FastChecker.below_ok in S, E.
  destruct (dp_sgd_events _ _ S related _ _ steps (IZR u) (IZR u') (denote cut) O K DP) as [A B].
  unfold below in A, B. destruct above; cbn [denote below_text] in E; lra.
Qed.

Definition kept_text (count size dropped : Z) : expression :=
  Div (Whole (count * size)) (Whole (count * size + dropped)).

Definition all_below_text (terms terms' : nat) (sigma cut : expression) (u count size dropped epochs : Z)
    : expression :=
  let kept := kept_text count size dropped in let empty := Normal terms (Div cut sigma) in
  Power (Mul (Power empty (count - 1))
    (Add (Mul kept (Normal terms' (Div (Sub cut (Whole (u + 1))) sigma))) (Mul (Sub (Whole 1) kept) empty)))
    epochs.

Definition against_whole (related : relation) (u u' : Z) : bool :=
  match related with
  | add_remove => (u =? 1)%Z && (u' =? -1)%Z || (u =? -1)%Z && (u' =? 1)%Z
  | _ => opposed_whole related u u'
  end.

Lemma against_ok related u u' :
  against_whole related u u' = true -> against related (IZR u) (IZR u').
Proof.
  intros H. destruct related; [| exact (opposed_ok zero_out u u' H) | exact (opposed_ok replace_one u u' H)].
  unfold against_whole in H. unfold against.
  rewrite ?Bool.orb_true_iff, !Bool.andb_true_iff, !Z.eqb_eq in H. intuition (subst; auto).
Qed.

Definition by_shuffled_event (terms terms' terms'' : nat) (bits : positive) (above : bool) (u u' : Z)
    (cut : expression) (related : relation) (eps delta sigma : expression) (count size dropped epochs : Z)
    : bool :=
  let p := all_below_text terms terms' sigma cut u count size dropped epochs in
  let p' := all_below_text terms terms'' sigma cut u' count size dropped epochs in
  let event x := if above then Sub (Whole 1) x else x in
  against_whole related u u' && match related with add_remove => (0 <? dropped)%Z | _ => true end
  && (0 <? count)%Z && (0 <? size)%Z && (0 <=? dropped)%Z && (0 <=? epochs)%Z
  && FastChecker.below bits (Whole 0) sigma
  && FastChecker.below bits (Add (Mul (Exp eps) (event p')) delta) (event p).

Theorem by_shuffled_event_ok terms terms' terms'' bits above u u' cut related eps delta sigma count size
    dropped epochs :
  by_shuffled_event terms terms' terms'' bits above u u' cut related eps delta sigma count size dropped epochs
    = true ->
  ~ shuffled_dp related (denote eps) (denote delta) (denote sigma) count size dropped epochs.
Proof.
  unfold by_shuffled_event. rewrite !Bool.andb_true_iff. intros [[[[[[[O Re] C] B] D] K] S] E] DP.
  apply against_ok in O. apply Z.ltb_lt in C, B. apply Z.leb_le in D, K. apply FastChecker.below_ok in S, E.
  assert (related = add_remove -> (0 < dropped)%Z) as Re' by (intros ->; apply Z.ltb_lt, Re).
  destruct (shuffled_events related _ _ _ count size dropped epochs (IZR u) (IZR u') (denote cut)
              S C B D K Re' O DP) as [A A'].
  unfold all_below, kept in A, A'.
  destruct above; cbn [denote all_below_text kept_text] in E; rewrite !plus_IZR in E;
    rewrite !plus_IZR in A, A'; lra.
Qed.

Ltac dp_sgd_texts terms k :=
  match goal with
  | |- context [shuffled_dp ?r ?e ?d ?s _ _ _ _] =>
      let e := text_of terms terms e in let d := text_of terms terms d in
      let s := text_of terms terms s in k r e d s s O
  | |- context [dp_sgd_dp ?r ?e ?d ?s ?q ?t] =>
      let e := text_of terms terms e in let d := text_of terms terms d in
      let s := text_of terms terms s in let q := text_of terms terms q in
      k r e d s q t
  end.

(** [by_moments n bits] proves that DP-SGD is private by the moment of order n + 1. *)
Ltac by_moments n bits :=
  dp_sgd_texts O ltac:(fun r e d s q t => refine (by_moment_ok n bits r e d s q t _));
  vm_cast_no_check (@eq_refl bool true).

(** [by_events above u u' cut bits terms terms' terms''] proves that it is not; of shuffled batches too. *)
Ltac by_events above u u' cut bits terms terms' terms'' :=
  let cut := text_of O O cut in
  dp_sgd_texts O ltac:(fun r e d s q t =>
    first [refine (by_event_ok terms terms' terms'' bits above u u' cut r e d s q t _)
          | refine (by_shuffled_event_ok terms terms' terms'' bits above u u' cut r e d s _ _ _ _ _)]);
  vm_cast_no_check (@eq_refl bool true).
