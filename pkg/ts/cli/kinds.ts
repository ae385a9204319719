import { isObject } from "../api/json.js";
import { misused } from "./arguments.js";

/** What a JSON file of stepweave may be, by what each alone has. */
type Kind = "document" | "journal" | "tests" | "cassette";

const CALLED: { readonly [kind in Kind]: string } = { document: "a workflow document", journal: "the journal of a run", tests: "a file of tests", cassette: "a cassette" };

/** Throws when a file is another one of stepweave than the command takes, and says what to do with it. What is none is left to its reader. */
export function refuseOther(value: unknown, path: string, wanted: Exclude<Kind, "cassette">): void {
  const kind = kindOf(value);
  if (kind === undefined && wanted === "document") refuseStranger(value, path);
  if (kind === undefined || kind === wanted) return;
  const advice: { readonly [kind in Kind]: string } = {
    document: `stepweave run ${path} runs it; ${wanted === "tests" ? "its tests lie beside it, in a file with \"cases\", and stepweave record makes one of a run" : "a run of it is named by its id, with the --journal FOLDER that it was kept in"}`,
    journal: `stepweave inspect ${path} shows it; stepweave replay takes it behind its document`,
    tests: `stepweave test ${path} runs it`,
    cassette: "tests replay it with cassette() of stepweave/testing",
  };
  throw misused(`${path} is ${CALLED[kind]}, and not ${CALLED[wanted]}`, advice[kind]);
}

/** Throws for an object that has nothing of a document: each of its keys would be one that no document has. */
function refuseStranger(value: unknown, path: string): void {
  if (!isObject(value) || value.steps !== undefined || typeof value.version === "number") return;
  throw misused(`${path} is no workflow document: it has no \`steps\``, 'a document is { "version": 1, "name": "…", "steps": [ … ] }; stepweave new makes one');
}

function kindOf(value: unknown): Kind | undefined {
  const { name, steps, entries, cases, exchanges } = Object(value) as { readonly [key: string]: unknown };
  // What inspect --json writes has steps too.
  if (Array.isArray(steps) && typeof name === "string") return "document";
  if (Array.isArray(entries)) return "journal";
  if (Array.isArray(cases)) return "tests";
  return Array.isArray(exchanges) ? "cassette" : undefined;
}
