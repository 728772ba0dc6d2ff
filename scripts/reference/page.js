// Typing hides every article that has not all the words, and lists the others, names first; Enter goes to the first of
// them, / to the search, Escape ends it.
const search = document.getElementById("search");
const found = document.getElementById("found");
const articles = [...document.querySelectorAll("article[id]")].map(element => ({
  element,
  name: element.id.toLowerCase(),
  summary: (element.querySelector(".summary") || element).textContent.toLowerCase(),
  text: (element.textContent + " " + (element.dataset.words || "")).toLowerCase()
}));

function wordsTyped() {
  return search.value.toLowerCase().replace(/^\s*(strew\.|t:)/, "").replace(/(\w)-(?=\w)/g, "$1 ").split(/\s+/).filter(Boolean);
}

// How near an article is to a word: it is its name, begins it, is a part of it, of the first sentence, of the rest.
function rank(article, word) {
  const name = word.replace(/_$/, "");
  if (article.name === name) return 0;
  if (article.name.startsWith(name)) return 1;
  if (article.name.includes(name)) return 2;
  return article.summary.includes(word) ? 3 : 4;
}

function show() {
  const words = wordsTyped();
  const fits = article => words.every(word => article.text.includes(word) || rank(article, word) === 0);
  for (const article of articles) article.element.hidden = !fits(article);
  for (const section of document.querySelectorAll("section"))
    section.hidden = words.length > 0 && !section.querySelector("article[id]:not([hidden])");
  const hits = articles.filter(article => !article.element.hidden);
  hits.sort((a, b) => rank(a, words[0] || "") - rank(b, words[0] || ""));
  const links = hits.map(hit => Object.assign(document.createElement("a"),
    { href: "#" + hit.element.id, textContent: hit.element.id }));
  found.replaceChildren(...(links.length ? links : ["Nothing found."]));
  found.hidden = words.length === 0;
  return hits;
}

search.addEventListener("input", show);
search.addEventListener("keydown", event => {
  const best = event.key === "Enter" && show()[0];
  if (best) location.hash = best.element.id;
});
function clear() {
  search.value = "";
  show();
}
document.addEventListener("keydown", event => {
  if (event.key === "Escape") clear();
  if (event.key !== "/" || document.activeElement === search) return;
  event.preventDefault();
  search.focus();
});
// A link leads to an article that the search may have hidden.
document.addEventListener("click", event => {
  if (event.target.closest('a[href^="#"]') && !event.target.closest("#found")) clear();
});
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
search.value = new URLSearchParams(location.search).get("q") || "";
show();
