import { OWN_EVENTS } from "./own-events.js";
import { Refused } from "./problem.js";
import { PROTOCOLS, type Protocol, type StreamProtocol } from "./protocol.js";

/** How a range of `Accept` says that it is the one thing that must not come. */
const NOT_ACCEPTABLE = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i;

/** The form in which events are streamed to this request; `undefined` where it accepts no stream. */
export function acceptedOf(request: Request, fallback: StreamProtocol): StreamProtocol | undefined {
  const accept = request.headers.get("accept") ?? "";
  const ranges = accept.split(",").filter((range) => /^\s*text\/event-stream\s*(?:;|$)/i.test(range) && !NOT_ACCEPTABLE.test(range));
  if (ranges.length === 0) return undefined;
  // A client may add its own range to the one that was written.
  const named = ranges.flatMap((range) => /;\s*protocol\s*=\s*"?([^\s;"]*)"?/i.exec(range)?.[1] ?? []);
  const [name = fallback] = named;
  if (PROTOCOLS.includes(name as StreamProtocol)) return name as StreamProtocol;
  throw new Refused(406, "validation", "the header Accept names a protocol that is not known", { hint: `use ${PROTOCOLS.join(", ")}, or none` });
}

/** What reads and writes a protocol; those of others are loaded with the first request for them. */
export async function protocolOf(name: StreamProtocol | undefined): Promise<Protocol> {
  switch (name) {
    case "ui-message-stream":
      return (await import("./ui-message.js")).UI_MESSAGE;
    case "ag-ui":
      return (await import("./ag-ui.js")).AG_UI;
    default:
      return OWN_EVENTS;
  }
}
