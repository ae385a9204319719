export { demo } from "./models.js";
export { cassette, type Cassette, type CassetteOptions } from "./testing/cassette.js";
export type { CassettePlace } from "./testing/place.js";
