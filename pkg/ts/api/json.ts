/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object of JSON values. */
export type JsonObject = { readonly [key: string]: Json };
