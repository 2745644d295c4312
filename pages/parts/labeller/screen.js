// How the labelling queue looks: buttons, what is said about the place and about saving. Draws what
// the labeller (labeller.js) knows and changes none of it, but for what belongs to the screen:
// `shown`, what the last frame showed, and `shownAt`, when.

const NUMBER = new Intl.NumberFormat("en");

class Screen {
  constructor(parent) {
    this.root = parent.querySelector(".labeller");
    const found = new Map(); // nothing in the element is ever replaced by another of its name
    this.el = (selector) => {
      if (!found.has(selector)) found.set(selector, this.root.querySelector(selector));
      return found.get(selector);
    };
    this.buttons = [];
    this.reader = new Reader(this.root);
    this.sheet = new Sheet(this.root);
    this.jump = new Jump(this.root, (slot) => this.lookAtSlot(slot));
  }

  draw() {
    for (const act of KEYMAP.filter((one) => one.word && one.id !== "go")) {
      if (act.id === "note") {
        this.el(".note-name").append("Note ", make("kbd", "", ""));
        continue;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.act = act.id;
      if (act.mark) button.append(make("span", "mark", act.mark));
      button.append(make("span", "word", act.word), make("kbd", "", ""));
      if (act.spoken) button.setAttribute("aria-label", act.spoken);
      button.addEventListener("click", (e) => {
        // The second half of a double click was meant for the item before.
        if (e.detail < 2 || e.timeStamp - this.clicked > 300) this.act(act, e.timeStamp);
        this.clicked = e.timeStamp;
      });
      this.buttons.push([act, button]);
      const foot = ["defer", "undo", "back", "next"].includes(act.id);
      this.el(act.verdict ? ".verdicts" : foot ? ".moves" : ".looks").append(button);
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
    this.el(".find").addEventListener("click", () => this.render());
    this.el(".find").addEventListener("keydown", () => this.render());
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
    const slot = this.slot();
    const item = slot === undefined ? undefined : this.items.get(outputOf(slot));
    const name = !this.work.order || (slot !== undefined && !item) ? "loading" : item ? "ready" : "done";
    const other = this.shown?.slot !== slot;
    const fresh = name === "ready" && (other || this.shown.key !== this.key);
    this.root.dataset.state = name;
    if (name !== "ready") {
      this.shown = null;
      this.root.dataset.output = "";
      this.el(".other").textContent = name === "loading" ? "Loading …" : this.finished();
      this.el(".name").textContent = "";
      if (this.reader.item) this.reader.show(null);
    } else if (fresh) {
      this.shown = { slot, key: this.key };
      if (other) {
        this.root.dataset.output = item.id;
        this.reader.show(item);
        this.el(".name").textContent = visible(item.sample) + (item.trial > 1 ? ` · trial ${item.trial}` : "");
      }
      const draft = this.shelf.get("draft", this.draftName(slot, this.key));
      this.el("textarea").value = typeof draft === "string" ? draft : this.stateShown().note;
    }
    this.renderQuestion();
    this.renderGrid(name === "ready");
    this.renderState(name === "ready");
    this.renderButtons(name === "ready");
    this.renderCheck();
    this.renderNote();
    this.renderSaved();
    this.renderTrouble();
    if (fresh) {
      this.clock.restart();
      this.shownAt = performance.now();
    }
    if (name === "ready" && !this.found) {
      // On a low screen (or a large zoom) the queue comes into sight by itself, once.
      this.found = true;
      if (innerHeight < 640) this.root.scrollIntoView({ block: "start" });
    }
  }

  finished() {
    const n = this.work.order.length;
    const all = n === 1 ? "the one output" : `all ${NUMBER.format(n)} outputs`;
    if (this.work.wanted) return n ? `Done: you went through ${all} of this list.\nChoose another list above.` : "No output is in this list.\nChoose another list above.";
    if (!n) return "There is nothing to label.";
    const asked = this.work.keys.length > 1 ? "every criterion" : "this question";
    const other = this.work.keys.length > 1 ? "" : "; choose another question above";
    return `Done: ${all} ${n === 1 ? "has" : "have"} your label on ${asked}.\nThe arrow keys look through them${other}.`;
  }

  renderQuestion() {
    const q = this.question(this.key);
    if (!q || this.asked === q) return;
    this.asked = q;
    this.el(".question").textContent = visible(q.text);
    this.el(".task").textContent = visible(q.task);
    this.el(".ask").classList.toggle("alone", this.questions.every((one) => !one.pass && !one.fail));
    for (const side of ["pass", "fail"]) {
      const box = this.el(".example." + side);
      box.hidden = !q.pass && !q.fail;
      box.querySelector("p").textContent = visible(q[side]);
      box.scrollTop = 0;
    }
  }

  /** With all criteria at once: one row each, with the label it has. */
  renderGrid(ready) {
    const grid = this.el(".grid");
    if (this.rowsFor !== this.questions) {
      this.rowsFor = this.questions;
      grid.hidden = this.questions.length < 2;
      this.el(".desk").classList.toggle("all", !grid.hidden);
      this.rows = this.questions.map((question) => {
        const row = document.createElement("button");
        row.type = "button";
        row.append(make("span", "row-mark", ""), make("span", "row-key", visible(question.key)), make("span", "row-word", ""));
        row.addEventListener("click", () => this.pickKey(this.work.keys.indexOf(question.key) - this.work.keys.indexOf(this.key)));
        return row;
      });
      grid.replaceChildren(...(grid.hidden ? [] : this.rows));
    }
    if (grid.hidden) return;
    this.questions.forEach((question, i) => {
      const row = this.rows[i];
      const state = ready ? this.work.state(this.slot(), question.key) : BLANK;
      const [mark, word] = state.stale ? ["↻", "wording changed"] : state.verdict ? MARKS[state.verdict].split(" ") : ["", state.deferred ? "deferred" : "open"];
      const here = question.key === this.key;
      setAttr(row, "class", state.stale ? "" : (state.verdict ?? ""));
      row.disabled = !ready;
      if (here !== (row.getAttribute("aria-current") === "true")) {
        row.setAttribute("aria-current", String(here));
        if (here && grid.scrollHeight > grid.clientHeight) row.scrollIntoView({ block: "nearest" });
      }
      say(row.children[0], mark);
      say(row.children[2], word);
    });
  }

  renderState(ready) {
    const { work } = this;
    const total = work.order?.length ?? 0;
    const state = ready ? work.state(this.slot(), this.key) : BLANK;
    const place = this.cur < 0 ? total : this.cur + 1;
    const count = (n) => NUMBER.format(n);
    say(this.el(".position"), work.order ? `${count(place)} of ${count(total)}` : "");
    say(this.el(".eta"), work.order && this.pace && work.left ? aboutLeft(this.pace * work.left) : "");
    const did = work.wanted ? "gone through" : "labelled";
    say(this.el(".tally"), work.order ? `${count(work.done)} ${did}` + (work.later ? `, ${count(work.later)} deferred` : "") : "");
    this.el(".track i").style.transform = `scaleX(${total ? work.done / total : 0})`;
    say(this.el(".last"), this.last ? `Last: ${this.last}` : "");
    const now = this.el(".now");
    const word = state.stale ? "" : state.verdict ? MARKS[state.verdict] : state.deferred ? "deferred" : "";
    const kind = `now ${word ? (state.verdict ?? "") : ""} ${state.stale ? "stale" : ""}`;
    const badge = state.stale ? "wording changed" : word;
    setAttr(now, "class", kind);
    if (now.textContent !== (badge || "not labelled") || !ready)
      now.replaceChildren(...(badge ? [make("b", "", badge)] : ready ? ["not labelled"] : []));
    const practice = ready && modeOf(this.slot()) === "practice";
    this.el(".mode").hidden = !practice;
    say(this.el(".mode"), practice ? "Practice: does not count" : "");
    const asked = work.keys.length > 1 ? `${this.key}. ` : "";
    const said = ready ? `${asked}${place} of ${total}. ${state.stale ? "The wording changed since your label" : word || "Not labelled"}` : "";
    say(this.el(".spoken"), said);
  }

  renderButtons(ready) {
    const flags = this.flags();
    const state = ready ? this.work.state(this.slot(), this.key) : BLANK;
    const looks = this.reader.standing();
    const total = this.work.order?.length ?? 0;
    this.renderHints(flags);
    for (const [act, button] of this.buttons) {
      const look = looks[act.id];
      if (act.verdict) setAttr(button, "aria-pressed", String(ready && state.verdict === act.verdict && !state.stale));
      if (look) setAttr(button, "aria-pressed", String(look[1]));
      button.disabled =
        look ? !ready || !look[0]
        : act.id === "help" ? false
        : act.id === "undo" ? !this.history.length
        : act.id === "back" ? !total || this.cur === 0
        : act.id === "next" ? !total || this.cur === total - 1
        : act.id === "jump" ? !total
        : !ready || Boolean(this.checking);
    }
  }

  /** Name the keys as they count now; they change only with what is being done. */
  renderHints(flags) {
    const now = `${flags.all}${flags.finding}${Boolean(flags.checked)}`;
    if (this.hinted === now) return;
    this.hinted = now;
    for (const [act, button] of this.buttons) {
      const key = hint(act, flags);
      button.querySelector("kbd").textContent = key;
      button.title = `${act.says} (key ${key})`;
      button.setAttribute("aria-keyshortcuts", key);
    }
    this.el(".note-name kbd").textContent = hint(KEYMAP.find((act) => act.id === "note"), flags);
  }

  /** After a decision in practice or for a changed wording: what it is held against. */
  renderCheck() {
    const now = this.checking;
    const box = this.el(".check");
    box.hidden = !now;
    if (!now) return;
    const ready = this.flags().checked;
    if (now.at === Infinity && ready) now.at = performance.now();
    const [said, note] = now.got ? checkWords(now)
      : this.offline ? ["Offline: your label is kept in this browser. There is nothing to show before it is stored.", ""]
      : this.failed ? [`Not stored yet: ${this.failed}`, ""]
      : ["Checking …", ""];
    this.el(".check-said").textContent = said;
    this.el(".check-note").textContent = visible(note);
    this.el(".check-note").hidden = !note;
    const go = KEYMAP.find((act) => act.id === "go");
    const keys = make("span", "", "");
    if (ready) keys.append(...go.keys.map((key) => make("kbd", "", sign(go, key))), ` ${go.word}`);
    this.el(".check-keys").replaceChildren(keys);
  }

  renderNote() {
    const note = this.el("textarea");
    note.disabled = !this.shown || Boolean(this.checking);
    const draft = this.shown && this.noteNow() !== this.stateShown().note;
    say(this.el(".note-state"), draft ? (this.stateShown().stale ? "stored with the label" : "not stored yet") : "");
    setAttr(note, "placeholder", note.disabled ? "" : "Why? (Esc or Ctrl+Enter keeps the note)");
    if (!this.shown) note.value = "";
  }

  renderSaved() {
    const saved = this.el(".saved");
    const n = this.pending.length;
    const count = `${NUMBER.format(n)} unsaved`;
    let text = n ? count : "all saved";
    if (this.shelf?.full) text += "; this browser's storage is full or blocked" + (n ? ", keep this tab open" : "");
    else if (this.failed) text = `${count}, kept in this browser: ${this.failed}`;
    else if (this.offline) text = n ? `offline: ${count}, kept in this browser` : "offline; all saved";
    const bad = this.offline || this.failed || (this.shelf?.full && n);
    say(saved, text);
    setAttr(saved, "title", text);
    setAttr(saved, "class", "saved" + (bad ? " bad" : n ? " waiting" : ""));
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

function aboutLeft(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute left";
  if (minutes < 100) return `about ${minutes} min left`;
  return `about ${(seconds / 3600).toFixed(1)} h left`;
}

/** What a stored label is held against, in a sentence, and the note that was with it. */
function checkWords({ verdict, got }) {
  const [mine, other] = [MARKS[verdict], got.verdict ? MARKS[got.verdict] : "left undecided"];
  if (got.kind === "practice") {
    const same = verdict === got.verdict;
    return [same ? `Settled as you said: ${other}.` : `You said ${mine}. Settled: ${other}.`, got.note];
  }
  const when = got.at ? new Date(got.at).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" }) : "";
  return [`You said ${mine}. For the earlier wording${when ? ` (${when})` : ""} you had said ${other}.`, got.note];
}
