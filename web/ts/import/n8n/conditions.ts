// What n8n compares, as conditions of ours.
import { at, data, list, text, type Data } from "../data";
import { bracketed, isPath } from "../text";
import type { Names } from "./names";
import type { Source } from "./source";

/** The condition of an IF, a filter, or a rule of a switch; undefined where ours cannot say it. */
export function conditionOf(source: Source, names: Names, conditions: unknown, combine: string): string | undefined {
  const given = data(conditions);
  const rows: (string | undefined)[] = [];
  const isLoose = at(given, "options", "typeValidation") === "loose" || at(source.parameters, "options", "looseTypeValidation") === true;
  const sameCase = at(given, "options", "caseSensitive") === false || at(source.parameters, "options", "ignoreCase") === true;
  if (Array.isArray(given["conditions"])) {
    for (const row of list(given["conditions"])) {
      const { leftValue, rightValue, operator } = data(row) as Data & { leftValue: unknown; rightValue: unknown };
      const type = text(data(operator)["type"]);
      const cased = sameCase && type === "string" ? lowered : asItIs;
      const operation = text(data(operator)["operation"]) || "equals";
      const [left, right] = [leftValue, rightValue].map((value) => (isLoose ? asType(names.expression(source, value), type, operation) : names.expression(source, value))) as [string, string];
      rows.push(compare(left, operation, right, type, cased));
    }
  } else {
    // Older files: a list for each type.
    for (const [type, comparisons] of Object.entries(given)) {
      for (const row of list(comparisons)) {
        const { value1, value2, operation } = data(row);
        const said = text(operation) || (type === "number" ? "smaller" : "equal");
        const [left, right] = [value1, value2].map((value) => asType(names.expression(source, value), type, said)) as [string, string];
        rows.push(compare(left, said, right, type));
      }
    }
  }
  if (rows.length === 0 || rows.includes(undefined)) return undefined;
  const between = /^(?:or|any)$/.test(text(given["combinator"]) || combine) ? " or " : " and ";
  return rows.length === 1 ? rows[0] : rows.map((row) => `(${row})`).join(between);
}

/** One comparison of n8n, in all the words that its versions have for it. What it reads may be missing there. */
export function compare(left: string, operation: string, right: string, type: string, cased: (said: string) => string = asItIs): string | undefined {
  const isPlain = type === "number" || type === "boolean";
  const [one, two] = [bracketed(left), bracketed(isPlain ? unquoted(right) : right)];
  const [mine, yours] = [left, isPlain ? unquoted(right) : right].map((said) => bracketed(cased(orNothing(said, type)))) as [string, string];
  switch (operation) {
    case "equals": case "equal": return `${mine} == ${yours}`;
    case "notEquals": case "notEqual": return `${mine} != ${yours}`;
    case "contains": return `${yours} in ${mine}`;
    case "notContains": return `${yours} not in ${mine}`;
    case "startsWith": return `(${mine} | string)[:${yours} | length] == ${yours}`;
    case "notStartsWith": return `(${mine} | string)[:${yours} | length] != ${yours}`;
    case "endsWith": return `(${mine} | string)[-(${yours} | length):] == ${yours}`;
    case "notEndsWith": return `(${mine} | string)[-(${yours} | length):] != ${yours}`;
    case "gt": case "larger": case "after": return `${one} > ${two}`;
    case "gte": case "largerEqual": case "afterOrEquals": return `${one} >= ${two}`;
    case "lt": case "smaller": case "before": return `${one} < ${two}`;
    case "lte": case "smallerEqual": case "beforeOrEquals": return `${one} <= ${two}`;
    case "true": return `${mine} == true`;
    case "false": return `${mine} == false`;
    case "exists": return `${one} is defined and ${one} is not none`;
    case "notExists": return `${one} is undefined or ${one} is none`;
    case "empty": case "isEmpty": return `not (${one} | default(none))`;
    case "notEmpty": case "isNotEmpty": return `not not (${one} | default(none))`;
    case "lengthEquals": return `${mine} | length == ${two}`;
    case "lengthGt": return `${mine} | length > ${two}`;
    case "lengthLt": return `${mine} | length < ${two}`;
    default: return undefined;
  }
}

function unquoted(expression: string): string {
  return /^"(-?\d+(?:\.\d+)?|true|false)"$/.exec(expression)?.[1] ?? expression;
}

/** A field as the type that it is compared as, which a text of a query is none of by itself. */
function asType(said: string, type: string, operation: string): string {
  if (!isPath(said) || /exists|empty/i.test(operation)) return said;
  return type === "number" ? `${said} | default(0) | float` : type === "string" ? `${said} | default('') | string` : said;
}

function asItIs(said: string): string {
  return said;
}

function lowered(said: string): string {
  return `${bracketed(said)} | lower`;
}

/** A field that may be missing, as n8n compares it: a text is an empty one, and so is a list. */
function orNothing(said: string, type: string): string {
  return isPath(said) ? `${said} | default(${type === "string" ? "''" : type === "array" ? "[]" : "none"})` : said;
}
