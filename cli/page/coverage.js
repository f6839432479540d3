"use strict";
/* All bins are in the page, two bits each: a hole, hit, or excluded. Matrix and holes are made of them here. The state of the page is in its
 * address: view, find, sort, up, holes. */
const HOLE = 0, HIT = 1, LINES = 1000;
const data = JSON.parse(document.getElementById("data").textContent);
const by = id => document.getElementById(id);
const make = (tag, text, parent) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
};
for (const g of data) {
  const bytes = atob(g.states);
  g.state = bin => bytes.charCodeAt(bin >> 2) >> 2 * (bin & 3) & 3;
  g.step = g.axes.map((a, k) => g.axes.slice(k + 1).reduce((n, b) => n * b.size, 1));
  g.bins = g.step[0] * g.axes[0].size;
}
/* The name of point n of axis k; of some axes it depends on the points of the axes before. */
function name(g, k, at) {
  const axis = g.axes[k];
  return axis.names[axis.which ? +axis.which[k > 1 ? at[0] * g.axes[1].size + at[1] : at[0]] : 0][at[k]];
}
const points = (g, bin) => g.axes.map((a, k) => Math.floor(bin / g.step[k]) % a.size);
const text = (g, bin) => {
  const at = points(g, bin);
  return g.axes.map((a, k) => `${a.name}=${name(g, k, at)}`).join(" ");
};
/* The same for the search: blanks only between axes. */
const key = (axis, point) => ` ${axis}=${point} `.toLowerCase().trim().replace(/ /g, "_");
const keys = (g, bin) => {
  const at = points(g, bin);
  return " " + g.axes.map((a, k) => key(a.name, name(g, k, at))).join(" ") + " ";
};
const group = id => data.find(g => g.name === id);
const ofInstructions = data.filter(g => g.axes[0].name === "instruction");

/* --- The matrix: rows are the points of the first axis; columns the groups of instructions, or the points of an axis of one group --- */

function matrix(view) {
  const [id, axis] = view.split("."), g = group(id), table = {first: "instruction", columns: [], rows: new Map()};
  const row = title => table.rows.get(title) || table.rows.set(title, []).get(title);
  const count = (cells, at, state) => {
    const cell = cells[at] = cells[at] || {hit: 0, all: 0};
    if (state <= HIT) cell.all++, cell.hit += state;
  };
  if (!g) {
    ofInstructions.forEach((of, at) => {
      table.columns.push(of.name);
      for (let bin = 0; bin < of.bins; bin++) count(row(of.axes[0].names[0][Math.floor(bin / of.step[0])]), at, of.state(bin));
    });
    return table;
  }
  const k = g.axes.findIndex(a => a.name === axis);
  table.first = g.axes[0].name;
  for (let n = 0; n < g.axes[k].size; n++) table.columns.push([...new Set(g.axes[k].names.map(names => names[n]))].join(" / "));
  for (let bin = 0; bin < g.bins; bin++)
    count(row(g.axes[0].names[0][Math.floor(bin / g.step[0])]), Math.floor(bin / g.step[k]) % g.axes[k].size, g.state(bin));
  return table;
}

const state = Object.assign({view: "", find: "", sort: "", up: "", holes: ""}, Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
let shown;
function remember() {
  const set = Object.entries(state).filter(([, value]) => value);
  history.replaceState(null, "", "#" + new URLSearchParams(set));
}

function draw() {
  const body = by("matrix"), column = shown.columns.indexOf(state.sort), words = state.find.toLowerCase().split(/\s+/).filter(w => w);
  let rows = [...shown.rows].filter(([row]) => words.every(w => row.toLowerCase().includes(w)));
  const missing = ([, cells]) => cells[column] ? cells[column].all - cells[column].hit : -1;
  if (state.sort === shown.first) rows.sort(([a], [b]) => a < b ? -1 : 1);
  else if (column >= 0) rows.sort((a, b) => missing(b) - missing(a));
  if (state.up) rows.reverse();
  body.replaceChildren();
  const head = make("tr", undefined, make("thead", undefined, body));
  [shown.first, ...shown.columns].forEach(title => {
    const mark = title !== state.sort ? "" : state.up ? " \u25b2" : " \u25bc";
    make("th", title + mark, head).onclick = () => {
      state.up = state.sort === title && !state.up ? "1" : "";
      state.sort = title;
      remember();
      draw();
    };
  });
  const lines = make("tbody", undefined, body);
  for (const [row, cells] of rows) {
    const line = make("tr", undefined, lines);
    make("td", row, line);
    shown.columns.forEach((title, at) => {
      const c = cells[at], td = make("td", c && c.all ? `${c.hit}/${c.all}` : "", line);
      if (!c || !c.all) return;
      td.className = c.hit === c.all ? "full" : c.hit ? "part" : "none";
      td.onclick = () => {
        const [id, axis] = state.view.split("."), g = group(id) || ofInstructions[at];
        search(`${g.name}: ${key(g.axes[0].name, row)}` + (axis ? " " + title.split(" / ").map(point => key(axis, point)).join("|") : ""));
        by("holes").scrollIntoView();
      };
    });
  }
  by("rows").textContent = `${rows.length} of ${shown.rows.size} rows`;
}

function view() {
  shown = matrix(state.view);
  draw();
}

/* --- Holes, folded by group and by the point of the first axis --- */

function list(parent, g, bins) {
  bins.slice(0, LINES).forEach(bin => make("code", text(g, bin), parent));
  if (bins.length > LINES) make("p", `and ${bins.length - LINES} more`, parent);
}
function fold(parent, title, open, fill) {
  const d = make("details", undefined, parent);
  make("summary", title, d);
  const once = () => {
    if (fill) fill(d);
    fill = null;
  };
  d.ontoggle = () => d.open && once();
  if (open) once(), d.open = true;
}
/* A hole has to have all words; one with "=" is a whole point, "|" separates alternatives, a word that ends with ":" names the group. */
function search(words) {
  state.holes = words;
  by("hole").value = words;
  remember();
  const all = words.toLowerCase().split(/\s+/).filter(w => w), of = all.filter(w => w.endsWith(":")).map(w => w.slice(0, -1));
  const has = all.filter(w => !w.endsWith(":")), where = by("holes");
  where.replaceChildren();
  let total = 0;
  for (const g of data) {
    if (of.length && !of.includes(g.name)) continue;
    const folds = new Map();
    let number = 0;
    for (let bin = 0; bin < g.bins; bin++) {
      if (g.state(bin) !== HOLE) continue;
      if (has.length) {
        const t = keys(g, bin);
        if (!has.every(w => w.split("|").some(v => t.includes(v.includes("=") ? ` ${v} ` : v)))) continue;
      }
      const first = g.axes[0].names[0][Math.floor(bin / g.step[0])];
      if (!folds.has(first)) folds.set(first, []);
      folds.get(first).push(bin);
      number++;
    }
    total += number;
    if (number)
      fold(where, `${g.name}: ${number}`, number <= 50 && all.length, d => {
        for (const [first, bins] of folds) fold(d, `${first}: ${bins.length}`, number <= 50, inner => list(inner, g, bins));
      });
  }
  by("found").textContent = `${total} holes`;
}

for (const g of data)
  for (const a of g.axes.slice(1)) {
    const o = make("option", `${g.name} by ${a.name}`, by("view"));
    o.value = `${g.name}.${a.name}`;
  }
if (state.view && ![...by("view").options].some(o => o.value === state.view)) state.view = "";
by("view").value = state.view;
by("find").value = state.find;
by("view").onchange = e => (state.view = e.target.value, state.sort = state.up = "", remember(), view());
by("find").oninput = e => (state.find = e.target.value, remember(), draw());
let wait;
by("hole").oninput = e => (clearTimeout(wait), wait = setTimeout(() => search(e.target.value), 200));
document.body.classList.add("ready");
view();
search(state.holes);
