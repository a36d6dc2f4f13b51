import tables, strutils

# A graph of names.
type
  Graph = object
    edges: Table[string, seq[string]]
    count: int

const limit = 100
let label = "größe"

proc link(graph: var Graph, left: string, right: string) =
  if not graph.edges.hasKey(left):
    graph.edges[left] = @[]
  graph.edges[left].add(right)
  graph.count += 1

proc reach(graph: Graph, start: string): int =
  var seen = @[start]
  var index = 0
  while index < seen.len and index < limit:
    let name = seen[index]
    for other in graph.edges[name]:
      if other notin seen:
        seen.add(other)
    index += 1
  return seen.len

proc weight(number: int): float =
  if number > 10:
    result = number.float * 2.5
  elif number == 3:
    result = 1.0
  else:
    result = number.float - 1.0

var graph = Graph()
for round in 1 .. 5:
  graph.link("a", "b" & $round)

case graph.count
of 0:
  echo "none"
of 1, 2:
  echo "few"
else:
  echo label, weight(graph.reach("a"))
