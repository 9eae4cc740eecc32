(** * Several Gaussian releases are as private as one (X.COMP)

    No more is lost than by one with mu^2 = sum of (D/sigma)^2, for distances D that no pair of
    neighbours exceeds; and exactly so, where one pair of neighbours has these distances in all. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Psatz FunctionalExtensionality Classical_Prop.
From Dporacle Require Import Definitions PrivacyProfile Theorem8 Boxes JointAttainment.
From Dporacle Require Export Releases.
Import ListNotations.
Open Scope R_scope.

(** ** Rounds of releases *)

(** The square of distance over noise. *)
Definition mu_squared (far sigma : R) : R := far / sigma * (far / sigma).

(** A release tells at least [m] about a pair of data sets. *)
Definition tells_at_least {data : Type} (d d' : data) (r : release data) (m : R) : Prop :=
  exists c c', answers d d' r (c, c')
    /\ m * (snd r * snd r) <= norm_squared (coordinates (fst r)) (difference c c').

Lemma within_tells {data : Type} (q : query data) d d' D sigma :
  0 < sigma -> within q d d' D -> tells_at_most d d' (q, sigma) (mu_squared D sigma).
Proof.
  intros Hs W. split; [exact Hs |]. intros past. apply Rle_trans with (1 := W past). simpl.
  right. unfold mu_squared. field. lra.
Qed.

Lemma apart_tells {data : Type} (q : query data) d d' D sigma :
  0 < sigma -> apart q d d' D -> tells_at_least d d' (q, sigma) (mu_squared D sigma).
Proof.
  intros Hs (c & c' & A & L). exists c, c'. split; [split; [exact Hs | exact A] |].
  apply Rle_trans with (2 := L). simpl. right. unfold mu_squared. field. lra.
Qed.

Lemma mu_squared_0 sigma : mu_squared 0 sigma = 0.
Proof. unfold mu_squared, Rdiv. ring. Qed.

Lemma mu_squared_nonneg far sigma : 0 <= mu_squared far sigma.
Proof. apply Rle_0_sqr. Qed.

Lemma total_app ms ms' : total (ms ++ ms') = total ms + total ms'.
Proof. induction ms as [| m ms IH]; simpl; [ring | rewrite IH; ring]. Qed.

(** What holds of each round holds of all. *)
Lemma in_rounds {data : Type} (P : release data -> R -> Prop) each ms times :
  (0 <= times)%Z -> (forall i, Forall2 P (each i) ms) ->
  exists all, Forall2 P (rounds times each) all /\ total all = IZR times * total ms.
Proof.
  intros Ht H. unfold rounds. set (n := Z.to_nat times).
  replace (IZR times) with (INR n) by (rewrite INR_IZR_INZ; unfold n; rewrite Z2Nat.id by exact Ht; reflexivity).
  generalize O as start. induction n as [| n IH]; intros start.
  - exists []. simpl. split; [constructor | ring].
  - destruct (IH (S start)) as (all & F & E). exists (ms ++ all). split.
    + simpl. apply Forall2_app; [apply H | exact F].
    + rewrite total_app, E, S_INR. ring.
Qed.

Lemma told_at_least {data : Type} (d d' : data) : forall rs ms,
  Forall2 (tells_at_least d d') rs ms ->
  exists ccs, Forall2 (answers d d') rs ccs /\ total ms <= told rs ccs.
Proof.
  induction rs as [| [q sigma] rs IH]; intros ms F; inversion F as [| ? m ? ms' F1 F2]; subst.
  - exists []. split; [constructor | simpl; lra].
  - destruct (IH ms' F2) as (ccs & A & L). destruct F1 as (c & c' & [Hs B] & N). simpl in Hs, N.
    exists ((c, c') :: ccs). split; [constructor; [split; assumption | exact A] |]. simpl.
    apply Rplus_le_compat; [| exact L]. assert (0 < sigma * sigma) by nra.
    apply Rmult_le_reg_r with (sigma * sigma); [assumption |]. apply Rle_trans with (1 := N).
    right. field. lra.
Qed.

Lemma least_told {data : Type} eps delta (neighbours : data -> data -> Prop) rs d d' ms least :
  neighbours d d' -> Forall2 (tells_at_least d d') rs ms -> 0 <= eps -> 0 < least ->
  least <= total ms -> releases_dp eps delta neighbours rs -> gaussian_dp eps delta (sqrt least) 1.
Proof.
  intros Ne F He Hl L DP. destruct (told_at_least d d' rs ms F) as (ccs & C & T).
  pose proof (sqrt_lt_R0 _ Hl). apply profile_suffices; [exact He | assumption | lra |].
  apply Rle_trans with (profile eps (sqrt (told rs ccs))).
  - replace (sqrt least / 1) with (sqrt least) by field.
    apply profile_increasing; [assumption | apply sqrt_le_1_alt; lra].
  - apply (releases_necessary eps delta neighbours _ d d'); [exact Ne | exact C | lra | exact DP].
Qed.

Theorem rounds_private (data : Type) eps delta (neighbours : data -> data -> Prop) times each most :
  (0 <= times)%Z ->
  (forall d d', neighbours d d' ->
     exists ms, (forall i, Forall2 (tells_at_most d d') (each i) ms) /\ IZR times * total ms <= most) ->
  0 < most -> gaussian_dp eps delta (sqrt most) 1 ->
  releases_dp eps delta neighbours (rounds times each).
Proof.
  intros Ht H. apply releases_private. intros d d' Ne. destruct (H d d' Ne) as (ms & F & L).
  destruct (in_rounds _ each ms times Ht F) as (all & A & E). exists all. rewrite E. split; assumption.
Qed.

Theorem rounds_not_private (data : Type) eps delta (neighbours : data -> data -> Prop) times each
    d d' ms least :
  (0 <= times)%Z -> neighbours d d' -> (forall i, Forall2 (tells_at_least d d') (each i) ms) ->
  least <= IZR times * total ms -> 0 <= eps -> 0 < least ->
  ~ gaussian_dp eps delta (sqrt least) 1 -> ~ releases_dp eps delta neighbours (rounds times each).
Proof.
  intros Ht Ne F L He Hl V DP. apply V. destruct (in_rounds _ each ms times Ht F) as (all & A & E).
  apply (least_told eps delta neighbours (rounds times each) d d' all); try assumption. lra.
Qed.

(** X.COMP: where one pair of neighbours is at the distances that none exceeds, the releases are
    exactly as private as one. *)
Theorem composition (data : Type) eps delta (neighbours : data -> data -> Prop) rs ms :
  (forall d d', neighbours d d' -> Forall2 (tells_at_most d d') rs ms) ->
  (exists d d', neighbours d d' /\ Forall2 (tells_at_least d d') rs ms) ->
  0 <= eps -> 0 < total ms ->
  (releases_dp eps delta neighbours rs <-> gaussian_dp eps delta (sqrt (total ms)) 1).
Proof.
  intros Most (d & d' & Ne & Least) He Hm. split.
  - apply (least_told eps delta neighbours rs d d' ms); try assumption. lra.
  - apply releases_private; [| exact Hm]. intros x x' N. exists ms. split; [exact (Most x x' N) | lra].
Qed.

(** ** One release of several coordinates *)

Definition axis (D : R) : vector := fun i => match i with O => D | _ => 0 end.

Lemma axis_norm D k : norm_squared (S k) (difference (axis D) (axis 0)) = D * D.
Proof.
  simpl. unfold difference at 1 2. simpl. rewrite Rminus_0_r.
  enough (norm_squared k (fun i => difference (axis D) (axis 0) (S i)) = 0) as -> by ring.
  replace (fun i => difference (axis D) (axis 0) (S i)) with (fun _ : nat => 0)
    by (apply functional_extensionality; intros i; unfold difference; simpl; ring).
  induction k as [| k IH]; simpl; [reflexivity | rewrite IH; ring].
Qed.

Lemma in_unit_noise eps delta D sigma :
  0 <= eps -> 0 < D -> 0 < sigma ->
  0 < total [mu_squared D sigma]
  /\ (gaussian_dp eps delta (sqrt (total [mu_squared D sigma])) 1 <-> gaussian_dp eps delta D sigma).
Proof.
  intros He HD Hs. assert (0 < D / sigma) by (apply Rdiv_lt_0_compat; assumption).
  simpl. rewrite Rplus_0_r. split; [apply Rmult_lt_0_compat; assumption |].
  unfold mu_squared. rewrite sqrt_square by lra.
  rewrite (theorem8 _ _ (D / sigma) 1), (theorem8 _ _ D sigma) by (assumption || exact Rlt_0_1).
  replace (D / sigma / 1) with (D / sigma) by (field; lra). reflexivity.
Qed.

(** What [gaussian_dp] says about neighbours: enough, where no answers are farther apart than [D]. *)
Theorem one_release_private (data : Type) eps delta (neighbours : data -> data -> Prop) q D sigma :
  0 <= eps -> 0 < D -> 0 < sigma -> (forall d d', neighbours d d' -> within q d d' D) ->
  gaussian_dp eps delta D sigma -> releases_dp eps delta neighbours [(q, sigma)].
Proof.
  intros He HD Hs W DP. destruct (in_unit_noise eps delta D sigma He HD Hs) as [HM One].
  apply (releases_private _ _ _ _ _ (total [mu_squared D sigma])); [| exact HM | apply One, DP].
  intros d d' N. exists [mu_squared D sigma]. split; [| lra].
  constructor; [apply within_tells; auto | constructor].
Qed.

(** And needed, where the answers to two neighbours are as far apart. *)
Theorem one_release_not_private (data : Type) eps delta (neighbours : data -> data -> Prop) q D sigma :
  0 <= eps -> 0 < D -> 0 < sigma -> (exists d d', neighbours d d' /\ apart q d d' D) ->
  ~ gaussian_dp eps delta D sigma -> ~ releases_dp eps delta neighbours [(q, sigma)].
Proof.
  intros He HD Hs (d & d' & N & A) V DP. apply V.
  destruct (in_unit_noise eps delta D sigma He HD Hs) as [HM One]. apply One.
  apply (least_told eps delta neighbours [(q, sigma)] d d' [mu_squared D sigma]); try assumption; [| lra].
  constructor; [apply apart_tells; assumption | constructor].
Qed.

(** The l2-sensitivity is all that matters. *)
Theorem every_dimension k eps delta D sigma :
  0 <= eps -> 0 < D -> 0 < sigma ->
  (vector_gaussian_dp (S k) eps delta D sigma <-> gaussian_dp eps delta D sigma).
Proof.
  intros He HD Hs.
  set (near := fun c c' : vector => norm_squared (S k) (difference c c') <= D * D).
  set (q := {| coordinates := S k; answer := fun _ (d : vector) => d |}).
  assert (vector_gaussian_dp (S k) eps delta D sigma <-> releases_dp eps delta near [(q, sigma)]) as One.
  { split.
    - intros DP c c' boxes h v v' N B Hh V V'.
      inversion B as [| ? box ? boxes' B1 B2]; subst. inversion B2; subst. simpl in B1, V, V'.
      destruct V as (g & G & V). destruct V' as (g' & G' & V').
      apply (DP c c' box (fun y => h [y])); [exact N | exact B1 | intros; apply Hh | |].
      + replace (fun y => h [y] * vector_density sigma c y) with g; [exact V |].
        apply functional_extensionality. intros y. rewrite G. ring.
      + replace (fun y => h [y] * vector_density sigma c' y) with g'; [exact V' |].
        apply functional_extensionality. intros y. rewrite G'. ring.
    - intros DP c c' box h v v' N B Hh V V'.
      apply (DP c c' [box] (fun ys => h (hd [] ys))); [exact N | | intros; apply Hh | |].
      + constructor; [exact B | constructor].
      + eexists. split; [| exact V]. intros y. simpl. ring.
      + eexists. split; [| exact V']. intros y. simpl. ring. }
  rewrite One. split.
  - intros DP. apply NNPP. intros V.
    apply (one_release_not_private vector eps delta near q D sigma He HD Hs); [| exact V | exact DP].
    exists (axis D), (axis 0). split; [unfold near; rewrite axis_norm; lra |].
    exists (axis D), (axis 0). split; [intros; split; reflexivity |]. simpl coordinates.
    rewrite axis_norm. lra.
  - apply (one_release_private vector eps delta near q D sigma He HD Hs). intros c c' N past. exact N.
Qed.

(** ** At given numbers

    [most] and [least] are what the releases tell together, in numbers; [numbers] decides a
    comparison of such. *)

Ltac positive numbers := first [lra | unfold mu_squared; numbers].

(** The premise of one case, about the queries of any round. *)
Ltac each_tells tells numbers :=
  repeat (apply Forall2_cons; [apply tells; [positive numbers | eassumption] |]); apply Forall2_nil.

Ltac summed numbers :=
  unfold total, fold_right; rewrite ?mu_squared_0;
  first
    [ right; reflexivity
    | repeat match goal with |- context [mu_squared ?f ?s] =>
        generalize (mu_squared_nonneg f s); generalize (mu_squared f s); intros end;
      lra
    | rewrite ?Rplus_0_l, ?Rplus_0_r; unfold mu_squared; numbers ].

Ltac all_parts := repeat match goal with H : _ /\ _ |- _ => destruct H end.

Tactic Notation "releases_hold" constr(most) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : forall d d', _ |- _ =>
      apply (rounds_private _ _ _ _ _ _ most);
      [ lia
      | intros one other N; specialize (H one other N); clear N;
        repeat match goal with E : _ \/ _ |- _ => destruct E as [E | E] end;
        (eexists; split;
         [ intros i; match goal with E : forall i, _ |- _ => specialize (E i) end; all_parts;
           each_tells within_tells numbers
         | summed numbers ])
      | unfold mu_squared; numbers
      | unfold mu_squared; numbers ]
  end.

Tactic Notation "releases_fail" constr(least) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : exists d d', _ |- _ =>
      destruct H as (one & other & N & H);
      eapply (rounds_not_private _ _ _ _ _ _ one other _ least);
      [ lia
      | exact N
      | intros i; specialize (H i); all_parts; each_tells apart_tells numbers
      | summed numbers
      | lra
      | unfold mu_squared; numbers
      | unfold mu_squared; numbers ]
  end.
