// The list a reviewer works through, without anything of the screen.
//
// A slot is one place in the list. Most are an output's id; an output shown again to measure the
// reviewer, or to practise on, is another slot with labels of its own: "17:repeat", "17:practice".

const BLANK = { verdict: null, deferred: false, note: "", stale: false };

function outputOf(slot) {
  return typeof slot === "number" ? slot : parseInt(slot, 10);
}
function modeOf(slot) {
  return typeof slot === "number" ? "label" : slot.slice(slot.indexOf(":") + 1);
}
function slotOf(act) {
  return act.mode === "repeat" || act.mode === "practice" ? `${act.output}:${act.mode}` : act.output;
}

/** Order and labels of one list. In a filtered list only the pairs that matched are to be done. */
class Work {
  constructor(keys) {
    this.keys = keys;
    this.order = null;
    this.states = new Map(keys.map((key) => [key, new Map()]));
    this.wanted = null; // key -> slots, in a filtered list
    this.touched = new Set();
    this.done = this.later = this.left = 0;
  }

  load(order, states, wanted, pending) {
    this.order = order;
    this.wanted = wanted && new Map(Object.entries(wanted).map(([key, slots]) => [key, new Set(slots)]));
    for (const key of this.keys) {
      const found = new Map();
      for (const [name, [verdict, deferred, note, stale]] of Object.entries(states[key] ?? {}))
        found.set(/^\d+$/.test(name) ? Number(name) : name, { verdict, deferred, note, stale });
      this.states.set(key, found);
    }
    for (const act of pending)
      this.states.get(act.criterion)?.set(slotOf(act), {
        verdict: act.verdict, deferred: act.deferred, note: act.note, stale: false,
      });
    this.count();
  }

  leaveOut(outputs) {
    this.order = this.order.filter((slot) => !outputs.has(outputOf(slot)));
    this.count();
  }

  count() {
    this.done = this.later = this.left = 0;
    for (const slot of this.order) this.add(slot, 1);
  }
  add(slot, sign) {
    const open = this.keys.filter((key) => this.isOpen(slot, key)).length;
    this.left += sign * open;
    if (!open) this.done += sign;
    if (this.keys.some((key) => this.state(slot, key).deferred)) this.later += sign;
  }

  state(slot, key) {
    return this.states.get(key)?.get(slot) ?? BLANK;
  }
  set(slot, key, state, touched = true) {
    this.add(slot, -1);
    this.states.get(key).set(slot, state);
    if (touched && state.verdict) this.touched.add(key + "\n" + slot);
    else this.touched.delete(key + "\n" + slot);
    this.add(slot, 1);
  }

  isOpen(slot, key) {
    if (this.wanted) return Boolean(this.wanted.get(key)?.has(slot)) && !this.touched.has(key + "\n" + slot);
    const state = this.state(slot, key);
    return !state.verdict || state.stale;
  }
  /** The next criterion to decide after `key` (from the first one without it), or undefined. */
  nextKey(slot, key) {
    const from = key === undefined ? 0 : this.keys.indexOf(key) + 1;
    const round = [...this.keys.slice(from), ...this.keys.slice(0, from)];
    return round.find((one) => this.isOpen(slot, one));
  }
  nextOpen(from) {
    const n = this.order.length;
    for (let step = 1; step <= n; step += 1) {
      const at = (from + step + n) % n;
      if (this.nextKey(this.order[at]) !== undefined) return at;
    }
    return -1;
  }
}

/** Time an item was in sight of somebody: the page visible and in front, five minutes at most. */
class Stopwatch {
  constructor() {
    this.restart();
  }
  restart() {
    this.before = 0;
    this.since = this.seen() ? performance.now() : null;
  }
  seen() {
    return !document.hidden && document.hasFocus();
  }
  change() {
    const now = performance.now();
    if (this.since !== null) this.before += now - this.since;
    this.since = this.seen() ? now : null;
  }
  seconds() {
    const running = this.since === null ? 0 : performance.now() - this.since;
    return Math.min(300, Math.round(this.before + running) / 1000);
  }
}
