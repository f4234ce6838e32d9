// CuTe's notation: (4,(2,4)):(2,(1,8)), and such a layout behind swizzles, S<3,4,3> o 0 o (8,64):(64,1).

const CUTE_WORDS = /_?-?[0-9]+|smem_ptr|[A-Za-z]+|\S/gu;
const CUTE_NESTED = 64;

class CuteParser extends Cursor {
  number = /^_?-?[0-9]+$/;

  constructor(text) {
    super(text, CUTE_WORDS);
  }

  parse() {
    const swizzles = [];
    while (this.word === "S" || this.word === "Sw") {
      const swizzle = this.swizzle();
      this.expect("o");
      swizzles.unshift(this.word === "smem_ptr" ? this.beforePointer(swizzle) : { ...swizzle, offset: this.integer("an offset") });
      this.expect("o");
    }
    const found = { ...this.plain(), swizzles };
    if (this.word === "o") throw this.error("compositions with other than swizzles are not read by this page, but by tilelayout itself");
    this.finish();
    return found;
  }

  swizzle() {
    const begin = this.at;
    this.advance();
    const numbers = this.listed("<", () => this.integer(), ">");
    if (numbers.length !== 3) throw this.error(`a swizzle has three numbers, got ${numbers.length}`, begin);
    return this.checked(numbers, begin);
  }

  /** C++'s pointer that is not set yet: the swizzle in front, of bytes, as one of elements of so many bits. */
  beforePointer({ bits, base, shift }) {
    this.advance();
    this.expect("[");
    const begin = this.at;
    const wider = Math.log2(this.integer("the bits of an element") / 8);
    for (const word of ["b", "]", "(", "unset", ")"]) this.expect(word);
    if (!Number.isInteger(wider)) throw this.error("swizzles are of bits, so the width of an element has to be a power of 2", begin);
    return { ...this.checked([bits, bits ? base - wider : base, shift], begin), offset: 0 };
  }

  checked(numbers, begin) {
    const [bits, base, shift] = numbers;
    if (bits < 0 || base < 0 || Math.abs(shift) < bits || bits + base + Math.abs(shift) > 32) {
      throw this.error(`S<${numbers}>: bits and base are 0 or more, shift at least bits, its sign aside, and their sum 32 at most`, begin);
    }
    return { bits, base, shift };
  }

  plain() {
    const begin = this.at;
    const shape = this.tree("an extent");
    this.expect(":");
    const wrong = leaves(shape).find((size) => size < 1);
    if (wrong !== undefined) throw this.error(`a shape holds integers of at least 1, got ${wrong}`, begin);
    const at = this.at;
    const stride = this.tree("a stride");
    if (!isCongruent(shape, stride)) throw this.error("the strides are not nested as the shape is; each extent takes one stride", at);
    return { shape, stride };
  }

  tree(what, depth = 0) {
    if (depth > CUTE_NESTED) throw this.error(`tuples are nested more than ${CUTE_NESTED} deep`);
    if (this.word === "(") return this.listed("(", () => this.tree(what, depth + 1), ")", true);
    const value = this.integer(`${what} or a tuple`);
    if (this.word === "@") throw this.error("strides that are basis vectors lead to coordinates, not to slots");
    return value;
  }
}

const leaves = (tree) => [tree].flat(Infinity);

function isCongruent(a, b) {
  if (!Array.isArray(a) || !Array.isArray(b)) return Array.isArray(a) === Array.isArray(b);
  return a.length === b.length && a.every((part, k) => isCongruent(part, b[k]));
}

function bindCute({ shape, stride, swizzles }) {
  const modes = Array.isArray(shape) ? shape : [shape];
  const axes = modes.map((mode) => product(leaves(mode)));
  exactProduct(axes, "the coordinates go");
  const strides = leaves(stride);
  let sum = [];
  modes.forEach((mode, axis) => {
    let divisor = 1;
    for (const radix of leaves(mode)) {
      const step = strides.shift();
      if (radix > 1) sum.push({ axis, divisor, radix, stride: step });
      divisor *= radix;
    }
  });
  for (const { bits, base, shift, offset } of swizzles) {
    if (offset) sum = [...sum, constant(offset)];
    if (bits) sum = swizzled(sum, bits, base - Math.min(0, shift), shift, axes);
  }
  const low = Math.min(0, reach(sum, axes).low);
  return new Layout(axes, low ? [...sum, constant(-low)] : sum);
}

/** The sum with so many bits, from bit `first` on, folded with those that lie `shift` above: each is their sum, modulo 2. */
function swizzled(sum, bits, first, shift, axes) {
  const bit = (k) => ({ axis: sum, divisor: 2 ** k, radix: 2, stride: 1 });
  const below = first ? [{ axis: sum, divisor: 1, radix: 2 ** first, stride: 1 }] : [];
  const folded = [];
  for (let k = first; k < first + bits; k++) folded.push({ axis: [bit(k), bit(k + shift)], divisor: 1, radix: 2, stride: 2 ** k });
  const last = 2 ** (first + bits);
  return [...below, ...folded, { axis: sum, divisor: last, radix: ceilDiv(extent(sum, axes), last) || 1, stride: last }];
}
