import { OAuthError, quotedValue } from '../../spec/errors.ts';
import type { JsonValue } from '../../spec/json.ts';
import { parseUri } from '../../spec/uri.ts';

/** Readers of request members: each returns the value, or throws an error that says what is allowed. */

const TEXT_LENGTH_MAX = 256;
const URI_LENGTH_MAX = 2000;

type Value = JsonValue | undefined;
export type Members = { readonly [name: string]: JsonValue };

export function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}

/** Rejects unknown members: a caller would believe that the server acted on them. */
export function requireKnown(members: object, known: ReadonlySet<string>, prefix = ''): void {
  const unknown = Object.keys(members).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const shown = /^[\w.-]{1,40}$/.test(unknown) ? `${prefix}${unknown}` : 'a member';
  throw malformed(`${shown} is not supported`);
}

/** Returns an object that has only known members; undefined if it is absent. */
export function object(value: Value, name: string, known: ReadonlySet<string>): Members | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw malformed(`${name} must be a JSON object`);
  requireKnown(value, known, `${name}.`);
  return value;
}

export function isObject(value: Value): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(value: Value, name: string, lengthMax = TEXT_LENGTH_MAX): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > lengthMax || /\p{Cc}/u.test(value)) {
    throw malformed(`${name} must be a string of 1 to ${lengthMax} characters without control characters`);
  }
  return value;
}

/** Returns a list of strings without duplicates. Accepts an array, and words in one string, because clients send both. */
export function texts(value: Value, name: string, countMax: number, lengthMax?: number): readonly string[] {
  if (value === undefined) return [];
  const list = typeof value === 'string' ? value.split(' ') : value;
  if (!Array.isArray(list) || list.length > countMax)
    throw malformed(`${name} must be a list of at most ${countMax} strings`);
  return [...new Set(list.map((element) => text(element, name, lengthMax) ?? ''))];
}

/** Returns a list of absolute URIs without a fragment (RFC 8707 §2). */
export function resources(value: Value, countMax: number): readonly string[] {
  const list = texts(value, 'resources', countMax, URI_LENGTH_MAX);
  const wrong = list.findIndex((resource) => parseUri(resource)?.hasFragment !== false);
  if (wrong === -1) return list;
  throw new OAuthError('invalid_target', {
    error_description: `resources[${wrong}] ${quotedValue(list[wrong] ?? '')} must be an absolute URI without a fragment`,
  });
}

export function flag(value: Value, name: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw malformed(`${name} must be true or false`);
}

/** Returns a number of seconds. @param least 1, or 0 if 0 means no limit */
export function seconds(value: Value, name: string, least: 0 | 1 = 1): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw malformed(
      least === 1
        ? `${name} must be a positive whole number of seconds`
        : `${name} must be a whole number of seconds, or 0`,
    );
  }
  return value;
}
