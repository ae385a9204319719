/** Rows as lines: texts stand on the left, all else on the right. */
export function table(header, rows) {
  const lines = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const isText = header.map((_, column) => rows.every((row) => typeof row[column] === "string" && !/^[-\d]/.test(row[column])));
  return lines
    .map((line) => line.map((cell, column) => (isText[column] ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  ").trimEnd())
    .join("\n");
}

/** A number with about three digits that count. */
export function short(number) {
  const size = Math.abs(number);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
