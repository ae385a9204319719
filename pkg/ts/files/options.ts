import { StepweaveError } from "../api/errors.js";
import type { ByteStore } from "../api/files.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";

/** How files are read, and how much of them. */
export interface FilesOptions {
  /**
   * Keeps the bytes, so that the state and the journal only have their digests. Pass the same store to the run, as its
   * option `files`. Without one, images, sounds and whole PDFs are in the state, as base64.
   */
  store?: ByteStore | undefined;
  /** How many files there may be; 10 by default. */
  maxFiles?: number | undefined;
  /** How many bytes a file may have; 10 MiB by default. */
  maxBytes?: number | undefined;
  /** How many bytes all of them may have together; 25 MiB by default. */
  maxTotalBytes?: number | undefined;
  /** How many characters the text of a file may have; 500,000 by default. */
  maxCharacters?: number | undefined;
  /** What becomes of a PDF: its `"text"`, by default, or the `"file"` itself, for models that read PDFs. */
  pdf?: "text" | "file" | undefined;
}

/** The options as they are used. */
export interface Bounds {
  readonly store: ByteStore | undefined;
  readonly pdf: "text" | "file";
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxTotalBytes: number;
  readonly maxCharacters: number;
}

const MIB = 1024 * 1024;
const BY_DEFAULT = { maxFiles: 10, maxBytes: 10 * MIB, maxTotalBytes: 25 * MIB, maxCharacters: 500_000 };

/** Checks the options of `call`; throws `validation`. */
export function boundsOf(options: FilesOptions, call: string): Bounds {
  const { store, pdf = "text", ...given } = optionsFrom(options, ["store", "pdf", ...Object.keys(BY_DEFAULT)], call);
  const wrong = (name: string, value: unknown, hint: string): StepweaveError => new StepweaveError("validation", `the option \`${name}\` of ${call} is ${quoted(value)}`, { hint });
  const bounds = { ...BY_DEFAULT, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
  for (const [name, value] of Object.entries(bounds)) if (!Number.isSafeInteger(value) || value < 1) throw wrong(name, value, "write a whole number from 1 on");
  if (pdf !== "text" && pdf !== "file") throw wrong("pdf", pdf, 'write "text" or "file"');
  checkStore(store, call);
  return { ...bounds, pdf, store };
}

/** Refuses what keeps no bytes; throws `validation`. */
function checkStore(store: unknown, call: string): void {
  const keeps = (name: keyof ByteStore): boolean => typeof (Object(store) as Partial<ByteStore>)[name] === "function";
  if (store === undefined || reading(`the store of ${call}`, () => keeps("put") && keeps("get"))) return;
  throw new StepweaveError("validation", `the store of ${call} keeps no bytes`, { hint: "pass memoryBytes(), unstorageBytes(storage), or an object with put and get" });
}
