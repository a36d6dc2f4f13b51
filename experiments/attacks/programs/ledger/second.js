const input = require("fs").readFileSync(0).toString();
const ENTRY = /^(\S+) (-?\d+)$/gm;

class Account {
  constructor(owner) {
    this.owner = owner;
    this.cents = 0;
  }

  toString() {
    return `${this.owner}: ${this.cents}${this.cents < 0 ? " OVERDRAWN" : ""}`;
  }
}

const accounts = {};
let sum = 0;
let match;
while ((match = ENTRY.exec(input)) !== null) {
  const [, owner, digits] = match;
  accounts[owner] ??= new Account(owner);
  accounts[owner].cents += Number(digits);
  sum += Number(digits);
}
Object.keys(accounts)
  .sort()
  .map((owner) => String(accounts[owner]))
  .concat(`total: ${sum}`)
  .forEach((row) => console.log(row));
