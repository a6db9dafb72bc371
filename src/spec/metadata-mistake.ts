import { type ErrorCode, OAuthError, quotedValue } from './errors.ts';
import type { JsonValue } from './json.ts';
import { nearest } from './nearest.ts';

/** A value that cannot be registered, and the rule that it breaks. */
export interface Mistake {
  readonly member: string;
  /** The place of the value in the array of the member. */
  readonly index?: number;
  /** The value as texts show it; absent for a secret, and for a value that is no text, number or truth value. */
  readonly value?: string;
  /** Words that follow the member and the value. */
  readonly rule: string;
  readonly allowed?: readonly string[];
  /** The allowed value that the sender most likely meant. */
  readonly nearest?: string;
  /** Default: `invalid_client_metadata`. */
  readonly error?: ErrorCode;
  /** For the log only. */
  readonly detail?: string;
}

/** Something that a registration sent, and that the server did not take as it was sent. */
export type Dropped = Omit<Mistake, 'error' | 'detail'>;

/** Renders a mistake as a sentence without a full stop. */
export function sentenceOf({ member, index, value, rule, nearest: meant }: Dropped): string {
  const place = index === undefined ? member : `${member}[${index}]`;
  const shown = value === undefined ? '' : ` ${value}`;
  return `${place}${shown} ${rule}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** Renders a URI for a text without its userinfo, which may hold a password. */
export const shownUri = (uri: string): string => quotedValue(uri.replace(/\/\/[^/?#]*@/u, '//...@'));

/** Renders a value for a text; undefined for an array, an object and an absent value. */
export function shownValue(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return shownUri(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const PLAIN_NAME = /^[A-Za-z0-9_.#-]{1,100}$/;

/** Renders the name of a member, which the sender chose. */
export const shownName = (name: string): string => (PLAIN_NAME.test(name) ? name : quotedValue(name));

/** Returns a member `nearest` with the candidate that the value most likely stands for, where there is one. */
export function nearestTo(
  value: JsonValue | undefined,
  candidates: readonly string[],
): { readonly nearest?: string } {
  const meant = typeof value === 'string' ? nearest(value, candidates) : undefined;
  return meant === undefined || meant === value ? {} : { nearest: meant };
}

/** Mistakes that a log line shows. */
const LOGGED_MAX = 10;
/** Mistakes that an answer lists. */
const LISTED_MAX = 100;

/** Refuses metadata for all its mistakes: the description has the first one and the number of the others. */
export class MetadataRefused extends OAuthError {
  readonly mistakes: readonly Mistake[];
  /** Everything that the server would not take in any case. */
  readonly dropped: readonly Dropped[];

  constructor(first: Mistake, others: readonly Mistake[], dropped: readonly Dropped[]) {
    const mistakes = [first, ...others];
    const more =
      others.length === 0
        ? ''
        : `; ${others.length} more ${others.length === 1 ? 'mistake' : 'mistakes'}, which a request with dry_run=true lists`;
    super(first.error ?? 'invalid_client_metadata', {
      error_description: `${sentenceOf(first)}${more}`,
      ...(more === '' && first.detail === undefined ? {} : { detail: loggedText(mistakes) }),
    });
    this.mistakes = mistakes;
    this.dropped = dropped;
  }
}

/** @throws MetadataRefused if there is a mistake */
export function refuseMistakes(
  [first, ...others]: readonly Mistake[],
  dropped: readonly Dropped[] = [],
): void {
  if (first !== undefined) throw new MetadataRefused(first, others, dropped);
}

function loggedText(mistakes: readonly Mistake[]): string {
  const shown = mistakes
    .slice(0, LOGGED_MAX)
    .map((mistake) => `${sentenceOf(mistake)}${mistake.detail === undefined ? '' : `: ${mistake.detail}`}`);
  return mistakes.length > LOGGED_MAX ? `${shown.join('; ')}; ...` : shown.join('; ');
}

/** Returns mistakes or dropped values as an answer lists them, each with its sentence. */
export function listedMistakes(mistakes: readonly (Mistake | Dropped)[]): readonly JsonValue[] {
  return mistakes.slice(0, LISTED_MAX).map((mistake) => {
    const { member, index, value, rule, allowed, nearest: meant } = mistake;
    const members = { member, index, value, rule, allowed, did_you_mean: meant, words: sentenceOf(mistake) };
    return Object.fromEntries(
      Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  });
}
