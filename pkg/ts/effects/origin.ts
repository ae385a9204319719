/** @internal The origin of an http(s) address. */
export function originOf(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  try {
    const { protocol, origin } = new URL(url);
    // No host has a star in its name: whoever writes one means many.
    return (protocol === "https:" || protocol === "http:") && !origin.includes("*") ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** @internal The origin that an address is, and nothing besides: whoever writes a path has to know that it bounds nothing. */
export function originAlone(url: unknown): string | undefined {
  const origin = originOf(url);
  return origin !== undefined && new URL(url as string).href === `${origin}/` ? origin : undefined;
}
