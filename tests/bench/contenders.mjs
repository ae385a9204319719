// Who runs the shapes, each in a process of its own. In one process they would disturb each other: LangGraph.js, for one,
// uses AsyncLocalStorage, after which every promise of the process costs more, whoever makes it.
import { fork } from "node:child_process";
import { answerOf } from "./answer.mjs";

/** By name: the module that has the contender, and what it is called there. */
const MODULES = {
  "plain loop": ["./contenders/plain.mjs", "contender"],
  Stepweave: ["./contenders/stepweave.mjs", "contender"],
  Mastra: ["./peers/mastra.mjs", "contender"],
  "Mastra mute": ["./peers/mastra.mjs", "mute"],
  "LangGraph.js": ["./peers/langgraph.mjs", "contender"],
};

/** Starts all contenders; those that nobody asks sleep. */
export function startAll() {
  return Promise.all(Object.entries(MODULES).map(([name, [module, member]]) => Contender.start(name, module, member)));
}

class Contender {
  #process;

  constructor(name, process, version) {
    this.name = name;
    this.version = version;
    this.#process = process;
  }

  static async start(name, module, member) {
    const process = fork(new URL("contender.mjs", import.meta.url), [module, member], { execArgv: ["--expose-gc"] });
    const contender = new Contender(name, process);
    contender.version = await contender.ask("version");
    return contender;
  }

  /** What this contender measures of a shape. */
  async ask(measure, shape, options) {
    const answer = answerOf(this.#process, `${this.name}, called for ${measure} of ${shape},`);
    this.#process.send({ measure, shape, options });
    return answer;
  }

  stop() {
    this.#process.disconnect();
  }
}
