import { bringEngine } from "./engine-workerd.js";

export * from "../reasoning/index.js";

// The same file of the deployment, whichever entry brings it.
bringEngine();
