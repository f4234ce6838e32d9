// XLA's notation, f32[3,5]{1,0:T(2,2)} or {1,0:T(2,2)}: the properties that a dense array's slots depend on.

const XLA_WORDS = /-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|<=|\/\*[^]*?\*\/|\/\/[^\r\n]*|\/\*[^]*|[^ \t\r\n]/gu;
const XLA_PROPERTIES = ["T", "L", "E", "S", "M"];
const XLA_UNREAD = ["D", "#", "*", "SC", "P"];

class XlaParser extends Cursor {
  constructor(text, types) {
    super(text, XLA_WORDS);
    this.types = types;
  }

  parse() {
    const array = this.word === "{" ? { layout: this.layout() } : this.array();
    this.finish();
    return array;
  }

  array() {
    if (!Object.hasOwn(this.types, this.word)) throw this.expected("an element type, such as f32");
    const [name, bits] = this.types[this.word];
    this.advance();
    const begin = this.at;
    const shape = this.listed("[", () => this.dim(), "]");
    this.made(begin, () => exactProduct(shape, "the elements go"));
    if (this.word === "{" && !/^(:|-?[0-9]+)$/.test(this.following)) {
      this.advance();
      throw this.expected("a dimension number or ':' after '{'");
    }
    return { element: { name, bits }, shape, layout: this.word === "{" ? this.layout() : null };
  }

  dim() {
    if (this.word === "?") throw this.error("an unbounded dimension has no size; write one");
    this.skip("<=");
    const begin = this.at;
    const size = this.integer();
    if (size < 0) throw this.error(`dimension ${size} is negative`, begin);
    return size;
  }

  layout() {
    const begin = this.at;
    this.expect("{");
    const order = [];
    if (this.word !== ":" && this.word !== "}") {
      do order.push(this.integer("a dimension number")); while (this.skip(","));
      if (this.word !== ":" && this.word !== "}") throw this.expected("',', ':' or '}' in the order of dimensions");
    }
    const found = { order, T: [], L: 1, E: 0 };
    if (this.skip(":")) this.properties(found);
    this.expect("}");
    if (!equal([...order].sort((a, b) => a - b), order.map((_, k) => k))) {
      throw this.error(`{${order}} does not name each of ${order.length} dimensions once, from 0 on`, begin);
    }
    return found;
  }

  properties(found) {
    for (const name of XLA_PROPERTIES) {
      this.refuseUnread();
      if (this.skip(name)) found[name] = name === "T" ? this.tiles() : this.sized(name);
    }
    if (this.word === "}") return;
    this.refuseUnread();
    if (XLA_PROPERTIES.includes(this.word)) throw this.error(`property ${this.word} is out of order or twice; the order is T L E S M`);
    throw this.expected("a property (T L E S M) or '}'");
  }

  refuseUnread() {
    if (XLA_UNREAD.includes(this.word)) throw this.error(`property ${this.word} is not read by this page, but by tilelayout itself`);
  }

  sized(name) {
    const begin = this.at;
    const value = this.parenthesised(() => this.integer());
    const [low, high] = { L: [1, MOST], E: [0, MOST], S: [-128, 127], M: [-MOST, MOST] }[name];
    if (value < low || value > high) throw this.error(`${name}(${value}) is out of range, which is ${low} to ${high}`, begin);
    return value;
  }

  tiles() {
    const tiles = [];
    do {
      const begin = this.at;
      const tile = this.listed("(", () => this.entry(), ")");
      if (!tile.length || tile.at(-1) === "*") throw this.error("a tile ends in a size, such as T(8,128) or T(*,128)", begin);
      tiles.push(tile);
    } while (this.word === "(");
    return tiles;
  }

  entry() {
    if (this.skip("*")) return "*";
    const begin = this.at;
    const size = this.integer("a tile dimension or '*'");
    if (size < 1) throw this.error(`tile dimension ${size} is no size of 1 or more`, begin);
    return size;
  }
}

/** The dimensions, in physical order, after a tile has cut them; a star fuses a dimension with the next first. */
function tiled(dims, tile) {
  dims = [...tile.slice(dims.length).map(() => UNIT), ...dims];
  const kept = dims.slice(0, dims.length - tile.length);
  const pairs = [];
  let group = [];
  tile.forEach((size, k) => {
    group.push(dims[kept.length + k]);
    if (size === "*") return;
    pairs.push(split(merge(group), size));
    group = [];
  });
  return [...kept, ...pairs.map(([outer]) => outer), ...pairs.map(([, inner]) => inner)];
}

function bindXla({ element = null, shape: own, layout }, shape) {
  const extents = own ?? shape;
  const { order, T, L, E } = layout ?? { order: extents.map((_, axis) => extents.length - 1 - axis), T: [], L: 1, E: 0 };
  if (order.length !== extents.length) {
    throw new LayoutError(`{${order}} orders ${order.length} dimensions, and the array has ${extents.length}: ${coordinateText(extents)}`);
  }
  const axes = axesOf(extents);
  const dims = T.reduce(tiled, [...order].reverse().map((axis) => axes[axis]));
  return compact(extents, dims, { multiple: L, element: E ? { name: element?.name ?? "", bits: E } : element });
}
