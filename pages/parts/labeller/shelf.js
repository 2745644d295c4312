/** localStorage under one project and reviewer; never throws, remembers that it is full or blocked. */
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
  get(kind, name, tab = false) {
    try {
      // Where storage is blocked, to name it is to fail.
      return JSON.parse((tab ? sessionStorage : localStorage).getItem(this.prefix + kind + ":" + name));
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
    return this.get(kind, name, true);
  }
}

function newId() {
  // crypto.randomUUID is missing where the page comes over plain http from another machine.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
