// What boards show: rows and columns of cells. A cell is {x, slot, held, label, says, fill, moved}: x are the coordinates of an element,
// or of the place beyond the array that padding has; held says that an element lies there.

/** The level of the border before a position, 0 for the largest blocks; null within the smallest. */
function levelAt(blocks, position) {
  const level = blocks.findIndex((block) => position % block === 0);
  return level < 0 || position === 0 ? null : Math.min(level, 2);
}

const called = (x) => `element (${x.join(", ")})`;

/** The array: a row for all coordinates but the last, a column for each of the last. */
class ArraySheet {
  constructor(explored, coloring, against) {
    Object.assign(this, { explored, coloring, against, padded: paddedShape(explored) });
    const { layout } = explored;
    this.leading = this.padded.slice(0, -1);
    this.columns = layout.size ? (this.padded.at(-1) ?? 1) : 0;
    this.rows = layout.size ? product(this.leading) : 0;
    this.chars = String(Math.max(0, layout.slots - 1)).length;
    this.blocks = layout.shape.map((_, axis) => layout.blocks(axis));
    const axes = layout.shape.map((_, axis) => `x${axis}`);
    this.corner = axes.length > 1 ? `${axes.slice(0, -1)} ↓  ${axes.at(-1)} →` : axes.length ? "x0 →" : "";
    this.headChars = Math.max(this.corner.length, coordinateText(this.leading).length);
  }

  rowName(row) {
    return this.leading.length ? unravel(row, this.leading).join(",") : "";
  }

  columnName(column) {
    return this.padded.length ? String(column) : "";
  }

  rowLevel(row) {
    const axis = this.leading.length - 1;
    if (axis < 0 || !row) return null;
    const at = row % this.leading[axis];
    return at ? levelAt(this.blocks[axis], at) : "panel";
  }

  columnLevel(column) {
    return this.padded.length ? levelAt(this.blocks.at(-1), column) : null;
  }

  coordinates(row, column) {
    return this.padded.length ? [...unravel(row, this.leading), column] : [];
  }

  /** The fill of a cell, for the overview; null for padding. */
  fill(row, column) {
    const x = this.coordinates(row, column);
    return isInside(x, this.explored.layout.shape) ? this.coloring.fill(x) : null;
  }

  /** The row and column of coordinates. */
  locate({ x }) {
    if (!x || !isInside(x, this.padded)) return null;
    return { row: ravel(x.slice(0, -1), this.leading), column: x.at(-1) ?? 0 };
  }

  cell(row, column) {
    const x = this.coordinates(row, column);
    const slot = this.explored.layout.slot(x);
    if (isInside(x, this.explored.layout.shape)) return elementCell(this, x, slot, String(slot));
    return placeCell(this, x, slot, String(slot)) ?? { x: null, slot: null, held: false, label: "", says: "nothing", fill: null };
  }
}

/** A place beyond the array, which is padding; null where its slot is another's. */
function placeCell({ explored: { inverse } }, x, slot, label) {
  const place = inverse.isApart ? inverse.at(slot).x : null;
  if (!place || !equal(place, x)) return null;
  return { x, slot, held: false, label, says: `place (${x.join(", ")}) beyond the array: padding, slot ${slot}`, fill: null };
}

function elementCell({ coloring, against }, x, slot, label) {
  const before = against ? against.slot(x) : slot;
  const says = `${called(x)}, slot ${slot}${before === slot ? "" : `, in the first layout ${before}`}`;
  return { x, slot, held: true, label, says, fill: coloring.fill(x), moved: before !== slot, stays: against && before === slot };
}

/** The shape of all coordinates that the digits of axes count, where what lies beyond the array are places of padding. */
function paddedShape({ layout, inverse }) {
  const ends = [...layout.shape];
  if (!layout.size || !inverse.isApart) return ends;
  for (const { axis, divisor, radix } of layout.digits) {
    if (typeof axis === "number") ends[axis] = Math.max(ends[axis], divisor * radix);
  }
  return ends;
}

/** The memory: slots in order, whole turns of a digit in a row. */
class MemorySheet {
  constructor(explored, coloring, against, fits) {
    Object.assign(this, { explored, coloring, against });
    const { layout } = explored;
    const longest = coordinateText(layout.shape.map((size) => Math.max(0, size - 1)));
    this.chars = longest.length;
    this.inBytes = layout.element?.bits > 0 && layout.element.bits % 8 === 0;
    this.corner = this.inBytes ? "slot (byte)" : "slot";
    this.headChars = Math.max(this.corner.length, this.named(Math.max(0, layout.slots - 1)).length);
    this.width = period(layout, Math.min(32, fits(this.chars, this.headChars)));
    this.columns = Math.min(this.width, layout.slots);
    this.rows = ceilDiv(layout.slots, this.width);
    this.tile = tileSlots(layout);
  }

  named(slot) {
    return this.inBytes ? `${slot} (${this.explored.layout.bit(slot) / 8n})` : String(slot);
  }

  rowName(row) {
    return this.named(row * this.width);
  }

  columnName(column) {
    return `+${column}`;
  }

  rowLevel(row) {
    return row && this.tile && (row * this.width) % this.tile === 0 ? 1 : null;
  }

  columnLevel(column) {
    return column && this.tile && this.width % this.tile === 0 && column % this.tile === 0 ? 1 : null;
  }

  locate({ slot }) {
    return slot === null ? null : { row: Math.floor(slot / this.width), column: slot % this.width };
  }

  cell(row, column) {
    const slot = row * this.width + column;
    const { layout, inverse } = this.explored;
    if (slot >= layout.slots) return null;
    const { x, elements } = inverse.at(slot);
    if (!elements) return { x, slot, held: false, label: "", says: `slot ${slot}: padding`, fill: null };
    const cell = elementCell(this, x, slot, coordinateText(x));
    return elements > 1 ? { ...cell, label: `${cell.label}…`, says: `${cell.says}, shared by ${elements} elements` } : cell;
  }
}

/** The slots that go in a row: whole turns of a digit, and as many as divide the turn of the next slower one. */
function period(layout, most) {
  const strides = layout.digits.filter(({ axis }) => axis !== null).map((digit) => Math.abs(digit.stride)).filter((stride) => stride > 2);
  const turns = [...new Set([...strides, layout.slots])].sort((a, b) => a - b);
  const width = Math.max(0, ...turns.filter((turn) => turn <= most));
  if (!width) return 2 ** Math.floor(Math.log2(most));
  const slower = turns.find((turn) => turn > width) ?? width;
  for (let k = Math.floor(most / width); k > 1; k--) if (slower % (k * width) === 0) return k * width;
  return width;
}

/** The slots from one tile to the next, where there are tiles. */
function tileSlots(layout) {
  const begins = layout.digits.filter(({ axis, divisor }) => typeof axis === "number" && divisor === layout.blocks(axis)[0]);
  return begins.length ? Math.min(...begins.map((digit) => Math.abs(digit.stride))) : 0;
}
