/** Stands for `run/exchanges.ts` here: the engine for functions asks for no request of a document. */
export const exchanged = undefined;
