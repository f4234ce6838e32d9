// What a slot holds: the way back from slots to coordinates.

/** Elements up to which a table of them all is made. */
const MOST_INVERTED = 1 << 18;

/** The way back of a layout: digit by digit where strides allow, else from a table of all elements, else unknown. */
class Inverse {
  constructor(layout) {
    this.layout = layout;
    const axes = new Set();
    const isRead = (size, axis) => size <= 1 || axes.has(axis);
    this.isApart = layout.size > 0 && fallsApart(layout.digits, layout.shape, axes) && layout.shape.every(isRead);
    this.isKnown = this.isApart || layout.size <= MOST_INVERTED;
  }

  /** What a slot holds: {x, elements}; of padding elements is 0, and x the place beyond the array that it has, if any. */
  at(slot) {
    const { layout } = this;
    if (!this.isApart) {
      const { held, shared } = this.table;
      const number = held.get(slot);
      return number === undefined ? { x: null, elements: 0 } : { x: unravel(number, layout.shape), elements: shared.get(slot) ?? 1 };
    }
    const x = layout.shape.map(() => 0);
    if (!takeApart(layout.digits, slot, layout.shape, x) || layout.slot(x) !== slot) return { x: null, elements: 0 };
    return { x, elements: isInside(x, layout.shape) ? 1 : 0 };
  }

  /** The number of the first element in each slot that is used, and how many there are in those that several share. */
  get table() {
    if (!this.found) {
      const [held, shared] = [new Map(), new Map()];
      let number = 0;
      for (const x of this.layout.elements()) {
        const slot = this.layout.slot(x);
        if (held.has(slot)) shared.set(slot, (shared.get(slot) ?? 1) + 1);
        else held.set(slot, number);
        number++;
      }
      this.found = { held, shared };
    }
    return this.found;
  }

  /** How many slots hold nothing; null where that is not known. */
  get padding() {
    if (this.isApart || !this.layout.size) return this.layout.slots - this.layout.size;
    return this.isKnown ? this.layout.slots - this.table.held.size : null;
  }
}

const ordered = new WeakMap();

/** The digits of a sum that can add something, by falling stride; and in chains, one a source, each by rising divisor. */
function order(digits) {
  if (!ordered.has(digits)) {
    const falling = digits.filter((digit) => digit.axis !== null && digit.radix > 1).sort((a, b) => b.stride - a.stride);
    const chains = new Map();
    for (const digit of [...falling].sort((a, b) => a.divisor - b.divisor)) {
      const source = JSON.stringify(digit.axis);
      if (!chains.has(source)) chains.set(source, []);
      chains.get(source).push(digit);
    }
    ordered.set(digits, { falling, chains: [...chains.values()] });
  }
  return ordered.get(digits);
}

/** Whether each stride is longer than all shorter ones together reach, and every source is read whole, once; the axes met are added. */
function fallsApart(digits, shape, axes) {
  const { falling, chains } = order(digits);
  let below = 0;
  for (const digit of [...falling].reverse()) {
    if (digit.stride <= below) return false;
    below += digit.stride * (digit.radix - 1);
  }
  return chains.every((chain) => {
    let divisor = 1;
    for (const digit of chain) {
      if (digit.divisor !== divisor) return false;
      divisor *= digit.radix;
    }
    const source = chain[0].axis;
    if (divisor < extent(source, shape)) return false;
    if (Array.isArray(source)) return fallsApart(source, shape, axes);
    return !axes.has(source) && axes.add(source);
  });
}

/** Find the coordinates at which the digits have this sum; whether there are any. */
function takeApart(digits, sum, shape, x) {
  const { falling, chains } = order(digits);
  let rest = digits.reduce((left, digit) => (digit.axis === null ? left - digit.stride : left), sum);
  if (rest < 0) return false;
  const values = new Map();
  for (const digit of falling) {
    const value = Math.floor(rest / digit.stride);
    if (value >= digit.radix) return false;
    values.set(digit, value);
    rest -= value * digit.stride;
  }
  return rest === 0 && chains.every((chain) => {
    const value = chain.reduce((all, digit) => all + values.get(digit) * digit.divisor, 0);
    const source = chain[0].axis;
    if (Array.isArray(source)) return takeApart(source, value, shape, x);
    x[source] = value;
    return true;
  });
}
