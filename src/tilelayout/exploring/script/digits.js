// Digits, and the layouts that lists of them are: the twin of radix.py and digits.py.
//
// A digit {axis, divisor, radix, stride} reads floor(x / divisor) % radix of the coordinate on an axis; axis may also be a list of
// digits, whose sum is read, or null, which reads 1. All numbers stay within MOST, where a float is an exact integer, and so are
// quotients of two such rounded down.

const MOST = Number.MAX_SAFE_INTEGER;
const MOST_DIGITS = 10000;
const MOST_NESTED = 60;

/** What cannot be done as asked; the message says why. */
class LayoutError extends Error {}

const product = (numbers) => numbers.reduce((all, n) => all * n, 1);
const ceilDiv = (a, b) => Math.ceil(a / b);
const equal = (a, b) => a.length === b.length && a.every((n, k) => n === b[k]);
const counted = (number, noun) => `${number} ${noun}${Number(number) === 1 ? "" : "s"}`;
const coordinateText = (x) => x.join(",") || "()";

/** A number that the page can count with. */
function exact(number, what) {
  if (Math.abs(number) > MOST) throw new LayoutError(`${what} beyond ${MOST}, up to which this page counts exactly`);
  return number;
}

const exactProduct = (numbers, what) => exact(product(numbers.map((n) => Math.max(1, n))), what) && product(numbers);

const constant = (value) => ({ axis: null, divisor: 1, radix: 2, stride: value });
const digitOf = ([axis, divisor, radix, stride]) => ({ axis: Array.isArray(axis) ? axis.map(digitOf) : axis, divisor, radix, stride });

const read = (source, x, known) => (Array.isArray(source) ? summed(source, x, known) : source === null ? 1 : x[source]);
const valueOf = (digit, x, known) => Math.floor(read(digit.axis, x, known) / digit.divisor) % digit.radix;

/** The weighted sum of digits at these coordinates; sums that they read are known from the first time on. */
function evaluate(digits, x, known = new Map()) {
  let sum = 0;
  for (const digit of digits) sum += digit.stride * valueOf(digit, x, known);
  return sum;
}

function summed(source, x, known = new Map()) {
  if (!known.has(source)) known.set(source, evaluate(source, x, known));
  return known.get(source);
}

/** The same digits, in which equal sums are one list. */
function interned(digits, sums = new Map()) {
  return digits.map((digit) => {
    if (!Array.isArray(digit.axis)) return digit;
    const inner = interned(digit.axis, sums);
    const key = JSON.stringify(inner);
    if (!sums.has(key)) sums.set(key, inner);
    return { ...digit, axis: sums.get(key) };
  });
}

/** One more than the largest value that a source can take. */
function extent(source, shape) {
  return Array.isArray(source) ? reach(source, shape).high + 1 : source === null ? 2 : Math.max(1, shape[source]);
}

const fittingRadix = (digit, shape) => Math.min(digit.radix, ceilDiv(extent(digit.axis, shape), digit.divisor));

/** The least and the greatest value of the weighted sum, each digit taken on its own. */
function reach(digits, shape) {
  let [low, high] = [0, 0];
  for (const digit of digits) {
    const span = exact(digit.stride * Math.max(0, fittingRadix(digit, shape) - 1), "a digit reaches");
    if (span < 0 || digit.axis === null) low = exact(low + span, "digits reach");
    if (span > 0 || digit.axis === null) high = exact(high + span, "digits reach");
  }
  return { low, high };
}

/** The digits, and those of the sums they read, each as often as it is read. */
function* everyDigit(digits, depth = 0) {
  if (depth > MOST_NESTED) throw new LayoutError(`sums of digits are nested more than ${MOST_NESTED} deep`);
  for (const digit of digits) {
    yield digit;
    if (Array.isArray(digit.axis)) yield* everyDigit(digit.axis, depth + 1);
  }
}

/** A map from the coordinates of an array to the slots of a buffer. */
class Layout {
  constructor(shape, digits, { slots = null, element = null } = {}) {
    this.shape = shape;
    this.element = element;
    this.size = exactProduct(shape, "the elements go");
    let count = 0;
    for (const digit of everyDigit(digits)) {
      if (++count > MOST_DIGITS) throw new LayoutError(`the layout takes more than ${MOST_DIGITS} digits`);
      if (Array.isArray(digit.axis) && reach(digit.axis, shape).low < 0) {
        throw new LayoutError("a digit reads a sum that goes below 0; sums that digits read are 0 or more");
      }
    }
    this.digits = interned(digits);
    const { low, high } = reach(digits, shape);
    const used = this.size ? high + 1 : 0;
    this.slots = exact(slots ?? used, "the slots go");
    if (low < 0 || used > this.slots) {
      throw new LayoutError(`slots from ${low} to ${high} are used, and the buffer has ${this.slots}, numbered from 0`);
    }
  }

  slot(x) {
    return evaluate(this.digits, x);
  }

  /** The sizes of the blocks that an axis is cut into, largest first. */
  blocks(axis) {
    const sizes = new Set();
    for (const digit of everyDigit(this.digits)) {
      if (digit.axis === axis) sizes.add(digit.divisor).add(digit.divisor * digit.radix);
    }
    return [...sizes].filter((size) => size > 1 && size < this.shape[axis]).sort((a, b) => b - a);
  }

  /** Where a slot lies in memory, in words; nothing where it is not said how wide slots are. */
  place(slot) {
    const bits = this.element?.bits;
    if (!bits) return "";
    const bit = Number(this.bit(slot) % 8n);
    return `byte ${this.bit(slot) / 8n}${bits % 8 ? `, bits ${bit} to ${bit + bits - 1}` : ""}`;
  }

  /** The bit that a slot begins with, which may be more than floats can count. */
  bit(slot) {
    return BigInt(slot) * BigInt(this.element.bits);
  }

  /** The coordinates of every element in row-major order; the array that is handed out is always the same. */
  *elements() {
    if (!this.size) return;
    const x = this.shape.map(() => 0);
    for (let axis = 0; axis >= 0;) {
      yield x;
      for (axis = this.shape.length - 1; axis >= 0 && ++x[axis] === this.shape[axis]; axis--) x[axis] = 0;
    }
  }
}

/** The coordinates of place number `index` of an array in row-major order. */
function unravel(index, shape) {
  const x = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    x[axis] = index % shape[axis];
    index = Math.floor(index / shape[axis]);
  }
  return x;
}

const ravel = (x, shape) => x.reduce((index, n, axis) => index * shape[axis] + n, 0);
const isInside = (x, shape) => x.every((n, axis) => n >= 0 && n < shape[axis]);
