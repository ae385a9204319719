// What n8n compares, as conditions of ours.
import { at, data, list, text, type Data } from "../data";
import { bracketed } from "../text";
import type { Names } from "./names";
import type { Source } from "./source";

/** The condition of an IF, a filter, or a rule of a switch; undefined where ours cannot say it. */
export function conditionOf(source: Source, names: Names, conditions: unknown, combine: string): string | undefined {
  const given = data(conditions);
  const rows: (string | undefined)[] = [];
  const sameCase = at(given, "options", "caseSensitive") === false || at(source.parameters, "options", "ignoreCase") === true;
  if (Array.isArray(given["conditions"])) {
    for (const row of list(given["conditions"])) {
      const { leftValue, rightValue, operator } = data(row) as Data & { leftValue: unknown; rightValue: unknown };
      const type = text(data(operator)["type"]);
      const side = (value: unknown): string => {
        const said = names.expression(source, value);
        return sameCase && type === "string" ? `${bracketed(said)} | lower` : said;
      };
      rows.push(compare(side(leftValue), text(data(operator)["operation"]) || "equals", side(rightValue), type));
    }
  } else {
    // Older files: a list for each type.
    for (const [type, comparisons] of Object.entries(given)) {
      for (const row of list(comparisons)) {
        const { value1, value2, operation } = data(row);
        rows.push(compare(names.expression(source, value1), text(operation) || (type === "number" ? "smaller" : "equal"), names.expression(source, value2), type));
      }
    }
  }
  if (rows.length === 0 || rows.includes(undefined)) return undefined;
  const between = /^(?:or|any)$/.test(text(given["combinator"]) || combine) ? " or " : " and ";
  return rows.length === 1 ? rows[0] : rows.map((row) => `(${row})`).join(between);
}

/** One comparison of n8n, in all the words that its versions have for it. */
export function compare(left: string, operation: string, right: string, type: string): string | undefined {
  const [one, two] = [bracketed(left), bracketed(type === "number" || type === "boolean" ? unquoted(right) : right)];
  switch (operation) {
    case "equals": case "equal": return `${one} == ${two}`;
    case "notEquals": case "notEqual": return `${one} != ${two}`;
    case "contains": return `${two} in ${one}`;
    case "notContains": return `${two} not in ${one}`;
    case "startsWith": return `(${one} | string)[:${two} | length] == ${two}`;
    case "endsWith": return `(${one} | string)[-(${two} | length):] == ${two}`;
    case "gt": case "larger": case "after": return `${one} > ${two}`;
    case "gte": case "largerEqual": case "afterOrEquals": return `${one} >= ${two}`;
    case "lt": case "smaller": case "before": return `${one} < ${two}`;
    case "lte": case "smallerEqual": case "beforeOrEquals": return `${one} <= ${two}`;
    case "true": return `${one} == true`;
    case "false": return `${one} == false`;
    case "exists": return `${one} is defined and ${one} is not none`;
    case "notExists": return `${one} is undefined or ${one} is none`;
    case "empty": case "isEmpty": return `not (${one} | default(none))`;
    case "notEmpty": case "isNotEmpty": return `not not (${one} | default(none))`;
    case "lengthEquals": return `${one} | length == ${two}`;
    case "lengthGt": return `${one} | length > ${two}`;
    case "lengthLt": return `${one} | length < ${two}`;
    default: return undefined;
  }
}

function unquoted(expression: string): string {
  return /^"(-?\d+(?:\.\d+)?|true|false)"$/.exec(expression)?.[1] ?? expression;
}
