(** * Two facts of calculus that Coquelicot states in other words *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** Read an equation of a vector space of Coquelicot as one of real numbers. *)
Ltac real_equation := match goal with |- ?a = ?b => change (@eq R a b) end.

(** A function whose derivative is nowhere negative rises. *)
Lemma nondecreasing (f f' : R -> R) a b :
  a <= b ->
  (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> 0 <= f' x) ->
  f a <= f b.
Proof.
  intros Hab Hd Hp. destruct (MVT_gen f a b f') as [c [Hc H]].
  - intros x Hx. apply Hd. rewrite Rmin_left, Rmax_right in Hx by lra. lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra.
    apply continuity_pt_filterlim, (ex_derive_continuous f). eexists. apply Hd. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. pose proof (Hp c Hc). nra.
Qed.

Lemma constant (f : R -> R) : (forall x, is_derive f x 0) -> forall x, f x = f 0.
Proof.
  intros H x. destruct (MVT_gen f 0 x (fun _ => 0)) as [c [_ E]].
  - intros; apply H.
  - intros. apply continuity_pt_filterlim, (ex_derive_continuous f). eexists; apply H.
  - lra.
Qed.

(** Continuous functions are integrable. *)
Lemma continuous_integrable (f : R -> R) :
  (forall t, continuous f t) -> forall a b, ex_RInt f a b.
Proof.
  intros H a b. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply H.
Qed.

(** An integral with a variable upper end is an antiderivative. *)
Lemma integral_derive (f : R -> R) (a : R) :
  (forall t, continuous f t) -> forall x, is_derive (fun x => RInt f a x) x (f x).
Proof.
  intros H x. apply (is_derive_RInt f (fun x => RInt f a x) a x).
  - exists (mkposreal 1 Rlt_0_1). intros y _.
    apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable, H.
  - apply H.
Qed.

Lemma div_mult_le a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof.
  intros Hb H. apply Rmult_le_reg_r with b; [exact Hb |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
