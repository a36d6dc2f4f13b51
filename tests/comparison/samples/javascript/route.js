class Graph {
  constructor() { this.edges = {}; }
}

function connect(graph, from, to, cost) {
  (graph.edges[from] ??= []).push({ to, cost });
  (graph.edges[to] ??= []).push({ to: from, cost });
}

function cheapest(graph, start) {
  const done = {};
  let open = [{ town: start, cost: 0, via: null }];
  while (open.length > 0) {
    open.sort((one, two) => one.cost - two.cost);
    const current = open.shift();
    if (current.town in done) continue;
    done[current.town] = current;
    const more = graph.edges[current.town]
      .filter((edge) => !(edge.to in done))
      .map((edge) => ({ town: edge.to, cost: current.cost + edge.cost, via: current.town }));
    open = open.concat(more);
  }
  return done;
}

function path(done, goal) {
  if (!(goal in done)) return undefined;
  const towns = [];
  let town = goal;
  do {
    towns.unshift(town);
    town = done[town].via;
  } while (town !== null);
  return towns;
}

async function load(file) {
  const { readFile } = await import("node:fs/promises");
  const graph = new Graph();
  for (const line of (await readFile(file, "utf8")).split(/\r?\n/)) {
    const match = /^(\w+) -> (\w+): (\d+)$/.exec(line);
    if (match) connect(graph, match[1], match[2], parseInt(match[3], 10));
  }
  return graph;
}

load(process.argv[2]).then((graph) => console.log(path(cheapest(graph, "A"), "B")));
