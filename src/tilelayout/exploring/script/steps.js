// The array after each of the pads, reshapes and transposes that the layout is.

/** The array after so many steps, read line by line: as many of the last dimensions in a row as keep the picture in place. */
class StepSheet {
  constructor(explored, coloring, steps, number) {
    Object.assign(this, { explored, coloring, steps: steps.slice(0, number) });
    this.shape = this.steps.at(-1)?.after ?? explored.layout.shape;
    this.chars = coordinateText(explored.layout.shape.map((size) => Math.max(0, size - 1))).length;
    const before = number ? new StepSheet(explored, coloring, steps, number - 1) : null;
    this.inRow = dimensionsInRow(this, before);
    this.leading = this.shape.slice(0, this.shape.length - this.inRow);
    this.trailing = this.shape.slice(this.leading.length);
    const wraps = before && this.shape.length === 1 && this.steps.at(-1).action === "reshape";
    this.columns = wraps ? Math.min(before.columns, this.shape[0]) : product(this.trailing);
    this.rows = product(this.shape) ? ceilDiv(product(this.shape), this.columns) : 0;
    this.headChars = this.rowName(Math.max(0, this.rows - 1)).length;
    this.corner = "";
  }

  rowName(row) {
    return this.leading.length ? coordinateText(unravel(row, this.leading)) : this.rows > 1 ? String(row * this.columns) : "";
  }

  columnName(column) {
    if (!this.shape.length) return "";
    return this.leading.length || this.rows === 1 ? coordinateText(unravel(column, this.trailing)) : `+${column}`;
  }

  rowLevel(row) {
    return levelAt(blocksOf(this.leading), row);
  }

  columnLevel(column) {
    return levelAt(blocksOf(this.trailing), column);
  }

  locate({ x }) {
    let at = x && isInside(x, this.steps[0]?.action === "pad" ? this.steps[0].after : this.explored.layout.shape) ? x : null;
    for (const { action, before, after, order } of this.steps) {
      if (!at) return null;
      if (action === "transpose") at = order.map((axis) => at[axis]);
      else if (action === "reshape") at = unravel(ravel(at, before), after);
      else if (!isInside(at, after)) return null;
    }
    const place = at && ravel(at, this.shape);
    return at && { row: Math.floor(place / this.columns), column: place % this.columns };
  }

  cell(row, column) {
    const place = row * this.columns + column;
    if (place >= product(this.shape)) return null;
    const { layout } = this.explored;
    const x = this.origin(unravel(place, this.shape));
    if (x && isInside(x, layout.shape)) return elementCell(this, x, layout.slot(x), coordinateText(x));
    return (x && placeCell(this, x, layout.slot(x), "")) ?? { x: null, slot: null, held: false, label: "", says: "padding", fill: null };
  }

  /** The coordinates in the array, or beyond its ends, of what lies at an index of this one; null for padding that has none. */
  origin(index) {
    for (const { action, before, after, order } of this.steps.slice(this.steps[0]?.action === "pad" ? 1 : 0).reverse()) {
      if (action === "transpose") {
        const back = [];
        order.forEach((axis, k) => (back[axis] = index[k]));
        index = back;
      } else if (action === "reshape") index = unravel(ravel(index, after), before);
      else if (!isInside(index, before)) return null;
    }
    return index;
  }
}

/** How many of the last dimensions go in a row. */
function dimensionsInRow({ shape, steps }, before) {
  const step = steps.at(-1);
  if (!step) return Math.min(1, shape.length);
  if (step.action === "pad" || step.action === "cut") return before.inRow;
  const choices = shape.slice(1).map((_, k) => k + 1);
  const columns = (count) => product(shape.slice(shape.length - count));
  const kept = step.action === "reshape" && choices.find((count) => columns(count) === before.columns);
  const unevenness = (count) => Math.abs(Math.log(columns(count) ** 2 / product(shape)));
  return kept || (choices.sort((a, b) => unevenness(a) - unevenness(b))[0] ?? Math.min(1, shape.length));
}

/** The sizes of the blocks that dimensions in a row are made of, largest first. */
function blocksOf(dims) {
  const sizes = dims.slice(1).map((_, k) => product(dims.slice(k + 1)));
  return sizes.filter((size, k) => size > 1 && dims[k] > 1);
}
