// Every piece of TypeScript that the documentation shows passes `tsc --strict`, next to the package as a user installs it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installed } from "./installed.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = join(root, "node_modules/.bin/tsc");

/** The entries whose names examples in doc comments use without importing them, as those of a crate do. */
const ENTRIES = ["stepweave", "stepweave/reasoning", "stepweave/worker", "stepweave/stores", "stepweave/stores/node", "stepweave/testing", "stepweave/ui", "stepweave/http", "stepweave/durable", "stepweave/mcp", "stepweave/mcp/server", "stepweave/openapi", "stepweave/files", "stepweave/otel", "stepweave/log", "stepweave/sandbox", "stepweave/types"];

/** What examples take for granted. */
const GRANTED = `
import type { Agent as AnAgent, InputPart as APart, Json as AJson, ModelRequest, RunResult as AResult, StepweaveError as AnError, Tool, Workflow as AWorkflow } from "stepweave";
import type { ReasoningAgent as APlanner } from "stepweave/reasoning";
import type { DurableObject as ADurableObject } from "cloudflare:workers";
declare global {
  const workflow: AWorkflow;
  const agent: AnAgent, researcher: AnAgent, writer: AnAgent;
  const planner: APlanner;
  const weather: Tool, search: Tool;
  const request: ModelRequest;
  const error: AnError;
  const journal: NonNullable<AResult["journal"]>;
  const messages: any[];
  const env: { AI: { run(model: string, inputs: object): Promise<any> } };
  const key: string, text: string, token: string, url: string, question: string, documentText: string, documentJson: string;
  const worker: Worker;
  function find(query: string): Promise<AJson>;
  const DurableObject: typeof ADurableObject;
}
`;

/** Of workerd's own module, what an example extends. */
const WORKERD = `
declare module "cloudflare:workers" {
  export class DurableObject { protected ctx: { storage: any } }
}
`;

const CONFIG = {
  compilerOptions: {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    resolveJsonModule: true,
  },
  include: ["snippets"],
};

let home;
let snippets;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client", "@ai-sdk/openai", "ai");
  for (const name of ["@types/node", "@opentelemetry/api", "@opentelemetry/sdk-trace", "unstorage", "valibot", "zod"]) await beside(name);
  snippets = [...(await ofGuides()), ...(await ofComments())];
  const folder = join(home.folder, "snippets");
  await mkdir(folder);
  await writeFile(join(home.folder, "tsconfig.json"), JSON.stringify(CONFIG));
  await writeFile(join(folder, "workerd.d.ts"), WORKERD);
  await writeFile(join(folder, "granted.d.ts"), GRANTED);
  await writeFile(join(folder, "workflow.json"), '{ "version": 1, "name": "w", "steps": [] }');
});
after(() => home.remove());

/** A package of the workspace, put where a program of the user finds it. */
async function beside(name) {
  const place = join(home.folder, "node_modules", name);
  await mkdir(join(place, ".."), { recursive: true });
  await symlink(join(root, "node_modules", name), place, "dir");
}

async function filesBelow(folder, ending) {
  const names = await readdir(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

/** The programs of the guides, whole as they stand. */
async function ofGuides() {
  const pages = ["README.md", "pkg/README.md", ...(await filesBelow("docs", ".md"))];
  const found = await Promise.all(pages.map(async (page) => [...(await readFile(join(root, page), "utf8")).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => ({ page, text, imports: "" }))));
  return found.flat();
}

/** The examples in doc comments. They need not import what the package exports. */
async function ofComments() {
  const exported = new Map();
  for (const entry of ENTRIES) for (const name of await namesOf(entry)) if (!exported.has(name)) exported.set(name, entry);
  const files = await filesBelow("pkg/ts", ".ts");
  const found = await Promise.all(
    files.map(async (page) =>
      [...(await readFile(join(root, page), "utf8")).matchAll(/^ *\* ```ts\n(.*?)^ *\* ```$/gms)].map(([, comment]) => {
        const text = comment.replace(/^ *\* ?/gm, "");
        const own = new Set([...text.matchAll(/\b(?:const|let|class|function|interface|type|import) \{?\s*(\w+)/g)].map(([, name]) => name));
        for (const [, names] of text.matchAll(/^import (?:type )?\{(.*?)\}/gms)) for (const name of names.split(",")) own.add(name.trim());
        const words = new Set(text.match(/\b[A-Za-z]\w*\b/g));
        const wanted = [...words].filter((word) => exported.has(word) && !own.has(word));
        return { page, text, imports: wanted.map((name) => `import { ${name} } from "${exported.get(name)}";`).join(" ") };
      }),
    ),
  );
  return found.flat();
}

/** The names that an entry exports, types too. */
async function namesOf(entry) {
  const { exports } = JSON.parse(await readFile(join(root, "pkg/package.json"), "utf8"));
  const conditions = exports[entry.replace("stepweave", ".")];
  const { types } = conditions.types === undefined ? conditions.default === undefined || typeof conditions.default === "string" ? conditions.import : conditions.default : conditions;
  return namesIn(join(home.folder, "node_modules/stepweave", types));
}

/** The names that a file of declarations exports, also those of a file whose names it all passes on. */
async function namesIn(file) {
  const text = await readFile(file, "utf8");
  const others = [...text.matchAll(/^export \* from "(.*)\.js";$/gm)].map(([, path]) => namesIn(join(file, "..", `${path}.d.ts`)));
  const listed = [...text.matchAll(/^export (?:type )?\{(.*?)\}/gms)].flatMap(([, names]) => names.split(","));
  const declared = [...text.matchAll(/^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/gm)].map(([, name]) => name);
  const passedOn = (await Promise.all(others)).flat();
  return [...passedOn, ...listed.map((name) => name.trim().replace(/^type /, "").replace(/^.* as /, "")), ...declared].filter((name) => /^\w+$/.test(name));
}

test("what the documentation shows passes tsc --strict", async () => {
  assert.ok(snippets.length > 150, `only ${snippets.length} pieces were found`);
  for (const [place, { text, imports }] of snippets.entries()) await writeFile(join(home.folder, "snippets", `${place}.ts`), `${imports}\n${text}\nexport {};\n`);
  const { stdout } = await promisify(execFile)(tsc, ["-p", home.folder, "--pretty", "false"], { cwd: home.folder, maxBuffer: 1 << 26 }).catch((error) => error);
  const faults = stdout.split("\n").filter((line) => line.includes("error TS")).map((line) => {
    const [, number] = /snippets\/(\d+)\.ts/.exec(line) ?? [];
    return number === undefined ? line : `${relative(".", snippets[number].page)}: ${line.replace(/^[^:]*: /, "")}\n    ${snippets[number].text.split("\n")[Number(/\((\d+),/.exec(line)?.[1]) - 2] ?? ""}`;
  });
  assert.deepEqual(faults, []);
});

test("a fault in a snippet would be found", async () => {
  const file = join(home.folder, "snippets", "wrong.ts");
  await writeFile(file, 'import { Workflow } from "stepweave";\nnew Workflow({ steps: [] });\nexport {};\n');
  const { stdout } = await promisify(execFile)(tsc, ["-p", home.folder, "--pretty", "false"], { cwd: home.folder, maxBuffer: 1 << 26 }).catch((error) => error);
  assert.match(stdout, /wrong\.ts\(2,\d+\): error TS2741/);
});
