/** Where the callback page sends the page that opened its window what it was called with. Both have one origin. */
export const CALLBACK_CHANNEL = "stepweave.mcp.callback";
