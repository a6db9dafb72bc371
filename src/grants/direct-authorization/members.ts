import { OAuthError } from '../../spec/errors.ts';
import type { JsonValue } from '../../spec/json.ts';
import { parseUri } from '../../spec/uri.ts';

/** Readers of the members of a request: each gives the value, or says what it must be. */

const TEXT_LENGTH_MAX = 256;
const URI_LENGTH_MAX = 2000;

type Value = JsonValue | undefined;
export type Members = { readonly [name: string]: JsonValue };

export function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}

/** What is asked for and not done would be believed to be done. */
export function requireKnown(members: object, known: ReadonlySet<string>, prefix = ''): void {
  const unknown = Object.keys(members).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const shown = /^[\w.-]{1,40}$/.test(unknown) ? `${prefix}${unknown}` : 'a member';
  throw malformed(`${shown} is not supported`);
}

/** An object with no members but these; undefined where it is absent. */
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

/** Some clients send a list as an array, some as words in one string. */
export function texts(value: Value, name: string, countMax: number, lengthMax?: number): readonly string[] {
  if (value === undefined) return [];
  const list = typeof value === 'string' ? value.split(' ') : value;
  if (!Array.isArray(list) || list.length > countMax)
    throw malformed(`${name} must be a list of at most ${countMax} strings`);
  return [...new Set(list.map((element) => text(element, name, lengthMax) ?? ''))];
}

/** RFC 8707 §2: absolute URIs without fragment. */
export function resources(value: Value, countMax: number): readonly string[] {
  const list = texts(value, 'resources', countMax, URI_LENGTH_MAX);
  if (list.every((resource) => parseUri(resource)?.hasFragment === false)) return list;
  throw new OAuthError('invalid_target', {
    error_description: 'resources must be absolute URIs without a fragment',
  });
}

export function flag(value: Value, name: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw malformed(`${name} must be true or false`);
}

/** @param least 1, or 0 where that stands for none */
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
