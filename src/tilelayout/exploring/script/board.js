// A board: the part of a sheet that there is room for, as a table to point at and to walk through by keyboard.

const MOST_ROWS = 16;
/** The ways to other parts of a sheet: a sign, how many pages down and to the right, and a name. */
const PAGES = [
  ["↑", -1, 0, "rows before"],
  ["↓", 1, 0, "rows after"],
  ["←", 0, -1, "columns before"],
  ["→", 0, 1, "columns after"],
];
/** What a cell takes beside its characters, in pixels. */
const AROUND = 13;

/** An element of the document; attributes that are null or false are left out. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

class Board {
  /** `label` names the board; `onPick(cell)` is told of the cell that is pointed at or walked to. */
  constructor(label, onPick) {
    Object.assign(this, { onPick, make: null, picked: null, top: 0, left: 0 });
    this.table = el("table", { role: "grid", "aria-label": label });
    this.says = el("span");
    this.pages = PAGES.map(([sign, down, right, name]) => {
      const button = el("button", { type: "button", "aria-label": `${label}: ${name}` }, sign);
      button.addEventListener("click", () => this.turn(down, right));
      return { button, down, right };
    });
    this.overview = new Overview((row, column) => this.pick(row, column));
    this.window = el("div", { class: "window" }, this.overview.root, this.says, ...this.pages.map(({ button }) => button));
    this.measure = el("span", { class: "measure", "aria-hidden": "true" }, "0".repeat(20));
    this.root = el("div", { class: "board" }, this.measure, this.table, this.window);
    this.table.addEventListener("pointermove", (event) => this.pointed(event));
    this.table.addEventListener("focusin", (event) => this.focused(event));
    this.table.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver(() => requestAnimationFrame(() => this.refit())).observe(this.root);
  }

  /** Show what `make` makes, of a function that says how many columns of so many characters there is room for. */
  show(make) {
    Object.assign(this, { make, room: 0, at: null });
    this.refit();
  }

  /** Show as much as there is room for, where that has changed. */
  refit() {
    const room = this.root.clientWidth;
    if (!room || room === this.room || !this.make) return;
    this.room = room;
    const character = this.measure.getBoundingClientRect().width / 20;
    const fits = (chars, headChars) => Math.max(1, Math.floor((room - headChars * character - 2 * AROUND) / (chars * character + AROUND)));
    this.sheet = this.make(fits);
    this.wide = Math.min(this.sheet.columns, fits(this.sheet.chars, this.sheet.headChars));
    this.high = Math.min(this.sheet.rows, MOST_ROWS);
    this.top = Math.min(this.top, this.sheet.rows - this.high);
    this.left = Math.min(this.left, this.sheet.columns - this.wide);
    this.overview.paint(this.isWhole ? null : this.sheet);
    this.keepFocus(() => {
      this.render();
      this.mark(this.picked);
    });
  }

  /** Do what may replace the cell that has the focus, and give the focus to the one in its place. */
  keepFocus(work) {
    const hadFocus = this.table.contains(document.activeElement);
    work();
    if (hadFocus && !this.table.contains(document.activeElement)) this.table.querySelector("[tabindex='0']")?.focus();
  }

  /** Mark the cell of what is picked, in view; none where the sheet has none. */
  mark(picked) {
    this.picked = picked;
    const at = picked && this.sheet && this.sheet.locate(picked);
    this.keepFocus(() => {
      if (at) {
        this.at = at;
        this.reveal(at);
      }
      this.table.querySelectorAll(".here").forEach((cell) => cell.classList.remove("here"));
      if (at) this.around(at).forEach((cell) => cell.classList.add("here"));
      this.makeReachable();
    });
  }

  /** The cell at a place that is in view, and its heads. */
  around({ row, column }) {
    const [head, line] = [this.table.rows[0], this.table.rows[row - this.top + 1]];
    return [line.cells[column - this.left + 1], line.cells[0], head.cells[column - this.left + 1]];
  }

  /** One cell of the board can be reached by Tab. */
  makeReachable() {
    this.table.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
    const { row, column } = this.at ?? {};
    const cell = this.table.querySelector(`[data-row='${row}'][data-column='${column}']`) ?? this.table.querySelector("td");
    cell?.setAttribute("tabindex", 0);
  }

  reveal({ row, column }) {
    const top = shifted(this.top, row, this.high);
    const left = shifted(this.left, column, this.wide);
    if (top !== this.top || left !== this.left) {
      Object.assign(this, { top, left });
      this.render();
    }
  }

  /** Show the page of rows or columns before or after. */
  turn(down, right) {
    this.top = Math.max(0, Math.min(this.sheet.rows - this.high, this.top + down * this.high));
    this.left = Math.max(0, Math.min(this.sheet.columns - this.wide, this.left + right * this.wide));
    const row = Math.min(Math.max(this.at?.row ?? 0, this.top), this.top + this.high - 1);
    const column = Math.min(Math.max(this.at?.column ?? 0, this.left), this.left + this.wide - 1);
    this.render();
    this.pick(row, column);
  }

  render() {
    const { sheet, top, left, wide, high } = this;
    const columns = Array.from({ length: wide }, (_, k) => left + k);
    const rows = Array.from({ length: high }, (_, k) => top + k);
    this.table.style.setProperty("--chars", sheet.chars);
    this.table.setAttribute("aria-rowcount", sheet.rows);
    this.table.setAttribute("aria-colcount", sheet.columns);
    const names = columns.map((column) => el("th", { scope: "col" }, sheet.columnName(column)));
    const head = el("tr", {}, el("th", { class: "corner" }, sheet.corner), ...names);
    const lines = rows.map((row) => {
      const cells = columns.map((column) => this.cellAt(row, column));
      return el("tr", { "aria-rowindex": row + 1 }, el("th", { scope: "row" }, sheet.rowName(row)), ...cells);
    });
    this.table.replaceChildren(el("thead", {}, head), el("tbody", {}, ...lines));
    this.showWindow();
  }

  cellAt(row, column) {
    const { sheet } = this;
    const cell = sheet.cell(row, column);
    const levels = [["t", sheet.rowLevel(row)], ["l", sheet.columnLevel(column)]].filter(([, level]) => level !== null);
    const borders = levels.map(([side, level]) => `${side}-${level}`).join(" ");
    if (!cell) return el("td", { class: `none ${borders}`, role: "presentation" });
    const place = { "data-row": row, "data-column": column, "aria-colindex": column + 1, tabindex: -1 };
    return el("td", { class: `${kindOf(cell)} ${borders}`, role: "gridcell", "aria-label": cell.says, ...place }, cell.label);
  }

  get isWhole() {
    return this.high === this.sheet.rows && this.wide === this.sheet.columns;
  }

  showWindow() {
    const { sheet, top, left, wide, high } = this;
    this.window.hidden = this.isWhole;
    this.overview.frame(this);
    if (!sheet.rows) return this.table.replaceChildren(el("caption", {}, "nothing: the array has no elements"));
    const part = (name, first, count, all) => (count === all ? "" : `${name} ${first} to ${first + count - 1} of ${all}`);
    this.says.textContent = [part("rows", top, high, sheet.rows), part("columns", left, wide, sheet.columns)].filter(Boolean).join(", ");
    for (const { button, down, right } of this.pages) {
      button.hidden = down ? high === sheet.rows : wide === sheet.columns;
      const isFirst = (down < 0 && !top) || (right < 0 && !left);
      button.disabled = isFirst || (down > 0 && top + high >= sheet.rows) || (right > 0 && left + wide >= sheet.columns);
    }
    return null;
  }

  /** Pick the cell at a place of the sheet; whether there is one. */
  pick(row, column, { focus = false } = {}) {
    const cell = this.sheet.cell(row, column);
    if (!cell) return false;
    this.at = { row, column };
    this.reveal(this.at);
    this.onPick(cell);
    this.at = { row, column };
    this.makeReachable();
    if (focus) this.around(this.at)[0].focus();
    return true;
  }

  pointed(event) {
    const spot = `${event.screenX},${event.screenY}`;
    const cell = event.target.closest("td[data-row]");
    if (!cell || spot === this.spot) return; // the page moved, and not the pointer
    this.spot = spot;
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    if (!cell.classList.contains("here")) this.pick(row, column);
  }

  focused(event) {
    const cell = event.target.closest("td[data-row]");
    if (cell && !cell.classList.contains("here")) this.pick(Number(cell.dataset.row), Number(cell.dataset.column), { focus: true });
  }

  pressed(event) {
    const { sheet } = this;
    const { row, column } = this.at ?? { row: 0, column: 0 };
    const [lastRow, lastColumn] = [sheet.rows - 1, sheet.columns - 1];
    const along = (level, at, last, by) => {
      let next = at + by;
      while (event.shiftKey && next > 0 && next < last && level.call(sheet, next) === null) next += by;
      return next;
    };
    const targets = {
      ArrowUp: () => [along(sheet.rowLevel, row, lastRow, -1), column],
      ArrowDown: () => [along(sheet.rowLevel, row, lastRow, 1), column],
      ArrowLeft: () => [row, along(sheet.columnLevel, column, lastColumn, -1)],
      ArrowRight: () => [row, along(sheet.columnLevel, column, lastColumn, 1)],
      PageUp: () => [row - MOST_ROWS, column],
      PageDown: () => [row + MOST_ROWS, column],
      Home: () => [event.ctrlKey ? 0 : row, 0],
      End: () => [event.ctrlKey ? lastRow : row, lastColumn],
    };
    if (event.altKey || event.metaKey || !Object.hasOwn(targets, event.key)) return;
    event.preventDefault();
    const [down, right] = targets[event.key]();
    const within = (n, last) => Math.max(0, Math.min(last, n));
    this.pick(within(down, lastRow), within(right, lastColumn), { focus: true });
  }
}

/** The classes of a cell. */
function kindOf({ held, says, fill, moved, stays }) {
  if (!held) return says === "nothing" ? "void" : "padding";
  return `c${fill}${moved ? " moved" : ""}${stays ? " stays" : ""}`;
}

/** Where a window of so many places begins so that one of them is in it: as it was, or with the place in its middle. */
function shifted(begin, place, count) {
  if (place >= begin && place < begin + count) return begin;
  if (place === begin - 1 || place === begin + count) return place < begin ? place : place - count + 1;
  return Math.max(0, place - Math.floor(count / 2));
}
