import { digestOf } from '../../keys/digest.ts';
import { Problem } from '../../spec/problems.ts';
import { invalidParameters } from './parameters.ts';

/** The condition of a request on the version of the item that it changes. */
export interface Precondition {
  /** @throws Problem precondition_failed unless the caller has read this version. Call it also when a write lost a race */
  require(version: string): void;
}

const DIGEST_LENGTH = 22;

/** Returns a version that changes with the content of an item. */
export const versionOf = (item: object): string => digestOf(JSON.stringify(item)).slice(0, DIGEST_LENGTH);

/** Returns the entity tag of a version (RFC 9110 §8.8.3). */
export const etagOf = (version: string): string => `"${version}"`;

const TAGS = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/u;
const TAG = /(?:W\/)?"[\x21\x23-\x7e]*"/gu;

/**
 * Reads `If-Match` (RFC 9110 §13.1.1). Weak tags match nothing: the comparison is strong.
 * @throws Problem precondition_required if a needed one is absent; invalid_parameter
 */
export function readIfMatch(header: string | undefined, isNeeded: boolean): Precondition {
  if (header === undefined) {
    if (!isNeeded) return { require: () => undefined };
    throw new Problem(
      'precondition_required',
      'send the ETag of the version that you have read in If-Match, or * for any version',
    );
  }
  if (header.trim() === '*') return { require: () => undefined };
  if (!TAGS.test(header.trim()))
    throw invalidParameters([{ pointer: 'If-Match', detail: 'must be * or entity tags such as "abc"' }]);
  const tags = new Set(header.match(TAG));
  return {
    require(version) {
      if (!tags.has(etagOf(version)))
        throw new Problem('precondition_failed', 'the resource has changed: read it again');
    },
  };
}
