/** What stands before the digest of a file in the body of a request to a model, where its bytes go as base64. */
export const STORED = "stepweave-file:";
