/** Stand here for what only agents, their tools and requests of a document need: the engine for functions has none of them. */
export const exchangeOf = undefined;
export const ModelStream = undefined;
export const namerOf = undefined;
export const Network = undefined;
export const rateLimiterOf = undefined;
export const refusalOf = undefined;
export const serversLater = undefined;
export const withBytes = undefined;
