// Digits in words: the slot as a formula, and the working of one element.

/** The names of what digits read: x0, x1, ... for axes, and m0, m1, ... for sums, in the order in which they are met. */
class Names {
  constructor(layout) {
    this.layout = layout;
    this.sums = [];
    this.collect(layout.digits);
  }

  collect(digits) {
    for (const { axis } of digits) {
      if (!Array.isArray(axis) || !axis.length || this.sums.some((sum) => isSame(sum, axis))) continue;
      this.collect(axis);
      this.sums.push(axis);
    }
  }

  of(source) {
    if (!Array.isArray(source)) return source === null ? "1" : `x${source}`;
    return source.length ? `m${this.sums.findIndex((sum) => isSame(sum, source))}` : "0";
  }

  /** What a digit reads, of coordinates that are called `source`. */
  reading(digit, source = this.of(digit.axis)) {
    const divided = digit.divisor > 1 ? ` // ${digit.divisor}` : "";
    const folded = digit.radix && digit.divisor * digit.radix < extent(digit.axis, this.layout.shape) ? ` % ${digit.radix}` : "";
    return source + divided + folded;
  }

  sum(digits) {
    const terms = digits.filter((digit) => digit.stride).map((digit) => {
      if (digit.axis === null) return String(digit.stride);
      const reading = this.reading(digit);
      const bracketed = reading.includes(" ") ? `(${reading})` : reading;
      return digit.stride === 1 ? bracketed : `${digit.stride}*${bracketed}`;
    });
    return terms.join(" + ").replaceAll("+ -", "- ") || "0";
  }

  /** The sums that are read, a line for each. */
  get sumLines() {
    return this.sums.map((sum) => `${this.of(sum)} = ${this.sum(sum)}`);
  }

  /** The lines of the formula: the sums that it reads, then the slot. */
  get lines() {
    return [...this.sumLines, `slot = ${this.sum(this.layout.digits)}`];
  }

  /** The working at some coordinates: of every sum, and of the slot, its name, its digits with what they add, and its total. */
  working(x) {
    const worked = (name, digits) => ({
      name,
      total: evaluate(digits, x),
      rows: digits.map((digit) => ({
        reads: digit.axis === null ? "constant" : this.reading(digit),
        of: digit.axis === null ? "" : this.reading(digit, String(read(digit.axis, x))),
        value: valueOf(digit, x),
        stride: digit.stride,
        adds: digit.stride * valueOf(digit, x),
      })),
    });
    return [...this.sums.map((sum) => worked(this.of(sum), sum)), worked("slot", this.layout.digits)];
  }
}
