module Shapes

open System

// Shapes and their areas.
type Shape =
    | Circle of float
    | Square of float
    | Box of width: float * height: float

type Item = { Name: string; Shape: Shape; Count: int }

let area shape =
    match shape with
    | Circle radius -> radius * radius * 3.14
    | Square side -> side * side
    | Box (width, height) -> width * height

let rec total items =
    match items with
    | [] -> 0.0
    | item :: rest -> area item.Shape * float item.Count + total rest

(* Names of what is large. *)
let large limit items =
    items
    |> List.filter (fun item -> area item.Shape > limit)
    |> List.map (fun item -> item.Name)

let describe item =
    if item.Count > 10 && item.Name <> "größe" then
        "many"
    elif item.Count = 1 then
        "one"
    else
        sprintf "%d of %s" item.Count item.Name

let mutable counter = 0

for index in 1 .. 10 do
    counter <- counter + index * 2

while counter > 5 do
    counter <- counter - 5

let items = [ { Name = "a"; Shape = Circle 2.5; Count = 3 } ]
printfn "%f %A" (total items) (large 1.0 items)
