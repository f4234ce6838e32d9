// Split, merge and permute: the twin of moves.py. A dimension is {source, extent, divisor, radix}.

const UNIT = { source: [], extent: 1, divisor: 1, radix: 1 };

const axesOf = (shape) => shape.map((size, axis) => ({ source: axis, extent: size, divisor: 1, radix: size }));
const reachesTheEnd = (dim) => dim.divisor * dim.radix >= dim.extent;
const isNothing = (source) => Array.isArray(source) && !source.length;
const digitAt = (dim, stride) => ({ axis: dim.source, divisor: dim.divisor, radix: dim.radix, stride });

/** A dimension cut into [how many blocks of this size, the place in a block]. */
function split(dim, size) {
  if (dim.radix % size && !reachesTheEnd(dim)) {
    dim = { source: [digitAt(dim, 1)], extent: dim.radix, divisor: 1, radix: dim.radix };
  }
  const outer = { ...dim, divisor: exact(dim.divisor * size, "a tile goes"), radix: ceilDiv(dim.radix, size) };
  return [outer, { ...dim, radix: size }];
}

/** Neighbouring dimensions fused in row-major order. */
const merge = (dims) => dims.reduce(fuse);

function fuse(outer, inner) {
  const radix = exactProduct([outer.radix, inner.radix], "a merged dimension goes");
  if (inner.radix === 1) return outer;
  if (outer.radix === 1 || isNothing(outer.source)) {
    if (outer.radix === 1 || reachesTheEnd(inner)) return { ...inner, radix };
  } else if (isSame(outer.source, inner.source) && outer.divisor === inner.divisor * inner.radix && outer.extent === inner.extent) {
    return { ...inner, radix };
  }
  return { source: [...terms(outer, inner.radix), ...terms(inner, 1)], extent: radix, divisor: 1, radix };
}

/** A dimension times a weight as digits; a merged source is taken apart again where it is whole. */
function terms(dim, weight) {
  if (isNothing(dim.source)) return [];
  if (Array.isArray(dim.source) && dim.divisor === 1 && reachesTheEnd(dim)) {
    return dim.source.map((digit) => ({ ...digit, stride: digit.stride * weight }));
  }
  return [digitAt(dim, weight)];
}

function isSame(a, b) {
  if (a === b || !Array.isArray(a) || !Array.isArray(b)) return a === b;
  const alike = (m, n) => m.divisor === n.divisor && m.radix === n.radix && m.stride === n.stride && isSame(m.axis, n.axis);
  return a.length === b.length && a.every((digit, k) => alike(digit, b[k]));
}

/** The layout whose dimensions lie in row-major order without gaps, the slots rounded up to a multiple. */
function compact(shape, dims, { multiple = 1, element = null } = {}) {
  exactProduct(dims.map((dim) => dim.radix), "the slots go");
  const digits = [];
  let stride = 1;
  for (const dim of [...dims].reverse()) {
    if (dim.radix !== 1) digits.unshift(digitAt(dim, stride));
    stride *= dim.radix;
  }
  const slots = exactProduct([ceilDiv(stride, multiple), multiple], "the slots go");
  return new Layout(shape, digits, { slots, element });
}
