import type { WorkflowDocument } from "../api/document.js";
import { isStepweaveError } from "../api/errors.js";
import type { JournalEntry, JournalStore } from "../api/journal.js";
import type { Workflow } from "../api/workflow.js";
import { isEqual } from "../json/equal.js";
import { damaged, isConflict } from "./errors.js";
import { Recent } from "./recent.js";
import { standingOf } from "./summary.js";

/** A workflow as it is deployed. One that takes no other documents has its runs go on with its own. */
export type Deployed = Pick<Workflow, "start" | "toDocument"> & Partial<Pick<Workflow, "withDocument" | "handlers">>;

/** With which document a run goes on that has begun before a deploy: the one that it began with, or the one that is deployed now. */
export type DocumentOfRuns = "begun" | "newest";

/** The ways to go on, for whoever checks options. */
export const DOCUMENTS_OF_RUNS: readonly DocumentOfRuns[] = ["begun", "newest"];

/** How many earlier documents are held, each with what was compiled of it. */
const HELD = 20;

/** The documents with which runs began, kept by their fingerprints in the store that has the runs' journals. */
export class Documents {
  readonly #workflow: Deployed;
  readonly #store: JournalStore;
  /** Fingerprints of documents that are known to be kept. */
  readonly #kept = new Set<string>();
  /** Workflows by the fingerprints of their documents. */
  readonly #held = new Recent<Deployed>(HELD);

  constructor(workflow: Deployed, store: JournalStore) {
    this.#workflow = workflow;
    this.#store = store;
  }

  /** The store for runs of this workflow, which keeps its document with the first of them. */
  keeping(workflow: Deployed): JournalStore {
    const store = this.#store;
    return {
      load: (id) => store.load(id),
      list: (filter) => store.list(filter),
      delete: (id) => store.delete(id),
      append: async (id, entries, expectedSeq, summary) => {
        for (const entry of entries) {
          const fingerprint = documentIn(entry);
          if (fingerprint !== undefined && !this.#kept.has(fingerprint)) await this.#keep(fingerprint, workflow);
        }
        await store.append(id, entries, expectedSeq, summary);
      },
    };
  }

  /** The workflow with the document that the run of these entries went on with last; as it is deployed, where that is not kept. */
  async of(entries: readonly JournalEntry[]): Promise<Deployed> {
    const fingerprint = entries.reduce<string | undefined>((last, entry) => documentIn(entry) ?? last, undefined);
    if (fingerprint === undefined) return this.#workflow;
    const held = this.#held.get(fingerprint) ?? (await this.#found(fingerprint));
    if (held !== undefined) this.#held.put(fingerprint, held);
    return held ?? this.#workflow;
  }

  async #keep(fingerprint: string, workflow: Deployed): Promise<void> {
    const id = idOf(fingerprint);
    // As text: a document may be nested deeper than what a journal holds.
    const start = { version: 2, workflow: NAME_OF_DOCUMENTS, state: {}, text: JSON.stringify(workflow.toDocument()) } as const;
    const entry: JournalEntry = { key: "start", at: Date.now(), seq: 0, ok: start };
    try {
      await this.#store.append(id, [entry], 0, { ...standingOf([entry]), status: "done" });
    } catch (error) {
      // Another run has kept it.
      if (!isConflict(error)) throw error;
    }
    this.#kept.add(fingerprint);
    this.#held.put(fingerprint, workflow);
  }

  async #found(fingerprint: string): Promise<Deployed | undefined> {
    const id = idOf(fingerprint);
    const text = Object((await this.#store.load(id))?.entries[0]?.ok).text as unknown;
    if (text === undefined) return undefined;
    try {
      return earlier(this.#workflow, JSON.parse(text as string) as WorkflowDocument);
    } catch (error) {
      if (isStepweaveError(error)) throw error;
      throw damaged(`the journal \`${id}\``, "is no document", "put it back as it was, or delete it: runs that began with it then go on with the newest document");
    }
  }
}

/** The workflow with this document, if it is another than its own. */
export function earlier(workflow: Deployed, document: WorkflowDocument): Deployed {
  if (workflow.withDocument === undefined || isEqual(document, JSON.parse(JSON.stringify(workflow.toDocument())))) return workflow;
  return workflow.withDocument(document);
}

/** What lists of runs show for a journal that is a document. */
export const NAME_OF_DOCUMENTS = "stepweave-documents";

function idOf(fingerprint: string): string {
  return `stepweave-document-${fingerprint}`;
}

/** The fingerprint of the document with which a run has begun, or had come to a stop. */
function documentIn({ key, ok }: JournalEntry): string | undefined {
  const fingerprint = key === "start" || key === "end" ? (Object(ok).document as unknown) : undefined;
  return typeof fingerprint === "string" ? fingerprint : undefined;
}
