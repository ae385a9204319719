export { demo } from "../models/providers.js";
export { cassette, type Cassette, type CassetteOptions } from "../testing/cassette.js";
export type { CassettePlace } from "../testing/place.js";
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions, type TestContext } from "../testing/scripted.js";
export type { ScriptedFunction, ScriptedPart, ScriptedTurn } from "../testing/turn.js";
