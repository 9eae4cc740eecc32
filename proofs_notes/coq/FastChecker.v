(** * The decision procedure with Coq's machine integers

    Fast.  Beside the axioms of the reals it rests on those of the primitive 63-bit integers. *)

From Coq Require Import Reals.
From Interval Require Import Specific_bigint Specific_ops.
From Dporacle Require Import Checker.

Module F := SpecificFloat BigIntRadix2.
Include Checker F.
