import { bringEngine } from "../engine-workerd.js";

export * from "./index.js";

bringEngine();
