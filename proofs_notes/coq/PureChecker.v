(** * The decision procedure with the integers of Coq's library

    Slow.  It rests on the axioms of the reals alone. *)

From Coq Require Import Reals.
From Interval Require Import Specific_stdz Specific_ops.
From Dporacle Require Import Checker.

Module F := SpecificFloat StdZRadix2.
Include Checker F.
