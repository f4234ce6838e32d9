// What colours tell: the tile of an element, or the value of a digit.

const FILLS = 16;
/** Tiles take so many fills: a prime number, so that tiles side by side differ. */
const TILE_FILLS = 7;

/** The ways to colour a layout, each {says, fill(x)}; the first is the one to begin with. */
function colorings(layout, names) {
  const digits = layout.digits.filter((digit) => digit.axis !== null);
  const byDigit = digits.map((digit) => ({ says: names.reading(digit), fill: (x) => valueOf(digit, x) % FILLS }));
  const plain = { says: "none", fill: () => 0 };
  const merged = digits.findIndex((digit) => Array.isArray(digit.axis) && digit.divisor > 1);
  const best = byTile(layout) ?? bySwizzle(layout, digits) ?? byDigit[merged];
  const slowest = byDigit[digits.indexOf([...digits].sort((a, b) => Math.abs(b.stride) - Math.abs(a.stride))[0])];
  const first = best ?? (digits.length > 1 ? slowest : plain);
  return [...new Set([first, ...byDigit, plain])];
}

/** By the largest blocks that axes are cut into, numbered so that neighbours along any axis differ. */
function byTile(layout) {
  const blocks = layout.shape.map((_, axis) => layout.blocks(axis)[0] ?? 0);
  const cut = [...blocks.keys()].filter((axis) => blocks[axis]).reverse();
  if (!cut.length) return null;
  const weights = [];
  let weight = 1;
  for (const axis of cut) {
    weights[axis] = weight;
    const tiles = ceilDiv(layout.shape[axis], blocks[axis]);
    weight = (weight * (tiles + (tiles % TILE_FILLS ? 0 : 1))) % TILE_FILLS;
  }
  const says = [...cut].reverse().map((axis) => `x${axis} // ${blocks[axis]}`);
  const number = (x) => cut.reduce((sum, axis) => sum + (Math.floor(x[axis] / blocks[axis]) % TILE_FILLS) * weights[axis], 0);
  return { says: `tile ${says.join(", ")}`, fill: (x) => number(x) % TILE_FILLS };
}

/** By the bits of the slot that a swizzle folds others into. */
function bySwizzle(layout, digits) {
  const folded = digits.filter(({ axis, divisor, radix }) => Array.isArray(axis) && axis.length > 1 && divisor === 1 && radix === 2);
  if (!folded.length) return null;
  const low = Math.min(...folded.map((digit) => digit.stride));
  const values = 2 ** folded.length;
  return { says: `slot${low > 1 ? ` // ${low}` : ""} % ${values}`, fill: (x) => (Math.floor(layout.slot(x) / low) % values) % FILLS };
}
