/// <reference types="node" />
import { StepweaveError, textOf } from "../api/errors.js";
import { reading } from "../schema/options.js";

/** Where a cassette is kept, where there are no files. */
export interface CassettePlace {
  /** The text that was written last; nothing when there is none. */
  read(): string | null | undefined | PromiseLike<string | null | undefined>;
  write(text: string): unknown;
}

/** The storage of a cassette, and its name in messages. */
export interface NamedPlace {
  readonly name: string;
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** The storage that was passed to `cassette()`. */
export function placeOf(source: string | CassettePlace): NamedPlace {
  if (typeof source === "string" && source !== "") return new File(source);
  if (typeof source === "object" && source !== null && reading("the place of a cassette", () => typeof source.read === "function" && typeof source.write === "function")) {
    return {
      name: "the cassette",
      read: async () => (await source.read()) ?? undefined,
      write: async (text) => void (await source.write(text)),
    };
  }
  throw new StepweaveError("validation", "cassette() needs a place to keep what it records", {
    hint: 'pass the path of a file, cassette("tests/answers.json"), or an object with read() and write(text)',
  });
}

/** A file, in Node, Deno and Bun. */
class File implements NamedPlace {
  readonly name: string;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.name = `the cassette ${path}`;
  }

  async read(): Promise<string | undefined> {
    const { readFile } = this.#files();
    try {
      return await readFile(this.#path, "utf8");
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return undefined;
      throw new StepweaveError("validation", `${this.name} cannot be read: ${textOf(error)}`, { cause: error });
    }
  }

  async write(text: string): Promise<void> {
    const { mkdir, rename, writeFile } = this.#files();
    // Beside it first, so that a crash leaves the old one whole.
    const next = `${this.#path}.next`;
    try {
      await mkdir(this.#path.replace(/[^/\\]*$/, "") || ".", { recursive: true });
      await writeFile(next, text);
      await rename(next, this.#path);
    } catch (error) {
      throw new StepweaveError("validation", `${this.name} cannot be written: ${textOf(error)}`, { cause: error });
    }
  }

  /** Not imported: bundlers for pages would look for it, and pages need no files. */
  #files(): typeof import("node:fs/promises") {
    const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
    if (files !== undefined) return files;
    throw new StepweaveError("validation", `${this.name} needs files, and there are none here`, {
      hint: "pass an object with read() and write(text); in Node, files need 20.16 or newer",
    });
  }
}
