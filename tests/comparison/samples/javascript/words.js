"use strict";

function* words(text) {
  const pattern = /[a-z']+/gi;
  let match;
  while ((match = pattern.exec(text)) !== null) {
    yield match[0].toLowerCase();
  }
}

function tally(text) {
  const table = Object.create(null);
  for (const word of words(text)) {
    if (table[word] === undefined) table[word] = 0;
    table[word] += 1;
  }
  return table;
}

function top(table, many) {
  const names = Object.keys(table);
  names.sort((a, b) => table[b] - table[a] || a.localeCompare(b));
  return names.slice(0, many).map((name) => ({ name, share: table[name] / names.length }));
}

function justify(line, width) {
  const parts = line.trim().split(/\s+/);
  if (parts.length === 1) return line;
  let spaces = width - parts.join("").length;
  let result = parts[0];
  for (let i = 1; i < parts.length; i++) {
    const here = Math.ceil(spaces / (parts.length - i));
    result += " ".repeat(here) + parts[i];
    spaces -= here;
  }
  return result;
}

process.stdin.on("data", (chunk) => console.table(top(tally(String(chunk)), 20)));
