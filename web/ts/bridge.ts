// What the builder's wasm asks of the page. What takes its time is a promise, which the wasm awaits. Options, problems
// and what is kept cross as values; documents, events and journals as JSON text, since they hold data of any kind.
import { prefer, preference } from "./preferences.js";
import { Run } from "./run.js";
import { moveTo, save, saveOnLeaving, type Kept } from "./store.js";
import type { RunOptions, Workers } from "./workers.js";

/** The addresses of the templates, which are fetched when they are chosen. */
const TEMPLATES = import.meta.glob<string>("../../examples/*.json", { query: "?url", import: "default", eager: true });

/** What a run may do. */
interface StartOptions {
  readonly secrets: readonly { readonly name: string; readonly value: string; readonly origin: string }[];
  /** Where it may send anything. */
  readonly allow: readonly string[];
  /** The step that it begins at; nothing for the first one. */
  readonly from?: string;
}

/** What a run goes on with: the journal of a former one, and answers of a person. */
type Past = Pick<RunOptions, "journal" | "answers">;

/** The part of the browser's own model that is asked before a run. */
interface OwnModel {
  availability(options: { expectedInputs: readonly object[]; expectedOutputs: readonly object[] }): Promise<string>;
}

/** The bridge that the builder is mounted with. */
export class Bridge {
  #workers: Promise<Workers> | undefined;

  /** Begins a run. */
  start(document: string, options: StartOptions, past: string): Run {
    const { allow, from } = options;
    const secrets = Object.fromEntries(options.secrets.map(({ name, value, origin }) => [name, { value, origins: [origin] }]));
    const given: RunOptions = { secrets, ...(JSON.parse(past) as Past), ...(from === undefined ? {} : { replay: "edit", from }) };
    return new Run(this.#load().then((workers) => workers.start(document, given, allow)));
  }

  /** Every problem of a document, as the engine finds them. */
  async validate(document: string): Promise<readonly object[]> {
    return (await this.#load()).validate(document);
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

  /** Keeps a text for the next visit; tells whether the browser allowed it. */
  save(text: string): Promise<boolean> {
    return save(text);
  }

  /** Keeps a text where it is, then goes on with what another tab has left; nothing when a tab has that open. */
  async takeOver(place: string, text: string): Promise<Kept | undefined> {
    await save(text);
    return moveTo(place);
  }

  saveOnLeaving(text: string): void {
    saveOnLeaving(text);
  }

  preference(name: string): string | undefined {
    return preference(name);
  }

  prefer(name: string, value: string): void {
    prefer(name, value);
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

  /** The address of a template's document. */
  template(name: string): string {
    return TEMPLATES[`../../examples/${name}.json`] ?? "";
  }

  /** Offers a text as a file. */
  download(name: string, text: string): void {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  #load(): Promise<Workers> {
    this.#workers ??= import("./workers.js").then(
      ({ Workers }) => new Workers(),
      () => {
        this.#workers = undefined;
        throw new Error("A file of the builder that runs workflows did not come. Look whether you are online, then reload the page: your workflow is kept");
      },
    );
    return this.#workers;
  }
}
