// One section of the manual at a time; the search, best matches first. Without this the page shows everything.
"use strict";
const element = id => document.getElementById(id);
const search = element("search"), found = element("found"), sections = [...document.querySelectorAll("main > section")];
const all = [...document.querySelectorAll("article[id]")].map(node => {
  const part = name => node.querySelector(name)?.textContent || "";
  const title = part("h3 a") || part("h2, h3") || node.id, short = part(".summary, p");
  const texts = [title, short + part(".elsewhere"), node.textContent + (node.dataset.words || "")];
  return { node, title, short, name: node.id.toLowerCase(), texts: texts.map(text => text.toLowerCase()) };
});

// 0: the name; whole words before parts of words, of the name, the summary and names elsewhere, the text. (As help.lua.)
function rank(article, word) {
  const end = word.includes(".") ? "(?!\\w)" : "(?![a-z0-9])"; // np.take is not np.take_along_axis
  const whole = new RegExp("(^|[^a-z0-9])" + word.replace(/[^\w]/g, "\\$&") + end);
  if (article.name === word) return 0;
  const k = article.texts.findIndex(text => whole.test(text));
  if (k >= 0) return k + 1;
  const part = article.texts.findIndex(text => text.includes(word));
  return part < 0 ? Infinity : article.texts.length + part + 1;
}

// The places of articles in a row of phrases that has a phrase all of whose words were typed.
function phrased(words) {
  const ids = phrases.filter(([list]) => list.split(";").some(phrase => phrase.trim().split(/\s+/).every(word => words.includes(word))));
  return new Map(ids.flatMap(([, names]) => names.split(" ")).map((id, place) => [id, place]).reverse());
}

// How many letters to change, leave out or add.
function distance(a, b) {
  let row = [...b].map((_, j) => j + 1);
  [...a].forEach((letter, i) => {
    let left = i + 1;
    row = row.map((above, j) => left = Math.min(above + 1, left + 1, (j ? row[j - 1] : i) + (letter !== b[j])));
  });
  return row[row.length - 1];
}

function hits(typed) {
  const words = typed.toLowerCase().replace(/(\w)-(?=\w)/g, "$1 ").split(/\s+/).filter(Boolean)
    .map(word => word.replace(/^(strew\.|t:)/, "").replace(/(\w)_?(\(.*)?$/, "$1"));
  const first = phrased(words), list = [];
  for (const article of all) {
    const order = first.has(article.node.id) ? first.get(article.node.id) / 100 : Math.max(...words.map(word => rank(article, word)));
    if (order < Infinity) list.push([order + (article.name === words.join("_") ? -1 : article.name.startsWith("to-") / 2), article]);
  }
  if (!list.length) // a slip of the keys
    for (const article of all) {
      const wrong = distance(article.name, words.join("_"));
      if (wrong < 4 && wrong * 2 < article.name.length) list.push([wrong, article]);
    }
  return list.sort((a, b) => a[0] - b[0]).map(([, article]) => article);
}

function show() {
  const isOpen = search.value.trim() !== "";
  found.hidden = !isOpen;
  if (!isOpen) return route();
  for (const section of sections) section.hidden = true;
  const list = hits(search.value);
  const links = list.slice(0, 100).map(({ node, title, short }) => {
    const link = Object.assign(document.createElement("a"), { href: "#" + node.id });
    link.append(Object.assign(document.createElement("b"), { textContent: title }), " " + short.slice(0, 120));
    return link;
  });
  found.replaceChildren(...(links.length ? links : ["Nothing found."]));
  return list;
}

// Shows the section that the address names, the first one otherwise; #everything: all of them.
function route() {
  const target = element(decodeURIComponent(location.hash.slice(1)));
  const here = target?.closest("main > section") || sections[0];
  for (const section of sections) section.hidden = section !== here && location.hash !== "#everything";
  document.querySelector("nav .here")?.classList.remove("here");
  const link = document.querySelector(`nav a[href="#${here.id}"]`);
  link?.classList.add("here");
  for (const group of document.querySelectorAll("nav details details")) group.open = group.contains(link);
  if (matchMedia("(max-width: 60rem)").matches) element("contents").open = false;
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
}

function leave() {
  search.value = "";
  show();
}
search.addEventListener("input", show);
search.addEventListener("keydown", event => {
  const best = event.key === "Enter" && search.value.trim() && show()[0];
  if (event.key === "ArrowDown") found.querySelector("a")?.focus();
  if (best) location.hash = best.node.id;
  if (best) leave();
});
document.addEventListener("keydown", event => {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (step && found.contains(document.activeElement)) (document.activeElement[step] || search).focus();
  else if (event.key === "Escape") leave();
  else if (event.key === "/" && !/INPUT|PRE|TEXTAREA/.test(document.activeElement.tagName)) search.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("click", event => {
  if (event.target.closest('a[href^="#"]')) setTimeout(leave);
});
addEventListener("hashchange", route);

// Light or dark: the system's, or what was chosen here.
const root = document.documentElement, THEME = "strew.theme";
try { root.style.colorScheme = localStorage.getItem(THEME) || ""; } catch { /* none */ }
element("theme").onclick = () => {
  const isDark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = isDark ? "light" : "dark";
  try { localStorage.setItem(THEME, root.style.colorScheme); } catch { /* not kept */ }
};
search.value = new URLSearchParams(location.search).get("q") || "";
show();
