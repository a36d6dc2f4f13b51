// Bookings that overlap, as one.
const fs = require("fs");

function touches(firstEnd, secondStart) {
  return secondStart <= firstEnd;
}

function read(text) {
  const bookings = [];
  for (const line of text.trim().split("\n")) {
    const words = line.split(" ");
    const start = Number(words[0]);
    const end = Number(words[1]);
    if (start <= end) {
      bookings.push([start, end]);
    }
  }
  bookings.sort((one, two) => one[0] - two[0]);
  return bookings;
}

function merge(bookings) {
  const merged = [];
  let begin = bookings[0][0];
  let finish = bookings[0][1];
  for (let i = 1; i < bookings.length; i++) {
    const start = bookings[i][0];
    const end = bookings[i][1];
    if (touches(finish, start)) {
      if (end > finish) {
        finish = end;
      }
    } else {
      merged.push([begin, finish]);
      begin = start;
      finish = end;
    }
  }
  merged.push([begin, finish]);
  return merged;
}

function longestGap(merged) {
  let longest = 0;
  for (let i = 1; i < merged.length; i++) {
    const gap = merged[i][0] - merged[i - 1][1];
    if (gap > longest) {
      longest = gap;
    }
  }
  return longest;
}

function main() {
  const merged = merge(read(fs.readFileSync(0, "utf8")));
  for (const booking of merged) {
    console.log(booking[0] + "-" + booking[1]);
  }
  console.log("longest gap: " + longestGap(merged));
}

main();
