export { demo } from "../models/providers.js";
export { cassette, type Cassette, type CassetteOptions } from "../testing/cassette.js";
export type { CassettePlace } from "../testing/place.js";
export {
  scriptedModel,
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPart,
  type ScriptedTurn,
  type TestContext,
} from "../testing/scripted.js";
