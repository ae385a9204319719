// In CommonJS two files of the package would be two engines: both entries are of this one.
export * as main from "./inline.js";
export * as reasoning from "../reasoning/index.js";
