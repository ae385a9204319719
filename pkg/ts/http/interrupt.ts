/** The id under which a client answers what a run waits for: it has the run in it, as clients keep nothing else. */
export function interruptId(runId: string, key: string): string {
  return `${encodeURIComponent(runId)}/${key}`;
}

/** The run and the key in such an id; nothing in any other text. */
export function approvalOf(id: string): { readonly runId: string; readonly key: string } | undefined {
  const [, runId, key] = /^([^/]{1,600})\/(.+)$/s.exec(id) ?? [];
  try {
    return runId === undefined || key === undefined ? undefined : { runId: decodeURIComponent(runId), key };
  } catch {
    return undefined;
  }
}
