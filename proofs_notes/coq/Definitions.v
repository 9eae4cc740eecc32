(** * The definitions that most verdicts rest on

    Whoever agrees with this page, with Coq's kernel and with its axioms of the reals agrees with
    the theorems about one release of Gaussian noise, its accuracy and its loss.  Compositions,
    conversions, rank-one noise, tails of the loss and the profile have definitions of their own,
    which the README lists with all that stays on paper. *)

From Coq Require Import Reals ZArith.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** The standard normal density. *)
Definition phi (t : R) : R := exp (- (t * t) / 2) / sqrt (2 * PI).

(** The standard normal distribution function.  That it runs from 0 to 1 is the Gaussian integral,
    which is proved ([NormalDistribution.v]).  It occurs in no statement about privacy. *)
Definition Phi (x : R) : R := 1 / 2 + RInt phi 0 x.

(** The density at [t] of a release: an answer [c] with noise of standard deviation [sigma]. *)
Definition density (sigma c t : R) : R := phi ((t - c) / sigma) / sigma.

(** The Gaussian mechanism is (eps,delta)-DP at sensitivity [D]: for all answers [x] and [x'] at a
    distance of at most [D], every randomised test [h] of the output and every window [a, b].
    The indicator function of a finite union of intervals is such an [h].  [UnboundedWindows.v]
    proves that tests on the whole line, with improper integrals, say the same. *)
Definition gaussian_dp (eps delta D sigma : R) : Prop :=
  forall (x x' a b : R) (h : R -> R),
    Rabs (x - x') <= D ->
    a <= b ->
    (forall t, 0 <= h t <= 1) ->
    ex_RInt (fun t => h t * density sigma x t) a b ->
    ex_RInt (fun t => h t * density sigma x' t) a b ->
    RInt (fun t => h t * density sigma x t) a b
      <= exp eps * RInt (fun t => h t * density sigma x' t) a b + delta.

(** The same of two answers that are given. *)
Definition pair_dp (eps delta x x' sigma : R) : Prop :=
  forall (a b : R) (h : R -> R),
    a <= b ->
    (forall t, 0 <= h t <= 1) ->
    ex_RInt (fun t => h t * density sigma x t) a b ->
    ex_RInt (fun t => h t * density sigma x' t) a b ->
    RInt (fun t => h t * density sigma x t) a b
      <= exp eps * RInt (fun t => h t * density sigma x' t) a b + delta.

(** The largest of the errors of [k] coordinates exceeds [a] with probability at most [alpha]:
    the noise of one of them is within [a] with the probability that the integral gives. *)
Definition gaussian_accuracy (a alpha sigma : R) (k : Z) : Prop :=
  1 - alpha <= powerRZ (RInt (density sigma 0) (- a) a) k.

(** The expected squared l2 error of [d] coordinates is at most [most]: every window gives at most
    that, and the integrals over windows rise to the expectation. *)
Definition gaussian_loss (most sigma : R) (d : Z) : Prop :=
  forall b, 0 <= b -> IZR d * RInt (fun t => t * t * density sigma 0 t) (- b) b <= most.
