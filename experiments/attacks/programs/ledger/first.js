// Balances of accounts.
const fs = require("fs");

function isEntry(parts) {
  return parts.length === 2;
}

function isNumber(word) {
  return /^-?[0-9]+$/.test(word);
}

function readEntries(text) {
  const entries = [];
  for (const line of text.split("\n")) {
    const parts = line.trim().split(" ");
    if (isEntry(parts) && isNumber(parts[1])) {
      const amount = parseInt(parts[1], 10);
      entries.push([parts[0], amount]);
    }
  }
  return entries;
}

function balancesOf(entries) {
  const balances = new Map();
  for (let i = 0; i < entries.length; i++) {
    const name = entries[i][0];
    const amount = entries[i][1];
    if (balances.has(name)) {
      balances.set(name, balances.get(name) + amount);
    } else {
      balances.set(name, amount);
    }
  }
  return balances;
}

function show(balances) {
  let total = 0;
  const names = [...balances.keys()].sort();
  for (const name of names) {
    const balance = balances.get(name);
    // Below zero is worth a word.
    if (balance < 0) {
      console.log(name + ": " + balance + " OVERDRAWN");
    } else {
      console.log(name + ": " + balance);
    }
    total += balance;
  }
  console.log("total: " + total);
}

function main() {
  const text = fs.readFileSync(0, "utf8");
  const entries = readEntries(text);
  show(balancesOf(entries));
}

main();
