// Every key of the labelling queue. This one list finds what a key does, names it on the buttons
// and fills the sheet that H shows; nothing else knows a key.
//
// `when` names what must be so for the entry to count (Labeller.flags); of the entries that count
// the first that has the key wins. So N writes a note, but steps through what a search found.

const MARKS = { PASS: "✓ PASS", FAIL: "✕ FAIL", UNSURE: "? UNSURE" };
const KEYMAP = [
  { id: "go", keys: [" ", "enter"], when: "checked", group: "Decide", word: "Go on", says: "Go on after what is shown once your label is stored" },
  { id: "pass", keys: ["1"], group: "Decide", verdict: "PASS", mark: "✓", word: "PASS", says: "PASS, and on to the next" },
  { id: "fail", keys: ["2"], group: "Decide", verdict: "FAIL", mark: "✕", word: "FAIL", says: "FAIL, and on to the next" },
  { id: "unsure", keys: ["3"], group: "Decide", verdict: "UNSURE", mark: "?", word: "UNSURE", says: "UNSURE: no label, and on to the next" },
  { id: "defer", keys: ["d"], group: "Decide", word: "Defer", says: "Put the output off to the end" },
  { id: "undo", keys: ["u"], group: "Decide", word: "Undo", says: "Take back the last act and go back to it" },
  { id: "back", keys: ["arrowleft"], group: "Move", word: "Back", spoken: "Previous output", says: "Previous output" },
  { id: "next", keys: ["arrowright"], group: "Move", word: "Next", spoken: "Next output", says: "Next output" },
  { id: "up", keys: ["arrowup"], when: "all", group: "Move", says: "Criterion above" },
  { id: "down", keys: ["arrowdown"], when: "all", group: "Move", says: "Criterion below" },
  { id: "scroll-up", keys: ["arrowup"], group: "Move", scroll: -60, says: "Scroll the output up" },
  { id: "scroll-down", keys: ["arrowdown"], group: "Move", scroll: 60, says: "Scroll the output down" },
  { id: "page-up", keys: ["pageup"], group: "Move", scroll: -0.9, says: "Scroll up by a screen" },
  { id: "page-down", keys: ["pagedown"], group: "Move", scroll: 0.9, says: "Scroll down by a screen" },
  { id: "jump", keys: ["j"], group: "Move", word: "Jump", says: "Jump to an output by its id" },
  { id: "input", keys: ["i"], group: "Look", word: "Input", says: "Show or hide the input" },
  { id: "reference", keys: ["r"], group: "Look", word: "Reference", says: "Show or hide the reference" },
  { id: "difference", keys: ["x"], group: "Look", word: "Compare", says: "Mark what differs from the reference, then from the version before" },
  { id: "pretty", keys: ["p"], group: "Look", word: "JSON", says: "Lay JSON out in lines, or show it as written" },
  { id: "find", keys: ["/"], group: "Look", word: "Find", says: "Find text in output, input and reference" },
  { id: "find-back", keys: ["n"], shift: true, when: "finding", group: "Look", says: "Previous match, while finding" },
  { id: "find-next", keys: ["n"], when: "finding", group: "Look", says: "Next match, while finding" },
  { id: "find-end", keys: ["escape"], when: "finding", group: "Look", says: "Stop finding" },
  { id: "note", keys: ["n", "c"], group: "Write", word: "Note", says: "Write a note on the output (Esc or Ctrl+Enter keeps it)" },
  { id: "help", keys: ["h", "?"], group: "Help", word: "Keys", says: "Show or close this sheet" },
];
const SIGNS = { arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓", pageup: "PgUp", pagedown: "PgDn", " ": "Space", enter: "Enter", escape: "Esc" };

function sign(act, key) {
  return (act.shift ? "Shift+" : "") + (SIGNS[key] ?? key.toUpperCase());
}

function counts(act, flags) {
  return !act.when || Boolean(flags[act.when]);
}

/** What a key press means now, or undefined. */
function actFor(e, flags) {
  const key = e.key.toLowerCase();
  const hit = (has) =>
    KEYMAP.find((act) => counts(act, flags) && (!act.shift || e.shiftKey) && act.keys.some(has));
  // Other layouts: digits above the letters may need Shift, letters may be of another script.
  const byPlace = !e.shiftKey && (e.code.startsWith("Digit") || key > "\x7f");
  const place = (k) => e.code === (/\d/.test(k) ? "Digit" : "Key") + k.toUpperCase();
  return hit((k) => k === key) ?? (byPlace ? hit(place) : undefined);
}

/** The first key of an act that no act before it takes now, as a person reads it; "" for none. */
function hint(act, flags) {
  const shift = Boolean(act.shift);
  const taker = (key) =>
    KEYMAP.find((a) => counts(a, flags) && Boolean(a.shift) === shift && a.keys.includes(key));
  const free = act.keys.find((key) => taker(key) === act);
  return free === undefined ? "" : sign(act, free);
}

/** The sheet of all keys: opens over everything, Esc closes it. */
class Sheet {
  constructor(root) {
    this.box = root.querySelector(".sheet");
    this.box.querySelector("button").addEventListener("click", () => this.box.close());
    this.box.addEventListener("click", (e) => e.target === this.box && this.box.close());
  }
  toggle(flags) {
    if (this.box.open) return this.box.close();
    const groups = [...new Set(KEYMAP.map((act) => act.group))].map((group) => {
      const list = make("dl", "", "");
      const acts = KEYMAP.filter((act) => act.group === group && (act.when !== "all" || flags.all));
      for (const act of acts) {
        const keys = act.keys.filter((key) => flags.all !== true || !act.scroll || !key.startsWith("arrow"));
        if (!keys.length) continue;
        const names = make("dt", "", "");
        names.append(...keys.map((key) => make("kbd", "", sign(act, key))));
        list.append(names, make("dd", "", act.says));
      }
      const part = make("section", "", "");
      part.append(make("h3", "", group), list);
      return part;
    });
    this.box.querySelector(".sheet-keys").replaceChildren(...groups);
    this.box.showModal();
    this.box.scrollTop = 0; // the button below has the focus; reading starts above
  }
}
