"use strict";
/* The search page: INDEX (search-index.js) has a row for each section: address, title, page, text. */
const input = document.getElementById("query"), list = document.getElementById("results"), count = document.getElementById("count");
const LIMIT = 50, AROUND = 80;

function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(w => w);
  if (!words.length) return [];
  const found = [];
  for (const [address, title, page, text] of INDEX) {
    const heading = title.toLowerCase(), body = text.toLowerCase();
    if (!words.every(w => heading.includes(w) || body.includes(w))) continue;
    let score = 0;
    for (const w of words) score += heading.split(/[^\w.]+/).includes(w) ? 20 : heading.includes(w) ? 10 : 1;
    found.push({address, title, page, text, score});
  }
  return found.sort((a, b) => b.score - a.score); /* equal ones stay in the order of the pages */
}

/* A part of the text, with the words marked. */
function excerpt(text, words) {
  const at = Math.max(0, Math.min(...words.map(w => text.toLowerCase().indexOf(w)).filter(i => i >= 0), text.length) - AROUND);
  const small = document.createElement("small"), pattern = new RegExp(words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
  const part = (at ? "... " : "") + text.slice(at, at + 3 * AROUND);
  let last = 0;
  for (const m of part.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = m[0];
    small.append(part.slice(last, m.index), mark);
    last = m.index + m[0].length;
  }
  small.append(part.slice(last));
  return small;
}

function show() {
  const found = search(input.value), words = input.value.toLowerCase().split(/\s+/).filter(w => w);
  list.replaceChildren();
  count.textContent = words.length ? `${found.length} sections` : "";
  for (const {address, title, page, text} of found.slice(0, LIMIT)) {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = address;
    link.textContent = title === page ? title : `${title} - ${page}`;
    item.append(link, excerpt(text, words));
    list.append(item);
  }
}
input.value = new URLSearchParams(location.search).get("q") || "";
input.oninput = show;
show();
