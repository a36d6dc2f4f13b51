// A submission: read the archive of a file when it is opened, and open the file that a link names.
"use strict";

// The first file of a ZIP archive. Its local header has 30 bytes, the name and the extra field.
async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const header = new DataView(bytes.buffer);
  const start = 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = bytes.subarray(start, start + header.getUint32(18, true));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

async function fill(list, archive) {
  const lines = (await unpacked(archive.href.split(",")[1])).split(/\r?\n/);
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}

for (const file of document.querySelectorAll("details.file")) {
  file.addEventListener("toggle", () => {
    const [list, archive] = [file.querySelector(".code"), file.querySelector(".archive")];
    if (file.open && archive !== null && list.childElementCount === 0) fill(list, archive);
  });
}

function openNamed() {
  const file = /^#f\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
  if (file === null) return;
  file.open = true;
  file.scrollIntoView();
}

addEventListener("hashchange", openNamed);
addEventListener("load", openNamed);
