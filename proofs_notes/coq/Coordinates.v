(** * Accuracy and loss of several coordinates, from their density

    What the definitions say of one coordinate's integrals is what the density of all coordinates
    says, over cubes. *)

From Coq Require Import Reals List Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson Boxes.
Import ListNotations.
Open Scope R_scope.

Definition cube (k : nat) (a : R) : list (R * R) := repeat (- a, a) k.
Definition no_answer : vector := fun _ => 0.

Fixpoint squares (y : list R) : R := match y with [] => 0 | t :: y => t * t + squares y end.

Section Cube.
Variables (sigma a : R).
Hypothesis Hs : 0 < sigma.

Let inside := RInt (density sigma 0) (- a) a.
Let moment := RInt (fun t => t * t * density sigma 0 t) (- a) a.

Lemma inside_integral : is_RInt (density sigma 0) (- a) a inside.
Proof. apply (RInt_correct (V := R_CompleteNormedModule)), density_integrable, Hs. Qed.

Lemma square_integrable b c : ex_RInt (fun t => t * t * density sigma 0 t) b c.
Proof.
  apply continuous_integrable. intros t. apply (ex_derive_continuous (fun t => t * t * density sigma 0 t)).
  unfold density, phi. pose proof sqrt_2pi_pos. auto_derive. repeat split; lra.
Qed.

(** That no error exceeds [a]: the probability in [gaussian_accuracy]. *)
Theorem cube_probability k :
  box_integral (cube k a) (vector_density sigma no_answer) (inside ^ k).
Proof.
  induction k as [| k IH]; [reflexivity |].
  exists (fun t => density sigma 0 t * inside ^ k). split; [intros t; apply (box_scale _ _ _ _ IH) |].
  cbn [pow]. rewrite Rmult_comm. apply (is_RInt_ext (fun t => scal (inside ^ k) (density sigma 0 t))).
  - intros t _. apply Rmult_comm.
  - apply (is_RInt_scal (V := R_NormedModule)), inside_integral.
Qed.

(** The squared l2 error there. *)
Theorem cube_loss d :
  box_integral (cube d a) (fun y => squares y * vector_density sigma no_answer y)
    (INR d * (moment * inside ^ pred d)).
Proof.
  induction d as [| d IH]; [simpl; ring |].
  exists (fun t => t * t * density sigma 0 t * inside ^ d
                   + density sigma 0 t * (INR d * (moment * inside ^ pred d))). split.
  - intros t. simpl squares.
    replace (fun y => (t * t + squares y) * vector_density sigma no_answer (t :: y))
      with (fun y => t * t * density sigma 0 t * vector_density sigma no_answer y
                     + density sigma 0 t * (squares y * vector_density sigma no_answer y)).
    + apply (box_plus _ (fun y => t * t * density sigma 0 t * vector_density sigma no_answer y));
        apply box_scale; [apply cube_probability | exact IH].
    + apply functional_extensionality. intros y. simpl. unfold no_answer. ring.
  - replace (INR (S d) * (moment * inside ^ pred (S d)))
      with (plus (scal (inside ^ d) moment) (scal (INR d * (moment * inside ^ pred d)) inside)).
    + apply (is_RInt_ext (fun t => plus (scal (inside ^ d) (t * t * density sigma 0 t))
        (scal (INR d * (moment * inside ^ pred d)) (density sigma 0 t)))).
      * intros t _. unfold plus, scal; simpl. unfold mult; simpl. real_equation. ring.
      * apply (is_RInt_plus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule));
          [apply (RInt_correct (V := R_CompleteNormedModule)), square_integrable | apply inside_integral].
    + change (inside ^ d * moment + INR d * (moment * inside ^ pred d) * inside
              = INR (S d) * (moment * inside ^ d)).
      rewrite S_INR. destruct d as [| d]; cbn [pred pow]; [simpl INR |]; ring.
Qed.
End Cube.

Lemma inside_limit sigma a : 0 < sigma -> forall k,
  is_lim_seq (fun n => RInt (density sigma 0) (- (a + INR n)) (a + INR n) ^ k) 1.
Proof.
  intros Hs. induction k as [| k IH]; [apply is_lim_seq_const |].
  replace (Finite 1) with (Finite ((1 - 0) * 1)) by (f_equal; ring).
  apply is_lim_seq_mult'; [| exact IH].
  apply (is_lim_seq_ext (fun n => Phi ((a + INR n - 0) / sigma) - Phi ((- a - INR n - 0) / sigma))).
  - intros n. rewrite (is_RInt_unique _ _ _ _ (density_integral sigma 0 _ _ Hs)).
    do 3 f_equal. ring.
  - apply is_lim_seq_minus'; [apply Phi_right, Hs | apply Phi_left, Hs].
Qed.

(** [gaussian_loss] bounds the squared l2 error over all cubes, and is bounded by that. *)
Theorem loss_of_coordinates most sigma d :
  0 < sigma ->
  (gaussian_loss most sigma (Z.of_nat d) <->
   forall a, 0 <= a -> exists v, v <= most
     /\ box_integral (cube d a) (fun y => squares y * vector_density sigma no_answer y) v).
Proof.
  intros Hs. unfold gaussian_loss. rewrite <- INR_IZR_INZ. pose proof (pos_INR d) as D.
  set (m := fun a => RInt (fun t => t * t * density sigma 0 t) (- a) a).
  set (p := fun a => RInt (density sigma 0) (- a) a).
  assert (forall a, 0 <= a -> 0 <= m a /\ 0 <= p a <= 1) as B.
  { intros a A. split.
    - apply RInt_ge_0; [lra | apply square_integrable |]. intros t _.
      apply Rmult_le_pos; [nra | apply Rlt_le, density_pos, Hs].
    - unfold p. rewrite (is_RInt_unique _ _ _ _ (density_integral sigma 0 (- a) a Hs)).
      assert (Phi ((- a - 0) / sigma) <= Phi ((a - 0) / sigma)).
      { apply Phi_increasing, Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Hs | lra]. }
      pose proof (Phi_bounds ((- a - 0) / sigma)). pose proof (Phi_bounds ((a - 0) / sigma)). lra. }
  split.
  - intros L a A. eexists. split; [| apply cube_loss, Hs]. destruct (B a A) as [M Q].
    apply Rle_trans with (2 := L a A). apply Rmult_le_compat_l; [exact D |].
    fold (m a) (p a). rewrite <- (Rmult_1_r (m a)) at 2. apply Rmult_le_compat_l; [exact M |].
    rewrite <- (pow1 (pred d)). apply pow_incr, Q.
  - intros L a A.
    apply (is_lim_seq_le (fun n => INR d * (m a * p (a + INR n) ^ pred d)) (fun _ => most)
             (INR d * m a) most); [| | apply is_lim_seq_const].
    + intros n. pose proof (pos_INR n) as N. destruct (L (a + INR n) ltac:(lra)) as (v & V & I).
      apply Rle_trans with (2 := V).
      apply Rle_trans with (INR d * (m (a + INR n) * p (a + INR n) ^ pred d)).
      * apply Rmult_le_compat_l; [exact D |]. apply Rmult_le_compat_r; [apply pow_le, B; lra |].
        apply (integral_grows (fun t => t * t * density sigma 0 t) (fun t => t * t * density sigma 0 t)
                 (- a) a (INR n)); [lra | exact N | intros; lra | | |].
        -- intros t. apply Rmult_le_pos; [nra | apply Rlt_le, density_pos, Hs].
        -- apply (RInt_correct (V := R_CompleteNormedModule)), square_integrable.
        -- unfold m. replace (- (a + INR n)) with (- a - INR n) by ring.
           apply (RInt_correct (V := R_CompleteNormedModule)), square_integrable.
      * assert (is_box d (cube d (a + INR n))) as X.
        { split; [apply repeat_length |]. apply Forall_forall. intros w W. apply repeat_spec in W.
          subst w. simpl. lra. }
        apply (box_le d _ _ _ _ _ X (cube_loss sigma (a + INR n) Hs d) I). intros; lra.
    + replace (Finite (INR d * m a)) with (Finite (INR d * (m a * 1))) by (f_equal; ring).
      apply is_lim_seq_mult'; [apply is_lim_seq_const |].
      apply is_lim_seq_mult'; [apply is_lim_seq_const | apply inside_limit, Hs].
Qed.
