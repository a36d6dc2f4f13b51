const RANK = { "+": 1, "-": 1, "*": 2, "/": 2, "^": 3 };

function postfix(text) {
  const output = [];
  const stack = [];
  for (const token of text.match(/\d+(\.\d+)?|[-+*/^()]/g) || []) {
    if (token in RANK) {
      while (stack.length && RANK[stack[stack.length - 1]] >= RANK[token] && token !== "^") {
        output.push(stack.pop());
      }
      stack.push(token);
    } else if (token === "(") {
      stack.push(token);
    } else if (token === ")") {
      let last;
      while ((last = stack.pop()) !== "(") output.push(last);
    } else {
      output.push(parseFloat(token));
    }
  }
  return output.concat(stack.reverse());
}

function run(code) {
  const values = [];
  code.forEach((item) => {
    if (typeof item === "number") {
      values.push(item);
      return;
    }
    const right = values.pop();
    const left = values.pop();
    switch (item) {
      case "+": values.push(left + right); break;
      case "-": values.push(left - right); break;
      case "*": values.push(left * right); break;
      case "/": values.push(left / right); break;
      default: values.push(left ** right);
    }
  });
  return values[0];
}

function check(text) {
  let depth = 0;
  for (const c of text) {
    depth += c === "(" ? 1 : c === ")" ? -1 : 0;
    if (depth < 0) throw new SyntaxError(`unexpected bracket in ${text}`);
  }
  return depth === 0;
}

module.exports = { evaluate: (text) => (check(text) ? run(postfix(text)) : NaN) };
