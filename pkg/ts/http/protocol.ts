import type { Pending } from "../api/results.js";
import type { EventWriter } from "./event-stream.js";
import type { Input } from "./input.js";

/** In which form events are streamed: their own, that of the AI SDK's `useChat`, or AG-UI's. */
export type StreamProtocol = "events" | "ui-message-stream" | "ag-ui";

/** The names of the protocols. */
export const PROTOCOLS: readonly StreamProtocol[] = ["events", "ui-message-stream", "ag-ui"];

/** What the body of `POST /runs` requests. */
export interface Requested {
  /** The input of a new run. */
  readonly state: object;
  /** Or the answers for one that waits. */
  readonly resumes?: { readonly runId: string; readonly answers: Readonly<Record<string, unknown>> };
  /** What the client calls its conversation and this call, where its protocol has names for them. */
  readonly names?: { readonly threadId: string; readonly runId: string };
}

/** What a stream begins with. */
export interface Beginning {
  readonly runId: string;
  readonly names?: Requested["names"];
  /** Events up to the one of this id are not written. */
  readonly after?: string | undefined;
  /** Where a run goes on with answers: what it waited for, and these. Its client has the earlier events already. */
  readonly resumed?: { readonly pending: readonly Pending[]; readonly answers: Readonly<Record<string, unknown>> };
}

/** A form of streams, and of the bodies that request them. */
export interface Protocol {
  read(body: Readonly<Record<string, unknown>>, input: Input): Promise<Requested>;
  writer(beginning: Beginning): EventWriter;
}
