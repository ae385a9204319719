import type { Fetch } from "../api/run.js";
import type { Reach } from "./reach.js";
import type { SecretTable } from "./secrets.js";
import type { Through } from "./through.js";
import type { Trace } from "./trace.js";

/** What requests are bound by. */
export interface Bounds {
  readonly fetch: Fetch | undefined;
  readonly reach: Reach;
  readonly secrets: SecretTable;
  /** What requests go through now; nothing when they go straight. It is asked once a request may be sent. */
  readonly relay: () => Promise<Through | undefined>;
  readonly trace: Trace | undefined;
}

/** A request of a document, as the port's `exchange` is given it, as JSON text. */
export interface Sending {
  readonly method: string;
  /** Relative to `base` where there is one. */
  readonly url: string;
  readonly base?: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The fields of a form with files. */
  readonly parts?: readonly FormPart[];
  readonly auth?: Credential;
  /** Where it may go; anywhere when absent. */
  readonly origins?: readonly string[];
  readonly response: "auto" | "json" | "text" | "readable" | "bytes";
  readonly maxBytes: number;
  /** Whether it must not be sent twice. */
  readonly once: boolean;
  /** For a tool, the call's id. */
  readonly callId?: string;
}

/** A field of a form, or a file. */
export interface FormPart {
  readonly name: string;
  readonly text?: string;
  readonly file?: unknown;
  readonly type?: string;
  readonly filename?: string;
}

/** The name of a secret, and how its value is sent. */
export type Credential =
  | { readonly secret: string; readonly header: string; readonly prefix: string }
  | { readonly secret: string; readonly query: string }
  | { readonly secret: string; readonly user: string }
  | { readonly secret: string; readonly tokenUrl: string; readonly clientId: string; readonly scope?: string };

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Where redirects have led to, if there were any. */
  readonly origin?: string;
}
