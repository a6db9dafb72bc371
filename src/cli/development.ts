import { hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedSettings } from '../config/load-settings.ts';
import { DEVELOPMENT_DIGEST_PREFIX } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { sqlitePath } from '../process/storage.ts';
import { type AccountNeeds, addAccount, changeAccount } from '../sessions/manage-account.ts';
import { loginName } from '../spec/login-name.ts';
import { makeFolder } from '../storage/sqlite/database-file.ts';
import { systemRandom } from '../system/random.ts';
import {
  type AccessTokenNeeds,
  findAccessToken,
  issueInitialAccessToken,
  mintAccessToken,
  NO_CLIENT,
} from '../tokens/access-token.ts';
import { writePrivately } from './private-file.ts';
import { DEVELOPMENT_FOLDER, DEVELOPMENT_TOKENS_FILE } from './settings.ts';

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
  /** Break-glass token of the administration API. */
  readonly administration: DevelopmentToken;
}

/** An initial access token, and the client that the commands of the banner register with it. */
export interface Invitation {
  readonly initial_access_token: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** The account that the banner prints. */
export interface DevelopmentAccount {
  readonly username: string;
  readonly password: string;
}

/** Returns the tokens of this data folder. The first start creates them. */
export function developmentTokens(folder: string): DevelopmentTokens {
  const kept = readOrMake(folder, DEVELOPMENT_TOKENS_FILE, () => ({
    master: markedToken(),
    directAuthorization: markedToken(),
    administration: markedToken(),
  }));
  // A folder of an earlier version has two tokens.
  return 'administration' in kept ? kept : withAdministration(folder, kept);
}

function withAdministration(
  folder: string,
  kept: Omit<DevelopmentTokens, 'administration'>,
): DevelopmentTokens {
  const tokens = { ...kept, administration: markedToken() };
  writePrivately(join(folder, DEVELOPMENT_TOKENS_FILE), JSON.stringify(tokens));
  return tokens;
}

/** Returns the encryption key of this data folder. Its file has the form that `CHANCERY_ENCRYPTION_KEY_FILE` reads. */
function developmentEncryptionKey(folder: string): readonly string[] {
  return readOrMake(folder, 'development-encryption-key.json', () => [randomBytes(32).toString('hex')]);
}

/** Returns the invitation of the last start if it is still unused, and otherwise a new one. */
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

/** The user name of the account that `chancery dev` makes. */
export const DEVELOPER = 'developer';

/** Returns the account `developer`, which may administer the server; creates it if it is absent. Each data folder has its own password. */
export async function developmentAccount(
  folder: string,
  accounts: AccountNeeds,
): Promise<DevelopmentAccount> {
  const account = readOrMake(folder, 'development-account.json', () => ({
    username: DEVELOPER,
    password: systemRandom.alphanumeric(ACCOUNT_PASSWORD_LENGTH),
  }));
  const login_name = loginName(account.username);
  const found = login_name === undefined ? undefined : await accounts.accounts.findByLoginName(login_name);
  const by = { actor: 'cli', request_id: 'dev' } as const;
  const admin_role = 'administrator';
  if (found === undefined) {
    const claims = { name: 'Dev Eloper', email: 'developer@example.com', email_verified: true };
    await addAccount(accounts, { ...account, claims, admin_role }, by);
    // Another version of the server made the account without a role.
  } else if (found.admin_role === null) await changeAccount(accounts, found, { admin_role }, by);
  return account;
}

/**
 * Returns a token whose digest begins with the mark of development tokens. The production mode, which knows digests only,
 * refuses such tokens. The search takes about 65,000 attempts or 50 ms, once for each data folder.
 */
function markedToken(): DevelopmentToken {
  while (true) {
    const token = systemRandom.alphanumeric(TOKEN_LENGTH);
    const sha256 = hash('sha256', token, 'hex');
    if (sha256.startsWith(DEVELOPMENT_DIGEST_PREFIX)) return { token, sha256 };
  }
}

/** Returns the content of a file in the data folder. Creates the file if it is absent. */
export function readOrMake<T>(folder: string, name: string, make: () => T): T {
  const file = join(folder, name);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
  const made = make();
  makeFolder(folder);
  writePrivately(file, JSON.stringify(made));
  return made;
}

const BY_REFERENCE = 'authorization.request-uri-by-reference';

/** Returns the folder in which the development mode keeps its keys and tokens. */
export function dataFolder(settings: Settings): string {
  const path = sqlitePath(settings);
  return path === undefined ? DEVELOPMENT_FOLDER : dirname(path);
}

/** Returns the settings of the development mode: given settings stay, and some defaults suit one machine. */
export function developmentSettings({ settings, origins }: ResolvedSettings): Settings {
  return {
    ...settings,
    'pages.error-details': origins['pages.error-details'] === 'default' || settings['pages.error-details'],
    'openapi.enabled': origins['openapi.enabled'] === 'default' || settings['openapi.enabled'],
    'console.enabled': origins['console.enabled'] === 'default' || settings['console.enabled'],
    [BY_REFERENCE]: origins[BY_REFERENCE] === 'default' || settings[BY_REFERENCE],
    'outbound.ports': developmentPorts({ settings, origins }),
    // On one machine all requests come from one network, so a limit per network is useless.
    'interaction.rate-per-network':
      origins['interaction.rate-per-network'] === 'default' ? 0 : settings['interaction.rate-per-network'],
    'encryption.key': settings['encryption.key'] ?? developmentEncryptionKey(dataFolder(settings)),
  };
}

const ISSUER_FILE = 'development-issuer.json';

/** Keeps the issuer of a development server, so that commands on its data print the addresses that answer. */
export function rememberIssuer(settings: Settings): void {
  writePrivately(join(dataFolder(settings), ISSUER_FILE), JSON.stringify(settings.issuer));
}

/** Returns the settings of a command on the data of a development server: its issuer is that of the latest start unless the settings name one. */
export function developmentDataSettings(resolved: ResolvedSettings): Settings {
  const settings = developmentSettings(resolved);
  const file = join(dataFolder(settings), ISSUER_FILE);
  const { issuer, 'listen.port': port } = resolved.origins;
  if (issuer !== 'default' || port !== 'default' || !existsSync(file)) return settings;
  return { ...settings, issuer: JSON.parse(readFileSync(file, 'utf8')) as string };
}

/** Returns `outbound.ports`; the default of the development mode allows every port, because peers on one machine use many. */
export function developmentPorts({ settings, origins }: ResolvedSettings): readonly string[] {
  return origins['outbound.ports'] === 'default' ? ['any'] : settings['outbound.ports'];
}
