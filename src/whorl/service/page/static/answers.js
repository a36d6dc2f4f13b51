// Answers that come without a new page: they get the focus, so that a keyboard and a screen reader are where they are.
document.addEventListener("htmx:afterSwap", (event) => {
  const target = document.getElementById(event.detail.target.id) ?? event.detail.target;
  if (!target.hasAttribute("data-focus")) return;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
});

function tell(target, text) {
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  target.replaceChildren(notice);
}

// What a person is told if no answer comes at all, or one that was meant for scripts.
document.addEventListener("htmx:sendError", (event) => {
  tell(event.detail.target, "The server did not answer. Check that it runs and that you are connected, then try again.");
});
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target } = event.detail;
  if ((xhr.getResponseHeader("Content-Type") ?? "").startsWith("text/html")) return;
  event.detail.shouldSwap = false;
  if (xhr.status >= 400) tell(target, problemIn(xhr));
});

function problemIn(xhr) {
  try {
    const { title, detail } = JSON.parse(xhr.responseText);
    return `${title}. ${detail}`;
  } catch {
    return `The server answered with ${xhr.status}. Try again, and tell whoever runs the service if it stays so.`;
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (button === null) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
  button.textContent = "Copied";
});
