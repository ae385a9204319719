/** Sends, and sends once more what went into a connection that the server was closing; browsers do that by themselves. */
export function sentAgain<Answer>(send: () => PromiseLike<Answer>): Promise<Answer> {
  const sent = async (): Promise<Answer> => send();
  return sent().catch((error: unknown) => (isClosedMeanwhile(error) ? sent() : Promise.reject(error)));
}

/** Whether Node has sent into a connection that it had kept and the server was closing. Nobody has read the request. */
export function isClosedMeanwhile(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown; socket?: { bytesRead?: number } } } | undefined)?.cause;
  return cause?.code === "UND_ERR_SOCKET" && (cause.socket?.bytesRead ?? 0) > 0;
}
