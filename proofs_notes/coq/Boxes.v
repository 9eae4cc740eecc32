(** * Integrals over boxes, one coordinate after the other

    What several outputs of several coordinates are tested with.  No integral in two variables is
    needed: an integral over a box is one of integrals. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Psatz FunctionalExtensionality.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson.
From Dporacle Require Import UnboundedWindows.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

(** [v] is the integral of [f] over a box, which is a list of windows: one for each coordinate. *)
Fixpoint box_integral (box : list (R * R)) (f : list R -> R) (v : R) : Prop :=
  match box with
  | [] => v = f []
  | (a, b) :: box =>
      exists g, (forall t, box_integral box (fun y => f (t :: y)) (g t)) /\ is_RInt g a b v
  end.

(** The same for a list of outputs, with a box for each. *)
Fixpoint boxes_integral (boxes : list (list (R * R))) (f : list (list R) -> R) (v : R) : Prop :=
  match boxes with
  | [] => v = f []
  | box :: boxes =>
      exists g, (forall y, boxes_integral boxes (fun ys => f (y :: ys)) (g y))
        /\ box_integral box g v
  end.

Definition is_box (d : nat) (box : list (R * R)) : Prop :=
  length box = d /\ Forall (fun ab => fst ab <= snd ab) box.

(** A vector is a function of the coordinate's number. *)
Definition vector := nat -> R.

(** The squared norm of the first [d] coordinates. *)
Fixpoint norm_squared (d : nat) (c : vector) : R :=
  match d with
  | O => 0
  | S d => c O * c O + norm_squared d (fun i => c (S i))
  end.

Lemma norm_squared_nonneg d : forall c, 0 <= norm_squared d c.
Proof. induction d as [| d IH]; intros c; simpl; [lra |]. specialize (IH (fun i => c (S i))). nra. Qed.

(** The density at [y] of the answer [c] with independent noise in each coordinate. *)
Fixpoint vector_density (sigma : R) (c : vector) (y : list R) : R :=
  match y with
  | [] => 1
  | t :: y => density sigma (c O) t * vector_density sigma (fun i => c (S i)) y
  end.

(** ** Linear and monotone *)

Lemma box_scale box : forall f v k,
  box_integral box f v -> box_integral box (fun y => k * f y) (k * v).
Proof.
  induction box as [| [a b] box IH]; simpl; intros f v k H; [rewrite H; reflexivity |].
  destruct H as [g [G I]]. exists (fun t => k * g t). split.
  - intros t. apply (IH (fun y => f (t :: y))), G.
  - apply (is_RInt_scal (V := R_NormedModule) g a b k v I).
Qed.

Lemma box_plus box : forall f g v w,
  box_integral box f v -> box_integral box g w -> box_integral box (fun y => f y + g y) (v + w).
Proof.
  induction box as [| [a b] box IH]; simpl; intros f g v w F G; [rewrite F, G; reflexivity |].
  destruct F as [f' [F I]]. destruct G as [g' [G J]]. exists (fun t => f' t + g' t). split.
  - intros t. apply (IH (fun y => f (t :: y)) (fun y => g (t :: y))); [apply F | apply G].
  - apply (is_RInt_plus (V := R_NormedModule) f' g' a b v w I J).
Qed.

Lemma box_minus box f g v w :
  box_integral box f v -> box_integral box g w -> box_integral box (fun y => f y - g y) (v - w).
Proof.
  intros F G. pose proof (box_plus box _ _ _ _ F (box_scale box g w (-1) G)) as H.
  replace (v + -1 * w) with (v - w) in H by ring.
  replace (fun y => f y + -1 * g y) with (fun y => f y - g y) in H; [exact H |].
  apply functional_extensionality. intros y. ring.
Qed.

Lemma box_le d : forall box f g v w,
  is_box d box -> box_integral box f v -> box_integral box g w ->
  (forall y, length y = d -> f y <= g y) -> v <= w.
Proof.
  induction d as [| d IH]; intros [| [a b] box] f g v w [L W] F G H; try discriminate.
  - simpl in *. rewrite F, G. apply H; reflexivity.
  - destruct F as [f' [F I]]. destruct G as [g' [G J]].
    inversion W as [| ? ? O1 O2]; subst. simpl in O1. injection L as L.
    apply (is_RInt_le f' g' a b v w O1 I J). intros t _.
    apply (IH box _ _ _ _ (conj L O2) (F t) (G t)). intros y Y. apply H. simpl. rewrite Y. reflexivity.
Qed.

Lemma box_zero box : box_integral box (fun _ => 0) 0.
Proof.
  induction box as [| [a b] box IH]; simpl; [reflexivity |].
  exists (fun _ => 0). split; [intros; exact IH | apply zero_integral; reflexivity].
Qed.

Lemma boxes_scale boxes : forall f v k,
  boxes_integral boxes f v -> boxes_integral boxes (fun ys => k * f ys) (k * v).
Proof.
  induction boxes as [| box boxes IH]; simpl; intros f v k H; [rewrite H; reflexivity |].
  destruct H as [g [G I]]. exists (fun y => k * g y). split.
  - intros y. apply (IH (fun ys => f (y :: ys))), G.
  - apply box_scale, I.
Qed.

Lemma boxes_divided boxes h (s : R) (f : list (list R) -> R) v :
  0 < s -> boxes_integral boxes (fun ys => h ys * (s * f ys)) v ->
  boxes_integral boxes (fun ys => h ys * f ys) (/ s * v).
Proof.
  intros Hs H. apply (boxes_scale boxes _ _ (/ s)) in H.
  replace (fun ys => h ys * f ys) with (fun ys => / s * (h ys * (s * f ys))); [exact H |].
  apply functional_extensionality. intros ys. field. lra.
Qed.

(** ** Densities *)

Lemma vector_density_pos sigma : forall y c, 0 < sigma -> 0 < vector_density sigma c y.
Proof.
  induction y as [| t y IH]; simpl; intros c Hs; [lra |].
  apply Rmult_lt_0_compat; [apply density_pos, Hs | apply IH, Hs].
Qed.

(** The probability of a box. *)
Fixpoint mass (sigma : R) (c : vector) (box : list (R * R)) : R :=
  match box with
  | [] => 1
  | (a, b) :: box =>
      (Phi ((b - c O) / sigma) - Phi ((a - c O) / sigma)) * mass sigma (fun i => c (S i)) box
  end.

Lemma mass_integral sigma : 0 < sigma -> forall box c,
  box_integral box (vector_density sigma c) (mass sigma c box).
Proof.
  intros Hs. induction box as [| [a b] box IH]; simpl; intros c; [reflexivity |].
  set (m := mass sigma (fun i => c (S i)) box).
  exists (fun t => density sigma (c O) t * m). split.
  - intros t. apply box_scale, IH.
  - rewrite Rmult_comm. apply (is_RInt_ext (fun t => m * density sigma (c O) t)).
    + intros; apply Rmult_comm.
    + apply (is_RInt_scal (V := R_NormedModule)), density_integral, Hs.
Qed.

Lemma mass_bounds sigma d : 0 < sigma -> forall box c,
  is_box d box -> 0 <= mass sigma c box <= 1.
Proof.
  intros Hs. induction d as [| d IH]; intros [| [a b] box] c [L W]; try discriminate; simpl; [lra |].
  inversion W as [| ? ? O1 O2]; subst. simpl in O1. injection L as L.
  destruct (IH box (fun i => c (S i)) (conj L O2)) as [M0 M1].
  assert (0 < / sigma) by (apply Rinv_0_lt_compat, Hs).
  assert (Phi ((a - c O) / sigma) <= Phi ((b - c O) / sigma)).
  { apply Phi_increasing. apply Rmult_le_compat_r; lra. }
  pose proof (Phi_bounds ((a - c O) / sigma)). pose proof (Phi_bounds ((b - c O) / sigma)).
  set (u := Phi _ - Phi _). assert (0 <= u <= 1) by (unfold u; lra). nra.
Qed.

(** ** Growing boxes *)

Definition grow (L : R) : list (R * R) -> list (R * R) := map (fun ab => (fst ab - L, snd ab + L)).

Lemma grow_box d L box : 0 <= L -> is_box d box -> is_box d (grow L box).
Proof.
  intros HL [E W]. split; [unfold grow; rewrite map_length; exact E |].
  apply Forall_map. revert W. apply Forall_impl. simpl. intros; lra.
Qed.

Lemma integral_grows (f g : R -> R) a b L v w :
  a <= b -> 0 <= L -> (forall t, f t <= g t) -> (forall t, 0 <= g t) ->
  is_RInt f a b v -> is_RInt g (a - L) (b + L) w -> v <= w.
Proof.
  intros Hab HL H P F G.
  assert (ex_RInt g (a - L) (b + L)) as E by (exists w; exact G).
  pose proof (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) g (a - L) a (b + L) ltac:(lra) E) as E1.
  pose proof (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) g (a - L) a (b + L) ltac:(lra) E) as E'.
  pose proof (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) g a b (b + L) ltac:(lra) E') as E2.
  pose proof (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) g a b (b + L) ltac:(lra) E') as E3.
  pose proof (RInt_Chasles (V := R_CompleteNormedModule) g _ _ _ E1 E') as C1.
  pose proof (RInt_Chasles (V := R_CompleteNormedModule) g _ _ _ E2 E3) as C2.
  unfold plus in C1, C2; simpl in C1, C2.
  pose proof (is_RInt_unique _ _ _ _ G) as V. simpl in V.
  pose proof (RInt_ge_0 g (a - L) a ltac:(lra) E1 (fun t _ => P t)).
  pose proof (RInt_ge_0 g b (b + L) ltac:(lra) E3 (fun t _ => P t)).
  pose proof (is_RInt_le f g a b v _ Hab F (RInt_correct g a b E2) (fun t _ => H t)).
  lra.
Qed.

Lemma box_grows d : forall box L f v w,
  is_box d box -> 0 <= L -> (forall y, length y = d -> 0 <= f y) ->
  box_integral box f v -> box_integral (grow L box) f w -> v <= w.
Proof.
  induction d as [| d IH]; intros [| [a b] box] L f v w B HL P F G; pose proof B as [E W];
    try discriminate; simpl in F, G.
  - lra.
  - destruct F as [f' [F I]]. destruct G as [g' [G J]].
    inversion W as [| ? ? O1 O2]; subst. simpl in O1. injection E as E.
    assert (forall t y, length y = d -> 0 <= f (t :: y)) as P'.
    { intros t y Y. apply P. simpl. rewrite Y. reflexivity. }
    apply (integral_grows f' g' a b L v w O1 HL); try assumption.
    + intros t. apply (IH box L (fun y => f (t :: y)) _ _ (conj E O2) HL (P' t) (F t) (G t)).
    + intros t. apply (box_le d (grow L box) (fun _ => 0) (fun y => f (t :: y)));
        [apply grow_box; [exact HL | split; assumption] | apply box_zero | apply G | apply P'].
Qed.

(** ** Limits *)

Lemma Phi_right sigma c b :
  0 < sigma -> is_lim_seq (fun k => Phi ((b + INR k - c) / sigma)) 1.
Proof.
  intros Hs. apply (is_lim_comp_seq Phi (fun k => (b + INR k - c) / sigma) p_infty 1).
  - apply Phi_limits.
  - exists O. intros; discriminate.
  - apply (is_lim_seq_ext (fun k => / sigma * ((b - c) + INR k))).
    { intros k. field. lra. }
    replace p_infty with (Rbar_mult (/ sigma) p_infty).
    + apply is_lim_seq_scal_l.
      apply (is_lim_seq_plus _ _ (b - c) p_infty p_infty);
        [apply is_lim_seq_const | apply is_lim_seq_INR | reflexivity].
    + simpl. pose proof (Rinv_0_lt_compat sigma Hs).
      destruct (Rle_dec 0 (/ sigma)) as [r | r]; [| lra].
      destruct (Rle_lt_or_eq_dec 0 (/ sigma) r); [reflexivity | lra].
Qed.

Lemma Phi_left sigma c a :
  0 < sigma -> is_lim_seq (fun k => Phi ((a - INR k - c) / sigma)) 0.
Proof.
  intros Hs. apply (is_lim_seq_ext (fun k => 1 - Phi ((- a + INR k - - c) / sigma))).
  { intros k. rewrite <- Phi_opp. f_equal. field. lra. }
  replace (Finite 0) with (Finite (1 - 1)) by (f_equal; ring).
  apply is_lim_seq_minus'; [apply is_lim_seq_const | apply Phi_right, Hs].
Qed.

Lemma mass_to_1 sigma : 0 < sigma -> forall box c,
  is_lim_seq (fun k => mass sigma c (grow (INR k) box)) 1.
Proof.
  intros Hs. induction box as [| [a b] box IH]; intros c; simpl; [apply is_lim_seq_const |].
  replace (Finite 1) with (Finite ((1 - 0) * 1)) by (f_equal; ring).
  apply is_lim_seq_mult'; [| apply IH].
  apply is_lim_seq_minus'; [apply Phi_right, Hs | apply Phi_left, Hs].
Qed.
