(** * The series of the area under the bell

    With t_k = x^(2k+1)/(2k+1)!! and S_n = t_0 + ... + t_(n-1), the area from 0 to x is between
    bell(x) S_n and bell(x) S_n + t_n for n >= 1, x >= 0: both differences vanish at 0 and rise,
    since (bell S_n)' = bell (1 - x t_(n-1)) and t_n' = x t_(n-1).  For x < 0 the area, S_n and
    t_n change sign. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Calculus GaussianIntegral.
Open Scope R_scope.

Fixpoint term (n : nat) (x : R) : R :=
  match n with O => x | S m => term m x * (x * x) / (2 * INR m + 3) end.

Fixpoint partial_sum (n : nat) (x : R) : R :=
  match n with O => 0 | S m => partial_sum m x + term m x end.

Lemma term_nonneg n x : 0 <= x -> 0 <= term n x.
Proof.
  intros Hx. induction n as [| n IH]; simpl; [exact Hx |].
  apply Rmult_le_pos; [apply Rmult_le_pos; [exact IH | nra] |].
  apply Rlt_le, Rinv_0_lt_compat. pose proof (pos_INR n). lra.
Qed.

Lemma term_opp n x : term n (- x) = - term n x.
Proof.
  induction n as [| n IH]; simpl; [reflexivity |].
  rewrite IH. field. pose proof (pos_INR n). lra.
Qed.

Lemma partial_sum_opp n x : partial_sum n (- x) = - partial_sum n x.
Proof. induction n as [| n IH]; simpl; [ring |]. rewrite IH, term_opp. ring. Qed.

Lemma term_at_0 n : term n 0 = 0.
Proof. induction n as [| n IH]; simpl; [reflexivity |]. rewrite IH. unfold Rdiv. ring. Qed.

Lemma partial_sum_at_0 n : partial_sum n 0 = 0.
Proof. induction n as [| n IH]; simpl; [reflexivity |]. rewrite IH, term_at_0. ring. Qed.

(** The second half, x t_n' = (2n+1) t_n, is what the induction needs. *)
Lemma term_derives n x :
  is_derive (term (S n)) x (x * term n x)
  /\ exists d, is_derive (term n) x d /\ x * d = (2 * INR n + 1) * term n x.
Proof.
  induction n as [| n [IH1 [d [IH2 IH3]]]].
  - split.
    + apply (is_derive_ext (fun x => x * (x * x) / (2 * 0 + 3))); [reflexivity |].
      auto_derive; [trivial |]. simpl. field.
    + exists 1. split; [| simpl; ring].
      apply (is_derive_ext (fun x => x)); [reflexivity | auto_derive; trivial].
  - pose proof (pos_INR n) as Hn. pose proof (pos_INR (S n)) as HSn.
    assert (x * (x * term n x) = (2 * INR (S n) + 1) * term (S n) x) as E.
    { rewrite S_INR. simpl. field. lra. }
    split; [| exists (x * term n x); split; [apply IH1 | exact E]].
    apply (is_derive_ext (fun x => term (S n) x * (x * x) * / (2 * INR (S n) + 3))).
    { reflexivity. }
    evar_last.
    + apply (is_derive_mult (fun x => term (S n) x * (x * x)) (fun _ => / (2 * INR (S n) + 3)) x).
      * apply (is_derive_mult (term (S n)) (fun x => x * x) x); [apply IH1 | |].
        -- apply (is_derive_mult (fun x => x) (fun x => x) x);
             [apply is_derive_id .. | intros; apply Rmult_comm].
        -- intros; apply Rmult_comm.
      * apply (is_derive_const (/ (2 * INR (S n) + 3)) x).
      * intros; apply Rmult_comm.
    + unfold plus, mult, zero, one; simpl. unfold mult; simpl. fold (term (S n) x).
      change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)).
      change (term n x * (x * x) / (2 * INR n + 3)) with (term (S n) x).
      replace (x * term n x * (x * x) + term (S n) x * (1 * x + x * 1))
        with ((2 * INR (S n) + 3) * (x * term (S n) x)).
      * field. lra.
      * replace (x * term n x * (x * x)) with (x * (x * (x * term n x))) by ring.
        rewrite E. ring.
Qed.

Lemma term_derive n x : is_derive (term (S n)) x (x * term n x).
Proof. apply term_derives. Qed.

Lemma partial_sum_derive n x : is_derive (partial_sum (S n)) x (1 + x * partial_sum n x).
Proof.
  induction n as [| n IH].
  - apply (is_derive_ext (fun x => 0 + x)); [reflexivity |].
    auto_derive; [trivial |]. simpl. ring.
  - apply (is_derive_ext (fun x => partial_sum (S n) x + term (S n) x)); [reflexivity |].
    evar_last.
    + apply (is_derive_plus (partial_sum (S n)) (term (S n))); [apply IH | apply term_derive].
    + unfold plus; simpl. ring.
Qed.

Lemma bell_sum_derive n x :
  is_derive (fun x => bell x * partial_sum (S n) x) x (bell x * (1 - x * term n x)).
Proof.
  evar_last.
  - apply (is_derive_mult bell (partial_sum (S n)) x);
      [apply bell_derive | apply partial_sum_derive | intros; apply Rmult_comm].
  - unfold plus, mult; simpl. ring.
Qed.

Theorem area_series n x :
  0 <= x ->
  bell x * partial_sum (S n) x <= area x <= bell x * partial_sum (S n) x + term (S n) x.
Proof.
  intros Hx. split; apply Rminus_le_0.
  - replace 0 with (area 0 - bell 0 * partial_sum (S n) 0)
      by (rewrite area_0, partial_sum_at_0; ring).
    apply (nondecreasing (fun x => area x - bell x * partial_sum (S n) x)
             (fun x => bell x * (x * term n x))); [exact Hx | |].
    + intros y _. evar_last.
      * apply (is_derive_minus area (fun x => bell x * partial_sum (S n) x));
          [apply area_derive | apply bell_sum_derive].
      * unfold minus, plus, opp; simpl. ring.
    + intros y Hy. pose proof (bell_pos y). pose proof (term_nonneg n y).
      apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra |]. apply H0; lra.
  - replace 0 with (bell 0 * partial_sum (S n) 0 + term (S n) 0 - area 0)
      by (rewrite area_0, partial_sum_at_0, term_at_0; ring).
    apply (nondecreasing (fun x => bell x * partial_sum (S n) x + term (S n) x - area x)
             (fun x => (1 - bell x) * (x * term n x))); [exact Hx | |].
    + intros y _. evar_last.
      * apply (is_derive_minus (fun x => bell x * partial_sum (S n) x + term (S n) x) area);
          [| apply area_derive].
        apply (is_derive_plus (fun x => bell x * partial_sum (S n) x) (term (S n)));
          [apply bell_sum_derive | apply term_derive].
      * unfold minus, plus, opp; simpl. ring.
    + intros y Hy. pose proof (bell_le_1 y). pose proof (term_nonneg n y).
      apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra |]. apply H0; lra.
Qed.

(** The rest after n terms is between 0 and t_n, whatever the sign of x. *)
Corollary area_rest n x :
  let rest := area x - bell x * partial_sum (S n) x in
  0 <= rest <= term (S n) x \/ term (S n) x <= rest <= 0.
Proof.
  destruct (Rle_lt_dec 0 x) as [H | H].
  - left. pose proof (area_series n x H). lra.
  - right. pose proof (area_series n (- x)) as B.
    rewrite area_opp, bell_opp, partial_sum_opp, term_opp in B. lra.
Qed.
