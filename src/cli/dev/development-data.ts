import { hash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_DIGEST_PREFIX } from '../../config/rules.ts';
import type { Log } from '../../ports/log.ts';
import { type AccountNeeds, addAccount } from '../../sessions/manage-account.ts';
import { loginName } from '../../spec/login-name.ts';
import { makeFolder } from '../../storage/sqlite/database-file.ts';
import { systemRandom } from '../../system/random.ts';
import {
  type AccessTokenNeeds,
  findAccessToken,
  issueInitialAccessToken,
  mintAccessToken,
  NO_CLIENT,
} from '../../tokens/access-token.ts';

const TOKEN_LENGTH = 43;
const ACCOUNT_PASSWORD_LENGTH = 16;
const INVITATION_LIFETIME = 30 * 86_400;

export interface DevelopmentToken {
  readonly token: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface DevelopmentTokens {
  readonly master: DevelopmentToken;
  readonly directAuthorization: DevelopmentToken;
}

/** An initial access token, and the client that the printed commands register with it. */
export interface Invitation {
  readonly initial_access_token: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Whom one signs in as. */
export interface DevelopmentAccount {
  readonly username: string;
  readonly password: string;
}

/** The tokens of this data folder, made at the first start. */
export function developmentTokens(folder: string): DevelopmentTokens {
  return readOrMake(folder, 'development-tokens.json', () => ({
    master: markedToken(),
    directAuthorization: markedToken(),
  }));
}

/** One key in a file of its own, in the form that `CHANCERY_ENCRYPTION_KEY_FILE` reads. */
export function developmentEncryptionKey(folder: string): readonly string[] {
  return readOrMake(folder, 'development-encryption-key.json', () => [randomBytes(32).toString('hex')]);
}

/** The invitation that was printed before while it can still be used; a new one otherwise. */
export async function usableInvitation(
  folder: string,
  accessTokens: AccessTokenNeeds & { readonly log: Log },
): Promise<Invitation> {
  const file = join(folder, 'development-invitation.json');
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Invitation;
    if ((await findAccessToken(accessTokens, kept.initial_access_token)) !== undefined) return kept;
  }
  const { access_token, stored } = await mintAccessToken(accessTokens, {
    format: 'identifier',
    client_id: NO_CLIENT,
    client_instance: null,
    sub: 'developer',
    scope: ['client-reg'],
    audience: [],
    confirmation: undefined,
    lifetime: INVITATION_LIFETIME,
  });
  await issueInitialAccessToken(
    accessTokens,
    stored,
    { label: 'printed by the development mode', redirect_hosts: null },
    { actor: 'cli', request_id: 'dev' },
  );
  const invitation: Invitation = {
    initial_access_token: access_token,
    client_id: `demo-${systemRandom.alphanumeric(6)}`,
    client_secret: systemRandom.alphanumeric(TOKEN_LENGTH),
  };
  writePrivately(file, JSON.stringify(invitation));
  return invitation;
}

/** The account that is printed, made where there is none; its password is this data folder's own. */
export async function developmentAccount(
  folder: string,
  accounts: AccountNeeds,
): Promise<DevelopmentAccount> {
  const account = readOrMake(folder, 'development-account.json', () => ({
    username: 'developer',
    password: systemRandom.alphanumeric(ACCOUNT_PASSWORD_LENGTH),
  }));
  const login_name = loginName(account.username);
  if (login_name === undefined || (await accounts.accounts.findByLoginName(login_name)) === undefined) {
    const claims = { name: 'Dev Eloper', email: 'developer@example.com', email_verified: true };
    await addAccount(accounts, { ...account, claims }, { actor: 'cli', request_id: 'dev' });
  }
  return account;
}

/**
 * A token whose digest begins with the mark by which the production mode knows it, although it sees digests only.
 * Some 65,000 attempts, a twentieth of a second, once for each data folder.
 */
function markedToken(): DevelopmentToken {
  while (true) {
    const token = systemRandom.alphanumeric(TOKEN_LENGTH);
    const sha256 = hash('sha256', token, 'hex');
    if (sha256.startsWith(DEVELOPMENT_DIGEST_PREFIX)) return { token, sha256 };
  }
}

/** What is kept in a file of the data folder; made where there is none. */
export function readOrMake<T>(folder: string, name: string, make: () => T): T {
  const file = join(folder, name);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
  const made = make();
  makeFolder(folder);
  writePrivately(file, JSON.stringify(made));
  return made;
}

/** Whole or not at all: a half-written key would make the database unreadable at the next start. */
export function writePrivately(file: string, text: string): void {
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600, flush: true });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}
