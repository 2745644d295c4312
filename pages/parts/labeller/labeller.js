// The labelling queue in the browser. See labeller.py for how the two halves talk; screen.js, which
// is put in front of this file, draws.
//
// Rules that keep labels honest: a key acts only on the item that is painted, and while the next
// one is on its way keys do nothing; a held key acts once; every act is in localStorage before it is
// sent and leaves it only when the server has stored it; acts keep their (client, seq) for ever, so
// that sending them twice stores them once.

const SCROLL = { arrowup: -60, arrowdown: 60, pageup: -0.9, pagedown: 0.9 };
const BLANK = { verdict: null, deferred: false, note: "", stale: false };
const AHEAD = 200; // texts wanted in hand
const AHEAD_CHARS = 4_000_000;
const KEEP_BEHIND = 60;
const GAP = 200; // ms between two messages to the server
const RETRY = 3000; // ms until an unanswered message counts as lost
const BATCH = 500; // acts in one message
const QUIET = 3000; // ms without messages after a control elsewhere was used
const DEAF = 400; // ms without keys after that

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

class Labeller extends Screen {
  constructor(parent) {
    super(parent);
    this.client = newId();
    this.seq = 0;
    this.pending = []; // acts the server has not acknowledged, oldest first
    this.items = new Map(); // output id -> texts
    this.forget();
    this.sent = null; // the message that waits for its answer
    this.count = 0;
    this.lastSent = -Infinity;
    this.offline = false;
    this.left = -Infinity; // when a control elsewhere on the page was used
    this.failed = "";
    this.viewed = 0; // ms the item was in sight before `shownAt`
    this.shownAt = 0;
    this.showInput = false;
    this.draw();
    this.listeners = [
      [window, "keydown", (e) => this.onKey(e)],
      [window, "online", () => this.sync()],
      [document, "visibilitychange", () => this.onVisible()],
      ...["pointerdown", "click", "keydown"].map((n) => [document, n, (e) => this.onElsewhere(e), true]),
      [window, "beforeunload", (e) => this.shelf?.full && this.pending.length && e.preventDefault()],
    ];
    for (const [target, ...how] of this.listeners) target.addEventListener(...how);
    this.clock = setInterval(() => this.tick(), 500);
  }

  end() {
    for (const [target, ...how] of this.listeners) target.removeEventListener(...how);
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
      this.left = -Infinity;
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
    if (id === undefined || this.shown !== id || document.hidden || this.leaving(DEAF)) return undefined;
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
    this.renderSaved(); // at once: "all saved" must never be said of this act
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
    if (!this.send || this.sent || this.timer || this.leaving(QUIET)) return;
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

  /**
   * A control elsewhere on the page was used: the page may change. A message sent now would be
   * answered after the page that replaces this one, and Streamlit would draw the answer into it.
   * So what waits is sent before the click takes effect, and then nothing for a while; later acts
   * wait in localStorage. If nothing comes of the click, work goes on here.
   */
  onElsewhere(e) {
    if (e.composedPath().includes(this.root)) return;
    if (!e.target.closest?.("a, button, input, label, [role]")) return;
    if (e.type === "keydown" && e.key !== "Enter" && e.key !== " ") return;
    this.left = performance.now();
  }
  leaving(ms) {
    return performance.now() - this.left < ms;
  }

  onVisible() {
    if (document.hidden) this.viewed += performance.now() - this.shownAt;
    else this.shownAt = performance.now();
    if (document.hidden || !this.order) return;
    this.wantsOrder = true; // another tab may have gone on
    this.render();
  }
}

function newId() {
  // crypto.randomUUID is missing where the page comes over plain http from another machine.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
