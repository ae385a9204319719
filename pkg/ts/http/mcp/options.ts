import { isObject } from "../../api/json.js";
import { optionsFrom, reading, withoutUndefined } from "../../schema/options.js";
import { settingsOf, wrongOption, type ServerOptions, type Settings, type WhoMayCall } from "../options.js";
import type { SealKey } from "./seal.js";

/** The options of `mcpServer()`: those of `handler()` that have a meaning for it, and what waiting clients keep. */
export type McpServerOptions = McpOptions & WhoMayCall;

interface McpOptions extends Pick<ServerOptions, "authorize" | "public" | "run" | "onError" | "origins" | "hosts" | "maxBodyBytes" | "maxRuns"> {
  /**
   * Keys that seal what a client keeps while a person is asked. The first one seals and all of them open, so a new one is
   * put before the others, and an old one stays until what it sealed is too old.
   */
  keys: readonly SealKey[];
  /** Where the runs of this server are kept. With a store clients keep the sealed id of their run alone, and no answer counts twice. */
  store?: ServerOptions["store"];
  /**
   * With a store: after how many milliseconds without an entry a run that was being continued, and by no call of this instance, is
   * taken for one whose process has ended, so that the next call continues it. Five minutes by default; choose more than your
   * longest step takes, because another instance may be waiting for it.
   */
  staleMs?: number | undefined;
  /** Under which names workflows are listed as tools, by their own: `{ "Pay a bill": "pay_bill" }`. By default their own, with `_` for what no tool's name has. */
  names?: Readonly<Record<string, string>> | undefined;
  /** How long a person has to answer, in milliseconds; a day by default. */
  validMs?: number | undefined;
  /** How many characters clients are given to keep at most; 64 KiB by default. */
  maxStateBytes?: number | undefined;
  /** How many bytes a journal has at most that clients keep, before it is packed; 4 MiB by default. */
  maxJournalBytes?: number | undefined;
}

const OWN = ["keys", "names", "staleMs", "validMs", "maxStateBytes", "maxJournalBytes"] as const;
const SHARED = ["authorize", "public", "run", "onError", "origins", "hosts", "maxBodyBytes", "maxRuns", "store"];

/** The options as they are used. */
export interface McpSettings extends Settings {
  readonly keys: readonly SealKey[];
  readonly names: ReadonlyMap<string, string>;
  readonly staleMs: number;
  readonly validMs: number;
  readonly maxStateBytes: number;
  readonly maxJournalBytes: number;
}

const DAY_MS = 86_400_000;
const FIVE_MINUTES_MS = 300_000;

/** What the protocol takes as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Checks the options; throws `validation`. */
export function mcpSettingsOf(options: McpOptions): McpSettings {
  const of = "mcpServer()";
  return reading(`the options of ${of}`, () => {
    const { keys, names = {}, staleMs = FIVE_MINUTES_MS, validMs = DAY_MS, maxStateBytes = 65_536, maxJournalBytes = 4 * 1024 * 1024, ...shared } = optionsFrom(options, [...OWN, ...SHARED], of);
    for (const [name, value] of Object.entries({ staleMs, validMs, maxStateBytes, maxJournalBytes })) {
      if (!(Number.isSafeInteger(value) && value > 0)) throw wrongOption(of, name, value, "write a whole number above 0");
    }
    return { ...settingsOf({ maxBodyBytes: 1024 * 1024, ...withoutUndefined(shared) }, of), keys, names: namesFrom(names, of), staleMs, validMs, maxStateBytes, maxJournalBytes };
  });
}

function namesFrom(names: unknown, of: string): ReadonlyMap<string, string> {
  if (!isObject(names)) throw wrongOption(of, "names", names, 'write the names of tools by those of workflows: { "Pay a bill": "pay_bill" }');
  const entries = Object.entries(names);
  const wrong = entries.find(([, name]) => typeof name !== "string" || !TOOL_NAME.test(name));
  if (wrong !== undefined) throw wrongOption(of, `names[${JSON.stringify(wrong[0])}]`, wrong[1], "write 1 to 128 letters from a to z, digits, `_`, `-` and `.`");
  return new Map(entries as [string, string][]);
}
