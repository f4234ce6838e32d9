// Strides, one for each axis, counted in elements: strides=(128,1), offset=5, slots=1024.

class StridesParser extends Cursor {
  parse() {
    if (this.skip("strides")) this.expect("=");
    this.expect("(");
    const strides = [];
    while (this.word !== ")") {
      strides.push(this.integer("a stride or ')'"));
      if (!this.skip(",")) break;
    }
    this.expect(")");
    const found = { strides, offset: this.named("offset") ?? 0, slots: this.named("slots") };
    this.finish();
    return found;
  }

  named(name) {
    if (this.word !== "," || this.following !== name) return null;
    this.advance();
    this.advance();
    this.expect("=");
    const at = this.at;
    const value = this.integer();
    if (value < 0) throw this.error(`${name}=${value} is below 0`, at);
    return value;
  }
}

function bindStrides({ strides, offset, slots }, shape) {
  if (strides.length !== shape.length) {
    const dimensions = `${shape.length} dimensions (${coordinateText(shape)})`;
    throw new LayoutError(`${strides.length} strides for an array of ${dimensions}; give one for each`);
  }
  const moving = strides.map((stride, axis) => ({ axis, divisor: 1, radix: shape[axis], stride })).filter((d) => d.radix > 1 && d.stride);
  return new Layout(shape, offset ? [constant(offset), ...moving] : moving, { slots });
}
