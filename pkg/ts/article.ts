/** The word with the article that it takes: "a tool", "an Error", "a Uint8Array". */
export function withArticle(word: string): string {
  return `${/^[aeio]/i.test(word) ? "an" : "a"} ${word}`;
}
