(* A heap of whole numbers, größe unbounded. *)
structure Heap =
struct
  datatype heap = Empty | Node of int * heap * heap

  exception Nothing

  fun merge (Empty, other) = other
    | merge (heap, Empty) = heap
    | merge (one as Node (a, left, right), two as Node (b, down, up)) =
        if a < b then Node (a, merge (right, two), left)
        else Node (b, merge (up, one), down)

  fun insert (item, heap) = merge (Node (item, Empty, Empty), heap)

  fun least Empty = raise Nothing
    | least (Node (item, _, _)) = item

  fun remove Empty = raise Nothing
    | remove (Node (_, left, right)) = merge (left, right)
end

fun fill [] heap = heap
  | fill (first :: rest) heap = fill rest (Heap.insert (first, heap))

fun drain heap =
  let
    val item = Heap.least heap
  in
    item :: drain (Heap.remove heap)
  end
  handle Heap.Nothing => []

fun sum items =
  case items of
    [] => 0
  | first :: rest => first + sum rest * 2

val label = "größe"
val numbers = drain (fill [5, 3, 9, 1] Heap.Empty)
val ratio = 2.5
val total = if sum numbers > 10 andalso length numbers <> 3 then sum numbers else ~1
val loud = map (fn number => number - 1) numbers
