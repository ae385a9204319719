import type { Json } from "./json.js";

/** The name of a secret, whose value a run is given. */
export interface SecretRef {
  secret: string;
}

/** Exactly one of these. */
type OneOf<Ways> = { [Way in keyof Ways]: { [Key in Way]: Ways[Key] } & { [Other in Exclude<keyof Ways, Way>]?: never } }[keyof Ways];

/** An HTTP request: of an `http` step, over the state; or of a tool, over its arguments. */
export interface HttpRequestDocument {
  /** `GET` when absent, `POST` with a body. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** A template. Values are encoded for their position; a URL that is one expression (`{{ url }}`) is taken as it is. */
  url: string;
  /** A template for each parameter. One that is a single expression is left out when it is null; a list repeats the name. */
  query?: { [name: string]: string | undefined } | undefined;
  /** A template for each header, never a key. */
  headers?: { [name: string]: string } | undefined;
  /** What is sent. In `json`, a string that is a single expression becomes the value itself. */
  body?: (OneOf<{ json: Json; form: { [name: string]: string }; multipart: readonly HttpFormPart[] }> & { text?: never }) | { text: string; type?: string | undefined; json?: never; form?: never; multipart?: never } | undefined;
  /** The secret that is sent along, and how. */
  auth?:
    | OneOf<{
        bearer: SecretRef;
        basic: { user: string; password: SecretRef };
        header: { name: string; value: SecretRef };
        query: { name: string; value: SecretRef };
        oauth2: { tokenUrl: string; clientId: string; clientSecret: SecretRef; scope?: string | undefined };
      }>
    | undefined;
  /** Where it may go besides the origin that `url` says literally; needed where it says none. `"any"` takes no secret along. */
  origins?: readonly string[] | "any" | undefined;
  /** An expression over `status`, `headers` and `body`: whether it succeeded. A status from 200 to 299 when absent. */
  success?: string | undefined;
  /** As what the answer's body is read; `auto`, as its content type says, when absent. */
  response?: "auto" | "json" | "text" | "readable" | "bytes" | undefined;
  /** Bytes that the answer's body may have: 2097152 when absent, 33554432 at most. */
  maxBytes?: number | undefined;
  /** An expression over `status`, `headers` and `body`: what the request gives. The body when absent. */
  result?: string | undefined;
  /** How further pages are requested. */
  pages?: HttpPages | undefined;
}

/** A field of a form, or a file: either `text` or `file`. */
export interface HttpFormPart {
  name: string;
  /** A template. */
  text?: string | undefined;
  /** An expression for a text or for `{ mediaType, data }`. */
  file?: string | undefined;
  /** Its media type. */
  type?: string | undefined;
  /** A template: the file's name. */
  filename?: string | undefined;
}

/**
 * How further pages of an answer are requested: `next` is the address of the next page, or the value of a `link` header that has
 * it; `cursor` is what leads there in the query instead. The expressions are over `status`, `headers` and `body` of a page, and
 * give null at the end.
 */
export type HttpPages = {
  /** The list that a page has: those of all pages are joined. The bodies of the pages when absent. */
  items?: string | undefined;
  /** How many pages are requested at most, up to 1000. */
  max: number;
} & ({ next?: string | undefined; cursor?: undefined } | { cursor?: { query: string; value: string } | undefined; next?: undefined });

/** What is done about a request that may have been carried out and has no answer: the step fails, sends it again, or gives null. */
export type OnUnknown = "fail" | "retry" | "skip";
