const GAP = '  ';

/** A longer text does not widen its column, so that it cannot push the other columns off the screen. */
const WIDTH_MAX = 48;

/** Prints rows in aligned columns. The first batch decides the widths of the columns. */
export interface Table {
  print(rows: readonly (readonly string[])[]): void;
}

export function table(print: (line: string) => void, heads: readonly string[]): Table {
  let widths: readonly number[] | undefined;
  return {
    print(rows) {
      const shown = rows.map((row) => row.map(printable));
      if (widths === undefined) {
        widths = columnWidths([heads, ...shown]);
        print(aligned(heads, widths));
      }
      for (const row of shown) print(aligned(row, widths));
    },
  };
}

/** Prints names and values, one pair per line. */
export function printFields(
  print: (line: string) => void,
  fields: readonly (readonly [name: string, value: string])[],
): void {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  for (const [name, value] of fields) print(`${printable(name).padEnd(width)}${GAP}${printable(value)}`);
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const [first = []] = rows;
  return first.map((_, column) =>
    Math.min(WIDTH_MAX, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
}

function aligned(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(GAP)
    .trimEnd();
}

/** Escapes control and format characters. A registered name must not control the terminal or turn the direction of the text. */
function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Returns a time in UTC, to the second, or `otherwise` for 0 and null. */
export function timeText(seconds: number | null, otherwise: string): string {
  if (seconds === null || seconds === 0) return otherwise;
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
