(** * DP-SGD: noisy sums over random batches, and what is private about them

    The definitions, for Poisson sampling (X.SG).  Units are clipping norms: a record contributes a
    vector of norm 1 at most, and [sigma] is the noise multiplier.  All noisy sums are released. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith.
From Dporacle Require Import Definitions Boxes.
Import ListNotations.
Open Scope R_scope.

Definition sum_vector (u v : vector) : vector := fun i => u i + v i.
Definition no_vector : vector := fun _ => 0.

(** The density at [y] of a noisy sum that is [sum] without the records that contribute [cs]; each
    of them enters the batch with probability [q], independently of the others. *)
Fixpoint step_density (sigma q : R) (cs : list vector) (sum : vector) (y : list R) : R :=
  match cs with
  | [] => vector_density sigma sum y
  | c :: cs =>
      (1 - q) * step_density sigma q cs sum y + q * step_density sigma q cs (sum_vector sum c) y
  end.

(** The density of the outputs [ys] of several steps, each of which has its own, given the outputs
    before it (the last one first). *)
Fixpoint run_density (step : list (list R) -> list R -> R) (past ys : list (list R)) : R :=
  match ys with
  | [] => 1
  | y :: ys => step past y * run_density step (y :: past) ys
  end.

Inductive relation : Set := add_remove | zero_out | replace_one.

(** One record more, one that contributes nothing in the place of another, or just another. *)
Definition neighbours (related : relation) {record : Type}
    (contribution : list (list R) -> record -> vector) (data data' : list record) : Prop :=
  exists before one other after,
    data = before ++ one :: after
    /\ match related with
       | add_remove => data' = before ++ after
       | zero_out => data' = before ++ other :: after /\ forall past, contribution past other = no_vector
       | replace_one => data' = before ++ other :: after
       end.

(** DP-SGD is (eps,delta)-DP: in every dimension, for all records and contributions of norm 1 at
    most, which may depend on all earlier outputs, all neighbours in either order, every randomised
    test of all outputs and every box of outputs. *)
Definition dp_sgd_dp (related : relation) (eps delta sigma q : R) (steps : Z) : Prop :=
  forall (d : nat) (record : Type) (contribution : list (list R) -> record -> vector)
      (data data' : list record) (boxes : list (list (R * R))) (h : list (list R) -> R) (v v' : R),
    (forall past one, norm_squared d (contribution past one) <= 1) ->
    neighbours related contribution data data' \/ neighbours related contribution data' data ->
    Z.of_nat (length boxes) = steps ->
    List.Forall (is_box d) boxes ->
    (forall ys, 0 <= h ys <= 1) ->
    let release data :=
      run_density (fun past => step_density sigma q (map (contribution past) data) no_vector) [] in
    boxes_integral boxes (fun ys => h ys * release data ys) v ->
    boxes_integral boxes (fun ys => h ys * release data' ys) v' ->
    v <= exp eps * v' + delta.
