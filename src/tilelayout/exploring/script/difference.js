// Where two layouts of one shape differ.

/** Elements up to which those that differ are counted. */
const MOST_COMPARED = 1 << 22;
/** Axes up to this long are looked up in tables. */
const MOST_TABLED = 1 << 20;

/** The elements whose slots differ, in words. */
function differenceWords(a, b) {
  let [count, seen, first] = [0, 0, null];
  const [inA, inB] = [tabled(a), tabled(b)];
  for (const x of a.elements()) {
    if (++seen > MOST_COMPARED) break;
    if (inA(x) === inB(x)) continue;
    first ??= [...x];
    count++;
  }
  const among = a.size > MOST_COMPARED ? `of the first ${MOST_COMPARED} of ${a.size}` : `of ${a.size}`;
  const buffers = a.slots === b.slots ? "" : `; the buffers have ${a.slots} and ${b.slots} slots`;
  if (!first) return `${a.size > MOST_COMPARED ? `None ${among}` : "No"} elements lie in another slot${buffers}.`;
  const lie = `${count} ${among} elements ${count === 1 ? "lies" : "lie"} in another slot`;
  const where = `slot ${a.slot(first)} in the first layout, ${b.slot(first)} in the second`;
  return `${lie}, the first of them ${coordinateText(first)}: ${where}${buffers}.`;
}

/** The slot as a function of coordinates that looks up what depends on one axis alone. */
function tabled(layout) {
  const rest = layout.digits.filter(({ axis }) => axis === null || Array.isArray(axis) || layout.shape[axis] > MOST_TABLED);
  const tables = [...layout.shape.keys()].filter((axis) => layout.shape[axis] <= MOST_TABLED).map((axis) => {
    const digits = layout.digits.filter((digit) => digit.axis === axis);
    const x = [];
    return { axis, slots: Float64Array.from({ length: layout.shape[axis] }, (_, at) => ((x[axis] = at), evaluate(digits, x))) };
  });
  return (x) => {
    let slot = rest.length ? evaluate(rest, x) : 0;
    for (const { axis, slots } of tables) slot += slots[x[axis]];
    return slot;
  };
}
