// Where two layouts of one shape differ.

/** Elements up to which those that differ are counted, and milliseconds. */
const MOST_COMPARED = 1 << 22;
const MOST_COMPARING = 400;
/** Axes up to this long are looked up in tables. */
const MOST_TABLED = 1 << 20;

/** The elements whose slots differ, in words. */
function differenceWords(a, b) {
  let [count, seen, first] = [0, 0, null];
  const [inA, inB] = [tabled(a), tabled(b)];
  const end = Date.now() + MOST_COMPARING;
  for (const x of a.elements()) {
    if (seen === MOST_COMPARED || (seen % 4096 === 4095 && Date.now() > end)) break;
    seen++;
    if (inA(x) === inB(x)) continue;
    first ??= [...x];
    count++;
  }
  const among = seen < a.size ? `of the first ${seen} of ${a.size}` : `of ${a.size}`;
  const buffers = (a.slots === b.slots ? "" : `; the buffers have ${a.slots} and ${b.slots} slots`) + widthWords(a.element, b.element);
  if (!first) return `${seen < a.size ? `None ${among}` : "No"} elements lie in another slot${buffers}.`;
  const lie = `${count} ${among} elements ${count === 1 ? "lies" : "lie"} in another slot`;
  const where = `slot ${a.slot(first)} in the first layout, ${b.slot(first)} in the second`;
  return `${lie}, the first of them ${coordinateText(first)}: ${where}${buffers}.`;
}

/** What slots hold is not compared, but that they are of other widths is worth a word. */
function widthWords(a, b) {
  if (!a || !b || a.bits === b.bits) return "";
  const widths = `slots have ${counted(a.bits, "bit")} in the first layout, ${b.bits} in the second`;
  return `; ${widths}, which is not compared: the bytes of elements differ`;
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
