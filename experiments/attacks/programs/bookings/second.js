const { readFileSync } = require("fs");

const spans = readFileSync(0, "utf8")
  .split(/\n/)
  .filter(Boolean)
  .map((line) => line.split(" ").map(Number))
  .filter(([low, high]) => low <= high)
  .sort(([a], [b]) => a - b)
  .reduce((done, [low, high]) => {
    const last = done.at(-1);
    if (last && low <= last.high) last.high = Math.max(last.high, high);
    else done.push({ low, high });
    return done;
  }, []);

const gap = spans.reduce((widest, span, i) => (i ? Math.max(widest, span.low - spans[i - 1].high) : 0), 0);
spans.forEach(({ low, high }) => console.log(`${low}-${high}`));
console.log(`longest gap: ${gap}`);
