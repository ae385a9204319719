#!/usr/bin/env node
import { ioOfProcess } from "../cli/io.js";
import { main } from "../cli/main.js";
import { setAsyncSource } from "../wasm/source.js";

// Decoded and compiled when a command needs the engine: help does not.
setAsyncSource(async (load) => load((await import("./bytes.js")).bytes()));

const code = await main(process.argv.slice(2), ioOfProcess());
// What still listens, such as a connection that an endpoint keeps open, is no reason to stay. Whoever reads what was written gets all of it.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => void stream.write("", resolve))));
process.exit(code);
