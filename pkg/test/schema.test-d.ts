// Types flow from a library's schema. Checked by tsc against the sources, since no entry exports these yet.
import * as v from "valibot";
import { z } from "zod";
import type { InferInput, InferOutput, StandardSchema } from "../ts/api/schema.js";

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;
declare function takes<Schema extends StandardSchema | object>(schema: Schema): { input: InferInput<Schema>; output: InferOutput<Schema> };

const zod = takes(z.object({ size: z.string().transform(Number), unit: z.string().default("m") }));
sure<Equal<typeof zod.input, { size: string; unit?: string | undefined }>>();
sure<Equal<typeof zod.output, { size: number; unit: string }>>();

const valibot = takes(v.object({ size: v.pipe(v.string(), v.transform(Number)) }));
sure<Equal<typeof valibot.input, { size: string }>>();
sure<Equal<typeof valibot.output, { size: number }>>();

const json = takes({ type: "object" });
sure<Equal<typeof json.input, unknown>>();
sure<Equal<typeof json.output, unknown>>();
