(** * Tests on the whole line

    The definition of (eps,delta)-DP speaks of tests on windows [a, b].  Tests on the whole line,
    with improper integrals as limits of windows, say exactly the same: one inequality follows from
    the other by a limit, and a window is the test that is 0 outside. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution NeymanPearson.
Open Scope R_scope.

Definition improper (f : R -> R) (l : R) : Prop :=
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) l.

Definition gaussian_dp_line (eps delta D sigma : R) : Prop :=
  forall (x x' p q : R) (h : R -> R),
    Rabs (x - x') <= D ->
    (forall t, 0 <= h t <= 1) ->
    improper (fun t => h t * density sigma x t) p ->
    improper (fun t => h t * density sigma x' t) q ->
    p <= exp eps * q + delta.

(** Windows that are wide enough come close to both limits at once. *)
Lemma windows_approach (f : R -> R) l e :
  0 < e -> improper f l ->
  exists A B, forall a b, a < A -> B < b -> exists v, is_RInt f a b v /\ Rabs (v - l) < e.
Proof.
  intros He HI.
  destruct (HI (fun v => Rabs (v - l) < e)) as [P Q [A HA] [B HB] HPQ].
  { exists (mkposreal e He). intros v Hv. exact Hv. }
  exists A, B. intros a b Ha Hb. exact (HPQ a b (HA a Ha) (HB b Hb)).
Qed.

Lemma wide_window A1 B1 A2 B2 :
  exists a b, a < A1 /\ a < A2 /\ a <= b /\ B1 < b /\ B2 < b.
Proof.
  exists (Rmin (Rmin A1 A2) 0 - 1), (Rmax (Rmax B1 B2) 0 + 1).
  pose proof (Rmin_l (Rmin A1 A2) 0). pose proof (Rmin_r (Rmin A1 A2) 0).
  pose proof (Rmin_l A1 A2). pose proof (Rmin_r A1 A2).
  pose proof (Rmax_l (Rmax B1 B2) 0). pose proof (Rmax_r (Rmax B1 B2) 0).
  pose proof (Rmax_l B1 B2). pose proof (Rmax_r B1 B2). lra.
Qed.

Lemma windows_suffice eps delta D sigma :
  gaussian_dp eps delta D sigma -> gaussian_dp_line eps delta D sigma.
Proof.
  intros DP x x' p q h Hd Hh P Q. apply le_epsilon. intros e He.
  pose proof (exp_pos eps) as E.
  destruct (windows_approach _ p (e / 2) ltac:(lra) P) as [A1 [B1 W1]].
  destruct (windows_approach _ q (e / 2 / exp eps)
              ltac:(apply Rdiv_lt_0_compat; lra) Q) as [A2 [B2 W2]].
  destruct (wide_window A1 B1 A2 B2) as (a & b & ? & ? & ? & ? & ?).
  destruct (W1 a b) as [v [V1 V2]]; [lra | lra |].
  destruct (W2 a b) as [w [X1 X2]]; [lra | lra |].
  pose proof (DP x x' a b h Hd ltac:(lra) Hh (ex_intro _ _ V1) (ex_intro _ _ X1)) as I.
  rewrite (is_RInt_unique _ _ _ _ V1), (is_RInt_unique _ _ _ _ X1) in I.
  apply Rabs_def2 in V2. apply Rabs_def2 in X2.
  assert (exp eps * (e / 2 / exp eps) = e / 2) as S by (field; lra).
  assert (exp eps * w <= exp eps * (q + e / 2 / exp eps)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** A function that is 0 outside of a window. *)
Definition restricted (a b : R) (f : R -> R) (t : R) : R :=
  if Rlt_dec a t then if Rlt_dec t b then f t else 0 else 0.

Lemma zero_integral (f : R -> R) a b :
  (forall t, Rmin a b < t < Rmax a b -> f t = 0) -> is_RInt f a b 0.
Proof.
  intros H. apply (is_RInt_ext (fun _ => 0)); [intros; symmetry; apply H; assumption |].
  evar_last; [apply (is_RInt_const (V := R_NormedModule) a b 0) |].
  unfold scal; simpl; unfold mult; simpl. apply Rmult_0_r.
Qed.

Lemma restricted_integral (f : R -> R) a b l :
  a <= b -> is_RInt f a b l -> improper (restricted a b f) l.
Proof.
  intros Hab HI P HP.
  apply (Filter_prod _ _ _ (fun u => u < a) (fun u => b < u));
    [exists a; auto | exists b; auto |].
  intros u v Hu Hv. exists l. split; [| apply locally_singleton; exact HP]. simpl.
  replace l with (plus (plus 0 l) 0) by (unfold plus; simpl; ring).
  apply (is_RInt_Chasles (V := R_NormedModule)) with b.
  - apply (is_RInt_Chasles (V := R_NormedModule)) with a.
    + apply zero_integral. intros t Ht. rewrite Rmax_right in Ht by lra.
      unfold restricted. destruct (Rlt_dec a t); [lra | reflexivity].
    + apply (is_RInt_ext f); [| exact HI]. intros t Ht.
      rewrite Rmin_left, Rmax_right in Ht by lra. unfold restricted.
      destruct (Rlt_dec a t); [| lra]. destruct (Rlt_dec t b); [reflexivity | lra].
  - apply zero_integral. intros t Ht. rewrite Rmin_left in Ht by lra. unfold restricted.
    destruct (Rlt_dec a t); [| reflexivity]. destruct (Rlt_dec t b); [lra | reflexivity].
Qed.

(** A test of a window is one of the whole line, for two answers that are given. *)
Lemma window_of_line eps delta x x' sigma :
  (forall p q h, (forall t, 0 <= h t <= 1) ->
     improper (fun t => h t * density sigma x t) p ->
     improper (fun t => h t * density sigma x' t) q -> p <= exp eps * q + delta) ->
  pair_dp eps delta x x' sigma.
Proof.
  intros DP a b h Hab Hh E1 E2.
  assert (forall c, ex_RInt (fun t => h t * density sigma c t) a b ->
            improper (fun t => restricted a b h t * density sigma c t)
              (RInt (fun t => h t * density sigma c t) a b)) as W.
  { intros c E.
    pose proof (restricted_integral _ a b _ Hab
                  (RInt_correct (V := R_CompleteNormedModule) _ _ _ E)) as I.
    refine (is_RInt_gen_ext _ _ _ _ I). apply filter_forall. intros [u v] t _.
    simpl. unfold restricted.
    destruct (Rlt_dec a t); [destruct (Rlt_dec t b) |]; real_equation; ring. }
  apply (DP _ _ (restricted a b h)).
  - intros t. unfold restricted. pose proof (Hh t).
    destruct (Rlt_dec a t); [destruct (Rlt_dec t b) |]; lra.
  - apply W, E1.
  - apply W, E2.
Qed.

Lemma windows_necessary eps delta D sigma :
  gaussian_dp_line eps delta D sigma -> gaussian_dp eps delta D sigma.
Proof.
  intros DP x x' a b h Hd. apply window_of_line. intros p q k. apply DP, Hd.
Qed.

Theorem whole_line eps delta D sigma :
  gaussian_dp eps delta D sigma <-> gaussian_dp_line eps delta D sigma.
Proof. split; [apply windows_suffice | apply windows_necessary]. Qed.

(** ** Integrals over the whole line: of densities, and what is true of all *)

Lemma density_improper sigma c : 0 < sigma -> improper (density sigma c) 1.
Proof.
  intros Hs P HP.
  destruct HP as [e HP]. pose proof (cond_pos e) as He.
  destruct (Phi_tail_below (e / 3) ltac:(lra)) as [b [Hb B]].
  apply (Filter_prod _ _ _ (fun u => u < c - sigma * b) (fun v => c + sigma * b < v));
    [exists (c - sigma * b); auto | exists (c + sigma * b); auto |].
  intros u v Hu Hv. exists (Phi ((v - c) / sigma) - Phi ((u - c) / sigma)).
  split; [apply density_integral, Hs |]. apply HP.
  unfold ball; simpl; unfold AbsRing_ball; simpl. unfold abs, minus, plus, opp; simpl.
  assert (forall w, sigma * b < w -> b <= w / sigma) as far.
  { intros w Hw. apply Rmult_le_reg_r with sigma; [exact Hs |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (B ((v - c) / sigma) (far (v - c) ltac:(lra))) as V.
  pose proof (B ((c - u) / sigma) (far (c - u) ltac:(lra))) as U.
  replace ((u - c) / sigma) with (- ((c - u) / sigma)) by (field; lra).
  rewrite Phi_opp in V.
  pose proof (Phi_bounds ((v - c) / sigma)). pose proof (Phi_bounds (- ((c - u) / sigma))).
  apply Rabs_def1; lra.
Qed.

Lemma improper_unique (f : R -> R) l m : improper f l -> improper f m -> l = m.
Proof.
  intros H1 H2. rewrite <- (is_RInt_gen_unique (V := R_CompleteNormedModule) f l H1).
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)), H2.
Qed.

Lemma improper_scal f k l : improper f l -> improper (fun s => k * f s) (k * l).
Proof. exact (is_RInt_gen_scal (V := R_NormedModule) f k l). Qed.

Lemma improper_le f g l m :
  improper f l -> improper g m -> (forall s, f s <= g s) -> l <= m.
Proof.
  intros F G H. apply le_epsilon. intros e He.
  destruct (windows_approach f l (e / 2) ltac:(lra) F) as [A1 [B1 W1]].
  destruct (windows_approach g m (e / 2) ltac:(lra) G) as [A2 [B2 W2]].
  destruct (wide_window A1 B1 A2 B2) as (a & b & E1 & E2 & E3 & E4 & E5).
  destruct (W1 a b E1 E4) as [v [V1 V2]]. destruct (W2 a b E2 E5) as [w [X1 X2]].
  pose proof (is_RInt_le f g a b v w E3 V1 X1 (fun s _ => H s)) as I.
  apply Rabs_def2 in V2. apply Rabs_def2 in X2. lra.
Qed.
