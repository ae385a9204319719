export { formFiles, readFiles, type FileSource, type MediaFile, type ReadFile, type TextFile } from "../files/read.js";
export type { FilesOptions } from "../files/options.js";
export { memoryBytes, unstorageBytes, type RawStorage } from "../files/stores.js";
export type { ByteStore, FormFiles } from "../api/files.js";
