import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { CONSOLE_CLIENT_ID } from '../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../spec/registration-privileges.ts';
import { type AuditTrail, doneEvent } from './audit-trail.ts';
import { storeChange, untilUncontested } from './change-client.ts';
import { newInstance } from './client-instance.ts';
import { NOT_FEDERATED } from './federated-client.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { makeRegistrationToken } from './secrets/client-secrets.ts';

/** The way of registration of the console. */
const REGISTERED_BY_SERVER = 'console';

export interface ConsoleClientNeeds {
  readonly registry: RegistryNeeds;
  /** Where the sign-in returns to; undefined without a console. */
  readonly url: string | undefined;
  /** Every scope value that the console may request. The role of the account limits it further. */
  readonly scope: readonly string[];
}

/** Says whether the server itself provides the client, so that no end-user is asked for consent. */
export const isConsole = ({
  client_id,
  registered_via,
}: Pick<StoredClient, 'client_id' | 'registered_via'>): boolean =>
  client_id === CONSOLE_CLIENT_ID && registered_via === REGISTERED_BY_SERVER;

/** Wraps a store so that `find` returns no client of the console where the settings switch the console off. */
export function withoutConsole(clients: ClientStore): ClientStore {
  return {
    ...clients,
    find: (client_id) => (client_id === CONSOLE_CLIENT_ID ? undefined : clients.find(client_id)),
  };
}

/**
 * Returns the client of the console as this version of the server has it. Stores it first if it is absent or differs: a sign-in
 * of the console thus undoes every other change of it.
 * @returns undefined without a console
 */
export async function currentConsoleClient({
  registry,
  url,
  scope,
}: ConsoleClientNeeds): Promise<StoredClient | undefined> {
  if (url === undefined) return undefined;
  const metadata = JSON.stringify(consoleMetadata(url, scope));
  return await untilUncontested(registry, {
    find: async () => await registry.clients.find(CONSOLE_CLIENT_ID),
    clientOf: () => CONSOLE_CLIENT_ID,
    act: async (found) => {
      if (found === undefined) return await created(registry, metadata);
      if (isCorrect(found, metadata)) return { outcome: 'done', result: found };
      return await corrected(registry, found, metadata);
    },
  });
}

const isCorrect = (found: StoredClient, metadata: string): boolean =>
  isConsole(found) && found.metadata === metadata && found.privileges === OF_THE_SERVER.privileges;

const trailOf = (action: AuditTrail['action']): AuditTrail => ({
  action,
  actor: 'server',
  request_id: 'console',
  client_id: CONSOLE_CLIENT_ID,
});

async function created(registry: RegistryNeeds, metadata: string) {
  const owner = {
    client_id: CONSOLE_CLIENT_ID,
    instance: newInstance(registry),
  };
  const client: StoredClient = {
    ...owner,
    ...OF_THE_SERVER,
    version: 1,
    issued_at: registry.clock.now(),
    metadata,
    ...makeRegistrationToken(registry, owner),
  };
  const event = doneEvent(registry, trailOf('client.create'));
  const outcome = await registry.clients.create(client, {
    reuseDeletedId: true,
    now: registry.clock.now(),
    event,
  });
  if (outcome !== 'created') return { outcome: 'changed_meanwhile', result: client } as const;
  registry.log.info({ ...event }, 'audit');
  return { outcome: 'done', result: client } as const;
}

async function corrected(registry: RegistryNeeds, found: StoredClient, metadata: string) {
  const client: StoredClient = { ...found, ...OF_THE_SERVER, version: found.version + 1, metadata };
  const event = doneEvent(registry, trailOf('client.update'), 'corrected');
  const outcome = await storeChange(registry, client, found.version, event);
  return { outcome: outcome === 'done' ? outcome : 'changed_meanwhile', result: client } as const;
}

/** A public client that no token, statement, federation or document vouches for. */
const OF_THE_SERVER = {
  data: null,
  secrets: [],
  privileges: JSON.stringify({
    grant_types: [],
    scope: [],
    data: false,
    set_id: false,
    set_secret: false,
    redirect_hosts: [],
    admin_scope: 'any',
  } satisfies RegistrationPrivileges),
  registered_via: REGISTERED_BY_SERVER,
  shared_digest: null,
  ...NOT_FEDERATED,
  owner: null,
} as const;

function consoleMetadata(url: string, scope: readonly string[]): ClientMetadata {
  return {
    redirect_uris: [url],
    post_logout_redirect_uris: [url],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    client_name: 'Chancery console',
    code_challenge_method: 'S256',
    id_token_signed_response_alg: 'RS256',
    subject_type: 'public',
    scope: ['openid', 'profile', ...scope].join(' '),
  };
}
