(** * The language of what is computed

    A statement about given numbers is decided by intervals.  To compute with a real number, Coq
    needs its text: an expression, and [denote] says which number it stands for.  The counts of
    terms in [Normal] and [Profile] are hints for the computation and mean nothing. *)

From Coq Require Import Reals ZArith.
From Dporacle Require Import Definitions PrivacyProfile.
Open Scope R_scope.

Inductive expression : Set :=
  | Whole (z : Z)
  | Circle
  | Add (a b : expression)
  | Sub (a b : expression)
  | Mul (a b : expression)
  | Div (a b : expression)
  | Sqrt (a : expression)
  | Exp (a : expression)
  | Ln (a : expression)
  | Power (a : expression) (k : Z)
  | Normal (terms : nat) (a : expression)
  | Profile (terms terms' : nat) (eps mu : expression).

Fixpoint denote (e : expression) : R :=
  match e with
  | Whole z => IZR z
  | Circle => PI
  | Add a b => denote a + denote b
  | Sub a b => denote a - denote b
  | Mul a b => denote a * denote b
  | Div a b => denote a / denote b
  | Sqrt a => sqrt (denote a)
  | Exp a => exp (denote a)
  | Ln a => ln (denote a)
  | Power a k => powerRZ (denote a) k
  | Normal _ a => Phi (denote a)
  | Profile _ _ eps mu => profile (denote eps) (denote mu)
  end.

(** The text of a real number, with counts of terms for its values of Phi. *)
Ltac text_of terms terms' t :=
  let both a b k := (
    let a' := text_of terms terms' a in
    let b' := text_of terms terms' b in
    k a' b') in
  match t with
  | IZR ?z => constr:(Whole z)
  | PI => constr:(Circle)
  | ?a + ?b => both a b ltac:(fun a b => constr:(Add a b))
  | ?a - ?b => both a b ltac:(fun a b => constr:(Sub a b))
  | ?a * ?b => both a b ltac:(fun a b => constr:(Mul a b))
  | ?a / ?b => both a b ltac:(fun a b => constr:(Div a b))
  | profile ?a ?b => both a b ltac:(fun a b => constr:(Profile terms terms' a b))
  | sqrt ?a => let a' := text_of terms terms' a in constr:(Sqrt a')
  | exp ?a => let a' := text_of terms terms' a in constr:(Exp a')
  | ln ?a => let a' := text_of terms terms' a in constr:(Ln a')
  | Phi ?a => let a' := text_of terms terms' a in constr:(Normal terms a')
  | powerRZ ?a ?k => let a' := text_of terms terms' a in constr:(Power a' k)
  end.
