open Printf

(* A search tree of keys and values. *)
type ('k, 'v) tree =
  | Leaf
  | Node of ('k, 'v) tree * 'k * 'v * ('k, 'v) tree

exception Missing of string

let rec insert key value tree =
  match tree with
  | Leaf -> Node (Leaf, key, value, Leaf)
  | Node (left, other, old, right) ->
    if key < other then Node (insert key value left, other, old, right)
    else if key > other then Node (left, other, old, insert key value right)
    else Node (left, key, value, right)

let rec find key tree =
  match tree with
  | Leaf -> raise (Missing "größe")
  | Node (left, other, value, right) ->
    if key = other then value
    else find key (if key < other then left else right)

let rec depth tree =
  match tree with
  | Leaf -> 0
  | Node (left, _, _, right) -> 1 + max (depth left) (depth right)

let count words =
  let seen = ref Leaf in
  let total = ref 0 in
  for index = 0 to Array.length words - 1 do
    let word = words.(index) in
    let number = try find word !seen with Missing _ -> 0 in
    seen := insert word (number + 1) !seen;
    total := !total + 1
  done;
  (!seen, !total)

let () =
  let tree, total = count [| "a"; "b"; "a" |] in
  printf "%d words, depth %d, %c %f\n" total (depth tree) 'x' 2.5
