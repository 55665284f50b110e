// The page looks again every five seconds while it is seen and nobody types, and puts in what has
// changed: open parts and the place on the page stay. Without this script the page loads itself
// anew from time to time, and times are in UTC.
"use strict";
(() => {
  const every_ms = 5000;
  let etag = null, local = false;
  const busy = () => document.hidden || document.getElementById("stays") || document.activeElement?.closest("form");
  const two = n => String(n).padStart(2, "0");
  const inZone = t => t.getFullYear() + "-" + two(t.getMonth() + 1) + "-" + two(t.getDate()) + " " +
    two(t.getHours()) + ":" + two(t.getMinutes()) + ":" + two(t.getSeconds());
  const inUtc = text => text.slice(0, 19).replace("T", " ");
  const showTimes = () => {
    for (const time of document.querySelectorAll("time"))
      time.textContent = local ? inZone(new Date(time.dateTime)) : inUtc(time.dateTime);
    const zone = document.getElementById("zone");
    if (zone) zone.textContent = local ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  };
  const put = text => {
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    const now = document.querySelector("main");
    if (!fresh || fresh.isEqualNode(now)) return;
    const open = new Set([...now.querySelectorAll("details[open]")].map(d => d.id));
    const typed = new Map([...now.querySelectorAll("input")].map(i => [i.id, i.value]));
    fresh.querySelectorAll("details").forEach(d => { d.open = open.has(d.id); });
    fresh.querySelectorAll("input").forEach(i => { i.value = typed.get(i.id) ?? i.value; });
    now.replaceWith(fresh);
  };
  const look = async () => {
    if (busy()) return;
    try {
      const answer = await fetch(location.href, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
      if (answer.status === 200) {
        const text = await answer.text();
        etag = answer.headers.get("ETag");
        if (busy()) return;
        put(text);
        showTimes();
      }
      const at = document.getElementById("read-at");
      if (answer.ok || answer.status === 304) {
        at.textContent = new Date(answer.headers.get("Date")).toISOString().slice(11, 19);
        document.body.classList.remove("old");
      } else document.body.classList.add("old");
    } catch { document.body.classList.add("old"); }
  };
  document.addEventListener("click", event => {
    if (event.target.id !== "zone") return;
    local = !local;
    showTimes();
  });
  document.addEventListener("visibilitychange", look);
  setInterval(look, every_ms);
})();
