// The working of what is picked: its place, and its slot digit by digit.

/** What is picked, in a line of words. */
function inWords({ layout, inverse }, picked) {
  if (!picked) return "what is picked is padding of the other layout";
  if (picked.slot === null) return picked.says;
  const { x, slot, held } = picked;
  const byte = layout.place(slot);
  const place = `slot ${slot}${byte && `, ${byte}`}`;
  if (held) {
    const { elements } = inverse.isApart ? { elements: 1 } : inverse.isKnown ? inverse.at(slot) : { elements: 1 };
    return `${called(x)} lies in ${place}${elements > 1 ? `, which ${elements} elements share` : ""}`;
  }
  if (!x) return `${place} is padding`;
  const beyond = x.map((n, axis) => (n >= layout.shape[axis] ? `axis ${axis}` : "")).filter(Boolean);
  return `${place} is padding: the place of (${x.join(", ")}), beyond the end of ${beyond.join(" and ")}`;
}

/** The working of what is picked, as an element of the document. */
function details(explored, picked, heading) {
  const head = ["digit", "reads", "value", "stride", "adds"].map((word) => el("th", { scope: "col" }, word));
  const parts = picked?.x ? explored.names.working(picked.x).map(workingPart) : [];
  return el(
    "section",
    { class: "working" },
    ...(heading ? [el("h3", {}, heading)] : []),
    el("p", { class: "picked" }, inWords(explored, picked)),
    ...(parts.length ? [el("table", {}, el("thead", {}, el("tr", {}, ...head)), ...parts)] : []),
  );
}

function workingPart({ name, rows, total }) {
  const lines = rows.map(({ reads, of, value, stride, adds }) => {
    return el("tr", {}, el("th", { scope: "row" }, reads), ...[of, value, stride, adds].map((text) => el("td", {}, String(text))));
  });
  const last = el("tr", { class: "total" }, el("th", { scope: "row", colspan: 4 }, name), el("td", {}, String(total)));
  return el("tbody", {}, ...lines, last);
}
