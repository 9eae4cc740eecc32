(** * DP-SGD is not private: events whose probability is a power

    One record, or two against each other, with contributions of norm 1 in one dimension.  That all
    sums are at most [cut], or that one is above, has a probability in closed form; for one step
    these are the best tests, since the ratio of the two densities is monotone. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson UnboundedWindows.
From Dporacle Require Import Boxes Sampling.
Import ListNotations.
Open Scope R_scope.

Lemma power_limit (u : nat -> R) (l : R) T :
  is_lim_seq u l -> is_lim_seq (fun k => u k ^ T) (l ^ T).
Proof.
  intros H. induction T as [| T IH]; [apply is_lim_seq_const |]. apply is_lim_seq_mult'; assumption.
Qed.

(** Independent steps, each with the probability [m] of its box. *)
Lemma run_integral step box m :
  (forall past, box_integral box (step past) m) -> forall T past,
  boxes_integral (repeat box T) (run_density step past) (m ^ T).
Proof.
  intros H. induction T as [| T IH]; intros past; [reflexivity |].
  exists (fun y => step past y * m ^ T). split.
  - intros y. apply boxes_scale, IH.
  - cbn [pow]. rewrite Rmult_comm.
    replace (fun y => step past y * m ^ T) with (fun y => m ^ T * step past y);
      [apply box_scale, H |]. apply functional_extensionality. intros; ring.
Qed.

Definition at_most_cut (cut : R) (y : list R) : R :=
  match y with t :: _ => if Rle_dec t cut then 1 else 0 | [] => 0 end.

Fixpoint all_at_most (cut : R) (ys : list (list R)) : R :=
  match ys with [] => 1 | y :: ys => at_most_cut cut y * all_at_most cut ys end.

Lemma all_at_most_bounds cut ys : 0 <= all_at_most cut ys <= 1.
Proof.
  induction ys as [| [| t y] ys IH]; simpl; try lra. destruct (Rle_dec t cut); lra.
Qed.

Lemma boxes_minus boxes : forall f g v w,
  boxes_integral boxes f v -> boxes_integral boxes g w ->
  boxes_integral boxes (fun ys => f ys - g ys) (v - w).
Proof.
  induction boxes as [| box boxes IH]; simpl; intros f g v w F G; [rewrite F, G; reflexivity |].
  destruct F as [f' [F I]]. destruct G as [g' [G J]]. exists (fun y => f' y - g' y).
  split; [intros y; apply (IH (fun ys => f (y :: ys))); auto | apply box_minus; assumption].
Qed.

Lemma restricted_integral_boxes a cut b : a <= cut -> cut <= b -> forall T f v,
  boxes_integral (repeat [(a, cut)] T) f v ->
  boxes_integral (repeat [(a, b)] T) (fun ys => all_at_most cut ys * f ys) v.
Proof.
  intros Ha Hb. induction T as [| T IH]; intros f v H.
  - simpl in H |- *. rewrite H. ring.
  - destruct H as [g [G [g' [G' I]]]]. exists (fun y => at_most_cut cut y * g y). split.
    + intros y. cbn [all_at_most].
      replace (fun ys => at_most_cut cut y * all_at_most cut ys * f (y :: ys))
        with (fun ys => at_most_cut cut y * (all_at_most cut ys * f (y :: ys)))
        by (apply functional_extensionality; intros; ring).
      apply boxes_scale, (IH (fun ys => f (y :: ys))), G.
    + exists (fun t => at_most_cut cut [t] * g' t). split; [intros t; simpl in *; rewrite G'; reflexivity |].
      replace v with (plus v 0) by (unfold plus; simpl; ring).
      apply (is_RInt_Chasles (V := R_NormedModule)) with cut.
      * apply (is_RInt_ext g'); [| exact I]. intros t Ht. rewrite Rmax_right in Ht by lra.
        unfold at_most_cut. destruct (Rle_dec t cut); [real_equation; ring | lra].
      * apply zero_integral. intros t Ht. rewrite Rmin_left in Ht by lra. unfold at_most_cut.
        destruct (Rle_dec t cut); [lra | ring].
Qed.

Lemma wide_enough cut : Hierarchy.eventually (fun k => 0 - INR k <= cut /\ cut <= 0 + INR k).
Proof.
  destruct (nfloor_ex (Rabs cut) (Rabs_pos cut)) as [N HN]. exists (S N). intros k Hk.
  apply le_INR in Hk. rewrite S_INR in Hk.
  pose proof (Rle_abs cut). pose proof (Rle_abs (- cut)). rewrite Rabs_Ropp in *. lra.
Qed.

(** What (eps,delta)-DP says of the two events, for two densities of [T] outputs whose integral over
    a power of one window is known. *)
Section Two.
Variables (eps delta cut : R) (T : nat) (f f' : list (list R) -> R) (p p' : R -> R -> R) (l l' : R).
Hypothesis I : forall a b, boxes_integral (repeat [(a, b)] T) f (p a b).
Hypothesis I' : forall a b, boxes_integral (repeat [(a, b)] T) f' (p' a b).
Hypothesis L : is_lim_seq (fun k => p (0 - INR k) cut) l.
Hypothesis L' : is_lim_seq (fun k => p' (0 - INR k) cut) l'.
Hypothesis All : is_lim_seq (fun k => p (0 - INR k) (0 + INR k)) 1.
Hypothesis All' : is_lim_seq (fun k => p' (0 - INR k) (0 + INR k)) 1.
Hypothesis DP : forall boxes h v w,
  length boxes = T -> Forall (is_box 1) boxes -> (forall ys, 0 <= h ys <= 1) ->
  boxes_integral boxes (fun ys => h ys * f ys) v ->
  boxes_integral boxes (fun ys => h ys * f' ys) w -> v <= exp eps * w + delta.

Lemma square_box a b : a <= b -> Forall (is_box 1) (repeat [(a, b)] T).
Proof.
  intros H. apply Forall_forall. intros box B. apply repeat_spec in B. subst box.
  split; [reflexivity | constructor; [exact H | constructor]].
Qed.

Lemma multiplied (g : list (list R) -> R) : (fun ys => 1 * g ys) = g.
Proof. apply functional_extensionality. intros; ring. Qed.

Lemma all_below_event : l <= exp eps * l' + delta.
Proof.
  apply (is_lim_seq_le_loc (fun k => p (0 - INR k) cut)
           (fun k => exp eps * p' (0 - INR k) cut + delta) l (exp eps * l' + delta)).
  - destruct (wide_enough cut) as [N HN]. exists N. intros k Hk. destruct (HN k Hk) as [H _].
    apply (DP (repeat [(0 - INR k, cut)] T) (fun _ => 1));
      [apply repeat_length | apply square_box, H | intros; lra | rewrite multiplied; auto ..].
  - exact L.
  - apply is_lim_seq_plus'; [| apply is_lim_seq_const].
    apply is_lim_seq_mult'; [apply is_lim_seq_const | exact L'].
Qed.

Lemma one_above_event : 1 - l <= exp eps * (1 - l') + delta.
Proof.
  apply (is_lim_seq_le_loc
           (fun k => p (0 - INR k) (0 + INR k) - p (0 - INR k) cut)
           (fun k => exp eps * (p' (0 - INR k) (0 + INR k) - p' (0 - INR k) cut) + delta)
           (1 - l) (exp eps * (1 - l') + delta)).
  - destruct (wide_enough cut) as [N HN]. exists N. intros k Hk. destruct (HN k Hk) as [H1 H2].
    assert (forall (g : list (list R) -> R) r,
      (forall a b, boxes_integral (repeat [(a, b)] T) g (r a b)) ->
      boxes_integral (repeat [(0 - INR k, 0 + INR k)] T)
        (fun ys => (1 - all_at_most cut ys) * g ys)
        (r (0 - INR k) (0 + INR k) - r (0 - INR k) cut)) as J.
    { intros g r G.
      replace (fun ys => (1 - all_at_most cut ys) * g ys)
        with (fun ys => g ys - all_at_most cut ys * g ys)
        by (apply functional_extensionality; intros; ring).
      apply boxes_minus; [apply G | apply restricted_integral_boxes; auto]. }
    apply (DP (repeat [(0 - INR k, 0 + INR k)] T) (fun ys => 1 - all_at_most cut ys)).
    + apply repeat_length.
    + apply square_box. lra.
    + intros ys. pose proof (all_at_most_bounds cut ys). lra.
    + apply J, I.
    + apply J, I'.
  - apply is_lim_seq_minus'; assumption.
  - apply is_lim_seq_plus'; [| apply is_lim_seq_const].
    apply is_lim_seq_mult'; [apply is_lim_seq_const | apply is_lim_seq_minus'; assumption].
Qed.
End Two.

Section OneRecord.
Variables (sigma q : R).
Hypothesis Hs : 0 < sigma.

(** The distribution function of a noisy sum that has [u] in it with probability [q]. *)
Definition below (u x : R) : R := (1 - q) * Phi (x / sigma) + q * Phi ((x - u) / sigma).

(** What a record contributes, or its absence. *)
Definition contributes (u : R) (cs : list vector) : Prop :=
  match cs with [] => u = 0 | [c] => u = c O | _ => False end.

Lemma window_mass u cs a b :
  contributes u cs -> is_RInt (fun t => step_density sigma q cs no_vector [t]) a b (below u b - below u a).
Proof.
  intros C. pose proof (density_integral sigma 0 a b Hs) as D. pose proof (density_integral sigma u a b Hs) as E.
  replace (below u b - below u a) with
    ((1 - q) * (Phi ((b - 0) / sigma) - Phi ((a - 0) / sigma))
     + q * (Phi ((b - u) / sigma) - Phi ((a - u) / sigma))).
  2:{ unfold below. rewrite !Rminus_0_r. ring. }
  apply (is_RInt_ext (fun t => (1 - q) * density sigma 0 t + q * density sigma u t)).
  - intros t _. destruct cs as [| c [| c' cs]]; [| | contradiction]; simpl in C; subst u;
      simpl; unfold sum_vector, no_vector; rewrite ?Rplus_0_l; real_equation; ring.
  - apply (is_RInt_plus (V := R_NormedModule) (fun t => (1 - q) * density sigma 0 t));
      apply (is_RInt_scal (V := R_NormedModule)); assumption.
Qed.

Lemma box_mass u cs a b :
  contributes u cs ->
  box_integral [(a, b)] (step_density sigma q cs no_vector) (below u b - below u a).
Proof.
  intros C. exists (fun t => step_density sigma q cs no_vector [t]).
  split; [reflexivity | apply window_mass, C].
Qed.

Lemma below_limits u :
  is_lim_seq (fun k => below u (0 + INR k)) 1 /\ is_lim_seq (fun k => below u (0 - INR k)) 0.
Proof.
  unfold below. split.
  - replace (Finite 1) with (Finite ((1 - q) * 1 + q * 1)) by (f_equal; ring).
    apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const |]).
    + apply (is_lim_seq_ext (fun k => Phi ((0 + INR k - 0) / sigma))); [| apply Phi_right, Hs].
      intros; rewrite Rminus_0_r; reflexivity.
    + apply Phi_right, Hs.
  - replace (Finite 0) with (Finite ((1 - q) * 0 + q * 0)) by (f_equal; ring).
    apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const |]).
    + apply (is_lim_seq_ext (fun k => Phi ((0 - INR k - 0) / sigma))); [| apply Phi_left, Hs].
      intros; rewrite Rminus_0_r; reflexivity.
    + apply Phi_left, Hs.
Qed.

Lemma power_limits u cut T :
  is_lim_seq (fun k => (below u cut - below u (0 - INR k)) ^ T) (below u cut ^ T)
  /\ is_lim_seq (fun k => (below u (0 + INR k) - below u (0 - INR k)) ^ T) 1.
Proof.
  destruct (below_limits u) as [L1 L0]. split.
  - replace (below u cut ^ T) with ((below u cut - 0) ^ T) by (f_equal; ring).
    apply power_limit, is_lim_seq_minus'; [apply is_lim_seq_const | exact L0].
  - replace (Finite 1) with (Finite ((1 - 0) ^ T)) by (rewrite Rminus_0_r, pow1; reflexivity).
    apply power_limit, is_lim_seq_minus'; assumption.
Qed.

(** What the record contributes to the first data set, and what to the second. *)
Definition opposed (related : relation) (u u' : R) : Prop :=
  match related with
  | replace_one => u = 1 /\ u' = -1
  | _ => u = 1 /\ u' = 0 \/ u = 0 /\ u' = 1
  end.

Theorem dp_sgd_events related eps delta steps u u' cut :
  opposed related u u' -> (0 <= steps)%Z -> dp_sgd_dp related eps delta sigma q steps ->
  powerRZ (below u cut) steps <= exp eps * powerRZ (below u' cut) steps + delta
  /\ 1 - powerRZ (below u cut) steps <= exp eps * (1 - powerRZ (below u' cut) steps) + delta.
Proof.
  intros O Hk DP. destruct (Z_of_nat_complete steps Hk) as [T ->]. rewrite <- !pow_powerRZ.
  set (low := match related with replace_one => -1 | _ => 0 end).
  set (contribution := fun (_ : list (list R)) (b : bool) (_ : nat) => if b then 1 else low).
  set (cs := fun b : bool => [fun _ : nat => if b then 1 else low]).
  assert (forall past one, norm_squared 1 (contribution past one) <= 1) as N.
  { intros past [|]; simpl; [lra |]. unfold low. destruct related; lra. }
  assert (exists data data' : list bool,
    (neighbours related contribution data data' \/ neighbours related contribution data' data)
    /\ contributes u (map (contribution []) data) /\ contributes u' (map (contribution []) data'))
    as (data & data' & Ne & C & C').
  { destruct related; [destruct O as [[-> ->] | [-> ->]] | destruct O as [[-> ->] | [-> ->]] |
      destruct O as [-> ->]].
    - exists [true], []. split; [| split; reflexivity]. left. exists [], true, true, []. split; reflexivity.
    - exists [], [true]. split; [| split; reflexivity]. right. exists [], true, true, []. split; reflexivity.
    - exists [true], [false]. split; [| split; reflexivity]. left. exists [], true, false, []. repeat split.
    - exists [false], [true]. split; [| split; reflexivity]. right. exists [], true, false, []. repeat split.
    - exists [true], [false]. split; [| split; reflexivity]. left. exists [], true, false, []. split; reflexivity. }
  pose proof (fun boxes h v w E => DP 1%nat bool contribution data data' boxes h v w N Ne (f_equal Z.of_nat E))
    as D.
  destruct (power_limits u cut T) as [L A]. destruct (power_limits u' cut T) as [L' A'].
  assert (forall w ds, contributes w ds -> forall a b, boxes_integral (repeat [(a, b)] T)
    (run_density (fun _ => step_density sigma q ds no_vector) []) ((below w b - below w a) ^ T)) as I.
  { intros w ds W a b. apply run_integral. intros _. apply box_mass, W. }
  assert (forall boxes h v w,
    length boxes = T -> Forall (is_box 1) boxes -> (forall ys, 0 <= h ys <= 1) ->
    boxes_integral boxes (fun ys => h ys * run_density
      (fun _ => step_density sigma q (map (contribution []) data) no_vector) [] ys) v ->
    boxes_integral boxes (fun ys => h ys * run_density
      (fun _ => step_density sigma q (map (contribution []) data') no_vector) [] ys) w ->
    v <= exp eps * w + delta) as F.
  { intros boxes h v w E B H V W. exact (D boxes h v w E B H V W). }
  set (P := fun w a b => (below w b - below w a) ^ T).
  split.
  - exact (all_below_event eps delta cut T _ _ (P u) (P u') _ _ (I u _ C) (I u' _ C') L L' F).
  - exact (one_above_event eps delta cut T _ _ (P u) (P u') _ _ (I u _ C) (I u' _ C') L L' A A' F).
Qed.
End OneRecord.
