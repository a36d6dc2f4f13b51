const ALIVE = "#";

function parse(picture) {
  return new Set(picture.split("\n").flatMap((line, y) => [...line].flatMap((c, x) => (c === ALIVE ? [`${x},${y}`] : []))));
}

function around(cell) {
  const [x, y] = cell.split(",").map(Number);
  const found = [];
  for (let dx = -1; dx <= 1; dx++) {
    for (let dy = -1; dy <= 1; dy++) {
      if (dx !== 0 || dy !== 0) found.push(`${x + dx},${y + dy}`);
    }
  }
  return found;
}

function step(cells) {
  const counts = new Map();
  for (const cell of cells) {
    for (const other of around(cell)) {
      counts.set(other, (counts.get(other) || 0) + 1);
    }
  }
  const next = new Set();
  for (const [cell, count] of counts) {
    if (count === 3 || (count === 2 && cells.has(cell))) next.add(cell);
  }
  return next;
}

function draw(cells, width, height) {
  let out = "";
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) out += cells.has(`${x},${y}`) ? ALIVE : ".";
    out += "\n";
  }
  return out;
}

console.log(draw(step(parse("###")), 10, 10));
