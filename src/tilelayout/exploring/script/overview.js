// A small picture of a whole array, of which a board shows a part; pointing at it leads there.

/** The largest and the least sides of the picture, in pixels. */
const OVERVIEW = { width: 160, height: 96, least: 24 };

class Overview {
  constructor(onGo) {
    this.onGo = onGo;
    this.canvas = el("canvas");
    this.part = el("div");
    this.root = el("div", { class: "overview", "aria-hidden": "true" }, this.canvas, this.part);
    this.root.addEventListener("pointerdown", (event) => this.go(event));
    this.root.addEventListener("pointermove", (event) => event.buttons && this.go(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint(this.sheet));
  }

  /** Paint a sheet that says its fills; nothing for another. */
  paint(sheet) {
    this.sheet = sheet?.fill ? sheet : null;
    this.root.hidden = !this.sheet;
    if (!this.sheet) return;
    const { rows, columns } = sheet;
    const scale = Math.min(OVERVIEW.width / columns, OVERVIEW.height / rows);
    const width = Math.max(OVERVIEW.least, Math.round(columns * scale));
    const height = Math.max(OVERVIEW.least, Math.round(rows * scale));
    Object.assign(this.canvas, { width, height });
    const style = getComputedStyle(document.documentElement);
    const colors = new Map([[null, style.getPropertyValue("--hatch")]]);
    const picture = this.canvas.getContext("2d");
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const fill = sheet.fill(Math.floor((y * rows) / height), Math.floor((x * columns) / width));
        if (!colors.has(fill)) colors.set(fill, style.getPropertyValue(`--c${fill}`));
        picture.fillStyle = colors.get(fill);
        picture.fillRect(x, y, 1, 1);
      }
    }
  }

  /** Frame the part that a board shows. */
  frame({ top, left, high, wide }) {
    if (!this.sheet) return;
    const { rows, columns } = this.sheet;
    const { width, height } = this.canvas;
    const place = (begin, count, all, side) => {
      const size = Math.max(5, Math.round((count / all) * side));
      return [`${Math.min(side - size, Math.round((begin / all) * side))}px`, `${size}px`];
    };
    [this.part.style.left, this.part.style.width] = place(left, wide, columns, width);
    [this.part.style.top, this.part.style.height] = place(top, high, rows, height);
  }

  go(event) {
    const { rows, columns } = this.sheet;
    const box = this.canvas.getBoundingClientRect();
    const at = (place, side, all) => Math.max(0, Math.min(all - 1, Math.floor((place / side) * all)));
    this.onGo(at(event.clientY - box.y, box.height, rows), at(event.clientX - box.x, box.width, columns));
  }
}
