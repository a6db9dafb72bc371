import type { AccessTokenStore, InitialAccessToken } from '../ports/access-token-store.ts';
import type { AccessTokenKey } from '../spec/identifiers.ts';
import { isRegistrationScope, privilegesOfScope } from '../spec/registration-privileges.ts';
import { LOCATOR_LENGTH } from '../tokens/token-identifier.ts';

export const INITIAL_TOKEN_STATES = ['live', 'used', 'revoked', 'expired'] as const;
export type InitialTokenState = (typeof INITIAL_TOKEN_STATES)[number];

/** Returns the id of an initial access token for operators: the beginning of its key, which opens nothing. */
export function initialTokenId({ key }: Pick<InitialAccessToken, 'key'>): string {
  return key.slice(0, LOCATOR_LENGTH);
}

/** @param now seconds since the Unix epoch */
export function initialTokenState(token: InitialAccessToken, now: number): InitialTokenState {
  if (token.used_at !== null) return 'used';
  if (token.revoked_at !== null) return 'revoked';
  return now < token.expires_at ? 'live' : 'expired';
}

/** Returns the tokens that an id names: two in rare cases, none for an unknown id. */
export async function initialTokensNamed(
  store: Pick<AccessTokenStore, 'pageInitial'>,
  id: string,
): Promise<readonly InitialAccessToken[]> {
  // A key follows its own beginning in the order of keys.
  const page = await store.pageInitial(id as AccessTokenKey, 2);
  return page.filter((candidate) => initialTokenId(candidate) === id);
}

/** Returns the rule that a scope for an initial access token breaks; undefined if it breaks none. */
export function registrationScopeProblem(scope: readonly string[]): string | undefined {
  const stranger = scope.find((value) => !isRegistrationScope(value));
  if (stranger !== undefined) return `takes client-reg:… values, found ${JSON.stringify(stranger)}`;
  if (scope.length === 0) return 'is empty';
  // RFC 7591 §2: a client without `grant_types` has authorization_code, so every registration asks for a grant type.
  return privilegesOfScope(scope).grant_types.length === 0
    ? 'permits no grant type, and every client needs one: add client-reg:grant:…'
    : undefined;
}

export interface InitialTokenQuery {
  /** A part of the label, in upper or lower case. */
  readonly label?: string | undefined;
  readonly state?: InitialTokenState | undefined;
  readonly after?: AccessTokenKey | undefined;
  readonly limit: number;
}

export interface InitialTokenPage {
  readonly tokens: readonly InitialAccessToken[];
  readonly next: AccessTokenKey | undefined;
}

/** One page looks at this many tokens at most, however few of them match. */
const VISITED_MAX = 2000;
const READ_AT_ONCE = 200;

/** Returns a page of the tokens that match, the oldest first. A page may be short, or empty, with `next`. */
export async function findInitialTokens(
  store: Pick<AccessTokenStore, 'pageInitial'>,
  { label = '', state, after, limit }: InitialTokenQuery,
  now: number,
): Promise<InitialTokenPage> {
  const part = label.toLowerCase();
  const tokens: InitialAccessToken[] = [];
  let last = after;
  for (let visited = 0; visited < VISITED_MAX; visited += READ_AT_ONCE) {
    const page: readonly InitialAccessToken[] = await store.pageInitial(last, READ_AT_ONCE);
    for (const token of page) {
      if (tokens.length === limit) return { tokens, next: last };
      last = token.key;
      if (!token.label.toLowerCase().includes(part)) continue;
      if (state === undefined || initialTokenState(token, now) === state) tokens.push(token);
    }
    if (page.length < READ_AT_ONCE) return { tokens, next: undefined };
  }
  return { tokens, next: last };
}
