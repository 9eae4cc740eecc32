(** * Several releases with Gaussian noise about the same data

    For every set of data and every relation of neighbours, and for the distance [far d d'] of a
    release's answers to two data sets: which distances one pair of neighbours has in all releases
    at once is a premise of each theorem, and no part of the definitions. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions NormalDistribution PrivacyProfile NeymanPearson Theorem8.
Open Scope R_scope.

(** The square of distance over noise, of a release that is made so many times. *)
Definition mu_squared (far sigma times : R) : R := times * (far / sigma * (far / sigma)).

(** Every pair of neighbours is within (eps,delta), [square] being what its releases tell together:
    they are one release of the stacked answer, scaled to unit noise (X.COMP, on paper). *)
Definition releases_dp {data : Type} (eps delta : R) (neighbours : data -> data -> Prop)
    (square : data -> data -> R) : Prop :=
  forall d d', neighbours d d' -> pair_dp eps delta (sqrt (square d d')) 0 1.

Lemma mu_squared_nonneg far sigma times : 0 <= times -> 0 <= mu_squared far sigma times.
Proof. intros H. apply Rmult_le_pos; [exact H | apply Rle_0_sqr]. Qed.

Lemma mu_squared_le far most sigma times :
  0 <= far -> far <= most -> 0 < sigma -> 0 <= times ->
  mu_squared far sigma times <= mu_squared most sigma times.
Proof.
  intros H Hm Hs Ht. apply Rmult_le_compat_l; [exact Ht |].
  assert (0 < / sigma) by (apply Rinv_0_lt_compat, Hs).
  assert (0 <= far / sigma) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat; try assumption; apply Rmult_le_compat_r; lra.
Qed.

Lemma mu_squared_0 sigma times : mu_squared 0 sigma times = 0.
Proof. unfold mu_squared, Rdiv. ring. Qed.

(** No pair of neighbours tells more than [most]. *)
Theorem releases_private (data : Type) eps delta (neighbours : data -> data -> Prop)
    (square : data -> data -> R) most :
  (forall d d', neighbours d d' -> square d d' <= most) ->
  gaussian_dp eps delta (sqrt most) 1 -> releases_dp eps delta neighbours square.
Proof.
  intros H DP d d' N a b h. apply DP. rewrite Rminus_0_r, Rabs_pos_eq by apply sqrt_pos.
  apply sqrt_le_1_alt, H, N.
Qed.

(** One pair of neighbours tells [least], or more. *)
Theorem releases_not_private (data : Type) eps delta (neighbours : data -> data -> Prop)
    (square : data -> data -> R) d d' least :
  neighbours d d' -> least <= square d d' -> 0 <= eps -> 0 < least ->
  ~ gaussian_dp eps delta (sqrt least) 1 -> ~ releases_dp eps delta neighbours square.
Proof.
  intros N L He Hl V DP. apply V. apply sqrt_lt_R0 in Hl. apply sqrt_le_1_alt in L.
  apply profile_suffices; [exact He | exact Hl | lra |].
  apply Rle_trans with (profile eps (sqrt (square d d') / 1)).
  - unfold Rdiv. rewrite !Rinv_1, !Rmult_1_r. apply profile_increasing; assumption.
  - apply pair_necessary; [lra | lra | exact (DP d d' N)].
Qed.

(** ** At given numbers

    [most] and [least] are what the releases tell together, in numbers; [numbers] decides a
    comparison of such. *)

Ltac split_up :=
  repeat match goal with
    | H : _ \/ _ |- _ => destruct H
    | H : _ /\ _ |- _ => destruct H
    end.

(** A release is at its bound, or below. *)
Ltac at_most_its_bound numbers :=
  eapply mu_squared_le; [eassumption | eassumption | first [lra | unfold mu_squared; numbers] | lra].

Tactic Notation "releases_hold" constr(most) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : forall d d', _ |- _ =>
      apply (releases_private _ _ _ _ _ most);
      [ intros one other N; specialize (H one other N); cbv beta; clear N; split_up;
        repeat match goal with E : _ = 0 |- _ => rewrite E, mu_squared_0; clear E end;
        rewrite ?Rplus_0_l, ?Rplus_0_r;
        first
          [ repeat apply Rplus_le_compat; solve [at_most_its_bound numbers]
          | eapply Rle_trans;
            [ at_most_its_bound numbers
            | first [lra | unfold mu_squared; lra | unfold mu_squared; numbers] ] ]
      | unfold mu_squared; numbers ]
  end.

Tactic Notation "releases_fail" constr(least) "by" tactic(numbers) :=
  intros;
  match goal with
  | H : exists d d', _ |- _ =>
      destruct H as (one & other & N & H);
      apply (releases_not_private _ _ _ _ _ one other least N);
      [ cbv beta; clear N; split_up;
        repeat match goal with E : _ = _ |- _ => rewrite E; clear E end;
        repeat match goal with
          | |- context [mu_squared (?f one other) ?s ?k] =>
              generalize (mu_squared_nonneg (f one other) s k ltac:(lra));
              generalize (mu_squared (f one other) s k); intros
          end;
        lra
      | lra
      | unfold mu_squared; numbers
      | unfold mu_squared; numbers ]
  end.
