// The labelling queue in the browser. See labeller.py for how the two halves talk.
//
// Rules that keep labels honest: a key acts only on the item that is painted, and while the next
// one is on its way keys do nothing; a held key acts once; every act is in localStorage before it is sent and leaves it only when the server has
// stored it; acts keep their (client, seq) for ever, so that sending them twice stores them once.

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
const SCROLL = { arrowup: -60, arrowdown: 60, pageup: -0.9, pagedown: 0.9 };
const BLANK = { verdict: null, deferred: false, note: "", stale: false };
const AHEAD = 200; // texts wanted in hand
const AHEAD_CHARS = 4_000_000;
const KEEP_BEHIND = 60;
const GAP = 200; // ms between two messages to the server
const RETRY = 3000; // ms until an unanswered message counts as lost
const BATCH = 500; // acts in one message

const mounts = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  let labeller = mounts.get(parentElement);
  if (!labeller) {
    labeller = new Labeller(parentElement);
    mounts.set(parentElement, labeller);
  }
  labeller.receive(data, setStateValue);
  return () => {
    labeller.end();
    mounts.delete(parentElement);
  };
}

/** localStorage under one project and reviewer; never throws, remembers that it is full. */
class Shelf {
  constructor(scope) {
    this.prefix = "evaluator-bench:" + JSON.stringify(scope) + ":";
    this.full = false;
  }
  put(kind, name, value) {
    try {
      localStorage.setItem(this.prefix + kind + ":" + name, JSON.stringify(value));
      this.full = false;
    } catch {
      this.full = true;
    }
  }
  drop(kind, name) {
    try {
      localStorage.removeItem(this.prefix + kind + ":" + name);
    } catch {}
  }
  get(kind, name, store = localStorage) {
    try {
      return JSON.parse(store.getItem(this.prefix + kind + ":" + name));
    } catch {
      return null;
    }
  }
  all(kind) {
    const start = this.prefix + kind + ":";
    try {
      const names = Object.keys(localStorage).filter((key) => key.startsWith(start));
      return names.map((key) => this.get(kind, key.slice(start.length))).filter(Boolean);
    } catch {
      return [];
    }
  }
  /** What belongs to this tab alone: the place in the queue, what can be undone. */
  putTab(kind, name, value) {
    try {
      sessionStorage.setItem(this.prefix + kind + ":" + name, JSON.stringify(value));
    } catch {}
  }
  getTab(kind, name) {
    return this.get(kind, name, sessionStorage);
  }
}

class Labeller {
  constructor(parent) {
    this.root = parent.querySelector(".labeller");
    this.el = (selector) => this.root.querySelector(selector);
    this.client = newId();
    this.seq = 0;
    this.pending = []; // acts the server has not acknowledged, oldest first
    this.items = new Map(); // output id -> texts
    this.forget();
    this.sent = null; // the message that waits for its answer
    this.count = 0;
    this.lastSent = -Infinity;
    this.offline = false;
    this.failed = "";
    this.viewed = 0; // ms the item was in sight before `shownAt`
    this.shownAt = 0;
    this.showInput = false;
    this.draw();
    this.listeners = [
      [window, "keydown", (e) => this.onKey(e)],
      [window, "online", () => this.sync()],
      [document, "visibilitychange", () => this.onVisible()],
      [window, "beforeunload", (e) => this.shelf?.full && this.pending.length && e.preventDefault()],
    ];
    for (const [target, name, run] of this.listeners) target.addEventListener(name, run);
    this.clock = setInterval(() => this.tick(), 500);
  }

  end() {
    for (const [target, name, run] of this.listeners) target.removeEventListener(name, run);
    clearInterval(this.clock);
    clearTimeout(this.timer);
    this.send = null;
  }

  // --- what comes from the server ------------------------------------------------------------

  receive(data, send) {
    this.send = send;
    if (!data || data.run === this.run) return;
    this.run = data.run;
    if (!this.shelf) this.adopt(data.scope);
    if (data.session !== this.session || data.echo === this.sent?.nonce) {
      this.sent = null;
      this.offline = false;
    }
    this.session = data.session;
    this.failed = data.failed;
    const refused = this.acknowledge(data.acks, data.refused);
    for (const item of data.items) this.items.set(item.id, item);
    if (this.queue !== data.queue) {
      this.saveDraft();
      // The picker that chose this queue would go on taking the keys.
      if (this.queue !== undefined) this.el(".text").focus({ preventScroll: true });
      this.forget();
    }
    this.queue = data.queue;
    this.question = data.question;
    if (data.order && this.wantsOrder) this.load(data.order, data.states);
    this.leaveOut(new Set([...data.gone, ...refused]));
    this.renderSaved();
    this.render();
  }

  /** Take over what earlier pages, tabs or crashes of this reviewer left unsent. */
  adopt(scope) {
    this.shelf = new Shelf(scope);
    const sound = (e) => typeof e.client === "string" && Number.isInteger(e.seq);
    const left = this.shelf.all("act").filter(sound);
    left.sort((a, b) => (a.client === b.client ? a.seq - b.seq : (a.at ?? 0) - (b.at ?? 0)));
    this.pending = left;
    this.troubles = this.shelf.get("told", "") ?? [];
  }

  /** Forget what the server has stored; returns the outputs it would not take labels for. */
  acknowledge(acks, refused) {
    const lost = [];
    const why = new Map(refused.map((r) => [r.client + ":" + r.seq, r.why]));
    const kept = [];
    for (const act of this.pending) {
      if (!(act.seq <= (acks[act.client] ?? 0))) {
        kept.push(act);
        continue;
      }
      const name = act.client + ":" + act.seq;
      this.shelf.drop("act", name);
      if (why.has(name)) {
        const label = act.verdict ? MARKS[act.verdict] : act.kind;
        const where = this.items.get(act.output)?.sample ?? `output ${act.output}`;
        this.troubles.push(`${label} on ${where} was not stored: ${why.get(name)}.`);
        this.shelf.put("told", "", this.troubles);
        lost.push(act.output);
      }
    }
    this.pending = kept;
    return lost;
  }

  forget() {
    this.order = null;
    this.states = new Map();
    this.done = this.later = 0;
    this.cur = -1;
    this.shown = null;
    this.wantsOrder = true;
    this.history = [];
    this.last = "";
  }

  load(order, states) {
    const here = this.order?.[this.cur];
    const first = this.order === null;
    const untouched = this.shown !== null && this.noteNow(this.shown) === this.state(this.shown).note;
    this.wantsOrder = false;
    this.order = order;
    this.states = new Map();
    this.done = this.later = 0;
    for (const [id, [verdict, deferred, note, stale]] of Object.entries(states))
      this.setState(Number(id), { verdict, deferred, note, stale });
    for (const act of this.pending)
      if (act.criterion === this.question.key)
        this.setState(act.output, { verdict: act.verdict, deferred: act.deferred, note: act.note, stale: false });
    this.cur = this.nextOpen(-1);
    let back = here;
    if (first) {
      this.history = this.shelf.getTab("undo", this.question.key) ?? [];
      const place = this.shelf.getTab("place", this.question.key);
      if (place && (place.looking || this.isOpen(place.id))) back = place.id;
    }
    const at = back === undefined ? -1 : order.indexOf(back);
    if (at >= 0) this.cur = at;
    const field = this.el("textarea");
    if (untouched && !field.matches(":focus")) field.value = this.state(this.shown).note;
  }

  leaveOut(gone) {
    if (!gone.size || !this.order?.some((id) => gone.has(id))) return;
    const here = this.order[this.cur];
    this.order = this.order.filter((id) => !gone.has(id));
    this.cur = gone.has(here) ? this.nextOpen(-1) : this.order.indexOf(here);
  }

  // --- what the reviewer does -----------------------------------------------------------------

  state(id) {
    return this.states.get(id) ?? BLANK;
  }
  isDone(state) {
    return Boolean(state.verdict) && !state.stale;
  }
  isOpen(id) {
    return !this.isDone(this.state(id));
  }
  setState(id, state) {
    const old = this.state(id);
    this.done += this.isDone(state) - this.isDone(old);
    this.later += Boolean(state.deferred) - Boolean(old.deferred);
    this.states.set(id, state);
  }
  nextOpen(from) {
    const n = this.order.length;
    for (let step = 1; step <= n; step += 1) {
      const at = (from + step + n) % n;
      if (this.isOpen(this.order[at])) return at;
    }
    return -1;
  }
  /** The item a key may act on: on screen, not answered a moment ago, not covered; or undefined. */
  inHand() {
    const id = this.order?.[this.cur];
    if (id === undefined || this.shown !== id || document.hidden) return undefined;
    if (!this.root.isConnected || !this.root.checkVisibility()) return undefined;
    if (document.querySelector('[role="dialog"]')) return undefined;
    return id;
  }

  onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const target = e.composedPath()[0];
    const tag = target?.tagName ?? "";
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(tag) || target?.isContentEditable) return;
    const key = e.key.toLowerCase();
    if (/^(radio|tab|slider|option|combobox|menuitem)$/.test(target?.getAttribute?.("role") ?? "") && key.startsWith("arrow")) return;
    if (key in SCROLL) {
      const box = this.el(".text");
      if (box === target || this.inHand() === undefined || box.scrollHeight <= box.clientHeight) return;
      const step = SCROLL[key];
      box.scrollTop += Math.abs(step) < 1 ? step * box.clientHeight : step;
      e.preventDefault();
      return;
    }
    // Other layouts: digits above the letters may need Shift, letters may be of another script.
    const byPlace = !e.shiftKey && (e.code.startsWith("Digit") || key > "\x7f");
    const act = ACTS.find((a) => a.key === key) ?? (byPlace ? ACTS.find((a) => a.code === e.code) : undefined);
    if (!act) return;
    e.preventDefault();
    if (!e.repeat) this.act(act, e.timeStamp);
  }

  act(act, when) {
    if (act.id === "undo") return this.undo();
    if (act.id === "back" || act.id === "next") return this.browse(act.id === "back" ? -1 : 1);
    const id = this.inHand();
    // A key hit before the item came on screen was meant for the one before.
    if (id === undefined || when < this.shownAt) return;
    if (act.id === "note") return this.el("textarea").focus();
    const before = this.state(id);
    const note = this.noteNow(id);
    const at = this.cur;
    if (act.id === "defer") {
      this.keep("defer", id, { verdict: null, deferred: true, note, stale: false }, { at, moved: true });
      this.order.push(...this.order.splice(at, 1));
      this.cur = this.nextOpen(at - 1);
    } else {
      this.keep("label", id, { verdict: act.verdict, deferred: false, note, stale: false }, { at });
      this.cur = this.nextOpen(at);
    }
    this.last = act.id === "defer" ? "Deferred" : MARKS[act.verdict] + (before.verdict ? " (changed)" : "");
    this.place(false);
    this.render();
  }

  /** Store the note of the item on screen when it differs from what is stored. */
  keepNote() {
    const id = this.shown;
    if (id === null || this.noteNow(id) === this.state(id).note) return;
    const note = this.noteNow(id);
    this.keep("label", id, { ...this.state(id), note }, { at: this.cur });
    this.last = "Note kept";
    this.render();
  }

  undo() {
    if (!this.order || document.hidden || document.querySelector('[role="dialog"]')) return;
    const step = this.history.pop();
    if (!step) return;
    if (step.moved) {
      const at = this.order.indexOf(step.id);
      if (at >= 0) this.order.splice(step.at, 0, ...this.order.splice(at, 1));
    }
    this.shelf.drop("draft", this.draftName(step.id));
    this.keep("undo", step.id, step.before, null);
    this.shown = null; // the note field takes the earlier note, too
    const at = this.order.indexOf(step.id);
    if (at >= 0) this.cur = at;
    this.last = "Undone";
    this.place(true);
    this.render();
  }

  browse(step) {
    if (!this.order?.length || document.hidden) return;
    const from = this.cur < 0 ? (step < 0 ? this.order.length : -1) : this.cur;
    const to = from + step;
    if (to < 0 || to >= this.order.length) return;
    this.cur = to;
    this.place(true);
    this.render();
  }

  /** Record an act: in memory, in this browser, then on its way to the server. */
  keep(kind, id, state, step) {
    if (step) {
      this.history.push({ id, before: this.state(id), ...step });
      if (this.history.length > 100) this.history.shift();
    }
    this.seq += 1;
    const act = {
      client: this.client, seq: this.seq, output: id, criterion: this.question.key, kind,
      verdict: state.verdict, deferred: state.deferred, note: state.note,
      question_hash: this.question.hash, at: Date.now(),
      seconds: this.shown === id ? Math.round(this.viewed + performance.now() - this.shownAt) / 1000 : null,
    };
    this.pending.push(act);
    this.shelf.put("act", act.client + ":" + act.seq, act);
    this.shelf.drop("draft", this.draftName(id));
    this.shelf.putTab("undo", this.question.key, this.history);
    this.setState(id, state);
  }

  place(looking) {
    this.shelf.putTab("place", this.question.key, { id: this.order[this.cur] ?? null, looking });
  }

  /** The note as it stands in the field; the field knows only one kind of line end. */
  noteNow(id) {
    const stored = this.state(id).note;
    const text = this.el("textarea").value;
    return text === plainLines(stored) ? stored : text;
  }
  draftName(id) {
    return this.question.key + ":" + id;
  }
  saveDraft() {
    const id = this.shown;
    if (id === null || !this.question) return;
    const text = this.noteNow(id);
    if (text === this.state(id).note) this.shelf.drop("draft", this.draftName(id));
    else this.shelf.put("draft", this.draftName(id), text);
    this.renderNote();
  }

  // --- what goes to the server ----------------------------------------------------------------

  /** Ids of texts that will be needed soon and are not here, nearest first. */
  missing() {
    if (!this.order?.length) return [];
    const from = this.cur < 0 ? this.order.length - 1 : this.cur;
    const ids = [];
    let chars = 0;
    for (let at = from; at < Math.min(from + AHEAD, this.order.length) && chars < AHEAD_CHARS; at += 1) {
      const item = this.items.get(this.order[at]);
      if (item) chars += item.text.length + item.input.length;
      else ids.push(this.order[at]);
    }
    // The path leads from here to what is still open, which may lie elsewhere.
    const open = this.nextOpen(from);
    const near = [open, from - 1, from - 2, from - 3].map((at) => this.order[at]);
    const extra = near.filter((id) => id !== undefined && !this.items.has(id) && !ids.includes(id));
    return [...ids.slice(0, 1), ...extra, ...ids.slice(1)];
  }

  tidy() {
    if (this.items.size < AHEAD + 4 * KEEP_BEHIND) return;
    const near = new Set(this.order.slice(Math.max(0, this.cur - KEEP_BEHIND), this.cur + AHEAD));
    for (const id of this.items.keys()) if (!near.has(id) && this.cur >= 0) this.items.delete(id);
  }

  sync() {
    if (!this.send || this.sent || this.timer) return;
    const ids = this.missing();
    if (!this.pending.length && !this.wantsOrder && !ids.length) return;
    const gap = this.offline || this.failed ? RETRY : GAP;
    const wait = this.lastSent + gap - performance.now();
    if (wait > 0) {
      this.timer = setTimeout(() => {
        this.timer = null;
        this.sync();
      }, wait);
      return;
    }
    this.tidy();
    this.count += 1;
    this.lastSent = performance.now();
    this.sent = { nonce: this.client + ":" + this.count, at: this.lastSent };
    try {
      this.send("sync", {
        nonce: this.sent.nonce, queue: this.queue, order: this.wantsOrder, ids,
        entries: this.pending.slice(0, BATCH),
      });
    } catch {
      // Not connected: the clock below tries again.
    }
  }

  tick() {
    if (this.sent && performance.now() - this.sent.at > RETRY) {
      this.sent = null;
      this.offline = true;
      this.renderSaved();
    }
    this.sync();
  }

  onVisible() {
    if (document.hidden) this.viewed += performance.now() - this.shownAt;
    else this.shownAt = performance.now();
    if (document.hidden || !this.order) return;
    this.wantsOrder = true; // another tab may have gone on
    this.render();
  }

  // --- what is on screen ----------------------------------------------------------------------

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

function newId() {
  // crypto.randomUUID is missing where the page comes over plain http from another machine.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
