/// <reference types="node" />
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { misused } from "./arguments.js";
import type { DocumentFile } from "./document.js";
import { textOfFile } from "./files.js";

/** The package that holds the builder's page; most who serve a document need none. */
const PACKAGE = "stepweave-builder";

/** Where the page is served. */
const FOLDER = "/builder/";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The builder's page, and the document that it opens. */
export class Builder {
  /** The files of the page by the paths under which they are served: nothing else is, whatever is requested. */
  readonly #files: ReadonlyMap<string, string>;
  readonly #document: DocumentFile;

  private constructor(files: ReadonlyMap<string, string>, document: DocumentFile) {
    this.#files = files;
    this.#document = document;
  }

  /** Finds the page where the package is installed: in the current folder, or beside this one. */
  static async find(document: DocumentFile): Promise<Builder> {
    const folder = join(installed(), "dist");
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = found.filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [FOLDER + path.slice(folder.length + 1).replaceAll("\\", "/"), path] as const;
    });
    const [page] = files.filter(([path]) => path === `${FOLDER}index.html`);
    if (page === undefined) throw misused(`the package ${PACKAGE} has no page in ${folder}`, `install it again: npm install ${PACKAGE}`);
    return new Builder(new Map([...files, [FOLDER, page[1]]]), document);
  }

  /** The address that opens the document, on a server with this origin. */
  address(origin: string): string {
    return `${origin}${FOLDER}#open=${encodeURIComponent(basename(this.#document.path))}`;
  }

  /** What a request for the page gets; nothing where the request is for something else. */
  async answer({ method, url }: Request): Promise<Response | undefined> {
    const { pathname } = new URL(url);
    if (pathname === FOLDER.slice(0, -1)) return new Response(null, { status: 308, headers: { location: FOLDER } });
    if (!pathname.startsWith(FOLDER)) return undefined;
    if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
    const path = this.#files.get(pathname);
    if (path !== undefined) return sent(await readFile(path), MEDIA_TYPES[extname(path)]);
    // Read each time: the page gets what the file holds now.
    if (pathname === FOLDER + encodeURIComponent(basename(this.#document.path))) return sent(await textOfFile(this.#document.path), MEDIA_TYPES[".json"]);
    return new Response(null, { status: 404 });
  }
}

function sent(body: Uint8Array<ArrayBuffer> | string, type = "application/octet-stream"): Response {
  // The page has a policy of its own but for this: no other site may show it inside of itself.
  return new Response(body, { headers: { "content-type": type, "content-security-policy": "frame-ancestors 'none'", "x-content-type-options": "nosniff", "cache-control": "no-cache" } });
}

function installed(): string {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return join(createRequire(from).resolve(`${PACKAGE}/package.json`), "..");
    } catch {
      // It may be at the other place.
    }
  }
  throw misused(`the builder is in the package ${PACKAGE}, which is not installed`, `npm install --save-dev ${PACKAGE}, and call it again`);
}
