// The page: what tilelayout told it, put on the screen.

const told = JSON.parse(document.getElementById("told").textContent);
const byId = (id) => document.getElementById(id);

function explored({ shape, digits, slots, element, title }) {
  return new Explored(new Layout(shape, digits.map(digitOf), { slots, element }), title);
}

const first = explored(told.first);
const rules = colorings(first.layout, first.names);
let coloring = rules[0];
let picked = null;

const firstPane = new Pane(first, coloring, { onPick: (cell) => pick(cell, firstPane) });
const origin = first.layout.shape.map(() => 0);
const firstWalk = new Walk(first, "first layout", { coloring, onPick: (cell) => pick(cell, firstPane) });
let [panes, walks] = [[firstPane], [firstWalk]];

/** Mark what is picked wherever it is shown, and say what is to be said of it. */
function pick(cell, pane) {
  picked = { cell, pane };
  const seen = panes.map((each) => seenBy(each));
  panes.forEach((each, k) => each.mark(seen[k]));
  walks.forEach((each, k) => each.mark(seen[k]));
  const headings = panes.length > 1 ? ["first layout", "second layout"] : [""];
  byId("details").replaceChildren(...panes.map((each, k) => details(each.explored, seen[k], headings[k])));
  byId("status").textContent = panes.map((each, k) => inWords(each.explored, seen[k])).join("; second layout: ");
}

/** What is picked, as a pane has it: an element has a slot in each, and other slots belong to the pane they are picked in. */
function seenBy(pane) {
  const { cell } = picked;
  if (cell.held) return { ...cell, slot: pane.explored.layout.slot(cell.x) };
  return picked.pane === pane ? cell : null;
}

/** Show a second layout beside the first, or none. */
function compare(second) {
  [panes, walks] = [[firstPane], [firstWalk]];
  if (second) {
    const onPick = (cell) => pick(cell, pane);
    const pane = new Pane(second, coloring, { against: first.layout, onPick });
    panes.push(pane);
    walks.push(new Walk(second, "second layout", { coloring, onPick }));
  }
  document.body.classList.toggle("comparing", panes.length > 1);
  byId("panes").replaceChildren(...panes.map((pane) => pane.root));
  byId("walks").replaceChildren(...walks.map((walk) => walk.root));
  [...panes, ...walks].forEach((part) => part.refit());
  byId("difference").textContent = second ? differenceWords(first.layout, second.layout) : "";
  byId("alone").hidden = !second;
  if (picked) pick(picked.cell, picked.pane);
}

/** Do what may be refused, and say why where it is. */
function attempt(field, refusal, work) {
  refusal.textContent = "";
  field.removeAttribute("aria-invalid");
  try {
    work(field.value);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    refusal.textContent = error.message;
    field.setAttribute("aria-invalid", "true");
  }
}

/** The cell of an element or a slot that is asked for: "2,3" or "slot 17". */
function wanted(text) {
  const { layout, inverse } = first;
  const slot = /^\s*slot\s*(\d+)\s*$/.exec(text)?.[1];
  if (slot !== undefined) {
    if (Number(slot) >= layout.slots) throw new LayoutError(`slot ${slot} is none of ${layout.slots}, numbered from 0`);
    if (!inverse.isKnown) throw new LayoutError("what slots hold is not known of this layout");
    const { x, elements } = inverse.at(Number(slot));
    return { x, slot: Number(slot), held: elements > 0 };
  }
  if (!/^\s*\(?[\d\s,]*\)?\s*$/.test(text)) {
    throw new LayoutError(`${text} is no element, such as ${coordinateText(origin)}, and no slot, such as slot 0`);
  }
  const x = [...text.matchAll(/\d+/g)].map(Number);
  if (x.length !== layout.shape.length || !isInside(x, layout.shape)) {
    throw new LayoutError(`(${x.join(", ")}) is no element of shape (${layout.shape.join(", ")})`);
  }
  return { x, slot: layout.slot(x), held: true };
}

byId("compare").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(byId("other"), byId("other-refusal"), (text) => compare(new Explored(readLayout(text, first.layout.shape, told.types), text)));
});
byId("alone").addEventListener("click", () => {
  compare(null);
  byId("other").focus();
});
byId("go").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(byId("place"), byId("place-refusal"), (text) => pick(wanted(text), firstPane));
});
byId("coloring").append(...rules.map(({ says }, k) => el("option", { value: k }, says)));
byId("coloring").addEventListener("change", ({ target }) => {
  coloring = rules[target.value];
  [...panes, ...walks].forEach((part) => part.color(coloring));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select")) return;
  const by = { n: 1, p: -1 }[event.key];
  if (by) walks.forEach((walk) => walk.go(walk.number + by));
});

compare(told.second && explored(told.second));
if (told.second) byId("other").value = told.second.title;
if (first.layout.size) pick({ x: origin, slot: first.layout.slot(origin), held: true }, firstPane);

/** For the console: read a layout as the page does, and find what its slots hold and which steps it is. */
globalThis.tilelayout = {
  read: (text, shape) => readLayout(text, shape, told.types),
  layout: (facts) => explored(facts).layout,
  recipe: (layout) => recipe(layout).map((step) => ({ says: stepWords(step), code: stepCode(step), ...step })),
  Inverse,
  LayoutError,
};
