import type { AccessTokenFilter, StoredAccessToken } from '../ports/access-token-store.ts';
import type { AccountFilter, StoredAccount } from '../ports/account-store.ts';
import type { ConsentFilter, StoredConsent } from '../ports/consent-store.ts';
import type { GrantFilter, StoredGrant } from '../ports/grant-store.ts';
import type { SessionFilter, StoredSession } from '../ports/session-store.ts';
import { LAST_NUMBER, LAST_TEXT, type ListPlan, type ListValue, type Walk } from './listing.ts';
import { rankOf } from './row-mapper.ts';
import { ACCESS_TOKEN, ACCOUNT, CONSENT, SESSION } from './rows.ts';

const heldColumns = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `held.${column}`)
    .join(', ');

/** Condition that the client of a row still exists. */
const clientLives = (instance: string): string => `(SELECT 1 FROM client WHERE client.tenant = :tenant
  AND client.client_id = walk.client_id AND client.instance = walk.${instance}) = 1`;

/** Condition on a client that a filter may name. */
const ofClient = (instance: string): string => `(:client_id = '' OR
  (walk.client_id = :client_id AND walk.${instance} = :instance))`;

/** Condition that the clients live whose tokens a token was exchanged from. @param tenant the parameter */
export const originsLive = (
  token: string,
  tenant: string,
): string => `(${token}.exchanged IS NULL OR (SELECT 1 FROM token_origin AS origin
  WHERE origin.tenant = ${tenant} AND origin.key = ${token}.key AND (SELECT 1 FROM client WHERE client.tenant = ${tenant}
    AND client.client_id = origin.client_id AND client.instance = origin.client_instance) IS NULL LIMIT 1) IS NULL)`;

/** The instances of those clients, separated by spaces; NULL for a token that was not exchanged. */
export const originsOf = (
  token: string,
  tenant: string,
): string => `CASE WHEN ${token}.exchanged IS NULL THEN NULL ELSE
  (SELECT string_agg(origin.client_instance, ' ') FROM token_origin AS origin
   WHERE origin.tenant = ${tenant} AND origin.key = ${token}.key) END AS via`;

/** A number that no filter has. */
const ANY = -1;

const accountWalk = {
  columns: heldColumns(ACCOUNT.columns),
  from: 'account AS held',
  key: [['held.login_name', '']],
  descending: false,
  residual: `login_name >= :prefix AND login_name < :beyond
    AND (:disabled = ${ANY} OR (disabled_at IS NOT NULL) = (:disabled = 1))
    AND (:role = ${ANY} OR admin_role = :role)
    AND login_name LIKE :pattern ESCAPE '!'`,
} as const;

const IN_RANGE = 'held.tenant = :tenant AND held.login_name < :beyond';

/** Surrogates are no characters, and no text in UTF-8 has one. */
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

/** Returns a text with no login name between itself and the first name of this beginning. */
function justBefore(prefix: string): string {
  const characters = Array.from(prefix);
  const last = characters.pop()?.codePointAt(0) ?? 0;
  const before = last === AFTER_SURROGATES ? BEFORE_SURROGATES : last - 1;
  return last === 0 ? '' : characters.join('') + String.fromCodePoint(before) + LAST_TEXT;
}

const ACCOUNTS = {
  byName: { ...accountWalk, name: 'account_list', where: IN_RANGE },
  withRole: {
    ...accountWalk,
    name: 'account_list_with_role',
    where: `${IN_RANGE} AND held.admin_role = :role`,
  },
  disabled: {
    ...accountWalk,
    name: 'account_list_disabled',
    where: `${IN_RANGE} AND held.disabled_at IS NOT NULL`,
  },
  recent: {
    ...accountWalk,
    name: 'account_list_recent',
    where: 'held.tenant = :tenant AND held.created_at >= 0',
    key: [
      ['held.created_at', LAST_NUMBER],
      ['held.sub', LAST_TEXT],
    ],
    descending: true,
  },
} as const satisfies Readonly<Record<string, Walk>>;

/** LIKE with these characters escaped compares them as they are. */
const likeText = (text: string): string => text.replaceAll(/[!%_]/gu, (character) => `!${character}`);

export const ACCOUNT_LIST: ListPlan<AccountFilter, StoredAccount> = {
  walks: Object.values(ACCOUNTS),
  read: ACCOUNT.read,
  choose({ sort, prefix = '', contains, disabled, role }) {
    const isRecent = sort === 'recent';
    const values = {
      prefix,
      beyond: prefix + LAST_TEXT,
      pattern: contains === undefined ? '%' : `%${likeText(contains)}%`,
      disabled: disabled === undefined ? ANY : Number(disabled),
      role: role === undefined ? ANY : rankOf(role),
    };
    const beginning = [justBefore(prefix)];
    if (isRecent)
      return {
        walk: ACCOUNTS.recent,
        values,
        isSelective: contains !== undefined || prefix !== '' || disabled !== undefined || role !== undefined,
      };
    if (role !== undefined)
      return {
        walk: ACCOUNTS.withRole,
        values,
        beginning,
        isSelective: contains !== undefined || disabled !== undefined,
      };
    if (disabled === true)
      return { walk: ACCOUNTS.disabled, values, beginning, isSelective: contains !== undefined };
    const isSelective = contains !== undefined || disabled === false;
    return { walk: ACCOUNTS.byName, values, beginning, isSelective };
  },
};

const sessionWalk = {
  columns: heldColumns(SESSION.columns),
  from: 'session AS held',
  key: [
    ['held.created_at', LAST_NUMBER],
    ['held.sid', LAST_TEXT],
  ],
  descending: true,
  residual: `expires_at > :now AND (:client_id = '' OR (
    SELECT 1 FROM session_client AS part WHERE part.tenant = :tenant AND part.sid = walk.sid
      AND part.client_id = :client_id AND part.instance = :instance) = 1)`,
} as const;

const SESSIONS = {
  recent: { ...sessionWalk, name: 'session_list', where: 'held.tenant = :tenant' },
  ofSubject: {
    ...sessionWalk,
    name: 'session_list_of_subject',
    where: 'held.tenant = :tenant AND held.sub = :sub',
  },
  // CROSS JOIN makes SQLite begin with the clients.
  ofClient: {
    ...sessionWalk,
    name: 'session_list_of_client',
    from: 'session_client AS took CROSS JOIN session AS held',
    where: `took.tenant = :tenant AND took.client_id = :client_id AND took.instance = :instance
      AND held.tenant = :tenant AND held.sid = took.sid`,
    key: [
      ['took.first_used_at', LAST_NUMBER],
      ['took.sid', LAST_TEXT],
    ],
  },
} as const satisfies Readonly<Record<string, Walk>>;

interface ClientFiltered {
  readonly sub?: string | undefined;
  readonly client?: { readonly client_id: string; readonly instance: string } | undefined;
  readonly now?: number;
}

function valuesOf({ sub, client, now }: ClientFiltered): Readonly<Record<string, ListValue>> {
  return {
    sub: sub ?? '',
    client_id: client?.client_id ?? '',
    instance: client?.instance ?? '',
    now: now ?? 0,
  };
}

/** Returns a plan whose filters are a subject and a client, with a walk for each. */
function bySubjectOrClient<Filter extends ClientFiltered, Stored>(
  walks: { readonly all: Walk; readonly ofSubject: Walk; readonly ofClient: Walk },
  read: (row: object) => Stored,
): ListPlan<Filter, Stored> {
  return {
    walks: [...new Set(Object.values(walks))],
    read,
    choose(filter) {
      const values = valuesOf(filter);
      if (filter.sub !== undefined)
        return { walk: walks.ofSubject, values, isSelective: filter.client !== undefined };
      return { walk: filter.client === undefined ? walks.all : walks.ofClient, values, isSelective: false };
    },
  };
}

export const SESSION_LIST = bySubjectOrClient<SessionFilter, StoredSession>(
  { all: SESSIONS.recent, ofSubject: SESSIONS.ofSubject, ofClient: SESSIONS.ofClient },
  SESSION.read,
);

const grantWalk = {
  columns: `held.grant_id, held.client_id, held.client_instance, held.sub, held.authorization_text,
    held.created_at, held.expires_at, held.refresh_token_digest, held.refresh_token_expires_at, held.sid`,
  from: 'authorization_grant AS held',
  key: [['held.grant_id', LAST_TEXT]],
  descending: true,
  residual: `(expires_at IS NULL OR expires_at > :now) AND ${ofClient('client_instance')}
    AND ${clientLives('client_instance')}`,
} as const;

const GRANTS = {
  all: { ...grantWalk, name: 'grant_list', where: 'held.tenant = :tenant' },
  ofSubject: {
    ...grantWalk,
    name: 'grant_list_of_subject',
    index: 'authorization_grant_subject',
    where: 'held.tenant = :tenant AND held.sub = :sub',
  },
  ofClient: {
    ...grantWalk,
    name: 'grant_list_of_client',
    index: 'authorization_grant_client',
    where: 'held.tenant = :tenant AND held.client_id = :client_id AND held.client_instance = :instance',
  },
} as const satisfies Readonly<Record<string, Walk>>;

interface GrantRow extends Omit<StoredGrant, 'authorization' | 'refresh_token' | 'sid'> {
  readonly authorization_text: string;
  readonly refresh_token_digest: NonNullable<StoredGrant['refresh_token']>['digest'] | null;
  readonly refresh_token_expires_at: number | null;
  readonly sid: NonNullable<StoredGrant['sid']> | null;
}

function readGrant(row: object): StoredGrant {
  const { authorization_text, refresh_token_digest, refresh_token_expires_at, sid, ...found } =
    row as GrantRow;
  const { grant_id, client_id, client_instance, sub, created_at, expires_at } = found;
  return {
    grant_id,
    client_id,
    client_instance,
    sub,
    authorization: authorization_text,
    created_at,
    expires_at,
    refresh_token:
      refresh_token_digest === null
        ? null
        : { digest: refresh_token_digest, expires_at: refresh_token_expires_at },
    ...(sid === null ? {} : { sid }),
  };
}

export const GRANT_LIST = bySubjectOrClient<GrantFilter, StoredGrant>(GRANTS, readGrant);

const consentWalk = {
  columns: heldColumns(CONSENT.columns),
  from: 'consent AS held',
  descending: false,
  residual: `${ofClient('instance')} AND ${clientLives('instance')}`,
} as const;

const CONSENTS = {
  all: {
    ...consentWalk,
    name: 'consent_list',
    where: 'held.tenant = :tenant',
    key: [
      ['held.sub', ''],
      ['held.client_id', ''],
      ['held.instance', ''],
    ],
  },
  ofSubject: {
    ...consentWalk,
    name: 'consent_list_of_subject',
    where: 'held.tenant = :tenant AND held.sub = :sub',
    key: [
      ['held.client_id', ''],
      ['held.instance', ''],
    ],
  },
  ofClient: {
    ...consentWalk,
    name: 'consent_list_of_client',
    index: 'consent_client',
    where: 'held.tenant = :tenant AND held.client_id = :client_id AND held.instance = :instance',
    key: [['held.sub', '']],
  },
} as const satisfies Readonly<Record<string, Walk>>;

export const CONSENT_LIST = bySubjectOrClient<ConsentFilter, StoredConsent>(CONSENTS, CONSENT.read);

const tokenWalk = {
  columns: heldColumns(`${ACCESS_TOKEN.columns}, exchanged`),
  from: 'access_token AS held',
  key: [['held.key', LAST_TEXT]],
  descending: true,
  residual: `expires_at > :now AND ${ofClient('client_instance')} AND ${clientLives('client_instance')}
    AND ${originsLive('walk', ':tenant')}`,
} as const;

const TOKENS = {
  all: { ...tokenWalk, name: 'access_token_list', where: 'held.tenant = :tenant' },
  ofSubject: {
    ...tokenWalk,
    name: 'access_token_list_of_subject',
    index: 'access_token_subject',
    where: 'held.tenant = :tenant AND held.sub = :sub',
  },
  ofClient: {
    ...tokenWalk,
    name: 'access_token_list_of_client',
    index: 'access_token_client',
    where: 'held.tenant = :tenant AND held.client_id = :client_id',
  },
} as const satisfies Readonly<Record<string, Walk>>;

export const ACCESS_TOKEN_LIST = bySubjectOrClient<AccessTokenFilter, StoredAccessToken>(
  TOKENS,
  ACCESS_TOKEN.read,
);

/** All lists about people, for what must hold of each. */
export const PEOPLE_LISTS = [ACCOUNT_LIST, SESSION_LIST, GRANT_LIST, CONSENT_LIST, ACCESS_TOKEN_LIST];
