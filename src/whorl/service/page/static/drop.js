// Areas that take files: they say what was chosen, and show that a file over them will be taken.
const MEGABYTE = 2 ** 20;

function told(files) {
  const bytes = [...files].reduce((sum, file) => sum + file.size, 0);
  const size = bytes < MEGABYTE ? `${Math.max(1, Math.round(bytes / 1024))} kB` : `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return files.length === 1 ? `${files[0].name} (${size})` : `${files.length} files (${size})`;
}

document.addEventListener("change", (event) => {
  const area = event.target.closest(".drop");
  if (area === null) return;
  const { files } = event.target;
  const output = area.querySelector("output");
  output.dataset.empty ??= output.textContent;
  output.textContent = files.length === 0 ? output.dataset.empty : told(files);
  area.classList.toggle("chosen", files.length > 0);
  const bytes = [...files].reduce((sum, file) => sum + file.size, 0);
  const most = Number(event.target.dataset.most);
  event.target.setCustomValidity(bytes > most ? `More than ${Math.floor(most / MEGABYTE)} MB: choose less at a time.` : "");
  event.target.reportValidity();
});

function hover(event) {
  event.target.closest?.(".drop")?.classList.toggle("over", event.type === "dragover");
}
for (const type of ["dragover", "dragleave", "drop"]) document.addEventListener(type, hover);

// A file that is dropped beside the area would replace the page, and what was typed into it.
for (const type of ["dragover", "drop"]) {
  document.addEventListener(type, (event) => {
    if (event.target.closest?.(".drop, textarea, input") == null) event.preventDefault();
  });
}

// Ctrl and Enter in a text sends its form, as in a chat.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.target.localName !== "textarea") return;
  event.preventDefault();
  event.target.form.requestSubmit();
});
