type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

interface ExactJson {
  readonly parse: (text: string, reviver: Reviver) => unknown;
  readonly rawJSON: (text: string) => unknown;
}

/** ECMAScript 2026, JSON.parse source text access; TypeScript's library does not name it yet. */
const { parse, rawJSON } = JSON as unknown as ExactJson;

/**
 * Parses a JSON text so that `JSON.stringify` writes its numbers unchanged. `JSON.parse` alone changes `1e400` and numbers
 * beyond 2^53. Do not calculate with the result.
 */
export function parseExactly(text: string): unknown {
  return parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value,
  );
}

/** A number of JSON: sign, whole digits, digits of the fraction, exponent. */
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the first number of a JSON text that another value would replace if a program read the text and wrote it again: `JSON.parse`
 * rounds to a double. `1.10` is no such number, because `1.1` is the same value (RFC 8259 §6).
 * @param text well-formed JSON, whose nesting has been checked
 */
export function changedNumber(text: string): string | undefined {
  let changed: string | undefined;
  parse(text, (_name, value, { source }) => {
    if (changed === undefined && typeof value === 'number' && source !== undefined)
      if (valueOf(source) !== valueOf(JSON.stringify(value))) changed = source;
    return value;
  });
  return changed;
}

/** Returns a text that two numbers share if and only if they have the same value. `Infinity` is written as null, and has none. */
function valueOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const digits = `${whole}${fraction}`;
  const first = digits.search(/[1-9]/);
  if (first === -1) return whole === '' ? 'none' : '0';
  const sign = number.startsWith('-') ? '-' : '';
  // A pattern would look at a long row of zeros once from each of them.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${sign}${digits.slice(first, end)}e${BigInt(exponent) + BigInt(whole.length - first)}`;
}
