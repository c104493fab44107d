// The page of results: the counts of Quixo under all rules, as plots and tables.

import { byId, capital, html, select, svg } from "./dom.js";
import { doubleLine, longest } from "./quixo-position.js";
import { chosenShape, showRules } from "./quixo-rules.js";
import { source } from "./source.js";
import { chip, icon } from "./values.js";
import { t } from "./texts.js";

/** @typedef {import("./contract.js").PlyCounts} PlyCounts */
/** @typedef {import("./contract.js").ClassCounts} ClassCounts */

const HEIGHT = 300;
const KINDS = /** @type {const} */ (["win", "draw", "loss"]);
const number = new Intl.NumberFormat(document.documentElement.lang);
const percent = (/** @type {number} */ share) =>
  `${(100 * share).toFixed(share > 0 && share < 0.001 ? 3 : 1)}%`;

/**
 * @param {string} label
 * @param {number} width
 * @param {Node[]} parts
 */
function chart(label, width, parts) {
  return svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${width} ${HEIGHT + 44}`,
      width,
      height: HEIGHT + 44,
      role: "img",
      "aria-label": label,
    },
    ...parts,
  );
}

/**
 * @param {PlyCounts[]} rows
 * @param {number} room
 */
function pliesChart(rows, room) {
  const left = 46;
  const pitch = Math.max(12, Math.min(40, (room - left - 10) / rows.length));
  const gap = pitch > 20 ? 4 : 2;
  const middle = HEIGHT / 2;
  const most = Math.max(...rows.flatMap(({ win, loss }) => [win, loss]));
  const decades = Math.max(1, Math.ceil(Math.log10(most + 1)));
  const unit = (middle - 8) / decades;
  const width = left + rows.length * pitch + 10;
  const height = (/** @type {number} */ count) => (count ? Math.max(2, Math.log10(count + 1) * unit) : 0);
  const parts = [];
  for (let decade = 1; decade <= decades; decade++) {
    for (const y of [middle - decade * unit, middle + decade * unit]) {
      parts.push(svg("path", { class: "grid", d: `M${left} ${y}H${width}` }));
    }
    if (decade % (decades > 8 ? 3 : decades > 3 ? 2 : 1) === 0) {
      for (const y of [middle - decade * unit, middle + decade * unit]) {
        parts.push(
          svg(
            "text",
            { class: "axis end", x: left - 6, y: y + 4 },
            "10",
            svg("tspan", { dy: -5, "font-size": "9" }, String(decade)),
          ),
        );
      }
    }
  }
  rows.forEach(({ plies, win, loss }, nth) => {
    const x = left + nth * pitch + 2;
    const title = t("results.plies-won", { plies, win: number.format(win), loss: number.format(loss) });
    parts.push(
      svg(
        "g",
        {},
        svg("title", {}, title),
        svg("rect", { class: "catch", x: x - 2, y: 0, width: pitch, height: HEIGHT }),
        svg("rect", {
          class: "bar win",
          x,
          y: middle - height(win),
          width: pitch - gap,
          height: height(win),
          rx: 2,
        }),
        svg("rect", { class: "bar loss", x, y: middle, width: pitch - gap, height: height(loss), rx: 2 }),
      ),
    );
    if (plies % (pitch < 24 ? 5 : 2) === 0 || rows.length < 12) {
      parts.push(svg("text", { class: "axis", x: x + pitch / 2 - 2, y: HEIGHT + 18 }, String(plies)));
    }
  });
  parts.push(
    svg("path", { class: "zero", d: `M${left} ${middle}H${width}` }),
    svg("text", { class: "axis", x: left + 20, y: HEIGHT + 38 }, t("results.plies")),
  );
  return chart(t("results.plies-chart"), width, parts);
}

/** @param {ClassCounts[]} classes */
function marksOf(classes) {
  /** @type {{marks: number, win: number, draw: number, loss: number}[]} */
  const rows = [];
  for (const { x, o, ...counts } of classes) {
    const row = (rows[x + o] ??= { marks: x + o, win: 0, draw: 0, loss: 0 });
    for (const kind of KINDS) row[kind] += counts[kind];
  }
  return rows.filter(Boolean);
}

/**
 * @param {ReturnType<typeof marksOf>} rows
 * @param {number} room
 */
function marksChart(rows, room) {
  const left = 46;
  const pitch = Math.max(9, Math.min(44, (room - left - 10) / rows.length));
  const gap = pitch > 20 ? 4 : 2;
  const width = left + rows.length * pitch + 10;
  /** @type {Node[]} */
  const parts = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = 6 + (1 - share) * (HEIGHT - 6);
    return [
      svg("path", { class: "grid", d: `M${left} ${y}H${width}` }),
      svg("text", { class: "axis end", x: left - 6, y: y + 4 }, `${100 * share}%`),
    ];
  });
  rows.forEach((row, nth) => {
    const all = row.win + row.draw + row.loss;
    const x = left + nth * pitch + 2;
    let y = HEIGHT;
    const group = svg(
      "g",
      {},
      svg(
        "title",
        {},
        t("results.marks-shares", {
          marks: row.marks,
          win: percent(row.win / all),
          draw: percent(row.draw / all),
          loss: percent(row.loss / all),
        }),
      ),
    );
    for (const kind of KINDS) {
      const height = (row[kind] / all) * (HEIGHT - 6);
      y -= height;
      if (height) group.append(svg("rect", { class: `bar ${kind}`, x, y, width: pitch - gap, height }));
    }
    parts.push(group);
    if (pitch >= 30 || row.marks % 5 === 0) {
      parts.push(svg("text", { class: "axis", x: x + pitch / 2 - 2, y: HEIGHT + 18 }, String(row.marks)));
    }
  });
  parts.push(svg("text", { class: "axis", x: left + 70, y: HEIGHT + 38 }, t("results.marks-on-board")));
  return chart(t("results.marks-chart"), width, parts);
}

/**
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 */
function table(head, rows) {
  const cell = (/** @type {string | number} */ value) =>
    html("td", {}, typeof value === "number" ? number.format(value) : value);
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, ...head.map((word) => html("th", { scope: "col" }, word)))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell)))),
  );
}

/** @param {number} line */
async function show(line) {
  const { rows, columns } = chosenShape();
  const size = `${rows}x${columns}`;
  showRules(rows, columns, line);
  const rule = doubleLine(select("double-line").value);
  history.replaceState(null, "", `?size=${size}&line=${line}&double_line=${rule}`);
  const summary = byId("summary");
  let stats;
  try {
    stats = await source.quixo.stats({ rows, columns, line, double_line: rule });
  } catch (error) {
    summary.textContent = capital(/** @type {Error} */ (error).message);
    for (const id of ["totals", "by-plies", "plies-table", "by-marks", "marks-table"]) {
      byId(id).replaceChildren();
    }
    // A line that the menu does not have comes from an address.
    if (!select("length").value) showRules(rows, columns, longest(chosenShape()));
    return;
  }
  const { win, draw, loss } = stats.states;
  const all = win + draw + loss;
  const positions = number.format(all);
  summary.replaceChildren(
    stats.plies === null || stats.value === "draw"
      ? t(`results.${stats.value}`, { positions })
      : t(`results.${stats.value}-in`, { positions, plies: stats.plies }),
    chip({ value: stats.value, plies: stats.plies }),
  );
  byId("totals").replaceChildren(
    html(
      "ul",
      { class: "totals" },
      ...KINDS.map((kind) =>
        html(
          "li",
          { class: kind },
          icon(kind),
          html("b", {}, percent(stats.states[kind] / all)),
          ` ${t(`values.${kind}`)} `,
          html("span", { class: "note" }, number.format(stats.states[kind])),
        ),
      ),
    ),
  );
  byId("by-plies").replaceChildren(pliesChart(stats.by_plies, byId("by-plies").clientWidth));
  byId("plies-table").replaceChildren(
    table(
      [t("results.plies"), t("results.won"), t("results.lost")],
      stats.by_plies.map((row) => [row.plies, row.win, row.loss]),
    ),
  );
  const marks = marksOf(stats.classes);
  byId("by-marks").replaceChildren(marksChart(marks, byId("by-marks").clientWidth));
  byId("marks-table").replaceChildren(
    table(
      [t("results.marks"), t("results.won"), t("results.drawn"), t("results.lost")],
      marks.map((row) => [row.marks, row.win, row.draw, row.loss]),
    ),
  );
}

const search = new URLSearchParams(location.search);
for (const [id, name] of [
  ["size", "size"],
  ["double-line", "double_line"],
]) {
  const value = search.get(name)?.replace(/^\d+$/, "$&x$&");
  if (value && [...select(id).options].some((option) => option.value === value)) select(id).value = value;
}
select("size").addEventListener("change", () => show(longest(chosenShape())));
for (const id of ["length", "double-line"]) {
  select(id).addEventListener("change", () => show(Number(select("length").value)));
}
show(Number(search.get("line") ?? longest(chosenShape())));
