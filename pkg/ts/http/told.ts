/**
 * Tells `onError`, or the console. An `onError` that throws itself takes nothing along, neither a response nor other runs:
 * then the console has what it was told, and what it threw.
 */
export function telling(onError: ((error: unknown, request: Request | undefined) => unknown) | undefined): (error: unknown, request?: Request) => Promise<void> {
  return async (error, request) => {
    if (onError === undefined) return console.error(error);
    try {
      await onError(error, request);
    } catch (thrown) {
      console.error(error);
      console.error("stepweave: the option `onError` threw:", thrown);
    }
  };
}
