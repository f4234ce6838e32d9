// The languages that the page reads, told apart by their form, as tilelayout itself tells them apart.

const LANGUAGES = {
  strides: { form: /^\s*strides\s*=/, parse: (text) => new StridesParser(text).parse(), bind: bindStrides },
  morello: { form: /^\s*\(?\s*(\[|NHWC\b)/, parse: (text) => new MorelloParser(text).parse(), bind: bindMorello },
  xla: { form: /^\s*(\{|[A-Za-z_][A-Za-z0-9_]*\s*[[{])/, parse: (text, types) => new XlaParser(text, types).parse(), bind: bindXla },
  cute: { form: /^\s*(Sw?\s*<|[-\d_(][-\d_(),\s]*:)/, parse: (text) => new CuteParser(text).parse(), bind: bindCute },
};

/** The layout that a text describes, of arrays of this shape. */
function readLayout(text, shape, types) {
  const [, prefix] = /^\s*(\w+)\s*:/.exec(text) ?? [];
  const forced = Object.hasOwn(LANGUAGES, prefix);
  const name = forced ? prefix : Object.keys(LANGUAGES).find((language) => LANGUAGES[language].form.test(text));
  if (!name) {
    const forms = "{1,0:T(8,128)}, (4,8):(8,1), S<3,0,3> o 0 o (8,8):(8,1), [1, 0, 1 p(4)], strides=(8,1)";
    const others = "other languages are read by tilelayout itself: tilelayout explore A --compare B";
    const what = `this page reads XLA, CuTe, Morello and strides, such as\n${forms};\n${others}`;
    throw new LayoutSyntaxError(what, text, text.search(/\S|$/));
  }
  const { parse, bind } = LANGUAGES[name];
  const start = forced ? text.indexOf(":") + 1 : 0;
  const layout = bind(parse(" ".repeat(start) + text.slice(start), types), shape);
  if (!equal(layout.shape, shape)) {
    const shapes = `${coordinateText(layout.shape)}, not ${coordinateText(shape)}`;
    throw new LayoutError(`this is a layout of shape ${shapes}; layouts of one shape are compared`);
  }
  return layout;
}
