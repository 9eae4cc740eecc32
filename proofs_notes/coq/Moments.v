(** * DP-SGD is private by Renyi moments of whole orders

    For two densities p and q of a step and the order n + 1, the moment is the integral of
    p^(n+1)/q^n.  It is jointly convex in (p, q), so what the other records do does not matter; the
    moments of the steps multiply, whatever the contributions make of earlier outputs; and a test
    gains at most a factor of their product. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions NormalDistribution NeymanPearson Boxes Sampling.
Import ListNotations.
Open Scope R_scope.

(** p^(n+1)/q^n is above its tangents. *)
Lemma power_tangent n t u :
  0 <= t -> 0 <= u -> INR (S n) * t ^ n * u - INR n * t ^ S n <= u ^ S n.
Proof.
  intros Ht Hu. induction n as [| n IH]; [simpl; lra |].
  rewrite !S_INR in *. cbn [pow] in *.
  apply Rmult_le_compat_l with (r := u) in IH; [| exact Hu].
  pose proof (pow_le t n Ht) as P. pose proof (pos_INR n) as N.
  assert (0 <= (INR n + 1) * t ^ n * ((u - t) * (u - t))) as Q.
  { apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rle_0_sqr]. }
  nra.
Qed.

Section Order.
Variable n : nat.

Definition term (p q : R) : R := q * (p / q) ^ S n.

Lemma term_pos p q : 0 < p -> 0 < q -> 0 < term p q.
Proof.
  intros. apply Rmult_lt_0_compat; [assumption |]. apply pow_lt, Rdiv_lt_0_compat; assumption.
Qed.

Lemma term_tangent t p q :
  0 <= t -> 0 < p -> 0 < q -> INR (S n) * t ^ n * p - INR n * t ^ S n * q <= term p q.
Proof.
  intros Ht Hp Hq. assert (0 < p / q) as U by (apply Rdiv_lt_0_compat; assumption).
  pose proof (power_tangent n t (p / q) Ht (Rlt_le _ _ U)) as H.
  apply Rmult_le_compat_l with (r := q) in H; [| lra]. unfold term.
  replace (q * (INR (S n) * t ^ n * (p / q) - INR n * t ^ S n))
    with (INR (S n) * t ^ n * p - INR n * t ^ S n * q) in H by (field; lra). exact H.
Qed.

Lemma term_scale a b p q : 0 < b -> 0 < q -> term (a * p) (b * q) = term a b * term p q.
Proof.
  intros Hb Hq. unfold term. replace (a * p / (b * q)) with (a / b * (p / q)) by (field; lra).
  rewrite Rpow_mult_distr. ring.
Qed.

Lemma term_convex s p q p' q' :
  0 <= s <= 1 -> 0 < p -> 0 < q -> 0 < p' -> 0 < q' ->
  term ((1 - s) * p + s * p') ((1 - s) * q + s * q') <= (1 - s) * term p q + s * term p' q'.
Proof.
  intros Hs Hp Hq Hp' Hq'. set (x := (1 - s) * p + s * p'). set (y := (1 - s) * q + s * q').
  assert (0 < x) as X by (unfold x; nra). assert (0 < y) as Y by (unfold y; nra).
  set (t := x / y). assert (0 < t) as T by (apply Rdiv_lt_0_compat; assumption).
  pose proof (term_tangent t p q (Rlt_le _ _ T) Hp Hq) as A.
  pose proof (term_tangent t p' q' (Rlt_le _ _ T) Hp' Hq') as B.
  assert (term x y = INR (S n) * t ^ n * x - INR n * t ^ S n * y) as E.
  { unfold term. fold t. replace x with (t * y) by (unfold t; field; lra).
    rewrite S_INR. cbn [pow]. ring. }
  rewrite E. apply Rmult_le_compat_l with (r := 1 - s) in A; [| lra].
  apply Rmult_le_compat_l with (r := s) in B; [| lra].
  apply Rle_trans with (2 := Rplus_le_compat _ _ _ _ A B). right. unfold x, y. ring.
Qed.

(** ** Steps one after the other *)

(** The moment of two densities of [d] coordinates is at most [most], by way of an upper bound that
    every box can integrate. *)
Definition moment_at_most (most : R) (d : nat) (p q : list R -> R) : Prop :=
  (forall y, 0 < p y) /\ (forall y, 0 < q y) /\
  exists u, (forall y, length y = d -> term (p y) (q y) <= u y)
    /\ forall box, is_box d box -> exists v, box_integral box u v /\ v <= most.

Section Steps.
Variables (d : nat) (most e c : R) (p q : list (list R) -> list R -> R).
Hypothesis Hmost : 0 <= most.
Hypothesis Hc : 0 <= c.
Hypothesis H1 : forall a b h, 0 < a -> 0 < b -> 0 <= h <= 1 -> a * h - e * (b * h) <= c * term a b.
Hypothesis H2 : forall past, moment_at_most most d (p past) (q past).

Lemma steps_compose : forall boxes past a b h v w,
  0 < a -> 0 < b -> Forall (is_box d) boxes -> (forall ys, 0 <= h ys <= 1) ->
  boxes_integral boxes (fun ys => h ys * run_density p past ys) v ->
  boxes_integral boxes (fun ys => h ys * run_density q past ys) w ->
  a * v - e * (b * w) <= c * term a b * most ^ length boxes.
Proof.
  induction boxes as [| box boxes IH]; intros past a b h v w Ha Hb B Hh V W; simpl in V, W |- *.
  - rewrite V, W, !Rmult_1_r. apply H1; auto.
  - destruct V as [g [G I]]. destruct W as [g' [G' J]].
    destruct (H2 past) as (P & Q & u & U & M). inversion B as [| ? ? B1 B2]; subst.
    destruct (M box B1) as [m [M1 M2]].
    pose proof (term_pos a b Ha Hb) as F.
    set (k := c * term a b * most ^ length boxes).
    assert (0 <= k) as K.
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply pow_le, Hmost]. }
    apply Rle_trans with (k * m).
    + apply (box_le d box (fun y => a * g y - e * b * g' y) (fun y => k * u y)); [exact B1 | | |].
      * replace (a * v - e * (b * w)) with (a * v - e * b * w) by ring.
        apply (box_minus box (fun y => a * g y) (fun y => e * b * g' y)); apply box_scale; assumption.
      * apply box_scale, M1.
      * intros y Y. pose proof (P y) as Py. pose proof (Q y) as Qy.
        pose proof (IH (y :: past) (a * p past y) (b * q past y) (fun ys => h (y :: ys))
          (/ p past y * g y) (/ q past y * g' y)
          (Rmult_lt_0_compat _ _ Ha Py) (Rmult_lt_0_compat _ _ Hb Qy) B2
          (fun ys => Hh (y :: ys)) (boxes_divided _ _ _ _ _ Py (G y)) (boxes_divided _ _ _ _ _ Qy (G' y))) as D.
        rewrite (term_scale a b) in D by assumption.
        replace (a * p past y * (/ p past y * g y) - e * (b * q past y * (/ q past y * g' y)))
          with (a * g y - e * b * g' y) in D by (field; lra).
        apply Rle_trans with (1 := D).
        apply Rle_trans with (k * term (p past y) (q past y)); [right; unfold k; ring |].
        apply Rmult_le_compat_l; [exact K | apply U, Y].
    + apply Rle_trans with (k * most); [apply Rmult_le_compat_l; assumption |].
      right. unfold k. ring.
Qed.
End Steps.

(** ** Mixtures *)

Lemma moment_of_mixture most d s p q p' q' :
  0 <= s <= 1 -> moment_at_most most d p q -> moment_at_most most d p' q' ->
  moment_at_most most d (fun y => (1 - s) * p y + s * p' y) (fun y => (1 - s) * q y + s * q' y).
Proof.
  intros Hs (P & Q & u & U & B) (P' & Q' & u' & U' & B').
  split; [| split; [| exists (fun y => (1 - s) * u y + s * u' y); split]].
  - intros y. pose proof (P y). pose proof (P' y). nra.
  - intros y. pose proof (Q y). pose proof (Q' y). nra.
  - intros y Y. apply Rle_trans with (1 := term_convex s _ _ _ _ Hs (P y) (Q y) (P' y) (Q' y)).
    apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; auto.
  - intros box I. destruct (B box I) as [v [V1 V2]]. destruct (B' box I) as [w [W1 W2]].
    exists ((1 - s) * v + s * w). split.
    + apply (box_plus box (fun y => (1 - s) * u y)); apply box_scale; assumption.
    + apply Rle_trans with ((1 - s) * most + s * most); [| right; ring].
      apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma sums_commute u v w : sum_vector (sum_vector u v) w = sum_vector (sum_vector u w) v.
Proof. apply functional_extensionality. intros i. unfold sum_vector. ring. Qed.

End Order.

(** What holds of a record alone holds of it among others, if mixtures keep it. *)
Lemma among_others (related : (list R -> R) -> (list R -> R) -> Prop) sigma q c before after :
  (forall f g f' g', related f g -> related f' g' ->
     related (fun y => (1 - q) * f y + q * f' y) (fun y => (1 - q) * g y + q * g' y)) ->
  (forall sum, related (step_density sigma q [c] sum) (step_density sigma q [] sum)) ->
  forall sum, related (step_density sigma q (before ++ c :: after) sum)
                (step_density sigma q (before ++ after) sum).
Proof.
  intros Mix A. induction before as [| c' before IH]; intros sum.
  - simpl. revert sum. induction after as [| c' after IH]; intros sum; [apply A |].
    pose proof (Mix _ _ _ _ (IH sum) (IH (sum_vector sum c'))) as M.
    simpl. simpl in M. rewrite sums_commute in M.
    match type of M with related ?f _ =>
      match goal with |- related ?g _ => replace g with f; [exact M |] end end.
    apply functional_extensionality. intros y. ring.
  - exact (Mix _ _ _ _ (IH sum) (IH (sum_vector sum c'))).
Qed.

(** ** The moments of a record alone *)

Lemma power_of_exp x k : exp x ^ k = exp (INR k * x).
Proof.
  induction k as [| k IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity |].
  cbn [pow]. rewrite IH, S_INR, <- exp_plus. f_equal. ring.
Qed.

Definition moved (m c : vector) (k : nat) : vector := fun i => m i + INR k * c i.

(** r^k times a density is, up to a factor, the density that is moved k times as far. *)
Lemma density_moved sigma m c k t :
  0 < sigma ->
  density sigma m t * (density sigma (m + c) t / density sigma m t) ^ k
  = exp (INR k * (INR k - 1) / (2 * (sigma * sigma)) * (c * c)) * density sigma (m + INR k * c) t.
Proof.
  intros Hs. pose proof sqrt_2pi_pos as S. unfold density, phi.
  set (x := (t - m) / sigma). set (w := c / sigma).
  replace ((t - (m + c)) / sigma) with (x - w) by (unfold x, w; field; lra).
  replace ((t - (m + INR k * c)) / sigma) with (x - INR k * w) by (unfold x, w; field; lra).
  replace (exp (- ((x - w) * (x - w)) / 2) / sqrt (2 * PI) / sigma
           / (exp (- (x * x) / 2) / sqrt (2 * PI) / sigma)) with (exp (x * w - w * w / 2)).
  2:{ replace (- ((x - w) * (x - w)) / 2) with (- (x * x) / 2 + (x * w - w * w / 2)) by field.
      rewrite exp_plus. field. repeat split; try lra. apply Rgt_not_eq, exp_pos. }
  rewrite power_of_exp.
  replace (INR k * (INR k - 1) / (2 * (sigma * sigma)) * (c * c))
    with (INR k * (INR k - 1) / 2 * (w * w)) by (unfold w; field; lra).
  transitivity (exp (- (x * x) / 2 + INR k * (x * w - w * w / 2)) / (sqrt (2 * PI) * sigma)).
  - rewrite exp_plus. field. lra.
  - replace (- (x * x) / 2 + INR k * (x * w - w * w / 2))
      with (INR k * (INR k - 1) / 2 * (w * w)
            + - ((x - INR k * w) * (x - INR k * w)) / 2) by field.
    rewrite exp_plus. field. lra.
Qed.

Lemma vector_moved sigma k : 0 < sigma -> forall y m c,
  vector_density sigma m y
  * (vector_density sigma (sum_vector m c) y / vector_density sigma m y) ^ k
  = exp (INR k * (INR k - 1) / (2 * (sigma * sigma)) * norm_squared (length y) c)
    * vector_density sigma (moved m c k) y.
Proof.
  intros Hs. induction y as [| t y IH]; intros m c; simpl.
  - rewrite Rmult_0_r, exp_0. unfold Rdiv. rewrite Rinv_1, !Rmult_1_r, pow1. lra.
  - pose proof (IH (fun i => m (S i)) (fun i => c (S i))) as E. clear IH.
    pose proof (density_moved sigma (m O) (c O) k t Hs) as D.
    rewrite Rmult_plus_distr_l, exp_plus.
    change (sum_vector m c O) with (m O + c O). change (moved m c k O) with (m O + INR k * c O).
    change (fun i => sum_vector m c (S i)) with (sum_vector (fun i => m (S i)) (fun i => c (S i))).
    change (fun i => moved m c k (S i)) with (moved (fun i => m (S i)) (fun i => c (S i)) k).
    pose proof (density_pos sigma (m O) t Hs). pose proof (vector_density_pos sigma y (fun i => m (S i)) Hs).
    set (f := density sigma (m O) t) in *. set (g := vector_density sigma (fun i => m (S i)) y) in *.
    set (f' := density sigma (m O + c O) t) in *.
    set (g' := vector_density sigma (sum_vector _ _) y) in *.
    replace (f' * g' / (f * g)) with (f' / f * (g' / g)) by (field; lra).
    rewrite Rpow_mult_distr.
    replace (f * g * ((f' / f) ^ k * (g' / g) ^ k))
      with ((f * (f' / f) ^ k) * (g * (g' / g) ^ k)) by ring.
    rewrite D, E. ring.
Qed.

Section Alone.
Variables (d n : nat) (sigma q : R) (c sum : vector).
Hypothesis Hs : 0 < sigma.
Hypothesis Hq : 0 <= q < 1.
Hypothesis Hc : norm_squared d c <= 1.

Let ratio (y : list R) := vector_density sigma (sum_vector sum c) y / vector_density sigma sum y.

Lemma ratio_pos y : 0 < ratio y.
Proof. apply Rdiv_lt_0_compat; apply vector_density_pos, Hs. Qed.

Definition growth (k : nat) : R := exp (INR k * (INR k - 1) / (2 * (sigma * sigma))).

Lemma power_bound k y :
  length y = d ->
  vector_density sigma sum y * ratio y ^ k <= growth k * vector_density sigma (moved sum c k) y.
Proof.
  intros Y. unfold ratio. rewrite vector_moved, Y by exact Hs.
  apply Rmult_le_compat_r; [apply Rlt_le, vector_density_pos, Hs |].
  assert (0 <= INR k * (INR k - 1)) as N.
  { destruct k; [simpl; lra |]. rewrite S_INR. pose proof (pos_INR k). nra. }
  assert (0 <= INR k * (INR k - 1) / (2 * (sigma * sigma))) as F.
  { apply Rmult_le_pos; [exact N | apply Rlt_le, Rinv_0_lt_compat]. nra. }
  unfold growth. set (x := _ / _) in *.
  destruct (Rle_lt_or_eq_dec (x * norm_squared d c) x) as [L | ->]; [nra | | lra].
  apply Rlt_le, exp_increasing, L.
Qed.

(** *** With the record first: a binomial sum *)

Definition more_coefficient (k : nat) : R :=
  Binomial.C (S n) k * (q ^ k * (1 - q) ^ (S n - k)) * growth k.

Definition more_moment : R := sum_f_R0 more_coefficient (S n).

Lemma binomial_pos k : 0 <= Binomial.C (S n) k.
Proof.
  unfold Binomial.C. apply Rmult_le_pos; [apply pos_INR |].
  apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

Lemma coefficient_pos k : 0 <= more_coefficient k.
Proof.
  unfold more_coefficient, growth. apply Rmult_le_pos; [| apply Rlt_le, exp_pos].
  apply Rmult_le_pos; [apply binomial_pos |]. apply Rmult_le_pos; apply pow_le; lra.
Qed.

Lemma sum_integral box f (l : nat -> R) N :
  (forall k, box_integral box (f k) (l k)) ->
  box_integral box (fun y => sum_f_R0 (fun k => f k y) N) (sum_f_R0 l N).
Proof.
  intros H. induction N as [| N IH]; simpl; [apply H |]. apply (box_plus box _ (f (S N))); auto.
Qed.

Lemma moment_more :
  moment_at_most n more_moment d (step_density sigma q [c] sum) (step_density sigma q [] sum).
Proof.
  split; [| split].
  - intros y. simpl. pose proof (vector_density_pos sigma y sum Hs).
    pose proof (vector_density_pos sigma y (sum_vector sum c) Hs). nra.
  - intros y. apply vector_density_pos, Hs.
  - exists (fun y => sum_f_R0
      (fun k => more_coefficient k * vector_density sigma (moved sum c k) y) (S n)).
    split.
    + intros y Y. simpl step_density. pose proof (vector_density_pos sigma y sum Hs) as P.
      unfold term. set (f := vector_density sigma sum y) in *.
      replace (((1 - q) * f + q * vector_density sigma (sum_vector sum c) y) / f)
        with (q * ratio y + (1 - q)) by (unfold ratio; fold f; field; lra).
      rewrite Binomial.binomial, scal_sum. apply sum_Rle. intros k _.
      unfold more_coefficient. rewrite Rpow_mult_distr.
      replace (Binomial.C (S n) k * (q ^ k * ratio y ^ k) * (1 - q) ^ (S n - k) * f)
        with (Binomial.C (S n) k * (q ^ k * (1 - q) ^ (S n - k)) * (f * ratio y ^ k)) by ring.
      rewrite (Rmult_assoc _ (growth k)). apply Rmult_le_compat_l; [| apply power_bound, Y].
      apply Rmult_le_pos; [apply binomial_pos |]. apply Rmult_le_pos; apply pow_le; lra.
    + intros box B. eexists. split.
      * apply sum_integral. intros k. apply box_scale, mass_integral, Hs.
      * apply sum_Rle. intros k _. pose proof (mass_bounds sigma d Hs box (moved sum c k) B).
        pose proof (coefficient_pos k). nra.
Qed.

(** *** With the record second: a parabola above (1 + x)^(-n) *)

(** ((1 + x)^(-n) - 1 + n x)/x^2 at 1 + x = v. *)
Fixpoint curvature (m : nat) (v : R) : R :=
  match m with O => 0 | S m => (curvature m v + INR (S m)) / v end.

Lemma curvature_value m x :
  -1 < x -> / (1 + x) ^ m = 1 - INR m * x + curvature m (1 + x) * (x * x).
Proof.
  intros Hx. induction m as [| m IH]; [simpl; field |].
  cbn [curvature pow]. rewrite Rinv_mult, IH, S_INR. field. lra.
Qed.

Lemma curvature_falls m v w : 0 < v -> v <= w -> 0 <= curvature m w <= curvature m v.
Proof.
  intros Hv Hw. induction m as [| m IH]; cbn [curvature]; [lra |].
  pose proof (pos_INR (S m)). assert (/ w <= / v) by (apply Rinv_le_contravar; lra).
  assert (0 < / w) by (apply Rinv_0_lt_compat; lra). split.
  - apply Rmult_le_pos; lra.
  - unfold Rdiv. apply Rmult_le_compat; lra.
Qed.

Definition less_moment : R := 1 + (/ (1 - q) ^ n - 1 - INR n * q) * (growth 2 - 1).

Lemma moment_less :
  moment_at_most n less_moment d (step_density sigma q [] sum) (step_density sigma q [c] sum).
Proof.
  set (K := / (1 - q) ^ n - 1 - INR n * q).
  assert (K = curvature n (1 - q) * (q * q)) as EK.
  { unfold K. pose proof (curvature_value n (- q) ltac:(lra)) as E.
    replace (1 + - q) with (1 - q) in E by ring. rewrite E. ring. }
  assert (0 <= K) as HK.
  { rewrite EK. apply Rmult_le_pos; [| nra]. apply (curvature_falls n (1 - q) (1 - q)); lra. }
  pose proof (pos_INR n) as N.
  set (u := fun y => (1 + INR n * q + K) * vector_density sigma sum y
                     - (INR n * q + 2 * K) * vector_density sigma (sum_vector sum c) y
                     + K * (growth 2 * vector_density sigma (moved sum c 2) y)).
  assert (forall y, length y = d ->
            term n (step_density sigma q [] sum y) (step_density sigma q [c] sum y) <= u y) as U.
  { intros y Y. simpl step_density. pose proof (vector_density_pos sigma y sum Hs) as P.
    pose proof (power_bound 2 y Y) as B. pose proof (ratio_pos y) as Q.
    replace (vector_density sigma (sum_vector sum c) y)
      with (ratio y * vector_density sigma sum y) in * by (unfold ratio; field; lra).
    unfold u, term.
    replace (vector_density sigma (sum_vector sum c) y)
      with (ratio y * vector_density sigma sum y) by (unfold ratio; field; lra).
    set (f := vector_density sigma sum y) in *. set (r := ratio y) in *.
    set (x := q * (r - 1)). assert (0 < 1 + x) as X by (unfold x; nra).
    replace ((1 - q) * f + q * (r * f)) with ((1 + x) * f) by (unfold x; ring).
    replace ((1 + x) * f * (f / ((1 + x) * f)) ^ S n) with (f * / (1 + x) ^ n).
    2:{ replace (f / ((1 + x) * f)) with (/ (1 + x)) by (field; lra).
        cbn [pow]. rewrite pow_inv. field. split; [apply pow_nonzero |]; lra. }
    rewrite curvature_value by (unfold x in *; lra).
    assert (curvature n (1 + x) * (x * x) <= K * ((r - 1) * (r - 1))) as C.
    { rewrite EK. replace (x * x) with (q * q * ((r - 1) * (r - 1))) by (unfold x; ring).
      rewrite (Rmult_assoc _ (q * q) _). apply Rmult_le_compat_r.
      - apply Rmult_le_pos; apply Rle_0_sqr.
      - apply (curvature_falls n (1 - q)); [lra | unfold x; nra]. }
    apply Rle_trans with (f * (1 - INR n * x + K * ((r - 1) * (r - 1))));
      [apply Rmult_le_compat_l; lra |].
    apply Rle_trans with ((1 + INR n * q + K) * f - (INR n * q + 2 * K) * (r * f)
                          + K * (f * r ^ 2)); [right; unfold x; ring |].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [exact HK | exact B]. }
  split; [| split].
  - intros y. apply vector_density_pos, Hs.
  - intros y. simpl. pose proof (vector_density_pos sigma y sum Hs).
    pose proof (vector_density_pos sigma y (sum_vector sum c) Hs). nra.
  - exists u. split; [exact U |]. intros box B.
    set (total := fun box => (1 + INR n * q + K) * mass sigma sum box
                     - (INR n * q + 2 * K) * mass sigma (sum_vector sum c) box
                     + K * (growth 2 * mass sigma (moved sum c 2) box)).
    assert (forall box, box_integral box u (total box)) as I.
    { intros other. apply (box_plus other (fun y => _ - _) (fun y => K * _)).
      - apply box_minus; apply box_scale, mass_integral, Hs.
      - apply box_scale, box_scale, mass_integral, Hs. }
    exists (total box). split; [apply I |].
    apply (is_lim_seq_le (fun _ => total box) (fun k => total (grow (INR k) box))
             (total box) less_moment).
    + intros k. apply (box_grows d box (INR k) u); [exact B | apply pos_INR | | apply I | apply I].
      intros y Y. apply Rle_trans with (2 := U y Y). apply Rlt_le, term_pos; simpl.
      * apply vector_density_pos, Hs.
      * pose proof (vector_density_pos sigma y sum Hs).
        pose proof (vector_density_pos sigma y (sum_vector sum c) Hs). nra.
    + apply is_lim_seq_const.
    + replace (Finite less_moment) with
        (Finite ((1 + INR n * q + K) * 1 - (INR n * q + 2 * K) * 1 + K * (growth 2 * 1)))
        by (f_equal; unfold less_moment; fold K; ring).
      (* Said factor by factor: to look for products in what is none takes Coq five seconds. *)
      apply is_lim_seq_plus'; [apply is_lim_seq_minus' |]; (apply is_lim_seq_mult';
        [apply is_lim_seq_const |]); [| | apply is_lim_seq_mult'; [apply is_lim_seq_const |]];
        apply mass_to_1, Hs.
Qed.
End Alone.

(** ** The theorem *)

Lemma zero_vector_sum v : sum_vector v no_vector = v.
Proof. apply functional_extensionality. intros i. unfold sum_vector, no_vector. ring. Qed.

(** A record that contributes nothing may as well be absent. *)
Lemma absent sigma q before after : forall sum,
  step_density sigma q (before ++ no_vector :: after) sum = step_density sigma q (before ++ after) sum.
Proof.
  induction before as [| c before IH]; intros sum; apply functional_extensionality; intros y; simpl.
  - rewrite zero_vector_sum. ring.
  - rewrite !IH. reflexivity.
Qed.

Definition gain (n : nat) (eps : R) : R :=
  / (INR (S n) * (exp eps * (INR (S n) / INR n)) ^ n).

Lemma test_gains n eps a b h :
  (0 < n)%nat -> 0 < a -> 0 < b -> 0 <= h <= 1 ->
  a * h - exp eps * (b * h) <= gain n eps * term n a b.
Proof.
  intros Hn Ha Hb Hh. apply lt_INR in Hn. simpl in Hn.
  pose proof (exp_pos eps) as E. assert (0 < INR (S n)) as N by (apply lt_0_INR; lia).
  set (t := exp eps * (INR (S n) / INR n)).
  assert (0 < t) as T by (apply Rmult_lt_0_compat; [exact E | apply Rdiv_lt_0_compat; assumption]).
  pose proof (pow_lt t n T) as P.
  pose proof (term_tangent n t a b (Rlt_le _ _ T) Ha Hb) as H. pose proof (term_pos n a b Ha Hb) as Q.
  unfold gain. fold t.
  replace (INR (S n) * t ^ n * a - INR n * t ^ S n * b)
    with (INR (S n) * t ^ n * (a - exp eps * b)) in H.
  2:{ cbn [pow]. unfold t at 3. field. lra. }
  assert (0 < / (INR (S n) * t ^ n)) as I by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
  apply Rmult_le_compat_l with (r := / (INR (S n) * t ^ n)) in H; [| lra].
  replace (/ (INR (S n) * t ^ n) * (INR (S n) * t ^ n * (a - exp eps * b)))
    with (a - exp eps * b) in H by (field; lra).
  assert (0 < / (INR (S n) * t ^ n) * term n a b) by (apply Rmult_lt_0_compat; assumption).
  destruct (Rle_lt_dec 0 (a - exp eps * b)); nra.
Qed.

(** X.SG, upper part by moments: the order is n + 1. *)
Theorem private_by_moments n related eps delta sigma q steps :
  (0 < n)%nat -> 0 < sigma -> 0 <= q < 1 -> related <> replace_one -> (0 <= steps)%Z ->
  gain n eps * powerRZ (more_moment n sigma q) steps <= delta ->
  gain n eps * powerRZ (less_moment n sigma q) steps <= delta ->
  dp_sgd_dp related eps delta sigma q steps.
Proof.
  intros Hn Hs Hq Hr Hk More Less d record contribution data data' boxes h v w Hc Ne <- B Hh.
  rewrite <- !pow_powerRZ in More, Less. cbv zeta.
  assert (0 <= gain n eps) as Hg.
  { apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; [apply lt_0_INR; lia |].
    apply pow_lt, Rmult_lt_0_compat; [apply exp_pos |].
    apply Rdiv_lt_0_compat; apply lt_0_INR; lia. }
  pose proof (fun a b k Ha Hb => test_gains n eps a b k Hn Ha Hb) as T.
  assert (forall most p q,
    0 <= most -> gain n eps * most ^ length boxes <= delta ->
    (forall past, moment_at_most n most d (p past) (q past)) ->
    boxes_integral boxes (fun ys => h ys * run_density p [] ys) v ->
    boxes_integral boxes (fun ys => h ys * run_density q [] ys) w ->
    v <= exp eps * w + delta) as Done.
  { intros most p p' Hm G M V W.
    pose proof (steps_compose n d most (exp eps) (gain n eps) p p' Hm Hg T M boxes [] 1 1 h v w
                  Rlt_0_1 Rlt_0_1 B Hh V W) as S.
    replace (term n 1 1) with 1 in S; [lra |].
    unfold term. unfold Rdiv. rewrite Rinv_1, !Rmult_1_l, pow1. reflexivity. }
  assert (0 <= more_moment n sigma q) as M0.
  { apply cond_pos_sum. intros k. apply coefficient_pos; lra. }
  assert (0 <= less_moment n sigma q) as L0.
  { unfold less_moment. pose proof (curvature_value n (- q) ltac:(lra)) as E.
    replace (1 + - q) with (1 - q) in E by ring. rewrite E.
    assert (0 <= curvature n (1 - q)) by (apply (curvature_falls n (1 - q) (1 - q)); lra).
    assert (0 <= curvature n (1 - q) * (- q * - q)) by (apply Rmult_le_pos; nra).
    assert (1 <= growth sigma 2).
    { apply Rle_trans with (exp 0); [rewrite exp_0; lra |].
      apply Rlt_le, exp_increasing, Rdiv_lt_0_compat; [simpl; lra |].
      apply Rmult_lt_0_compat; [lra | apply Rmult_lt_0_compat; exact Hs]. }
    nra. }
  assert (forall c before after,
    norm_squared d c <= 1 -> forall sum,
    moment_at_most n (more_moment n sigma q) d
      (step_density sigma q (before ++ c :: after) sum) (step_density sigma q (before ++ after) sum)
    /\ moment_at_most n (less_moment n sigma q) d
      (step_density sigma q (before ++ after) sum) (step_density sigma q (before ++ c :: after) sum))
    as Both.
  { intros c before after Hn1 sum. split.
    - apply (among_others (moment_at_most n (more_moment n sigma q) d)).
      + intros f g f' g'. apply moment_of_mixture. lra.
      + intros m. apply moment_more; assumption.
    - apply (among_others (fun f g => moment_at_most n (less_moment n sigma q) d g f)).
      + intros f g f' g' M M'. apply moment_of_mixture; [lra | exact M | exact M'].
      + intros m. apply moment_less; assumption. }
  assert (forall more less past, neighbours related contribution more less ->
    moment_at_most n (more_moment n sigma q) d
      (step_density sigma q (map (contribution past) more) no_vector)
      (step_density sigma q (map (contribution past) less) no_vector)
    /\ moment_at_most n (less_moment n sigma q) d
      (step_density sigma q (map (contribution past) less) no_vector)
      (step_density sigma q (map (contribution past) more) no_vector)) as Steps.
  { intros more less past (before & one & other & after & -> & S).
    destruct related; [subst less | destruct S as [-> Z] | contradiction];
      rewrite !map_app; simpl map; [| rewrite (Z past), absent]; apply Both, Hc. }
  destruct Ne as [Ne | Ne].
  - apply (Done (more_moment n sigma q) _ _ M0 More). intros past. apply (Steps data data' past Ne).
  - apply (Done (less_moment n sigma q) _ _ L0 Less). intros past. apply (Steps data' data past Ne).
Qed.
