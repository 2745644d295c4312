// The talk with the server: what it answers, what it is sent, and when. See labeller.py.

const AHEAD = 200; // texts wanted in hand
const AHEAD_CHARS = 4_000_000;
const KEEP_BEHIND = 60;
const GAP = 200; // ms between two messages to the server
const RETRY = 3000; // ms until an unanswered message counts as lost
const BATCH = 500; // acts in one message
const LOW = 5; // outputs left at which it is asked whether there are more
const QUIET = 3000; // ms without messages after a control elsewhere was used

class Talk extends Screen {
  // --- what comes from the server ------------------------------------------------------------

  receive(data, send) {
    this.send = send;
    if (!data || data.run === this.run) return;
    this.run = data.run;
    if (!this.shelf) this.adopt(data.scope);
    const asked = data.echo === this.sent?.nonce && this.sent?.asked;
    if (data.session !== this.session || data.echo === this.sent?.nonce) this.sent = null;
    this.offline = false;
    this.session = data.session;
    this.failed = data.failed;
    this.pace = data.pace;
    const refused = this.acknowledge(data.acks, data.refused);
    for (const item of data.items) this.items.set(item.id, item);
    if (data.names) {
      this.names = new Map(data.names);
      this.wantsNames = false;
      this.jump.update(this.places());
    }
    if (this.queue !== data.queue) {
      this.saveDraft();
      // The picker that chose this queue, or this view, would go on taking the keys.
      if (this.queue) this.el(".text").focus({ preventScroll: true });
      else setTimeout(() => this.leaveView());
      this.left = -Infinity;
      this.begin(data.queue, data.questions);
    }
    if (data.order && this.wantsOrder) this.load(data);
    this.leaveOut(new Set([...data.gone, ...refused]));
    this.check(data.reveal, asked);
    this.renderSaved();
    this.render();
  }

  /** Take the keys from a view picker that was clicked; who walks through it by keys stays there. */
  leaveView() {
    const now = document.activeElement;
    if (now?.type !== "radio" || now.closest("[data-focus-visible]")) return;
    this.el(".text").focus({ preventScroll: true });
  }

  /** Take over what earlier pages, tabs or crashes of this reviewer left unsent. */
  adopt(scope) {
    this.shelf = new Shelf(scope);
    const sound = (e) => typeof e.client === "string" && Number.isInteger(e.seq);
    const left = this.shelf.all("act").filter(sound);
    left.sort((a, b) => (a.client === b.client ? a.seq - b.seq : (a.at ?? 0) - (b.at ?? 0)));
    this.pending = left;
    this.troubles = this.shelf.get("told", "") ?? [];
    this.reader.look = { ...this.reader.look, ...this.shelf.getTab("look", "") };
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

  /** Start on another list. */
  begin(queue, questions) {
    this.queue = queue;
    this.questions = questions;
    this.work = new Work(questions.map((question) => question.key));
    this.cur = -1;
    this.key = this.work.keys[0];
    this.shown = null; // the {slot, key} the last frame showed
    this.wantsOrder = true;
    this.history = [];
    this.last = "";
    this.checking = null; // a label whose check (practice, earlier wording) is on its way or shown
  }

  load(data) {
    const here = this.slot() === undefined ? null : { slot: this.slot(), key: this.key, looking: true };
    const first = this.work.order === null;
    const untouched = this.shown && this.noteNow() === this.stateShown().note;
    this.wantsOrder = false;
    this.work.load(data.order, data.states, data.walk, this.pending);
    this.goTo(this.work.nextOpen(-1));
    let back = here;
    if (first) {
      this.history = this.shelf.getTab("undo", this.queue) ?? [];
      const place = this.shelf.getTab("place", this.queue);
      if (place && (place.looking || this.work.nextKey(place.slot) !== undefined)) back = place;
    }
    const at = back ? data.order.indexOf(back.slot) : -1;
    if (at >= 0) {
      this.goTo(at);
      if (back.looking && this.work.keys.includes(back.key)) this.key = back.key;
    }
    this.doneAtLoad = this.work.done;
    const field = this.el("textarea");
    if (untouched && !field.matches(":focus")) field.value = this.stateShown().note;
  }

  leaveOut(gone) {
    if (!gone.size || !this.work.order?.some((slot) => gone.has(outputOf(slot)))) return;
    const here = this.slot();
    if (gone.has(outputOf(this.checking?.slot ?? ""))) this.checking = null;
    this.work.leaveOut(gone);
    if (here === undefined || gone.has(outputOf(here))) this.goTo(this.work.nextOpen(-1));
    else this.cur = this.work.order.indexOf(here);
  }

  /** What the server may show now that the label is stored, or that there is nothing to show. */
  check(reveal, asked) {
    const now = this.checking;
    if (!now || now.got) return;
    if (reveal && reveal.slot === now.slot && reveal.key === now.key) now.got = reveal.shown;
    else if (!asked || this.failed || this.pending.some((act) => act.client + ":" + act.seq === now.act)) return;
    if (!now.got) this.goOn();
  }

  // --- what goes to the server ----------------------------------------------------------------

  /** Ids of texts that will be needed soon and are not here, nearest first. */
  missing() {
    const { order } = this.work;
    if (!order?.length) return [];
    const from = this.cur < 0 ? order.length - 1 : this.cur;
    const ids = [];
    let chars = 0;
    for (let at = from; at < Math.min(from + AHEAD, order.length) && chars < AHEAD_CHARS; at += 1) {
      const item = this.items.get(outputOf(order[at]));
      if (item) chars += item.text.length + item.input.length;
      else ids.push(outputOf(order[at]));
    }
    // The path leads from here to what is still open, which may lie elsewhere.
    const near = [this.work.nextOpen(from), from - 1, from - 2, from - 3];
    const extra = near.filter((at) => at in order).map((at) => outputOf(order[at]));
    const more = extra.filter((id) => !this.items.has(id) && !ids.includes(id));
    return [...ids.slice(0, 1), ...more, ...ids.slice(1)];
  }

  /** Near the end there may be more by now: practice is over, or outputs are given out in portions. */
  wantsMore() {
    const { work } = this;
    if (!work.order || work.wanted || this.checking) return false;
    const did = work.done - this.doneAtLoad;
    return this.cur < 0 ? did !== 0 : did >= LOW && work.order.length - work.done <= LOW;
  }

  tidy() {
    if (this.items.size < AHEAD + 4 * KEEP_BEHIND || this.cur < 0) return;
    const near = this.work.order.slice(Math.max(0, this.cur - KEEP_BEHIND), this.cur + AHEAD);
    const kept = new Set(near.map(outputOf));
    for (const id of this.items.keys()) if (!kept.has(id)) this.items.delete(id);
  }

  sync() {
    if (!this.send || this.sent || this.timer || this.leaving(QUIET)) return;
    if (this.wantsMore()) this.wantsOrder = true;
    const ids = this.missing();
    const asks = this.checking && !this.checking.got;
    if (!this.pending.length && !this.wantsOrder && !ids.length && !asks && !this.wantsNames) return;
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
    this.sent = { nonce: this.client + ":" + this.count, at: this.lastSent, asked: asks };
    const message = {
      nonce: this.sent.nonce, queue: this.queue, order: this.wantsOrder, ids,
      entries: this.pending.slice(0, BATCH),
    };
    if (asks) message.reveal = { slot: this.checking.slot, key: this.checking.key };
    if (this.wantsNames) message.names = true;
    try {
      this.send("sync", message);
    } catch {
      // Not connected: the clock below tries again.
    }
  }

  tick() {
    this.uncover();
    if (this.sent && performance.now() - this.sent.at > RETRY) {
      this.sent = null;
      this.offline = true;
      this.renderSaved();
      if (this.checking) this.render();
    }
    this.sync();
  }

  /** Streamlit says in a dialog that the connection is lost; here the bar says it and work goes on. */
  uncover() {
    for (const dialog of document.querySelectorAll('[role="dialog"]')) {
      if (dialog.querySelector("h2")?.textContent !== "Connection error") continue;
      this.offline = true;
      this.renderSaved();
      dialog.querySelector('button[aria-label="Close"]')?.click();
    }
  }

  /**
   * A control elsewhere on the page was used: the page may change. A message sent now would be
   * answered after the page that replaces this one, and Streamlit would draw the answer into it.
   * So what waits is sent before the click takes effect, and then nothing for a while; later acts
   * wait in localStorage. If nothing comes of the click, work goes on here.
   */
  onElsewhere(e) {
    if (!e.isTrusted || e.composedPath().includes(this.root)) return;
    if (!e.target.closest?.("a, button, input, label, [role]")) return;
    if (e.type === "keydown" && e.key !== "Enter" && e.key !== " ") return;
    this.left = performance.now();
  }
  leaving(ms) {
    return performance.now() - this.left < ms;
  }
}
