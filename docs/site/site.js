"use strict";
/* On a narrow screen the contents begin closed. */
if (matchMedia("(max-width: 56em)").matches) document.querySelector("nav details").open = false;
/* "/" goes to the search. */
document.addEventListener("keydown", e => {
  if (e.key !== "/" || /^(input|textarea)$/i.test(e.target.tagName)) return;
  e.preventDefault();
  document.querySelector("header input").focus();
});
/* Long lists of entries, such as the instructions, have a filter. */
{
  const main = document.querySelector("main"), entries = [...main.querySelectorAll("li")].filter(li => li.querySelector("a[id]"));
  if (entries.length >= 100) {
    const input = document.createElement("input"), box = document.createElement("p");
    input.placeholder = `Filter ${entries.length} entries`;
    input.type = "search";
    box.className = "filter";
    box.append(input);
    main.querySelector("h1").after(box);
    const texts = entries.map(li => li.textContent.toLowerCase());
    input.oninput = () => {
      const words = input.value.toLowerCase().split(/\s+/);
      entries.forEach((li, i) => { li.hidden = !words.every(w => texts[i].includes(w)); });
    };
  }
}
