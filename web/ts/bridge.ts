// What the builder's wasm asks of the page. What takes its time is a promise, which the wasm awaits. Options, problems
// and what is kept cross as values; documents, events and journals as JSON text, since they hold data of any kind.
import type { DocumentEditor } from "./code/document.js";
import type { CodeField } from "./code/field.js";
import type { Language, Port } from "./code/port.js";
import { digestsIn } from "./files/bytes.js";
import type { Imported } from "./import/index.js";
import { turnLook, type Look } from "./look.js";
import type { MarkdownPlace } from "./markdown/place.js";
import type { ServerRequest } from "./mcp/list.js";
import type { Making, Reading } from "./openapi.js";
import type { Outcome } from "./outcome.js";
import { prefer, preference } from "./preferences.js";
import { Run } from "./run.js";
import type { Away } from "./store/database.js";
import { Runs } from "./store/runs.js";
import type { Store } from "./store/store.js";
import type { TestRun } from "./test-run.js";
import type { TestOrder } from "./tests.js";
import { Vault } from "./vault/vault.js";
import type { RunOptions, Workers } from "./workers.js";

/** The addresses of the templates, which are fetched when they are chosen. */
const TEMPLATES = import.meta.glob<string>(["../../examples/*.json", "../../examples/patterns/*.json"], { query: "?url", import: "default", eager: true });

/** How long a server takes at most to say which relay it has: a run waits for it. */
const RELAY_MS = 3_000;

/** A key, and where it may go. */
export interface Key {
  readonly value: string;
  readonly origins: readonly string[];
}

/** What a run may do. */
interface StartOptions {
  readonly secrets: readonly (Key & { readonly name: string })[];
  /** Where it may send anything. */
  readonly allow: readonly string[];
  /** The step that it begins at; nothing for the first one. */
  readonly from?: string;
  /** Whether steps that are pinned give that and are not run. */
  readonly pins: boolean;
  /** The stored run that it takes up again. */
  readonly again?: string;
  /** Its number among the runs of its workflow; nothing for one that is none of them, of which nothing is stored. */
  readonly number?: number;
  /** What its requests go through. */
  readonly relay?: Relay;
}

/** A relay, which sends requests in the page's place. */
interface Relay {
  readonly url: string;
  readonly token: string;
  readonly secrets: boolean;
}

/** What a run begins or goes on with: values over the initial state, the journal of a former run, and answers of a person. */
type Past = Pick<RunOptions, "state" | "journal" | "answers">;

/** The time since the last entry of the journal that a run goes on from; nothing where it had only to wait for a time that has not come. */
function awayBefore({ journal }: Past): Away | undefined {
  const entries = typeof journal === "object" && "entries" in journal ? journal.entries : [];
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const to = Date.now();
  // A journal whose last word is an end waited for a person; every other one was cut off.
  if (last.key === "end") return { from: last.at, to, forPerson: true };
  // A wait goes on also where no page is open.
  const keys = new Set(entries.map(({ key }) => key));
  const deadlines = entries.filter(({ key }) => key.endsWith("/deadline") && !keys.has(key.replace(/deadline$/, "waited")));
  const from = Math.max(last.at, ...deadlines.map(({ ok }) => Number(ok)));
  return from < to ? { from, to, forPerson: false } : undefined;
}

function secretsOf({ secrets }: StartOptions): Record<string, Key> {
  return Object.fromEntries(secrets.map(({ name, value, origins }) => [name, { value, origins }]));
}

/** The part of the browser's own model that is queried before a run. */
interface OwnModel {
  availability(options: { expectedInputs: readonly object[]; expectedOutputs: readonly object[] }): Promise<string>;
}

/** The bridge that the builder is mounted with. */
export class Bridge {
  /** Where workflows are stored. */
  readonly store: Store;
  /** Keys that a person has this device remember. */
  readonly vault = new Vault();
  /** What the steps of runs saw, once there was one. */
  #seen: Workers["seen"] | undefined;
  #workers: Promise<Workers> | undefined;
  /** What signs people in, once it is loaded. */
  #door: typeof import("./mcp/sign-in.js") | undefined;
  #signingIn = new AbortController();
  /** Whether the server has said that it has no relay: it is not asked again, and the console says so once. */
  #hasNoRelay = false;

  constructor(store: Store) {
    this.store = store;
  }

  /** Begins a run. */
  start(document: string, options: StartOptions, past: string): Run {
    const { allow, from, pins, relay, number } = options;
    const before = JSON.parse(past) as Past;
    const given: RunOptions = { ...(pins ? { pins } : {}), ...before, ...(from === undefined ? {} : { replay: "edit", from }) };
    const { id } = this.store;
    const runs = number === undefined ? new Runs(undefined, () => {}) : this.store.runs;
    const keeping = runs.keep(id, document, { ...options, number: number ?? 0, ...(options.again !== undefined && { away: awayBefore(before) }) }, digestsIn(past));
    // A run may outlive the token that a person has signed in for.
    const secrets = secretsOf(options);
    const run = Promise.all([this.#load(), this.#door?.renewable(secrets) ?? secrets]).then(([workers, secrets]) => workers.start(keeping.run, id, document, { ...given, secrets, onJournal: keeping.entries }, { allow, relay }));
    return new Run(run, keeping);
  }

  /** The state that an execution of a run saw, as JSON text; of a run of an earlier visit only where it has sent something. */
  async seen(run: string, key: string): Promise<string | undefined> {
    return this.#seen?.state(run, key) ?? (await this.store.runs.saw(run, key));
  }

  /** Runs the tests of a document, or makes one more of a run's journal where it has one. */
  async test(document: string, tests: string, options: StartOptions, record?: string): Promise<TestRun> {
    const { allow, relay } = options;
    const made = record === undefined ? undefined : (JSON.parse(record) as TestOrder["record"]);
    const { id } = this.store;
    return (await this.#load()).test({ document, tests, secrets: secretsOf(options), relay, record: made }, id, allow);
  }

  /** Every problem of a document, as the engine finds them. */
  async validate(document: string): Promise<readonly object[]> {
    return (await this.#load()).validate(document);
  }

  /** Asks an endpoint whether it works, with a key that goes to this origin alone; gives the outcome as JSON text. */
  async probe(document: string, name: string, value: string, origin: string): Promise<string> {
    const secrets = name === "" || value === "" ? {} : { [name]: { value, origins: [origin] } };
    try {
      return JSON.stringify(await (await this.#load()).probe(document, secrets, origin));
    } catch (error) {
      const { message, hint } = error as { message?: string; hint?: string };
      return JSON.stringify({ errors: [{ message: message ?? String(error), hint }] });
    }
  }

  /** What a workflow that sends nothing makes of its values. */
  async evaluate(document: string, most: number): Promise<Outcome> {
    return (await this.#load()).evaluate(document, most);
  }

  /** How far the browser has a model of its own: `none`, or the word of its `availability`. */
  async onDevice(): Promise<string> {
    const { LanguageModel } = globalThis as { LanguageModel?: OwnModel };
    const english = [{ type: "text", languages: ["en"] }];
    try {
      return (await LanguageModel?.availability({ expectedInputs: english, expectedOutputs: english })) ?? "none";
    } catch {
      return "none";
    }
  }

  /** Until the browser has nothing better to do; Safari does not say when. */
  idle(): Promise<void> {
    return new Promise((done) => {
      if ("requestIdleCallback" in globalThis) requestIdleCallback(() => done(), { timeout: 5000 });
      else setTimeout(done, 200);
    });
  }

  /** The relay of the server that the page comes from; nothing where that has none, or none that reaches these origins. */
  async offeredRelay(origins: readonly string[]): Promise<Relay | undefined> {
    const address = new URL("relay", document.baseURI);
    for (const origin of origins) address.searchParams.append("for", origin);
    // Only a server of this machine brings one along, and nothing but its answer says whether it does.
    if (this.#hasNoRelay || !["127.0.0.1", "localhost"].includes(address.hostname)) return undefined;
    try {
      const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(RELAY_MS) });
      this.#hasNoRelay = answer.status === 404;
      const { relay } = (await answer.json()) as { relay?: Partial<Relay> };
      if (typeof relay?.url !== "string" || typeof relay.token !== "string") return undefined;
      return { url: new URL(relay.url, address).href, token: relay.token, secrets: false };
    } catch {
      return undefined;
    }
  }

  /** The next origin that a run asks about. */
  async nextOrigin(): Promise<string> {
    return (await this.#load()).nextOrigin();
  }

  /** Answers a run that asks about an origin: `once`, `run`, `always` or `never`; and with which relay it goes on, where that was chosen too. */
  allow(origin: string, howLong: string, relay?: Relay): void {
    this.#load().then(
      (workers) => workers.allow(origin, howLong, relay),
      () => {},
    );
  }

  /** The origins that are always allowed to runs of the open workflow, without this one from now on. */
  async allowed(without?: string): Promise<readonly string[]> {
    const { id } = this.store;
    return (await this.#load()).allowed(id, without);
  }

  /** What a run takes of a file that a person chose, or why it cannot be read. */
  async readFile(file: File): Promise<Outcome> {
    return (await import("./files/read.js")).read(file);
  }

  /** What an OpenAPI description has. */
  async readOpenApi(text: string): Promise<Reading> {
    return (await import("./openapi.js")).read(text);
  }

  /** The tools of an MCP server as a document has them. */
  async listMcp(request: ServerRequest): Promise<Outcome> {
    return (await import("./mcp/list.js")).list(request);
  }

  /** Loads what signs people in to MCP servers. */
  prepareSignIn(): void {
    import("./mcp/sign-in.js").then(
      (door) => (this.#door = door),
      () => {},
    );
  }

  /** Lets a person sign in to an MCP server. Called in a click: a window opens before anything is awaited. */
  async signIn(url: string, clientId?: string): Promise<Outcome> {
    this.stopSigningIn();
    this.#signingIn = new AbortController();
    if (this.#door !== undefined) return this.#door.signedIn(url, clientId, this.#signingIn.signal);
    this.prepareSignIn();
    return { error: "What signs you in is not here yet. Look whether you are online, and press it again." };
  }

  /** Gives up a sign-in that waits for the person. */
  stopSigningIn(): void {
    this.#signingIn.abort(new Error("You have not signed in."));
  }

  /** A file of another tool as a workflow, with what became of it; undefined for what is none. */
  async readForeign(text: string): Promise<Imported | undefined> {
    return (await import("./import/index.js")).read(text, (document) => this.validate(document));
  }

  /** A link that brings a document along. */
  async linkTo(document: string): Promise<Outcome> {
    return (await import("./share.js")).linkTo(document);
  }

  /** The document that a link brings along. */
  async documentIn(link: string): Promise<Outcome> {
    return (await import("./share.js")).documentIn(link);
  }

  /** Tools of its operations of these names. */
  async openApiTools(text: string, server: string, names: readonly string[], user: string): Promise<Making> {
    return (await import("./openapi.js")).make(text, server, names, user);
  }

  /** Makes a plain field one of code. */
  async codeField(plain: HTMLInputElement | HTMLTextAreaElement, language: Language, read: Port["read"], offers: Port["offers"], entered: Port["entered"], about: Port["about"]): Promise<CodeField> {
    return (await import("./code/field.js")).codeField(plain, language, { read, offers, entered, about });
  }

  /** Makes a text area the editor of a whole document. */
  async documentField(plain: HTMLTextAreaElement): Promise<DocumentEditor> {
    return (await import("./code/field.js")).documentField(plain);
  }

  /** Makes an element a place that shows Markdown. */
  async markdown(place: HTMLElement): Promise<MarkdownPlace> {
    const { MarkdownPlace } = await import("./markdown/place.js");
    return new MarkdownPlace(place);
  }

  preference(name: string): string | undefined {
    return preference(name);
  }

  prefer(name: string, value: string): void {
    prefer(name, value);
  }

  /** Shows the page light, dark or as the system is, or the next of these; gives which. */
  turnLook(look?: Look): Look {
    return turnLook(look);
  }

  /** Puts a text on the clipboard; tells whether the browser allowed it. */
  async copy(text: string): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  /** Copies, cuts or pastes what the page's own listeners do with the browser's keys; tells whether the browser allowed it. */
  async clipboard(act: "copy" | "cut" | "paste"): Promise<boolean> {
    const clipboardData = new DataTransfer();
    const happens = (what: string): boolean =>
      document.body.dispatchEvent(new ClipboardEvent(what, { clipboardData, bubbles: true, cancelable: true }));
    try {
      if (act === "paste") {
        clipboardData.setData("text/plain", await navigator.clipboard.readText());
        happens("paste");
        return true;
      }
      happens("copy");
      await navigator.clipboard.writeText(clipboardData.getData("text/plain"));
      // Nothing is taken away before it is on the clipboard.
      if (act === "cut") happens("cut");
      return true;
    } catch {
      return false;
    }
  }

  /** The address of a template's document. */
  template(name: string): string {
    return TEMPLATES[`../../examples/${name}.json`] ?? "";
  }

  /** Offers a text as a file: a program or a document. */
  download(name: string, text: string): void {
    const type = name.endsWith(".js") ? "text/javascript" : "application/json";
    this.#offer(name, new Blob([text], { type }));
  }

  /** Offers texts, each with its path, as a folder in one packed file; whether what packs it could be loaded. */
  async downloadFolder(name: string, paths: readonly string[], texts: readonly string[]): Promise<boolean> {
    try {
      const { packed } = await import("./zip.js");
      this.#offer(`${name}.zip`, packed(name, paths, texts));
      return true;
    } catch {
      return false;
    }
  }

  #offer(name: string, blob: Blob): void {
    const url = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  #load(): Promise<Workers> {
    this.#workers ??= import("./workers.js").then(
      ({ Workers }) => {
        const workers = new Workers();
        this.#seen = workers.seen;
        return workers;
      },
      () => {
        this.#workers = undefined;
        throw new Error("A file of the builder that runs workflows did not come. Look whether you are online, then reload the page: your workflow is kept");
      },
    );
    return this.#workers;
  }
}
