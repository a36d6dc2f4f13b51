// The progress of a job, as the server tells it. When the job has ended, the page is loaded anew and shows the result.
const ENDED = ["done", "failed", "cancelled"];
// A person hears where a job is now and then, not at each of a thousand files.
const SAID_EVERY = 5000;

function follow(box) {
  const bar = box.querySelector("progress");
  const step = box.querySelector(".step");
  const count = box.querySelector(".count");
  const said = box.querySelector("[role=status]");
  let last = 0;

  function show(job) {
    const known = job.total > 0;
    if (known) {
      bar.max = job.total;
      bar.value = job.done;
    } else {
      bar.removeAttribute("value");
    }
    step.textContent = job.state === "queued" ? "Waiting in the queue" : job.step || "Starting";
    count.textContent = known ? `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "";
    if (Date.now() - last > SAID_EVERY) {
      last = Date.now();
      said.textContent = `${step.textContent} ${count.textContent}`;
    }
  }

  const events = new EventSource(box.dataset.events);
  function take(event) {
    const job = JSON.parse(event.data);
    show(job);
    if (!ENDED.includes(job.state)) return;
    events.close();
    location.reload();
  }
  for (const name of ["progress", "end"]) events.addEventListener(name, take);
  addEventListener("pagehide", () => events.close());
}

document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("[data-events]")) follow(box);
});
