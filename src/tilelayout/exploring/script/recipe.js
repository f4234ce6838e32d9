// A layout as pads, reshapes and transposes: the twin of places.py and recipes.py.

/** The steps that lay an array out, each {action, before, after, order}. */
function recipe(layout) {
  const listed = places(layout);
  const rooms = new Map(listed.map(({ digit, room }) => [digit, room]));
  if (listed.length) rooms.set(listed[0].digit, roomAsWritten(layout, listed[0]));
  const digits = listed.map(({ digit }) => digit);
  const rising = layout.shape.map((_, axis) => digits.filter((digit) => digit.axis === axis).sort((a, b) => a.divisor - b.divisor));
  const falling = rising.flatMap((chain) => [...chain].reverse());
  const tops = new Set(rising.map((chain) => chain.at(-1)));
  const splits = falling.map((digit) => (tops.has(digit) ? rooms.get(digit) : digit.radix));
  const roomy = falling.map((digit) => rooms.get(digit));
  const order = digits.map((digit) => falling.indexOf(digit));
  const apart = digits.at(-1)?.stride ?? 1;
  if (apart > 1) {
    splits.push(1);
    roomy.push(apart);
    order.push(digits.length);
  }
  const path = new Path(layout.shape);
  const padded = ([...chain]) => rooms.get(chain.pop()) * product(chain.map((digit) => digit.radix));
  path.resize(layout.shape.map((size, axis) => (rising[axis].length ? padded(rising[axis]) : size)));
  if (layout.size) {
    path.reshape(splits);
    path.resize(roomy);
    path.transpose(order);
  }
  path.reshape([exactProduct(path.shape, "the steps go") && product(path.shape)]);
  path.resize([layout.slots]);
  return path.steps;
}

/** The dimensions of the buffer, slowest first, each {digit, room}. */
function places(layout) {
  if (!layout.size) return [];
  const digits = joined(layout.digits, layout.shape);
  const names = new Names({ digits, shape: layout.shape });
  for (const digit of [...digits].sort((a, b) => (a.axis === null) - (b.axis === null))) {
    const why = obstacle(digit, names);
    if (why) throw new LayoutError(why);
  }
  checkEachOnce(layout, digits);
  const rising = [...digits].sort((a, b) => a.stride - b.stride);
  return rising.map((digit, k) => {
    const above = rising[k + 1];
    if (!above) return { digit, room: Math.max(digit.radix, Math.floor(layout.slots / digit.stride)) };
    const room = above.stride / digit.stride;
    const [low, high] = [names.reading(digit), names.reading(above)];
    const refuse = (why) => { throw new LayoutError(why); };
    if (above.stride % digit.stride) refuse(`${high} goes by ${above.stride}, no multiple of ${digit.stride}, by which ${low} goes`);
    if (room < digit.radix) refuse(`${low} counts ${digit.radix} steps where ${high} begins after ${room}`);
    return { digit, room };
  }).reverse();
}

/** Why a digit is no dimension of a buffer; null where it is. */
function obstacle(digit, names) {
  const { axis, stride } = digit;
  if (Array.isArray(axis)) {
    const why = "reads a sum of digits: merged axes, a swizzle, or a tile that does not divide another";
    return [`${names.reading(digit)} ${why}`, ...names.sumLines].join("\n    ");
  }
  if (stride < 0) return `${names.reading(digit)} walks backwards`;
  return axis === null ? `the buffer's first ${stride} slots lie before the first element` : null;
}

/** Refuse digits that read a part of an axis twice, or not at all. */
function checkEachOnce({ shape }, digits) {
  shape.forEach((size, axis) => {
    let reached = 1;
    for (const digit of digits) {
      if (digit.axis === axis) reached = digit.divisor === reached ? digit.divisor * digit.radix : -1;
    }
    if (reached < size) throw new LayoutError(`the digits of axis ${axis} do not read each part of its ${size} coordinates once`);
  });
}

/** How far the layout's own digits count at the slowest place; what is over is padding at the end, not of the axis. */
function roomAsWritten(layout, { digit: at, room }) {
  const isThere = ({ axis, divisor, radix, stride }) => axis === at.axis && divisor === at.divisor && stride === at.stride && radix <= room;
  return Math.max(at.radix, ...layout.digits.filter(isThere).map(({ radix }) => radix));
}

/** The steps so far, and the shape they lead to; steps that change nothing are left out. */
class Path {
  constructor(shape) {
    Object.assign(this, { shape, steps: [] });
  }

  resize(shape) {
    const changed = shape.findIndex((size, axis) => size !== this.shape[axis]);
    if (changed >= 0) this.go(shape[changed] > this.shape[changed] ? "pad" : "cut", shape);
  }

  reshape(shape) {
    if (this.steps.at(-1)?.action === "reshape") this.shape = this.steps.pop().before;
    if (!equal(shape, this.shape)) this.go("reshape", shape);
  }

  transpose(order) {
    if (order.some((axis, k) => axis !== k)) this.go("transpose", order.map((axis) => this.shape[axis]), order);
  }

  go(action, after, order = []) {
    this.steps.push({ action, before: this.shape, after, order });
    this.shape = after;
  }
}

const tupleText = (numbers) => (numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`);

/** A step in words. */
function stepWords({ action, before, after, order }) {
  if (action === "transpose") return `transpose ${tupleText(order)}`;
  if (action === "reshape") return after.length === 1 && before.length !== 1 ? "flatten" : `reshape to ${tupleText(after)}`;
  if (before.length === 1) return `${action} the end from ${before[0]} to ${after[0]}`;
  const resized = before.map((size, axis) => (size === after[axis] ? "" : `axis ${axis} from ${size} to ${after[axis]}`));
  return `${action} ${resized.filter(Boolean).join(", ")}`;
}

/** A step as a line of numpy. */
function stepCode({ action, before, after, order }) {
  const listed = (numbers) => numbers.join(", ") || "()";
  if (action === "transpose") return `x = x.transpose(${listed(order)})`;
  if (action === "reshape") return `x = x.reshape(${listed(after)})`;
  if (action === "cut") return `x = x[${before.map((size, axis) => (size === after[axis] ? ":" : `:${after[axis]}`)).join(", ")}]`;
  return `x = np.pad(x, [${before.map((size, axis) => `(0, ${after[axis] - size})`).join(", ")}], constant_values=fill)`;
}
