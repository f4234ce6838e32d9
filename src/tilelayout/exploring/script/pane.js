// A layout on the page: its sizes and formula, its array and its memory.

/** A layout with what is known of it. */
class Explored {
  constructor(layout, title) {
    Object.assign(this, { layout, title, inverse: new Inverse(layout), names: new Names(layout) });
  }

  /** The sizes in words. */
  get sizes() {
    const { shape, size, slots, element } = this.layout;
    const { padding } = this.inverse;
    const percent = Math.round((10000 * padding) / slots) / 100;
    const share = percent === 0 ? "less than 0.01" : percent === 100 && padding < slots ? "more than 99.99" : percent;
    const of = element ? ` of ${element.name || counted(element.bits, "bit")}` : "";
    const some = `of which ${padding} ${padding === 1 ? "is" : "are"} padding (${share}%)`;
    const padded = padding === null ? "" : `, ${padding ? some : "none of them padding"}`;
    const shared = padding !== null && slots - padding < size ? "; elements share slots" : "";
    const bytes = element?.bits ? `; ${counted((this.layout.bit(slots) + 7n) / 8n, "byte")}` : "";
    return `${shape.join("×") || "1"} ${size === 1 ? "element" : "elements"}${of} in ${counted(slots, "slot")}${padded}${shared}${bytes}`;
  }
}

class Pane {
  constructor(explored, coloring, { against = null, onPick }) {
    Object.assign(this, { explored, against });
    const { title, sizes, names, inverse } = explored;
    const which = against ? "second layout: " : "";
    this.array = new Board(`${which}array, the slot of each element`, onPick);
    this.memory = new Board(`${which}memory, the element in each slot`, onPick);
    const unknown =
      "Memory is not shown: its elements would have to be looked up one by one, and are too many for this page. tilelayout draw shows it.";
    this.root = el(
      "section",
      { class: "pane", "aria-label": `${which}${title}` },
      el("h2", { class: "code" }, title),
      el("p", { class: "sizes" }, sizes),
      el("p", { class: "code formula" }, names.lines.join("\n")),
      el("h3", {}, "Array ", el("small", {}, "the slot of each element")),
      this.array.root,
      el("h3", {}, "Memory ", el("small", {}, "the element in each slot")),
      inverse.isKnown ? this.memory.root : el("p", {}, unknown),
    );
    this.color(coloring);
  }

  color(coloring) {
    const { explored, against } = this;
    this.array.show(() => new ArraySheet(explored, coloring, against));
    if (explored.inverse.isKnown) this.memory.show((fits) => new MemorySheet(explored, coloring, against, fits));
  }

  refit() {
    this.array.refit();
    this.memory.refit();
  }

  mark(picked) {
    this.array.mark(picked);
    this.memory.mark(picked);
  }
}
