import type { Json } from "./document.js";

/** A JSON Schema, or a schema of a library that follows Standard Schema (zod, valibot, arktype, …). */
export type Schema = Json | StandardSchema<any, any>;

/**
 * A schema of any library that follows [Standard Schema](https://standardschema.dev), such as zod, valibot or arktype.
 *
 * ```ts
 * import { z } from "zod";
 *
 * const city: StandardSchema<{ name: string }> = z.object({ name: z.string() });
 * ```
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema accepts; `unknown` for a JSON Schema. */
export type InferInput<Schema> = Schema extends StandardSchema<infer Input, any> ? Input : unknown;

/** The output of a schema, after its defaults and transforms; `unknown` for a JSON Schema. */
export type InferOutput<Schema> = Schema extends StandardSchema<any, infer Output> ? Output : unknown;

/**
 * The type of a schema: the output of a library's schema, or the type that the plain keywords of a JSON Schema describe
 * (`type`, `properties`, `required`, `items`, `enum`, `const`, `anyOf`, `oneOf`); `any` without such keywords. What has a
 * `default` is there, but need not be `given`.
 *
 * ```ts
 * type Args = TypeOf<{ type: "object"; properties: { city: { type: "string" } }; required: ["city"] }>; // { city: string }
 * ```
 */
export type TypeOf<Schema, Side extends "made" | "given" = "made"> = Schema extends StandardSchema<any, infer Output>
  ? Output
  : Schema extends { const: infer Value }
    ? Value
    : Schema extends { enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { anyOf: readonly (infer One)[] } | { oneOf: readonly (infer One)[] }
        ? TypeOf<One, Side>
        : Schema extends { type: readonly (infer Name)[] }
          ? Name extends string
            ? OfType<Schema, Name, Side>
            : any
          : Schema extends { type: infer Name extends string }
            ? OfType<Schema, Name, Side>
            : any;

/** The type that one word of `type` describes, with what the schema says beside it. */
type OfType<Schema, Name extends string, Side extends "made" | "given"> = Name extends "object"
  ? Schema extends { properties: infer Properties }
    ? Members<Properties, (Schema extends { required: readonly (infer Key)[] } ? Key : never) | (Side extends "made" ? Filled<Properties> : never), Side>
    : Plain["object"]
  : Name extends "array"
    ? Schema extends { items: infer Item }
      ? TypeOf<Item, Side>[]
      : Plain["array"]
    : Name extends keyof Plain
      ? Plain[Name]
      : any;

/** The properties that are filled in where they are not given. */
type Filled<Properties> = { [Key in keyof Properties]: Properties[Key] extends { default: unknown } ? Key : never }[keyof Properties];

interface Plain {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
  array: any[];
  object: { [key: string]: any };
}

type Members<Properties, Required, Side extends "made" | "given"> = Flat<
  { -readonly [Key in keyof Properties as Key extends Required ? Key : never]: TypeOf<Properties[Key], Side> } & {
    -readonly [Key in keyof Properties as Key extends Required ? never : Key]?: TypeOf<Properties[Key], Side>;
  }
>;

type Flat<Object> = { [Key in keyof Object]: Object[Key] };
