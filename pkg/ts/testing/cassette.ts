/// <reference lib="esnext.disposable" preserve="true" />
import { StepweaveError } from "../api/errors.js";
import { recordingFetch } from "../effects/recording.js";
import { optionsFrom, quoted } from "../schema/options.js";
import { exchangesOf, textOfExchanges } from "./exchange.js";
import { placeOf, type CassettePlace, type NamedPlace } from "./place.js";
import { Player } from "./player.js";
import { Recorder, type Send } from "./recorder.js";
import { outgoingOf } from "./request.js";

/** How a {@link cassette} works. */
export interface CassetteOptions {
  /**
   * `auto`, the default, records if there is no recording yet and replays otherwise; where the variable `CI` is set it
   * never records. `record` records again, `replay` only replays.
   */
  mode?: "auto" | "record" | "replay" | undefined;
  /** What sends the requests that are recorded; `globalThis.fetch` when absent. */
  fetch?: Send | undefined;
}

/** Recorded answers. */
export interface Cassette extends AsyncDisposable {
  /** Replaces `fetch`: in the option of a run, or wherever else one can be passed. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Writes what was recorded; where answers are replayed, there is nothing to write. */
  save(): Promise<void>;
  /** Like `save()`; in replay, rejects when a response was not used. */
  done(): Promise<void>;
}

/**
 * Keeps what endpoints answer in a file, and gives the same answers afterwards without a network. Requests are known
 * by their method, address and body; each answer is given once, in the order in which they were recorded. Keys are
 * never kept: no header of a request is, `key=` is taken out of addresses, and stars stand where an endpoint repeats a key,
 * as they do for each secret of a run that has this `fetch` as its option.
 *
 * ```ts
 * const answers = cassette("tests/answers.json");
 * const { state } = await workflow.run({ fetch: answers.fetch, secrets: { OPENAI_API_KEY: process.env.OPENAI_API_KEY ?? "none" } });
 * await answers.done();
 * ```
 */
export function cassette(source: string | CassettePlace, options: CassetteOptions = {}): Cassette {
  const { mode = "auto", fetch = (url: string, init: RequestInit) => globalThis.fetch(url, init) } = optionsFrom(options, ["mode", "fetch"], "cassette()");
  if (mode !== "auto" && mode !== "record" && mode !== "replay") {
    throw new StepweaveError("validation", `a cassette has no mode ${quoted(mode)}`, { hint: 'use "auto", "record" or "replay"' });
  }
  const place = placeOf(source);
  let opened: Promise<Player | Recorder> | undefined;
  const open = (): Promise<Player | Recorder> => (opened ??= deckFor(place, mode, fetch));
  const save = async (): Promise<void> => {
    const deck = await open();
    if (deck instanceof Recorder) await place.write(textOfExchanges(deck.exchanges()));
  };
  const done = async (): Promise<void> => {
    await save();
    const deck = await open();
    if (deck instanceof Player) deck.finish();
  };
  return {
    fetch: recordingFetch<Cassette["fetch"]>((secrets) => async (input, init) => {
      const [deck, request] = await Promise.all([open(), outgoingOf(input, init, secrets())]);
      return deck.fetch(request);
    }),
    save,
    done,
    [Symbol.asyncDispose]: done,
  };
}

async function deckFor(place: NamedPlace, mode: "auto" | "record" | "replay", send: Send): Promise<Player | Recorder> {
  if (mode === "record") return new Recorder(send);
  const text = await place.read();
  if (text !== undefined) return new Player(exchangesOf(text, place.name), place.name);
  if (mode === "replay") {
    throw new StepweaveError("validation", `there is nothing to replay: ${place.name} is not there`, {
      hint: 'record it first, with mode: "auto" or "record"',
    });
  }
  if (isCi()) {
    throw new StepweaveError("validation", `${place.name} is not there, and where CI is set nothing is recorded`, {
      hint: "run the test once on your own machine, and add the file to version control",
    });
  }
  return new Recorder(send);
}

function isCi(): boolean {
  const ci = (globalThis as { process?: { env?: { CI?: string } } }).process?.env?.CI;
  return ci !== undefined && !["", "0", "false"].includes(ci.toLowerCase());
}
