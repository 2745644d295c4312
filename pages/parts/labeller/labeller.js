// The labelling queue in the browser: what keys do. talk.js speaks with the server (labeller.py),
// work.js holds the list, reader.js the texts, screen.js draws, keymap.js knows the keys.
//
// Rules that keep labels honest: a key acts only on the output and criterion that are painted, and
// while the next is on its way keys do nothing; a held key acts once; every act is in localStorage
// before it is sent and leaves it only when the server has stored it; acts keep their (client, seq)
// for ever, so that sending them twice stores them once.

const DEAF = 400; // ms without keys after a control elsewhere was used
const PAUSE = 600; // ms without a key that end the typing of a note that was not opened

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

class Labeller extends Talk {
  constructor(parent) {
    super(parent);
    this.client = newId();
    this.seq = 0;
    this.pending = []; // acts the server has not acknowledged, oldest first
    this.items = new Map(); // output id -> texts
    this.names = null; // output id -> name, once somebody wants to jump
    this.wantsNames = false;
    this.begin("", []);
    this.sent = null; // the message that waits for its answer
    this.count = 0;
    this.lastSent = -Infinity;
    this.offline = false;
    this.unheard = -Infinity; // when a key came that was typed for a note that was not opened
    this.left = -Infinity; // when a control elsewhere on the page was used
    this.failed = "";
    this.clock = new Stopwatch();
    this.shownAt = 0;
    this.draw();
    const look = () => this.clock.change();
    this.listeners = [
      [window, "keydown", (e) => this.onKey(e)],
      [window, "online", () => this.sync()],
      [window, "focus", look],
      [window, "blur", look],
      [document, "visibilitychange", () => this.onVisible()],
      ...["pointerdown", "click", "keydown"].map((n) => [document, n, (e) => this.onElsewhere(e), true]),
      [window, "beforeunload", (e) => this.shelf?.full && this.pending.length && e.preventDefault()],
    ];
    for (const [target, ...how] of this.listeners) target.addEventListener(...how);
    this.ticking = setInterval(() => this.tick(), 500);
  }

  end() {
    for (const [target, ...how] of this.listeners) target.removeEventListener(...how);
    clearInterval(this.ticking);
    clearTimeout(this.timer);
    this.reader.end();
    this.send = null;
  }

  // --- what the reviewer does -----------------------------------------------------------------

  slot() {
    return this.work.order?.[this.cur];
  }
  stateShown() {
    return this.shown ? this.work.state(this.shown.slot, this.shown.key) : BLANK;
  }
  goTo(at) {
    this.cur = at;
    const slot = this.slot();
    this.key = (slot === undefined ? undefined : this.work.nextKey(slot)) ?? this.work.keys[0];
  }
  flags() {
    const checked = this.checking && (this.checking.got || this.offline || this.failed);
    return { all: this.work.keys.length > 1, finding: this.reader.finding, checked };
  }
  /** Whether what is on screen is what keys act on: painted, in sight, not covered. */
  inHand() {
    const slot = this.slot();
    if (slot === undefined || this.shown?.slot !== slot || this.shown.key !== this.key) return false;
    if (document.hidden || this.leaving(DEAF)) return false;
    return this.root.isConnected && this.root.checkVisibility() && !this.covered();
  }
  covered() {
    return this.sheet.box.open || this.jump.box.open || Boolean(document.querySelector('[role="dialog"]'));
  }

  onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const target = e.composedPath()[0];
    const tag = target?.tagName ?? "";
    const picks = tag === "INPUT" && /^(radio|checkbox)$/.test(target.type);
    if ((/^(INPUT|TEXTAREA|SELECT)$/.test(tag) && !picks) || target?.isContentEditable) return;
    if (e.timeStamp - this.unheard < PAUSE) {
      this.unheard = e.timeStamp;
      return e.preventDefault();
    }
    const arrow = e.key.startsWith("Arrow");
    if (picks && (arrow || e.key === " " || e.key === "Enter")) return;
    if (arrow && /^(radio|tab|slider|option|combobox|menuitem)$/.test(target?.getAttribute?.("role") ?? "")) return;
    const act = actFor(e, this.flags());
    if (!act) return;
    if (act.scroll) {
      const box = this.el(".text");
      if (box === target || !this.inHand() || box.scrollHeight <= box.clientHeight) return;
      box.scrollTop += act.scroll * (Math.abs(act.scroll) < 1 ? box.clientHeight : 1);
    } else if (!e.repeat) this.act(act, e.timeStamp);
    e.preventDefault();
  }

  act(act, when) {
    if (act.id === "help") return document.querySelector('[role="dialog"]') || this.jump.box.open ? undefined : this.sheet.toggle(this.flags());
    if (this.covered()) return;
    if (act.id === "undo") return this.undo();
    if (act.id === "back" || act.id === "next") return this.browse(act.id === "back" ? -1 : 1);
    if (act.id === "jump") return this.openJump();
    if (act.id === "go") return when < this.checking.at ? undefined : this.goOn();
    if (act.id.startsWith("find-")) {
      if (act.id === "find-end") this.reader.endFind();
      else this.reader.step(act.id === "find-back" ? -1 : 1);
      return this.render();
    }
    // A key hit before the item came on screen was meant for the one before.
    if (!this.inHand() || when < this.shownAt) {
      // The words that follow an N that did nothing are no keys: "too bad" would defer.
      if (act.id === "note" && !this.checking) this.unheard = when;
      return;
    }
    if (act.group === "Look") return this.lookAt(act.id);
    if (this.checking) return;
    if (act.id === "note") return this.el("textarea").focus();
    if (act.id === "up" || act.id === "down") return this.pickKey(act.id === "up" ? -1 : 1);
    if (act.id === "defer") this.defer();
    else this.decide(act.verdict);
    this.place(false);
    this.render();
  }

  decide(verdict) {
    const { slot, key } = this.shown;
    const before = this.work.state(slot, key);
    this.remember(slot, key, [[key, before]]);
    this.keep("label", slot, key, { verdict, deferred: false, note: this.noteNow(), stale: false });
    this.last = MARKS[verdict] + (before.verdict ? " (changed)" : "");
    if (before.stale || modeOf(slot) === "practice")
      this.checking = { slot, key, verdict, act: this.client + ":" + this.seq, at: Infinity };
    else this.advance();
  }
  advance() {
    const next = this.work.nextKey(this.slot(), this.key);
    if (next === undefined) this.goTo(this.work.nextOpen(this.cur));
    else this.key = next;
  }
  goOn() {
    this.checking = null;
    this.advance();
    this.place(false);
    this.render();
  }

  /** Put the output off: all of it that is still to be decided. */
  defer() {
    const { slot, key } = this.shown;
    const { order, keys } = this.work;
    const open = keys.filter((one) => this.work.isOpen(slot, one));
    const put = open.length ? open : [key];
    this.remember(slot, key, put.map((one) => [one, this.work.state(slot, one)]), true);
    const note = this.noteNow();
    for (const one of put) {
      const kept = one === key ? note : this.work.state(slot, one).note;
      this.keep("defer", slot, one, { verdict: null, deferred: true, note: kept, stale: false });
    }
    order.push(...order.splice(this.cur, 1));
    this.goTo(this.work.nextOpen(this.cur - 1));
    this.last = "Deferred";
  }

  /** Store the note on screen when it differs from what is stored. */
  keepNote() {
    const state = this.stateShown();
    // On a label for an earlier wording it stays here until the new label takes it along.
    if (!this.shown || state.stale || this.noteNow() === state.note) return;
    const { slot, key } = this.shown;
    const note = this.noteNow();
    this.remember(slot, key, [[key, state]]);
    this.keep("label", slot, key, { ...state, note });
    this.last = "Note kept";
    this.render();
  }

  undo() {
    if (!this.work.order || document.hidden) return;
    const step = this.history.pop();
    if (!step) return;
    const { order } = this.work;
    if (step.moved) {
      const at = order.indexOf(step.slot);
      if (at >= 0) order.splice(step.at, 0, ...order.splice(at, 1));
    }
    for (const [key, before] of step.changes) {
      this.shelf.drop("draft", this.draftName(step.slot, key));
      this.keep("undo", step.slot, key, before);
    }
    this.checking = null;
    this.shown = null; // the note field takes the earlier note, too
    const at = order.indexOf(step.slot);
    if (at >= 0) {
      this.cur = at;
      this.key = step.key;
    }
    this.last = "Undone";
    this.place(true);
    this.render();
  }

  browse(step) {
    const n = this.work.order?.length;
    if (!n || document.hidden) return;
    const from = this.cur < 0 ? (step < 0 ? n : -1) : this.cur;
    const to = from + step;
    if (to < 0 || to >= n) return;
    this.lookAtSlot(this.work.order[to]);
  }
  lookAtSlot(slot) {
    const at = this.work.order.indexOf(slot);
    if (at < 0) return;
    const key = this.key;
    this.checking = null;
    this.goTo(at);
    if (this.work.nextKey(slot) === undefined) this.key = key;
    this.place(true);
    this.render();
  }
  pickKey(step) {
    const at = this.work.keys.indexOf(this.key) + step;
    if (at < 0 || at >= this.work.keys.length || this.checking) return;
    this.key = this.work.keys[at];
    this.place(true);
    this.render();
  }
  lookAt(id) {
    if (id === "find") this.reader.openFind();
    else this.reader.toggle(id);
    this.shelf.putTab("look", "", this.reader.look);
    this.render();
  }

  openJump() {
    if (!this.work.order?.length) return;
    this.wantsNames = this.names === null;
    this.jump.open(this.places());
    this.sync();
  }
  /** Where one can jump to; not to what is shown again unannounced. */
  places() {
    if (!this.names || !this.work.order) return [];
    const slots = this.work.order.filter((slot) => modeOf(slot) !== "repeat");
    return slots.map((slot) => [slot, this.names.get(outputOf(slot))]).filter(([, name]) => name);
  }

  // --- what is kept ---------------------------------------------------------------------------

  remember(slot, key, changes, moved = false) {
    this.history.push({ slot, key, changes, at: this.cur, moved });
    if (this.history.length > 100) this.history.shift();
  }

  /** Record an act: in memory, in this browser, then on its way to the server. */
  keep(kind, slot, key, state) {
    this.seq += 1;
    const here = this.shown?.slot === slot && this.shown.key === key;
    const act = {
      client: this.client, seq: this.seq, output: outputOf(slot), mode: modeOf(slot), criterion: key,
      kind, verdict: state.verdict, deferred: state.deferred, note: state.note,
      question_hash: this.question(key).hash, at: Date.now(),
      seconds: here ? this.clock.seconds() : null,
    };
    this.pending.push(act);
    this.shelf.put("act", act.client + ":" + act.seq, act);
    this.shelf.drop("draft", this.draftName(slot, key));
    this.shelf.putTab("undo", this.queue, this.history);
    this.work.set(slot, key, state, kind === "label");
    this.renderSaved(); // at once: "all saved" must never be said of this act
  }

  question(key) {
    return this.questions.find((question) => question.key === key);
  }
  place(looking) {
    this.shelf.putTab("place", this.queue, { slot: this.slot() ?? null, key: this.key, looking });
  }
  /** The note as it stands in the field; the field knows only one kind of line end. */
  noteNow() {
    const stored = this.stateShown().note;
    const text = this.el("textarea").value;
    return text === plainLines(stored) ? stored : text;
  }
  draftName(slot, key) {
    return key + ":" + slot;
  }
  saveDraft() {
    if (!this.shown) return;
    const text = this.noteNow();
    const name = this.draftName(this.shown.slot, this.shown.key);
    if (text === this.stateShown().note) this.shelf.drop("draft", name);
    else this.shelf.put("draft", name, text);
    this.renderNote();
  }

  onVisible() {
    this.clock.change();
    if (document.hidden || !this.work.order) return;
    this.wantsOrder = true; // another tab may have gone on
    this.render();
  }
}
