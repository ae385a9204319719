/** The bytes of a file as base64, when they stand in it: in `data`, or in a `data:` address. */
export function base64Of({ data, url }: { readonly data?: string; readonly url?: string }): string | undefined {
  return data ?? /^data:[^,]*;base64,(.*)$/s.exec(url ?? "")?.[1];
}
