/// <reference types="vite/types/importMeta.d.ts" />

declare module "*.wasm?url" {
  const url: string;
  export default url;
}
