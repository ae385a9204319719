/**
 * Where the bytes of files are kept, by their digests: beside the journals, which have the digests alone.
 *
 * ```ts
 * const bytes = new Map<string, Uint8Array>();
 * const store: ByteStore = {
 *   async put(digest, content) { bytes.set(digest, content); },
 *   async get(digest) { return bytes.get(digest); },
 * };
 * ```
 */
export interface ByteStore {
  /** Keeps bytes under their digest, such as `sha256-9f86d0…`. The same digest always comes with the same bytes. */
  put(digest: string, bytes: Uint8Array): PromiseLike<void>;
  /** The bytes of this digest; nothing where there are none. */
  get(digest: string): PromiseLike<Uint8Array | undefined>;
}

/** What reads the files of a form for `handler()` of `stepweave/http`: made by `formFiles()` of `stepweave/files`. */
export interface FormFiles {
  /** How many bytes the files of a form may have together. */
  readonly maxTotalBytes: number;
  /** Keeps their bytes, where that is wanted. */
  readonly store: ByteStore | undefined;
  /** Plain JSON for the state, of each file; rejects with `validation` or `limit`. */
  read(files: readonly Blob[]): Promise<readonly object[]>;
}
