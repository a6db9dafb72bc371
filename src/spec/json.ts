import { OAuthError } from './errors.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { utf8Text } from './percent-encoding.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export interface JsonLimits {
  /** The maximum nesting of arrays and objects, the outermost one included. */
  readonly depth: number;
  /** The maximum number of members of one object. */
  readonly members: number;
}

/** A JSON object from a request. */
export interface JsonObject {
  /** The members, without a prototype, so that `__proto__` is an ordinary member. */
  readonly members: { readonly [name: string]: JsonValue };
  /** Returns the unchanged text of a member's value. `JSON.parse` would change `1e400` and `-0`. */
  source(name: string): string | undefined;
}

/**
 * Parses a request body that must be one JSON object (RFC 8259). Strict: UTF-8 without byte order mark, unique members, and
 * no text that a database or another reader would change.
 * @throws OAuthError invalid_request
 */
export function parseJsonObject(bytes: Uint8Array, limits: JsonLimits): JsonObject {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may hold secrets, so not even the log gets it.
    throw malformed(syntaxProblem(text));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('the body is not a JSON object');
  }
  let spans = isOrdinary(text, value as JsonValue, limits) ? undefined : inspect(text, limits);
  return {
    // No other code has the value yet. Copying its members would cost more.
    members: Object.setPrototypeOf(value, null) as JsonObject['members'],
    source(name) {
      spans ??= inspect(text, limits);
      const span = spans.get(name);
      return span === undefined ? undefined : text.slice(span.from, span.to).trim();
    },
  };
}

/**
 * Parses a text that must be a JSON array, as strictly as `parseJsonObject`.
 * @returns undefined for any other text, and for one beyond the limits
 */
export function parseJsonArray(text: string, limits: JsonLimits): readonly JsonValue[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return undefined;
    inspect(text, limits);
    return value as readonly JsonValue[];
  } catch {
    // Either may refuse it. The text is a stranger's, so no message shows it.
    return undefined;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw malformed('the body is not valid UTF-8');
  return text;
}

function syntaxProblem(text: string): string {
  if (text.trim() === '') return 'the body is empty; it must be well-formed JSON';
  const error = jsonSyntaxError(text);
  return error === undefined
    ? 'the body is not well-formed JSON'
    : `the body is not well-formed JSON at line ${error.line}, column ${error.column}: ${error.problem}`;
}

/**
 * Says quickly of nearly every text that `inspect` would not refuse it. `JSON.parse` keeps one of two members with the same name, so
 * such a text has more names than its value has members. Only an escape can bring what a database would change.
 */
function isOrdinary(text: string, value: JsonValue, limits: JsonLimits): boolean {
  return !text.includes('\\') && membersWithin(value, limits, limits.depth) === namesIn(text);
}

/** Counts the members of a value and of the values in it. Returns NaN if they exceed the limits. */
function membersWithin(value: JsonValue, limits: JsonLimits, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === 0) return Number.NaN;
  const inside = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  if (count > limits.members) return Number.NaN;
  for (const one of inside) count += membersWithin(one, limits, depth - 1);
  return count;
}

/** Counts the strings that a colon follows, in JSON text without escapes. */
function namesIn(text: string): number {
  let names = 0;
  let end = -1;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', end + 1)) {
    end = text.indexOf('"', start + 1);
    let next = end + 1;
    while (WHITE_SPACE.includes(text.charAt(next)) && next < text.length) next += 1;
    if (text[next] === ':') names += 1;
  }
  return names;
}

/** RFC 8259 §2. */
const WHITE_SPACE = ' \t\n\r';

interface Span {
  from: number;
  to: number;
}

interface Container {
  /** Names seen so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The next string is a member's name. */
  nameNext: boolean;
}

/** Walks text that `JSON.parse` has accepted. Iterates instead of recursing, because the sender chooses the depth. */
function inspect(text: string, limits: JsonLimits): Map<string, Span> {
  const open: Container[] = [];
  const spans = new Map<string, Span>();
  let member: Span | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const inside = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const content = wellFormedString(text.slice(at, end));
        if (inside?.nameNext === true) {
          addName(inside, content, limits);
          if (open.length === 1) {
            member = { from: text.indexOf(':', end) + 1, to: text.length };
            spans.set(content, member);
          }
        }
        at = end - 1;
        break;
      }
      case '{':
      case '[': {
        if (open.length === limits.depth) throw malformed(`the body is nested deeper than ${limits.depth}`);
        const isObject = text[at] === '{';
        open.push({ names: isObject ? new Set() : undefined, nameNext: isObject });
        break;
      }
      case '}':
      case ']':
        open.pop();
        if (open.length === 0 && member !== undefined) member.to = at;
        break;
      case ',':
        if (inside !== undefined) inside.nameNext = inside.names !== undefined;
        if (open.length === 1 && member !== undefined) member.to = at;
        break;
      default:
    }
  }
  return spans;
}

function addName(object: Container, name: string, limits: JsonLimits): void {
  if (object.names?.has(name) === true) throw malformed('the body names a member twice');
  if (object.names?.size === limits.members) {
    throw malformed(`an object in the body has more than ${limits.members} members`);
  }
  object.names?.add(name);
  object.nameNext = false;
}

/** Returns the index after the closing quotation mark. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** PostgreSQL refuses U+0000 and lone surrogates, SQLite changes them: neither may reach a database. */
function wellFormedString(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  const content: string = JSON.parse(literal);
  if (content.includes('\u0000') || !content.isWellFormed()) {
    throw malformed('a string in the body holds U+0000 or a lone surrogate');
  }
  return content;
}

function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description, reason: 'malformed-json' });
}
