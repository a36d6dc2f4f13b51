"use strict";

const text = require("fs").readFileSync("/dev/stdin", "utf8");
const width = text.indexOf("\n") + 1;
const offsets = [-width, -1, 1, width];

function* reach(from) {
  const queue = [{ at: from, far: 0 }];
  const done = { [from]: true };
  while (queue.length) {
    const { at, far } = queue.shift();
    yield { at, far };
    for (const offset of offsets) {
      const next = at + offset;
      const sign = text.charAt(next);
      if (sign === "" || sign === "\n" || sign === "#" || done[next]) continue;
      done[next] = true;
      queue.push({ at: next, far: far + 1 });
    }
  }
}

let answer = "no way";
for (const { at, far } of reach(text.indexOf("S"))) {
  if (text[at] === "E") {
    answer = `steps: ${far}`;
    break;
  }
}
process.stdout.write(answer + "\n");
