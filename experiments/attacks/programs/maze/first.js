// The shortest way through a maze.
const fs = require("fs");

function find(rows, sign) {
  for (let y = 0; y < rows.length; y++) {
    for (let x = 0; x < rows[y].length; x++) {
      if (rows[y][x] === sign) {
        return [x, y];
      }
    }
  }
  return null;
}

function inside(rows, x, y) {
  return y >= 0 && y < rows.length && x >= 0 && x < rows[y].length;
}

function isFree(rows, x, y) {
  return inside(rows, x, y) && rows[y][x] !== "#";
}

function stepsBetween(rows, start, goal) {
  const seen = new Set();
  let edge = [start];
  let steps = 0;
  seen.add(start.join());
  // One ring of places after the other.
  while (edge.length > 0) {
    const following = [];
    for (const place of edge) {
      if (place[0] === goal[0] && place[1] === goal[1]) {
        return steps;
      }
      for (const move of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        const x = place[0] + move[0];
        const y = place[1] + move[1];
        const key = [x, y].join();
        if (isFree(rows, x, y) && !seen.has(key)) {
          seen.add(key);
          following.push([x, y]);
        }
      }
    }
    edge = following;
    steps += 1;
  }
  return -1;
}

function main() {
  const rows = fs.readFileSync(0, "utf8").trim().split("\n");
  const start = find(rows, "S");
  const goal = find(rows, "E");
  const steps = stepsBetween(rows, start, goal);
  if (steps < 0) {
    console.log("no way");
  } else {
    console.log("steps: " + steps);
  }
}

main();
