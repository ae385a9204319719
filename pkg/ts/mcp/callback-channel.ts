/** Where the callback page tells the page that opened its window what it was called with. Both have one origin. */
export const CALLBACK_CHANNEL = "stepweave.mcp.callback";
