import type { InitialAccessToken } from '../../ports/access-token-store.ts';
import type { AccessTokenKey } from '../../spec/identifiers.ts';
import { LOCATOR_LENGTH } from '../../tokens/token-identifier.ts';
import { CommandFailure } from '../command-failure.ts';
import type { RegistrySession } from '../registry-session.ts';

/** What an operator calls an initial access token: the beginning of its key, which opens nothing. */
export function tokenId({ key }: Pick<InitialAccessToken, 'key'>): string {
  return key.slice(0, LOCATOR_LENGTH);
}

/** @throws CommandFailure where no token, or by a rare chance more than one, has the id */
export async function tokenNamed({ needs }: RegistrySession, id: string): Promise<InitialAccessToken> {
  // A key follows its own beginning in the order of keys.
  const page = await needs.accessTokens.store.pageInitial(id as AccessTokenKey, 2);
  const [token, another] = page.filter((candidate) => tokenId(candidate) === id);
  if (token === undefined) throw new CommandFailure(`there is no initial access token ${JSON.stringify(id)}`);
  if (another !== undefined) throw new CommandFailure(`more than one initial access token has the id ${id}`);
  return token;
}

/** What became of a token. */
export function tokenState(token: InitialAccessToken, now: number): 'used' | 'revoked' | 'expired' | 'live' {
  if (token.used_at !== null) return 'used';
  if (token.revoked_at !== null) return 'revoked';
  return now < token.expires_at ? 'live' : 'expired';
}
