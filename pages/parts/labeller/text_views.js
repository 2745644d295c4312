// Texts as people look at them. Everything here gives strings or pieces of strings, which are shown
// through textContent: nothing in a text can become markup.

const COMPARED = 50_000; // characters of a text up to which differences are looked for
const EDITS = 1_500; // words that may differ before lines are compared instead
const INDENTED = 40; // levels of JSON that are indented
const MATCHES = 2_000;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Set what an element says, if it does not say so already: each change costs a frame time. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
function setAttr(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** The text with a sign for each control character that would otherwise be invisible. */
function visible(text) {
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, (c) =>
    String.fromCharCode(c === "\x7f" ? 0x2421 : 0x2400 + c.charCodeAt(0)),
  );
}

function plainLines(text) {
  return text.replace(/\r\n?/g, "\n");
}

/**
 * A JSON object or array laid out in lines, or null for any other text. Every token stays as it is
 * written: 1.0 and 12345678901234567890 are not read as numbers, a key given twice is there twice.
 */
function prettyJson(text) {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const lines = [];
  let line = "";
  let depth = 0;
  let before = "";
  const newLine = () => {
    lines.push(line);
    line = "  ".repeat(Math.min(depth, INDENTED));
  };
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs)) {
    const closes = token === "}" || token === "]";
    const opened = before === "{" || before === "[";
    if (closes) depth -= 1;
    if (closes ? !opened : opened || before === ",") newLine();
    line += before === ":" ? " " + token : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return [...lines, line].join("\n");
}

/**
 * What turns `before` into `after`: pieces [kind, text], kind "same", "removed" or "added". Same
 * and removed joined are `before`, same and added are `after`. Null when one of them is too long.
 */
function wordDifference(before, after) {
  if (before.length > COMPARED || after.length > COMPARED) return null;
  const words =
    /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{M}\p{N}_])+|\r?\n|[^\S\r\n]+|[^]/gu;
  const lines = /[^\n]*\n|[^\n]+$/g;
  for (const rule of [words, lines]) {
    const a = before.match(rule) ?? [];
    const b = after.match(rule) ?? [];
    const found = compare(a, b);
    if (found) return found;
  }
  return joined([["removed", before], ["added", after]]);
}

/** Myers' shortest edit script (Algorithmica 1, 1986) between what both ends have in common. */
function compare(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const short = Math.min(a.length, b.length) - start;
  while (end < short && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = edits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  if (!middle) return null;
  const same = (words) => words.map((word) => ["same", word]);
  return joined([...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))]);
}

function edits(a, b) {
  const [n, m] = [a.length, b.length];
  const most = Math.min(n + m, EDITS);
  const mid = most + 1;
  const OUT = -(2 ** 30); // a place that cannot be reached
  const far = new Int32Array(2 * most + 3).fill(OUT);
  const trace = [];
  far[mid + 1] = 0;
  for (let d = 0; d <= most; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && far[mid + k - 1] < far[mid + k + 1]);
      let x = down ? far[mid + k + 1] : far[mid + k - 1] + 1;
      if (x < 0 || x > n || x - k > m) {
        far[mid + k] = OUT;
        continue;
      }
      while (x < n && x - k < m && a[x] === b[x - k]) x += 1;
      far[mid + k] = x;
      if (x === n && x - k === m) return walkBack(a, b, trace, d);
    }
    trace.push(far.slice(mid - d - 1, mid + d + 2));
  }
  return null;
}

function walkBack(a, b, trace, edited) {
  const pieces = [];
  let [x, y] = [a.length, b.length];
  for (let d = edited; d > 0; d -= 1) {
    const at = (k) => trace[d - 1][k + d];
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = at(down ? k + 1 : k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > (down ? fromX : fromX + 1)) {
      x -= 1;
      y -= 1;
      pieces.push(["same", a[x]]);
    }
    pieces.push(down ? ["added", b[fromY]] : ["removed", a[fromX]]);
    [x, y] = [fromX, fromY];
  }
  while (x > 0) pieces.push(["same", a[(x -= 1)]]);
  return pieces.reverse();
}

/** Neighbours of one kind as one piece; between two that are the same, removed before added. */
function joined(pieces) {
  const found = [];
  let [removed, added] = ["", ""];
  const flush = () => {
    if (removed) found.push(["removed", removed]);
    if (added) found.push(["added", added]);
    removed = added = "";
  };
  for (const [kind, text] of pieces) {
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else {
      flush();
      if (found.at(-1)?.[0] === "same") found.at(-1)[1] += text;
      else found.push(["same", text]);
    }
  }
  flush();
  return found;
}

/** Ranges of `query` in what the boxes show, capitals alike, at most MATCHES of them. */
function findIn(boxes, query) {
  const found = [];
  if (!query) return found;
  const rule = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  for (const box of boxes) {
    const nodes = [];
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    let text = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push([text.length, node]);
      text += node.data;
    }
    let at = 0; // the node a match starts in; matches come in order
    const place = (from, offset) => {
      let i = from;
      while (i + 1 < nodes.length && nodes[i + 1][0] <= offset) i += 1;
      return i;
    };
    for (const match of text.matchAll(rule)) {
      if (found.length === MATCHES) return found;
      at = place(at, match.index);
      const end = match.index + match[0].length;
      const last = place(at, end - 1);
      const range = document.createRange();
      range.setStart(nodes[at][1], match.index - nodes[at][0]);
      range.setEnd(nodes[last][1], end - nodes[last][0]);
      found.push(range);
    }
  }
  return found;
}
