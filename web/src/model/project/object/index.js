// Serves the workflow from a Cloudflare Worker. Its runs are kept and driven by a Durable Object, which wakes by itself.
import { runsObject } from "stepweave/durable";
import { misconfigured, ownerOf } from "./access.js";
import { runOptions } from "./settings.js";
import { workflow } from "./workflow.js";

const optionsOf = (environment) => ({ authorize: ownerOf(environment), run: runOptions(environment) });

export class Runs extends runsObject(workflow, optionsOf) {}

export default {
  async fetch(request, environment) {
    try {
      // Tried here, where whoever calls can be told: an object that does not begin says nothing.
      optionsOf(environment);
    } catch (error) {
      return misconfigured(error);
    }
    return environment.RUNS.getByName("all").fetch(request);
  },
};
