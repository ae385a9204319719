import { bringEngine } from "../engine-edge.js";

export * from "./index.js";

bringEngine();
