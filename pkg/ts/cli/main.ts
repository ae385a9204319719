/// <reference types="node" />
import { readFile } from "node:fs/promises";
import { isStepweaveError } from "../api/errors.js";
import { nearest } from "../schema/nearest.js";
import { argumentsOf, type Flags, misused } from "./arguments.js";
import type { Command } from "./command.js";
import { EXIT, exitOfError } from "./exit.js";
import type { Io } from "./io.js";
import { shownError } from "./shown.js";

/** Each command, loaded when it is called. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  run: async () => (await import("./run.js")).run,
  resume: async () => (await import("./run.js")).resume,
  validate: async () => (await import("./validate.js")).validate,
  types: async () => (await import("./types.js")).types,
  serve: async () => (await import("./serve.js")).serve,
  new: async () => (await import("./new.js")).fresh,
  inspect: async () => (await import("./inspect.js")).inspect,
  replay: async () => (await import("./replay.js")).replay,
  test: async () => (await import("./test.js")).test,
  record: async () => (await import("./record.js")).record,
  "what-if": async () => (await import("./what-if.js")).whatIf,
};

const HELP: Flags = { help: { short: "h", about: "shows this help" } };

/** Does what a command line says, and gives the exit code. Whatever goes wrong is shown; nothing is thrown. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await called(args, io);
  } catch (error) {
    io.stderr.write(shownError(error));
    if (!isStepweaveError(error)) io.stderr.write("hint: this is a fault of stepweave; please report it with the command that you wrote\n");
    return exitOfError(error);
  }
}

async function called([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    io.stdout.write(await helpOfAll());
    return name === undefined ? EXIT.misused : EXIT.done;
  }
  if (name === "--version" || name === "-v") {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
    io.stdout.write(`${version}\n`);
    return EXIT.done;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    const meant = nearest(name, Object.keys(COMMANDS));
    throw misused(`there is no command \`${name}\``, meant === undefined ? "stepweave --help lists the commands" : `did you mean \`stepweave ${meant}\`?`);
  }
  const command = await (COMMANDS[name] as () => Promise<Command>)();
  // Help is given whatever else is there, or is missing.
  if (rest.includes("--help") || rest.includes("-h")) {
    io.stdout.write(helpOf(command));
    return EXIT.done;
  }
  return command.run(argumentsOf(rest, { ...command.flags, ...HELP }, name, command.places), io);
}

async function helpOfAll(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `usage: stepweave <command>\n\n${commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`).join("")}\nstepweave <command> --help shows its flags.\n`;
}

function helpOf({ name, about, places, flags, example }: Command): string {
  const rows = Object.entries({ ...flags, ...HELP }).map(([flag, { value, short, about }]) => [`${short === undefined ? "" : `-${short}, `}--${flag}${value === undefined ? "" : ` ${value}`}`, about] as const);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return `stepweave ${name}: ${about}\n\nusage: stepweave ${[name, ...places].join(" ")}\n\n${rows.map(([flag, about]) => `  ${flag.padEnd(width)}  ${about}\n`).join("")}\nexample: ${example}\n`;
}
