// Morello's notation: [1, 0, 1 p(4)], [0 oe(8)], ([0, 1], c1) and NHWC. A dimension is {dim, kind, size}, the slowest first.

const MORELLO_MOST = 255;

class MorelloParser extends Cursor {
  parse() {
    const bare = this.word !== "(";
    if (!bare) this.advance();
    const listed = this.skip("NHWC") ? [0, 2, 3, 1].map((dim) => ({ dim, kind: "" })) : this.listed("[", () => this.dim(), "]");
    const contiguous = bare ? listed.length : this.contiguous(listed.length);
    this.finish();
    listed.forEach((entry, place) => this.check(listed, entry, place));
    return joinedDims(listed, listed.length - contiguous);
  }

  /** "," "c" INT ")" */
  contiguous(most) {
    this.expect(",");
    const found = /^c([0-9]+)$/.exec(this.word);
    if (!found || Number(found[1]) > most) throw this.expected(`the number of contiguous dimensions, c0 to c${most}`);
    this.advance();
    this.expect(")");
    return Number(found[1]);
  }

  dim() {
    const at = this.at;
    const dim = this.integer("the number of a dimension");
    if (dim < 0 || dim > MORELLO_MOST) throw this.error(`${dim} is no dimension: they are numbered from 0 to ${MORELLO_MOST}`, at);
    if (this.word === "," || this.word === "]") return { dim, kind: "", at };
    const kind = this.word;
    if (kind !== "p" && kind !== "oe") throw this.expected("p(size), oe(size), ',' or ']'");
    this.advance();
    const begin = this.at + 1;
    const size = this.parenthesised(() => this.integer("a size"));
    if (size < 2 || (kind === "oe" && size % 2)) throw this.error(`${kind}(${size}): sizes are 2 or more, and even for oe`, begin);
    return { dim, kind, size, at };
  }

  check(listed, { dim, kind, at }, place) {
    if (place >= MORELLO_MOST) throw this.error(`a layout has at most ${MORELLO_MOST} physical dimensions`, at);
    const before = listed[place - 1];
    if (!kind && listed.slice(0, place).some((entry) => entry.dim === dim)) {
      throw this.error(`${dim} takes all that is left of dimension ${dim}; it stands outside of all others of it`, at);
    }
    if (kind === "oe" && before?.dim === dim && before.kind === "oe") {
      throw this.error(`two oe of dimension ${dim} side by side are undefined; another dimension belongs between them`, at);
    }
  }
}

/** Neighbours of one dimension as one, as Morello joins them: not where the contiguous dimensions, from number `first` on, begin. */
function joinedDims(dims, first) {
  const found = [];
  dims.forEach((entry, place) => {
    const outer = found.at(-1);
    const stays = outer?.dim !== entry.dim || entry.kind !== "p" || outer.kind === "oe" || (outer.kind ? place === first : place <= first);
    if (stays) found.push(entry);
    else if (outer.kind) found[found.length - 1] = { ...outer, size: exact(outer.size * entry.size, "a pack goes") };
  });
  return found;
}

function bindMorello(dims, shape) {
  const rank = 1 + Math.max(-1, ...dims.map((entry) => entry.dim));
  if (rank > shape.length) throw new LayoutError(`it names dimension ${rank - 1} of an array of ${shape.length}, numbered from 0`);
  if (shape.includes(0)) throw new LayoutError("Morello's dimensions have size 1 or more");
  const left = [...shape];
  const inside = shape.map(() => 1);
  const short = new Set();
  const result = [];
  for (const { dim, kind, size } of [...dims].reverse()) {
    const have = left[dim];
    let taken = size;
    if (!kind) taken = have;
    else if (have < size || have % size) {
      if (short.has(dim) || !(have === 1 || (kind === "p" && have < size))) {
        throw new LayoutError(`${dim} ${kind}(${size}) finds ${have} left of dimension ${dim}, which it does not divide`);
      }
      short.add(dim);
      taken = have;
    }
    const whole = { source: dim, extent: shape[dim], divisor: inside[dim], radix: taken };
    result.unshift(...(kind === "oe" && taken > 1 ? split(whole, 2).reverse() : [whole]));
    inside[dim] *= taken;
    left[dim] = ceilDiv(have, taken);
  }
  const over = left.findIndex((have) => have > 1);
  if (over >= 0) throw new LayoutError(`it covers ${shape[over] / left[over]} of the ${shape[over]} indices of dimension ${over}`);
  return compact(shape, result);
}
