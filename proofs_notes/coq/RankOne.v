(** * The inner ball of rank-one Gaussian noise

    The noise is u r, with u uniform on the unit sphere of R^M and r = sqrt(sigma_star) |z|, z
    standard normal.  Its density at distance t from the answer is proportional to
    t^(1-M) e^(-t^2/(2 sigma_star)).  In a small ball around one answer that density is larger than
    the one for an answer at distance D by any factor, and the ball is not improbable: the witness
    lemma (X.R1.LEMMA).

    Coq's library has no measure on R^M.  [rank_one_space] says which two facts about it are used:
    what is proved here holds in every space that has them.  That R^M with Lebesgue's measure has
    them, by polar coordinates, stays on paper. *)

From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Dporacle Require Import Definitions Calculus NormalDistribution Accuracy.
Open Scope R_scope.

(** Proportional to the density at the distance [t] > 0 from the answer. *)
Definition rank_one_density (M : nat) (sigma_star t : R) : R :=
  exp (- (t * t) / (2 * sigma_star)) / t ^ (M - 1).

(** The test that asks whether the output is within [radius] of an answer, and not the answer. *)
Definition near {V : NormedModule R_AbsRing} (x : V) (radius : R) (s : V) : R :=
  if Rlt_dec 0 (norm (minus s x)) then if Rle_dec (norm (minus s x)) radius then 1 else 0 else 0.

Record rank_one_space (M : nat) (sigma_star : R) : Type := {
  outputs : NormedModule R_AbsRing;
  (** the probability that a test says yes to the output, for an answer *)
  probability : outputs -> (outputs -> R) -> R;
  (** it is the integral of the test and the density, so that an inequality of the densities
      wherever a test says yes is one of its probabilities *)
  densities : forall (x x' : outputs) (h : outputs -> R) (k : R),
    (forall s, 0 <= h s <= 1) -> 0 <= k ->
    (forall s, 0 < h s ->
       0 < norm (minus s x) /\
       rank_one_density M sigma_star (norm (minus s x'))
       <= k * rank_one_density M sigma_star (norm (minus s x))) ->
    probability x' h <= k * probability x h;
  (** the distance from the answer is sqrt(sigma_star) |z| *)
  distance : forall (x : outputs) (radius : R),
    0 <= radius ->
    probability x (near x radius) = RInt (density (sqrt sigma_star) 0) (- radius) radius;
  (** there are answers at every distance *)
  answers : forall D : R, 0 < D -> exists x x' : outputs, norm (minus x' x) = D
}.

Arguments outputs {M sigma_star}.
Arguments probability {M sigma_star}.
Arguments densities {M sigma_star}.
Arguments distance {M sigma_star}.
Arguments answers {M sigma_star}.

(** (eps,delta)-DP of the rank-one mechanism at sensitivity [D], with randomised tests. *)
Definition rank_one_dp {M sigma_star} (S : rank_one_space M sigma_star) (eps delta D : R) : Prop :=
  forall (x x' : outputs S) (h : outputs S -> R),
    norm (minus x' x) <= D ->
    (forall s, 0 <= h s <= 1) ->
    probability S x h <= exp eps * probability S x' h + delta.

(** Inside the ball of radius D/(1 + lambda) the other answer is lambda times as far away. *)
Lemma other_answer_is_far {V : NormedModule R_AbsRing} (x x' s : V) D lambda :
  0 < 1 + lambda -> norm (minus x' x) = D ->
  norm (minus s x) <= D / (1 + lambda) ->
  lambda * norm (minus s x) <= norm (minus s x').
Proof.
  intros Hl E B.
  assert (D <= norm (minus s x) + norm (minus s x')) as T.
  { rewrite <- E, (minus_trans s x' x), Rplus_comm.
    replace (norm (minus s x')) with (norm (minus x' s)).
    - apply @norm_triangle.
    - rewrite <- opp_minus. apply @norm_opp. }
  assert (norm (minus s x) * (1 + lambda) <= D).
  { apply Rmult_le_compat_r with (r := 1 + lambda) in B; [| lra].
    replace (D / (1 + lambda) * (1 + lambda)) with D in B by (field; lra). exact B. }
  lra.
Qed.

Lemma density_ratio M sigma_star lambda t u :
  0 < sigma_star -> 1 <= lambda -> 0 < t -> lambda * t <= u ->
  rank_one_density M sigma_star u <= / lambda ^ (M - 1) * rank_one_density M sigma_star t.
Proof.
  intros Hs Hl Ht Hu. unfold rank_one_density. set (K := (M - 1)%nat).
  assert (0 < lambda ^ K) as L by (apply pow_lt; lra).
  assert (0 < t ^ K) as T by (apply pow_lt; lra).
  replace (/ lambda ^ K * (exp (- (t * t) / (2 * sigma_star)) / t ^ K))
    with (exp (- (t * t) / (2 * sigma_star)) * / ((lambda * t) ^ K))
    by (rewrite Rpow_mult_distr; field; split; lra).
  apply Rmult_le_compat.
  - apply Rlt_le, exp_pos.
  - apply Rlt_le, Rinv_0_lt_compat, pow_lt. nra.
  - assert (t <= u) by nra. assert (t * t <= u * u) as Q by (apply Rmult_le_compat; lra).
    assert (- (u * u) / (2 * sigma_star) <= - (t * t) / (2 * sigma_star)) as [E | E].
    { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | lra]. }
    + apply Rlt_le, exp_increasing, E.
    + rewrite E. lra.
  - apply Rinv_le_contravar; [apply pow_lt; nra |]. apply pow_incr. nra.
Qed.

(** X.R1.LEMMA: a lower bound of every delta. *)
Theorem inner_ball_lemma M sigma_star (S : rank_one_space M sigma_star) eps delta D lambda :
  0 < sigma_star -> 0 < D -> 1 <= lambda ->
  rank_one_dp S eps delta D ->
  (1 - exp eps / lambda ^ (M - 1))
    * (1 - 2 * Phi ((0 - D / (1 + lambda)) / sqrt sigma_star)) <= delta.
Proof.
  intros Hs HD Hl DP. destruct (answers S D HD) as [x [x' E]].
  assert (0 <= D / (1 + lambda)) as R0 by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  set (radius := D / (1 + lambda)) in *. set (h := near x radius).
  assert (forall s, 0 <= h s <= 1) as Hh.
  { intros s. unfold h, near. destruct (Rlt_dec _ _); [destruct (Rle_dec _ _) |]; lra. }
  assert (probability S x' h <= / lambda ^ (M - 1) * probability S x h) as Ratio.
  { apply densities; [exact Hh | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra |].
    intros s. unfold h, near. destruct (Rlt_dec 0 (norm (minus s x))) as [P |]; [| lra].
    destruct (Rle_dec (norm (minus s x)) radius) as [B |]; [| lra]. intros _.
    split; [exact P |]. apply density_ratio; try assumption.
    apply (other_answer_is_far x x' s D); [lra | exact E | exact B]. }
  pose proof (DP x x' h ltac:(lra) Hh) as I.
  pose proof (distance S x radius R0) as P. fold h in P.
  rewrite within in P by (apply sqrt_lt_R0, Hs). rewrite <- P.
  pose proof (exp_pos eps) as Ee.
  assert (exp eps * probability S x' h <= exp eps * (/ lambda ^ (M - 1) * probability S x h))
    by (apply Rmult_le_compat_l; lra).
  unfold Rdiv. lra.
Qed.

(** ** The published calibration *)

(** Gamma(n/2): Gamma(1/2) = sqrt pi, Gamma(1) = 1, Gamma(x + 1) = x Gamma(x). *)
Fixpoint gamma_half (n : nat) : R :=
  match n with
  | O => 0
  | S O => sqrt PI
  | S (S m) => match m with O => 1 | _ => INR m / 2 * gamma_half m end
  end.

(** JL24.T1: the variance 2 D^2/(eps psi), with
    psi = (delta Gamma((M-1)/2)/(sqrt pi Gamma(M/2)))^(2/(M-2)), is said to be (eps,delta)-DP. *)
Definition published_variance (M : nat) (eps delta D : R) : R :=
  2 * (D * D) / (eps * Rpower (delta * (gamma_half (M - 1) / (sqrt PI * gamma_half M)))
                          (2 / (INR M - 2))).
