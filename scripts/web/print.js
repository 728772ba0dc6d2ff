// print.js: what the program prints, as elements: lines, a terminal's colours, pictures. Of the prompt and the manual.
"use strict";
const textNode = (tag, kind, text) => Object.assign(document.createElement(tag), { className: kind, textContent: text });

// Returns print(kind, text); add(node) puts a line or picture where it belongs, and returns it.
function printer(add) {
  let style = { kind: "", css: "" }, line = null, held = ""; // the last line, if it has not ended; a picture that has not

  // ESC [ numbers m
  function colour(numbers) {
    const [first, second, ...rgb] = numbers;
    if (!first) style = { kind: "", css: "" };
    else if (first === 1) style.kind = "b";
    else if (first === 2) style.kind = "d";
    else if (first === 31) style.kind = "r";
    else if (second === 2) {
      style.css += `${first === 38 ? "color" : "background"}:rgb(${rgb.slice(0, 3)});`;
      if (rgb.length > 3) colour(rgb.slice(3));
    }
  }

  // The text of an SVG, which strew.plot prints; or what stands between ESC ] and BEL: see pictures.lua.
  function picture(words) {
    if (words.startsWith("<svg")) return add(Object.assign(new Image(), { src: "data:image/svg+xml," + encodeURIComponent(words), alt: "plot" }));
    const parts = words.split(";"), [width, height] = [+parts[1], +parts[2]], numbers = parts[3].split(",");
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const pixels = new ImageData(width, height);
    for (let i = 0; i < 4 * width * height; i++) pixels.data[i] = i % 4 < 3 ? numbers[(i >> 2) * 3 + i % 4] : 255;
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    canvas.style.width = Math.max(width, Math.min(width * 8, 160)) + "px";
    return add(canvas);
  }

  function print(kind, text) {
    text = held + text;
    held = /(\x1b\][^\x07]*|<svg\s(?![^]*<\/svg\s*>)[^]*)$/.exec(text)?.[0] || "";
    text = text.slice(0, text.length - held.length);
    for (const part of text.split(/(\x1b\[[\d;]*m|\x1b\][^\x07]*\x07|<svg\s[^]*?<\/svg\s*>|\n)/)) {
      if (part === "\n") { if (!line) add(textNode("p", kind, "\n")); line = null; }
      else if (part.startsWith("\x1b[")) colour(part.slice(2, -1).split(";").map(Number));
      else if (/^(\x1b\]|<svg\s)/.test(part)) { picture(part.replace(/^\x1b\]|\x07$/g, "")); line = null; }
      else if (part) {
        line = line || add(textNode("p", kind, ""));
        line.appendChild(textNode("span", style.kind, part)).style.cssText = style.css;
        if (style.css) line.classList.add("drawn");
      }
    }
  }
  print.end = () => { line = null; };
  return print;
}

// Names of chunks are those of the page; the prompt says how long an entry took.
const plain = text => text.replace(/\x1b\[[\d;]*m|^\([\d.]+ s\)$/gm, "").replace(/\b(first\.lua|example):(?=\d)/g, "stdin:").trim();
const isSame = (printed, expected) => plain(printed) === plain(expected);

try { document.documentElement.style.colorScheme = localStorage.getItem("strew.theme") || ""; } catch { /* the system's */ }
