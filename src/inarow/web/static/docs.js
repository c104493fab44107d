// The page of the API: its OpenAPI description in readable form, with a form to try each question.

import { byId, html } from "./dom.js";
import { source } from "./source.js";
import { t } from "./texts.js";

/** @typedef {Record<string, any>} Json */

const api = /** @type {import("./contract.js").ApiQuestions} */ (source.api); // this page is served with the API only
/** @type {Json} */
const description = await api.description();

/**
 * A text with code between backquotes.
 * @param {string} text
 */
const marked = (text) => text.split("`").map((part, nth) => (nth % 2 ? html("code", {}, part) : part));

/**
 * A schema in a few words.
 * @param {Json | undefined} schema
 * @returns {string}
 */
function type(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) {
    return schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(" | ");
  }
  if (schema.anyOf) return schema.anyOf.map(type).join(" | ");
  if (schema.type === "array") {
    return `list of ${schema.prefixItems ? schema.prefixItems.map(type).join(", ") : type(schema.items)}`;
  }
  const range = schema.minimum === undefined ? "" : ` from ${schema.minimum} to ${schema.maximum}`;
  return `${schema.type ?? "anything"}${range}`;
}

/**
 * @param {string} name
 * @param {Json} schema
 */
function fields(name, schema) {
  const required = new Set(schema.required ?? []);
  return html(
    "section",
    { class: "card", id: `schema-${name}` },
    html("h3", {}, name),
    schema.description ? html("p", { class: "note" }, schema.description) : null,
    html(
      "dl",
      { class: "fields-list" },
      ...Object.entries(schema.properties ?? {}).flatMap(([field, about]) => [
        html(
          "dt",
          {},
          html("code", {}, field),
          required.has(field) ? null : html("span", { class: "note" }, " optional"),
        ),
        html("dd", {}, linked(about), ...(about.description ? [" – ", ...marked(about.description)] : [])),
      ]),
    ),
  );
}

/**
 * A text around an element, which it names in braces.
 * @param {"docs.takes" | "docs.returns"} key
 * @param {Node} element
 */
function around(key, element) {
  const [before, after] = t(key, { record: "\n" }).split("\n");
  return [before, element, after];
}

/** @param {Json} schema */
function linked(schema) {
  const words = type(schema);
  const names = Object.keys(description.components.schemas);
  const known = names.find((name) => words.endsWith(name) || words.startsWith(`${name} |`));
  return known ? html("a", { href: `#schema-${known}` }, words) : html("code", {}, words);
}

/**
 * @param {string} path
 * @param {string} method
 * @param {Json} operation
 */
function operationCard(path, method, operation) {
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content["application/json"].schema;
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  return html(
    "section",
    { class: "card operation" },
    html("h3", {}, html("span", { class: `method ${method}` }, method.toUpperCase()), html("code", {}, path)),
    html("p", {}, ...marked(operation.description ?? operation.summary)),
    body ? html("p", {}, ...around("docs.takes", linked(body))) : null,
    answer ? html("p", {}, ...around("docs.returns", linked(answer))) : null,
    method === "get" ? form(path, parameters) : null,
  );
}

/**
 * @param {string} path
 * @param {Json[]} parameters
 */
function form(path, parameters) {
  const output = html("pre", {
    class: "output",
    hidden: true,
    tabindex: "0",
    "aria-label": t("docs.answer"),
  });
  const shown = html("code", { class: "address" });
  /** @type {[string, HTMLInputElement | HTMLSelectElement][]} */
  const inputs = parameters.map(({ name, schema, example, required }) => {
    const choices = schema.enum;
    const value = example ?? schema.examples?.[0] ?? (required ? "" : (schema.default ?? ""));
    const element = choices
      ? html("select", {}, ...choices.map((/** @type {string} */ choice) => html("option", {}, choice)))
      : html("input", { value, spellcheck: "false", autocomplete: "off" });
    return [name, element];
  });
  return html(
    "form",
    {
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const query = Object.fromEntries(inputs.map(([name, element]) => [name, element.value || null]));
        const words = Object.entries(query).filter(([, value]) => value !== null);
        shown.textContent = words.length
          ? `${path}?${words.map(([name, value]) => `${name}=${value}`).join("&")}`
          : path;
        output.hidden = false;
        try {
          output.textContent = JSON.stringify(await api.ask(path, query), null, 2);
        } catch (error) {
          output.textContent = /** @type {Error} */ (error).message;
        }
      },
    },
    parameters.length
      ? html(
          "div",
          { class: "fields" },
          ...inputs.map(([name, element], nth) =>
            html(
              "label",
              { class: name === "position" ? "wide" : "" },
              html(
                "span",
                {},
                html("code", {}, name),
                ` ${parameters[nth].description ?? type(parameters[nth].schema)}`,
              ),
              element,
            ),
          ),
        )
      : null,
    html("p", { class: "ask" }, html("button", { type: "submit" }, t("docs.try")), " ", shown),
    output,
  );
}

/** @type {Map<string, HTMLElement[]>} */
const groups = new Map();
for (const [path, operations] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(/** @type {Json} */ (operations))) {
    const tag = operation.tags?.[0] ?? t("docs.other");
    groups.set(tag, [...(groups.get(tag) ?? []), operationCard(path, method, operation)]);
  }
}
byId("about").textContent = description.info.description;
byId("operations").replaceChildren(
  ...[...groups].flatMap(([tag, cards]) => [html("h2", {}, tag), ...cards]),
  html("h2", {}, t("docs.records")),
  ...Object.entries(description.components.schemas).map(([name, schema]) => fields(name, schema)),
);
