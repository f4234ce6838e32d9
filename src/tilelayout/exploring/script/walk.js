// The walk through the steps: a button for each, the array after it, and its elements on their way there.

const MOVING = 450;

class Walk {
  constructor(explored, name, { coloring, onPick }) {
    Object.assign(this, { explored, coloring, steps: null, number: 0 });
    this.root = el("section", { class: "walk", "aria-label": `step by step, ${name}` }, el("h3", {}, name));
    try {
      this.steps = recipe(explored.layout);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      const says = el("p", {}, "This layout is not made of pads, reshapes and transposes.");
      this.root.append(says, el("pre", { class: "refusal" }, error.message));
      return;
    }
    const { steps } = this;
    this.board = new Board(`${name}: array after the step, the element in each place`, onPick);
    const names = [`the array, ${coordinateText(explored.layout.shape)}`, ...steps.map(stepWords)];
    this.buttons = names.map((name, number) => {
      const button = el("button", { type: "button" }, el("b", {}, String(number)), ` ${name}`);
      button.addEventListener("click", () => this.go(number));
      return button;
    });
    this.code = el("p", { class: "code" });
    const hint = steps.length ? "The last array, read line by line, is the memory." : "No step is needed: the array is its own buffer.";
    const listed = el("ol", { class: "steps" }, ...this.buttons.map((button) => el("li", {}, button)));
    this.root.append(listed, this.code, this.board.root, el("p", { class: "hint" }, hint));
    this.go(0);
  }

  /** Show the array after so many steps. */
  go(number) {
    if (!this.steps || number < 0 || number > this.steps.length) return;
    const before = this.places();
    this.number = number;
    this.buttons.forEach((button) => button.removeAttribute("aria-current"));
    this.buttons[number].setAttribute("aria-current", "step");
    const step = this.steps[number - 1];
    this.code.textContent = `${step ? stepCode(step) : "x"}  # shape ${tupleText(step?.after ?? this.explored.layout.shape)}`;
    this.board.show(() => new StepSheet(this.explored, this.coloring, this.steps, number));
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.move(before);
  }

  color(coloring) {
    this.coloring = coloring;
    this.go(this.number);
  }

  refit() {
    this.board?.refit();
  }

  mark(picked) {
    this.board?.mark(picked);
  }

  /** Where each element is on the screen. */
  places() {
    const cells = [...this.board.table.querySelectorAll("td[class^='c']")];
    return new Map(cells.map((cell) => [cell.textContent, { cell, box: cell.getBoundingClientRect() }]));
  }

  /** Let the elements that were elsewhere before glide to where they are. */
  move(before) {
    for (const [element, { cell, box }] of this.places()) {
      const from = before.get(element)?.box;
      if (!from || (from.x === box.x && from.y === box.y)) continue;
      const begin = { transform: `translate(${from.x - box.x}px, ${from.y - box.y}px)` };
      cell.animate([begin, { transform: "none" }], { duration: MOVING, easing: "ease-in-out" });
    }
  }
}
