// How the labelling queue looks: buttons, texts, what is said about saving. Draws what the labeller
// (labeller.js) knows and changes none of it, but for what belongs to the screen: `shown`, the item
// the last frame showed, and `shownAt`, when.

// One list draws the buttons, names the keys on them and drives the handlers.
const ACTS = [
  { id: "pass", key: "1", code: "Digit1", hint: "1", verdict: "PASS", mark: "✓", word: "PASS" },
  { id: "fail", key: "2", code: "Digit2", hint: "2", verdict: "FAIL", mark: "✕", word: "FAIL" },
  { id: "unsure", key: "3", code: "Digit3", hint: "3", verdict: "UNSURE", mark: "?", word: "UNSURE" },
  { id: "defer", key: "d", code: "KeyD", hint: "D", word: "Defer" },
  { id: "undo", key: "u", code: "KeyU", hint: "U", word: "Undo" },
  { id: "back", key: "arrowleft", hint: "←", word: "Back", spoken: "Previous output" },
  { id: "next", key: "arrowright", hint: "→", word: "Next", spoken: "Next output" },
  { id: "note", key: "n", code: "KeyN", hint: "N", word: "Note" },
];
const MARKS = { PASS: "✓ PASS", FAIL: "✕ FAIL", UNSURE: "? UNSURE" };

class Screen {
  constructor(parent) {
    this.root = parent.querySelector(".labeller");
    this.el = (selector) => this.root.querySelector(selector);
  }

  draw() {
    for (const act of ACTS) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.act = act.id;
      button.title = `${act.spoken ?? act.word} (key ${act.hint})`;
      if (act.mark) button.append(make("span", "mark", act.mark));
      button.append(make("span", "word", act.word), make("kbd", "", act.hint));
      if (act.spoken) button.setAttribute("aria-label", act.spoken);
      button.setAttribute("aria-keyshortcuts", act.hint);
      button.addEventListener("click", (e) => {
        // The second half of a double click was meant for the item before.
        if (e.detail < 2 || e.timeStamp - this.clicked > 300) this.act(act, e.timeStamp);
        this.clicked = e.timeStamp;
      });
      if (act.id === "note") this.el(".note-name").append("Note ", make("kbd", "", act.hint));
      else this.el(act.verdict ? ".verdicts" : ".moves").append(button);
    }
    this.root.addEventListener("keydown", (e) => {
      if (e.repeat && (e.key === "Enter" || e.key === " ") && e.target.tagName === "BUTTON") e.preventDefault();
    });
    const note = this.el("textarea");
    note.addEventListener("input", () => this.saveDraft());
    note.addEventListener("blur", () => this.keepNote());
    note.addEventListener("keydown", (e) => {
      if (e.isComposing) return;
      if (e.key === "Escape" || (e.key === "Enter" && (e.ctrlKey || e.metaKey))) {
        e.preventDefault();
        note.blur();
      }
    });
    this.el(".show-input").addEventListener("click", () => {
      this.showInput = !this.showInput;
      this.renderInput();
    });
    this.el(".dismiss").addEventListener("click", () => {
      this.troubles = [];
      this.shelf.drop("told", "");
      this.renderTrouble();
    });
  }

  /** Change what is on screen in the frame that will paint it, so that both are always the same. */
  render() {
    this.due ??= requestAnimationFrame(() => {
      this.due = null;
      if (!this.send) return;
      this.paint();
      setTimeout(() => this.sync()); // after the frame: sending must not hold it up
    });
  }

  paint() {
    let fresh = false;
    const id = this.order?.[this.cur];
    const item = this.items.get(id);
    const name = !this.order || (this.cur >= 0 && !item) ? "loading" : this.cur < 0 ? "done" : "ready";
    this.root.dataset.state = name;
    if (name !== "ready") {
      this.shown = null;
      this.root.dataset.output = "";
      this.el(".other").textContent = name === "loading" ? "Loading …" : this.finished();
      this.el(".name").textContent = "";
    } else if (this.shown !== id) {
      this.shown = id;
      fresh = true;
      this.root.dataset.output = id;
      this.el(".text").textContent = visible(item.text);
      this.el(".text").scrollTop = 0;
      this.el(".name").textContent = visible(item.sample) + (item.trial > 1 ? ` · trial ${item.trial}` : "");
      const draft = this.shelf.get("draft", this.draftName(id));
      this.el("textarea").value = typeof draft === "string" ? draft : this.state(id).note;
    }
    this.renderQuestion();
    this.renderInput();
    this.renderState(id);
    this.renderNote();
    this.renderSaved();
    this.renderTrouble();
    if (fresh) {
      this.viewed = 0;
      this.shownAt = performance.now();
    }
    if (name === "ready" && !this.found) {
      // On a low screen (or a large zoom) the queue comes into sight by itself, once.
      this.found = true;
      if (innerHeight < 640) this.root.scrollIntoView({ block: "start" });
    }
  }

  finished() {
    if (!this.order.length) return "There is nothing to label.";
    return `Done: all ${this.order.length.toLocaleString("en")} outputs have your label on this question.\nThe arrow keys look through them; choose another question above.`;
  }

  renderQuestion() {
    const q = this.question;
    if (this.asked === q.key + q.hash) return;
    this.asked = q.key + q.hash;
    this.el(".question").textContent = visible(q.text);
    this.el(".task").textContent = visible(q.task);
    this.el(".ask").classList.toggle("alone", !q.pass && !q.fail);
    for (const side of ["pass", "fail"]) {
      this.el(".example." + side).hidden = !q.pass && !q.fail;
      this.el(`.example.${side} p`).textContent = visible(q[side]);
    }
  }

  renderInput() {
    const item = this.items.get(this.shown);
    const button = this.el(".show-input");
    button.hidden = !item?.input;
    button.textContent = this.showInput ? "Hide input" : "Show input";
    button.setAttribute("aria-expanded", String(this.showInput));
    this.el(".input").hidden = !this.showInput || !item?.input;
    if (this.showInput && item) this.el(".input").textContent = visible(item.input);
  }

  renderState(id) {
    const total = this.order?.length ?? 0;
    const state = this.state(id);
    const place = this.cur < 0 ? total : this.cur + 1;
    this.el(".position").textContent = this.order ? `${place.toLocaleString("en")} of ${total.toLocaleString("en")}` : "";
    this.el(".tally").textContent = this.order ? `${this.done.toLocaleString("en")} labelled` + (this.later ? `, ${this.later.toLocaleString("en")} deferred` : "") : "";
    this.el(".track i").style.transform = `scaleX(${total ? this.done / total : 0})`;
    this.el(".last").textContent = this.last ? `Last: ${this.last}` : "";
    const ready = this.root.dataset.state === "ready";
    const now = this.el(".now");
    const word = state.verdict ? MARKS[state.verdict] : state.deferred ? "deferred" : "";
    now.className = `now ${state.verdict ?? ""} ${state.stale ? "stale" : ""}`;
    now.replaceChildren();
    if (ready && word) now.append(make("b", "", word), state.stale ? " for an earlier wording" : "");
    else if (ready) now.append("not labelled");
    for (const act of ACTS) {
      const button = this.el(`button[data-act="${act.id}"]`);
      if (!button) continue;
      if (act.verdict) button.setAttribute("aria-pressed", String(ready && state.verdict === act.verdict && !state.stale));
      button.disabled =
        act.id === "undo" ? !this.history.length
        : act.id === "back" ? !this.order || this.cur === 0
        : act.id === "next" ? !this.order || this.cur === total - 1
        : !ready;
    }
    const said = ready ? `${place} of ${total}. ${word || "Not labelled"}` : "";
    if (this.el(".spoken").textContent !== said) this.el(".spoken").textContent = said;
  }

  renderNote() {
    const note = this.el("textarea");
    note.disabled = this.root.dataset.state !== "ready";
    const draft = this.shown !== null && this.noteNow(this.shown) !== this.state(this.shown).note;
    this.el(".note-state").textContent = draft ? "not stored yet" : "";
    note.placeholder = note.disabled ? "" : "Why? (Esc or Ctrl+Enter keeps the note)";
    if (note.disabled) note.value = "";
  }

  renderSaved() {
    const saved = this.el(".saved");
    const n = this.pending.length;
    const count = `${n.toLocaleString("en")} unsaved`;
    let text = n ? count : "all saved";
    if (this.shelf?.full) text += "; this browser's storage is full" + (n ? ", keep this tab open" : "");
    else if (this.failed) text = `${count}, kept in this browser: ${this.failed}`;
    else if (this.offline) text = `offline: ${count}, kept in this browser`;
    const bad = this.offline || this.failed || (this.shelf?.full && n);
    saved.textContent = text;
    saved.title = text;
    saved.className = "saved" + (bad ? " bad" : n ? " waiting" : "");
    this.root.dataset.unsaved = n;
  }

  renderTrouble() {
    const troubles = this.troubles ?? [];
    if (this.told === troubles.length) return;
    this.told = troubles.length;
    this.el(".trouble").hidden = !troubles.length;
    const lines = troubles.map((line) => make("li", "", visible(line)));
    this.el(".trouble ul").replaceChildren(...lines);
  }
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
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
