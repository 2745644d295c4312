// Notes sorted into groups by keys, clicks or dragging. Everything said to the server names notes
// and groups by their ids, in numbered acts that are sent until the server says they are done; so
// a fast key can reach no note that was not on screen.

const mounts = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  let sorter = mounts.get(parentElement);
  if (!sorter) {
    sorter = new Sorter(parentElement);
    mounts.set(parentElement, sorter);
  }
  sorter.receive(data, setStateValue);
  return () => {
    sorter.end();
    mounts.delete(parentElement);
  };
}

/** One keymap for the handlers and for the hints on the buttons. */
const TOOLS = [
  { key: "n", label: "New group", needs: "notes" },
  { key: "0", label: "Take out", needs: "grouped" },
  { key: "s", label: "Suggest", needs: "piles",
    title: "Groups notes that share a word. It looks at words alone and understands nothing: read and rename what comes out, or undo it." },
  { key: "r", label: "Rename", needs: "open" },
  { key: "u", label: "Undo", needs: "steps" },
];
const NAME = 'input[aria-label="Name: what is wrong in these outputs"]'; // group_panels.py draws it
const MARKS = { PASS: "✓ PASS", FAIL: "✕ FAIL", UNSURE: "? UNSURE" };
const MOVES = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -1e9, End: 1e9 };

class Sorter {
  constructor(parent) {
    this.box = parent.querySelector(".sorter");
    this.find = (name) => this.box.querySelector("." + name);
    this.client = crypto.randomUUID();
    this.seq = 0;
    this.pending = [];
    this.picked = new Set();
    this.lists = { open: { at: 0, ids: [] }, members: { at: 0, ids: [] } };
    this.active = "open";
    this.keydown = (event) => this.onKey(event);
    document.addEventListener("keydown", this.keydown);
    for (const name of ["open", "members"]) this.listen(name);
    for (const tool of TOOLS) this.find("tools").append(this.toolButton(tool));
    const hint = make("span", "hint", "↑ ↓ move · Space chooses · 1–9 group");
    this.find("tools").append(hint);
  }

  end() {
    document.removeEventListener("keydown", this.keydown);
  }

  receive(data, setStateValue) {
    this.data = data;
    this.send = setStateValue;
    const done = data.acks[this.client] ?? 0;
    this.pending = this.pending.filter((act) => act.seq > done);
    const first = !this.drawn;
    this.drawn = true;
    this.draw();
    // Once it is in the document: before that nothing of it can be focused.
    if (first) setTimeout(() => free() && this.find(this.active).focus({ preventScroll: true }));
  }

  act(kind, more = {}) {
    this.seq += 1;
    this.pending.push({ seq: this.seq, kind, ...more });
    this.send("sync", { client: this.client, acts: this.pending });
    this.draw();
  }

  // --- what is on screen ---

  /** The notes as the server has them, with what was done here and is on its way. */
  notes() {
    const where = new Map();
    for (const act of this.pending) {
      if (act.kind === "put") for (const id of act.notes) where.set(id, act.group);
      if (act.kind === "new") for (const id of act.notes) where.set(id, "new");
    }
    return this.data.notes.map((note) => (where.has(note.id) ? { ...note, group: where.get(note.id) } : note));
  }

  draw() {
    const notes = this.notes();
    const opened = this.data.groups.find((group) => group.id === this.data.open);
    const open = notes.filter((note) => note.group === null);
    const members = opened ? notes.filter((note) => note.group === opened.id) : [];
    const shown = new Set([...open, ...members].map((note) => note.id));
    this.picked = new Set([...this.picked].filter((id) => shown.has(id)));
    const trouble = this.find("trouble");
    trouble.hidden = !this.data.failed;
    trouble.textContent = this.data.failed;
    const more = this.data.more ? ` The first ${this.data.notes.length} of ${this.data.notes.length + this.data.more} are listed.` : "";
    this.find("open-title").textContent = (open.length ? `${count(open.length)} in no group.` : "Every note is in a group.") + more;
    this.find("members-title").textContent = opened ? `${count(members.length)} in “${opened.name}”` : "";
    this.find("no-groups").hidden = this.data.groups.length > 0;
    this.find("groups").hidden = this.data.groups.length === 0;
    this.drawList("open", open);
    this.drawList("members", members);
    this.drawGroups(notes);
    this.drawReader(notes);
    for (const button of this.find("tools").querySelectorAll("button")) {
      button.disabled = !this.can(button.dataset.needs, notes);
    }
  }

  can(needs, notes) {
    if (needs === "piles") return this.data.piles && !this.pending.length;
    if (needs === "open") return this.data.open !== null && !this.pending.length;
    if (needs === "steps") return this.data.steps > 0 || this.pending.length > 0;
    const chosen = this.chosen();
    if (needs === "notes") return chosen.length > 0;
    const grouped = new Set(notes.filter((note) => typeof note.group === "number").map((note) => note.id));
    return chosen.some((id) => grouped.has(id));
  }

  drawList(name, notes) {
    const list = this.lists[name];
    const box = this.find(name);
    list.ids = notes.map((note) => note.id);
    list.at = Math.max(0, Math.min(list.at, notes.length - 1));
    box.hidden = notes.length === 0;
    if (!notes.length && this.active === name) this.active = name === "open" ? "members" : "open";
    box.replaceChildren(...notes.map((note, at) => {
      const here = at === list.at;
      const chosen = this.picked.has(note.id);
      const row = make("div", `note ${note.verdict ?? ""}${here ? " here" : ""}`);
      row.id = `note-${note.id}`;
      row.dataset.id = note.id;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(chosen));
      row.draggable = true;
      row.append(
        make("span", "tick", chosen ? "✓" : ""),
        make("span", "mark", MARKS[note.verdict] ?? "–"),
        make("span", "said", note.note),
        make("span", "excerpt", note.excerpt),
      );
      return row;
    }));
    if (notes.length) box.setAttribute("aria-activedescendant", `note-${list.ids[list.at]}`);
    else box.removeAttribute("aria-activedescendant");
    box.querySelector(".here")?.scrollIntoView({ block: "nearest" });
  }

  drawGroups(notes) {
    const focused = this.find("groups").querySelector(":focus")?.dataset.id;
    this.find("groups").replaceChildren(...this.data.groups.map((group, at) => {
      const inside = notes.filter((note) => note.group === group.id);
      const failing = inside.filter((note) => note.verdict === "FAIL").length;
      const row = make("button", "group");
      row.type = "button";
      row.dataset.id = group.id;
      row.setAttribute("aria-pressed", String(group.id === this.data.open));
      const key = make(at < 9 ? "kbd" : "span", "", at < 9 ? String(at + 1) : "");
      const became = group.criterion ? " · criterion" : "";
      row.append(key, make("span", "title", group.name), make("span", "count", `${inside.length} (${failing} fail)${became}`));
      row.addEventListener("click", () => this.act("open", { group: group.id }));
      this.dropInto(row, group.id);
      return row;
    }));
    if (focused) this.find("groups").querySelector(`[data-id="${focused}"]`)?.focus();
  }

  drawReader(notes) {
    const list = this.lists[this.active];
    const note = notes.find((one) => one.id === list.ids[list.at]);
    this.find("reader").querySelector(".name").textContent = note ? `${note.sample}, draw ${note.trial} · ${note.note}` : "";
    this.find("reader").querySelector(".text").textContent = note ? note.excerpt + (note.cut ? " …" : "") : "";
  }

  // --- what people do ---

  /** The chosen notes, or the one the cursor is on. */
  chosen() {
    if (this.picked.size) return [...this.lists.open.ids, ...this.lists.members.ids].filter((id) => this.picked.has(id));
    const list = this.lists[this.active];
    return list.ids.length ? [list.ids[list.at]] : [];
  }

  put(group) {
    const notes = this.chosen();
    if (!notes.length) return;
    this.picked.clear();
    this.act("put", { notes, group });
    const name = this.data.groups.find((one) => one.id === group)?.name;
    this.find("spoken").textContent = `${count(notes.length)} ${name ? `put into ${name}` : "taken out"}`;
  }

  tool(key) {
    const tool = TOOLS.find((one) => one.key === key);
    if (!tool || !this.can(tool.needs, this.notes())) return;
    if (key === "0") this.put(null);
    if (key === "s") this.act("suggest");
    if (key === "u") this.act("undo");
    if (key === "r") {
      const field = document.querySelector(NAME);
      field?.focus();
      field?.select();
    }
    if (key === "n") {
      const notes = this.chosen();
      this.picked.clear();
      this.act("new", { notes });
    }
  }

  toolButton(tool) {
    const button = make("button", "", `${tool.label} `);
    button.type = "button";
    button.dataset.needs = tool.needs;
    if (tool.title) button.title = tool.title;
    button.append(make("kbd", "", tool.key.toUpperCase()));
    button.addEventListener("click", () => this.tool(tool.key));
    return button;
  }

  onKey(event) {
    const path = event.composedPath();
    const mine = path.includes(this.box);
    if (!mine && document.activeElement !== document.body) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = ["open", "members"].find((one) => path.includes(this.find(one)));
    if (name && this.inList(name, event)) event.preventDefault();
    else if (!event.repeat && !event.shiftKey) {
      const key = event.key.toLowerCase();
      const group = /^[1-9]$/.test(key) ? this.data.groups[Number(key) - 1] : undefined;
      if (group) this.put(group.id);
      else this.tool(key);
      if (key === "r") event.preventDefault(); // or the letter lands in the name
    }
  }

  /** Handle a key that belongs to a list; says whether it did. */
  inList(name, event) {
    const list = this.lists[name];
    this.active = name;
    if (event.key in MOVES) {
      if (event.shiftKey) this.picked.add(list.ids[list.at]);
      list.at = Math.max(0, Math.min(list.ids.length - 1, list.at + MOVES[event.key]));
      if (event.shiftKey) this.picked.add(list.ids[list.at]);
    } else if (event.key === " ") {
      if (!event.repeat) this.toggle(list.ids[list.at]);
    } else if (event.key === "Escape") this.picked.clear();
    else return false;
    this.draw();
    return true;
  }

  toggle(id) {
    if (!this.picked.delete(id)) this.picked.add(id);
  }

  listen(name) {
    const box = this.find(name);
    const at = (event) => Number(event.target.closest(".note")?.dataset.id);
    box.addEventListener("focus", () => { this.active = name; this.drawReader(this.notes()); });
    box.addEventListener("click", (event) => {
      const id = at(event);
      if (!id) return;
      this.active = name;
      this.lists[name].at = this.lists[name].ids.indexOf(id);
      this.toggle(id);
      this.draw();
    });
    box.addEventListener("dragstart", (event) => {
      const id = at(event);
      if (!this.picked.has(id)) this.picked = new Set([id]);
      event.dataTransfer.setData("text/plain", String(id));
      event.dataTransfer.effectAllowed = "move";
    });
    if (name === "open") this.dropInto(this.find("left"), null, box);
  }

  dropInto(target, group, mark = target) {
    target.addEventListener("dragover", (event) => { event.preventDefault(); mark.classList.add("over"); });
    target.addEventListener("dragleave", () => mark.classList.remove("over"));
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      mark.classList.remove("over");
      if (this.picked.size) this.put(group);
    });
  }
}

/** Whether nothing needs the keys; a view picker that was clicked would go on taking the arrows. */
function free() {
  const now = document.activeElement;
  return now === document.body || (now?.type === "radio" && !now.closest("[data-focus-visible]"));
}

function make(tag, name, text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

function count(n) {
  return n === 1 ? "1 note" : `${n} notes`;
}
