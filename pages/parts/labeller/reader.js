// The texts of one item: output, input, reference; how they are laid out, compared and searched.

const FOUND = "evaluator-bench-found";
const FOUND_NOW = "evaluator-bench-found-now";
const BASES = { reference: "the reference", previous: "the version before" };

class Reader {
  constructor(root) {
    this.root = root;
    this.el = (selector) => root.querySelector(selector);
    this.item = null;
    this.look = { input: false, reference: false, pretty: false, against: "" };
    this.finding = false;
    this.ranges = [];
    this.rangeAt = -1;
    const field = this.el(".find input");
    field.addEventListener("input", () => this.find(true));
    field.addEventListener("keydown", (e) => this.onFindKey(e));
    for (const [name, step] of [["find-back", -1], ["find-next", 1]])
      this.el(`.find [data-find="${name}"]`).addEventListener("click", () => this.step(step));
    this.el('.find [data-find="find-end"]').addEventListener("click", () => this.endFind());
  }

  /** Show another item (null: none). */
  show(item) {
    this.item = item;
    this.paintText();
    this.el(".text").scrollTop = 0;
    this.paintAside();
    if (this.finding) this.find(false);
  }

  toggle(id) {
    if (id === "input" || id === "reference") {
      if (!this.item?.[id]) return;
      this.look[id] = !this.look[id];
      this.paintAside();
    } else if (id === "pretty") {
      if (this.pretty === null && !this.look.pretty) return;
      this.look.pretty = !this.look.pretty;
      this.look.against = "";
      this.paintText();
    } else {
      const bases = ["", ...Object.keys(BASES).filter((base) => this.has(base))];
      const now = bases.indexOf(this.look.against);
      this.look.against = bases[(now + 1) % bases.length];
      this.paintText();
    }
    if (this.finding) this.find(false);
  }
  has(base) {
    return typeof this.item?.[base] === "string" && this.item[base] !== "";
  }

  paintText() {
    const box = this.el(".text");
    const { item, look } = this;
    // Whether it is JSON is looked at for each item, so that the button can say it.
    this.pretty = item ? prettyJson(item.text) : null;
    const base = look.against && this.has(look.against) ? look.against : "";
    const pieces = base ? wordDifference(item[base], item.text) : null;
    let said = "";
    if (pieces) {
      box.replaceChildren(
        ...pieces.map(([kind, text]) =>
          kind === "same"
            ? document.createTextNode(visible(text))
            : make(kind === "added" ? "ins" : "del", "", visible(text)),
        ),
      );
      const same = pieces.every(([kind]) => kind === "same");
      said = same ? `The same as ${BASES[base]}.` : `Underlined: only in this output. Struck out: only in ${BASES[base]}.`;
    } else {
      box.textContent = item ? visible(look.pretty && this.pretty !== null ? this.pretty : item.text) : "";
      if (base) said = `Too long to compare: more than ${COMPARED.toLocaleString("en")} characters.`;
    }
    this.el(".legend").textContent = said;
    this.el(".legend").hidden = !said;
  }

  paintAside() {
    for (const name of ["input", "reference"]) {
      const open = this.look[name] && this.has(name);
      const box = this.el("." + name);
      box.hidden = !open;
      box.querySelector("p").textContent = open ? visible(this.item[name]) : "";
      if (open) box.scrollTop = 0;
    }
  }

  /** How each button of this part stands: [can be used, is on]. */
  standing() {
    const { item, look } = this;
    return {
      input: [this.has("input"), look.input && this.has("input")],
      reference: [this.has("reference"), look.reference && this.has("reference")],
      pretty: [this.pretty !== null, look.pretty && this.pretty !== null && !look.against],
      difference: [this.has("reference") || this.has("previous"), Boolean(look.against) && this.has(look.against)],
      find: [Boolean(item), this.finding],
    };
  }

  // --- finding ------------------------------------------------------------------------------

  openFind() {
    this.finding = true;
    this.el(".find").hidden = false;
    const field = this.el(".find input");
    field.focus();
    field.select();
    this.find(false);
  }
  endFind() {
    this.finding = false;
    this.el(".find").hidden = true;
    this.ranges = [];
    this.mark();
    this.el(".text").focus({ preventScroll: true });
  }
  onFindKey(e) {
    if (e.isComposing) return;
    if (e.key === "Escape") this.endFind();
    else if (e.key === "Enter") {
      if (e.shiftKey) this.step(-1);
      // The first Enter stays on the match the typing went to; the keys work again.
      this.el(".text").focus({ preventScroll: true });
    } else return;
    e.preventDefault();
  }
  find(go) {
    const boxes = [".text", ".input p", ".reference p"].map(this.el);
    this.ranges = findIn(boxes, this.el(".find input").value);
    this.rangeAt = this.ranges.length ? 0 : -1;
    this.mark(go);
  }
  step(by) {
    const n = this.ranges.length;
    if (!n) return;
    this.rangeAt = (this.rangeAt + by + n) % n;
    this.mark(true);
  }
  mark(go = false) {
    const n = this.ranges.length;
    const typed = this.el(".find input").value;
    const most = n === MATCHES ? "+" : "";
    this.el(".find output").textContent = n
      ? `${(this.rangeAt + 1).toLocaleString("en")} of ${n.toLocaleString("en")}${most}`
      : typed ? "none here" : "";
    const now = this.ranges[this.rangeAt];
    if (globalThis.CSS?.highlights) {
      // Marks without touching the text: what is on screen stays one piece of plain text.
      CSS.highlights.set(FOUND, new Highlight(...this.ranges));
      CSS.highlights.set(FOUND_NOW, new Highlight(...(now ? [now] : [])));
      CSS.highlights.get(FOUND_NOW).priority = 1;
    }
    if (!now || !go) return;
    const box = now.startContainer.parentElement.closest(".text, .input, .reference");
    const [at, frame] = [now.getBoundingClientRect(), box.getBoundingClientRect()];
    if (at.top < frame.top || at.bottom > frame.bottom) box.scrollTop += at.top - frame.top - frame.height / 3;
  }
  end() {
    globalThis.CSS?.highlights?.delete(FOUND);
    globalThis.CSS?.highlights?.delete(FOUND_NOW);
  }
}

/** Going to an output by its id: a field, the ids that fit, Enter. */
class Jump {
  constructor(root, go) {
    this.box = root.querySelector(".jump");
    this.field = this.box.querySelector("input");
    this.list = this.box.querySelector("ul");
    this.go = go;
    this.places = []; // [slot, name]
    this.field.addEventListener("input", () => this.offer());
    this.field.addEventListener("keydown", (e) => this.onKey(e));
    this.list.addEventListener("click", (e) => this.choose([...this.list.children].indexOf(e.target)));
    this.box.addEventListener("click", (e) => e.target === this.box && this.box.close());
  }
  open(places) {
    this.places = places;
    this.field.value = "";
    this.offer();
    this.box.showModal();
    this.field.focus();
  }
  /** New names came while the field is open. */
  update(places) {
    if (!this.box.open) return;
    this.places = places;
    this.offer();
  }
  offer() {
    const typed = this.field.value.trim().toLowerCase();
    const rank = ([, name]) => {
      const at = name.toLowerCase();
      return at === typed ? 0 : at.startsWith(typed) ? 1 : at.includes(typed) ? 2 : 3;
    };
    this.offered = [0, 1, 2].flatMap((r) => this.places.filter((place) => rank(place) === r)).slice(0, 8);
    this.chosen = 0;
    this.list.replaceChildren(
      ...this.offered.map(([, name], i) => {
        const line = make("li", "", visible(name));
        line.setAttribute("role", "option");
        line.id = `jump-${i}`;
        return line;
      }),
    );
    this.box.querySelector("p").textContent = this.offered.length
      ? "" : this.places.length ? "No output in this list has this id." : "Loading the ids …";
    this.point();
  }
  point() {
    [...this.list.children].forEach((line, i) => line.setAttribute("aria-selected", String(i === this.chosen)));
    const now = this.list.children[this.chosen];
    if (now) this.field.setAttribute("aria-activedescendant", now.id);
    else this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-expanded", String(Boolean(now)));
  }
  onKey(e) {
    if (e.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) {
      this.chosen = Math.max(0, Math.min(this.offered.length - 1, this.chosen + step));
      this.point();
    } else if (e.key === "Enter") this.choose(this.chosen);
    else return;
    e.preventDefault();
  }
  choose(i) {
    const place = this.offered[i];
    if (!place) return;
    this.box.close();
    this.go(place[0]);
  }
}
