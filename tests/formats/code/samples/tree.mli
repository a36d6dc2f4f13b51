open Printf

(** Search trees of keys and values. *)
type ('key, 'value) tree =
  | Leaf
  | Node of ('key, 'value) tree * 'key * 'value * ('key, 'value) tree

type color = Red | Green | Blue of int

type point = {
  mutable x : float;
  mutable y : float;
  label : string;
}

exception Missing of string

(* größe of a tree *)
val size : ('key, 'value) tree -> int

val insert : 'key -> 'value -> ('key, 'value) tree -> ('key, 'value) tree

val find : 'key -> ('key, 'value) tree -> 'value option

val fold : ('state -> 'key -> 'value -> 'state) -> 'state -> ('key, 'value) tree -> 'state

val paint : color -> point list -> point list

external clock : unit -> float = "clock_now"

module type Ordered = sig
  type item

  val compare : item -> item -> int
end

module Make (Order : Ordered) : sig
  type set

  val empty : set
  val add : Order.item -> set -> set
  val member : Order.item -> set -> bool
end
