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
