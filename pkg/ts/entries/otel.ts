export { traced, type TracedOptions } from "../otel/traced.js";
