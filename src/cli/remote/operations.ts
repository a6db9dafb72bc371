import { metadataOfOptions } from '../client-members.ts';
import { CommandFailure, calledWrongly } from '../failure.ts';
import { fapiReportLines } from '../fapi-report-lines.ts';
import { jsonInput } from '../input.ts';
import { byId, flag, operand, type RemoteCall, type RemoteRow, text } from './row.ts';
import type { RemoteRequest } from './server.ts';
import { STREAM_ROWS } from './stream-rows.ts';
import { WEBHOOK_ROWS } from './webhook-rows.ts';

const byClient = (call: RemoteCall): RemoteRequest => ({ segments: { client_id: operand(call, 'id') } });

/** An entity that registered explicitly has another client_id. Throws CommandFailure for an entity without a client. */
async function byEntity(call: RemoteCall): Promise<RemoteRequest> {
  const entity_id = operand(call, 'entity');
  for await (const [found] of call.server.pages('admin-federation-member-list', { query: { entity_id } }))
    if (found !== undefined) return { segments: { client_id: String(found['client_id']) } };
  throw new CommandFailure(`no client of the entity ${JSON.stringify(entity_id)} is registered`);
}

const byAnchor = (call: RemoteCall): RemoteRequest => ({ segments: { entity_id: operand(call, 'entity') } });

const MADE_ONCE = 'the API shows a secret in the answer that makes it, and not again';

async function clientMetadata(call: RemoteCall): Promise<Readonly<Record<string, unknown>>> {
  const file = text(call.operands['file']);
  if (file !== undefined) return await jsonInput(file);
  // The options are those of `clients create`, which declares them so.
  const given = metadataOfOptions(call.options as unknown as Parameters<typeof metadataOfOptions>[0]);
  return JSON.parse(Buffer.from(given).toString('utf8')) as Readonly<Record<string, unknown>>;
}

async function creation(call: RemoteCall): Promise<RemoteRequest> {
  const { preferred_client_id, preferred_client_secret, ...metadata } = await clientMetadata(call);
  return {
    query: { dry_run: flag(call.options['dry-run']) },
    body: { client_id: preferred_client_id, client_secret: preferred_client_secret, metadata },
  };
}

/** Returns the subject of an account. Throws CommandFailure for an unknown name. */
async function subjectOf(call: RemoteCall): Promise<string> {
  const sub = text(call.options['sub']);
  if (sub !== undefined) return sub;
  const name = operand(call, 'name');
  const wanted = name.toLowerCase();
  for await (const page of call.server.pages('admin-account-list', { query: { prefix: name } })) {
    const found = page.find(
      ({ username }) => typeof username === 'string' && username.toLowerCase() === wanted,
    );
    if (found !== undefined) return String(found['sub']);
  }
  throw new CommandFailure(`there is no account ${JSON.stringify(name)}`);
}

const byAccount = async (call: RemoteCall): Promise<RemoteRequest> => ({
  segments: { sub: await subjectOf(call) },
});
const ofAccount = async (call: RemoteCall): Promise<RemoteRequest> => ({
  query: { sub: await subjectOf(call) },
});

function settingsOf(pairs: unknown): Readonly<Record<string, unknown>> {
  const given = (pairs ?? []) as readonly string[];
  return Object.fromEntries(
    given.map((pair) => {
      const mark = pair.indexOf('=');
      if (mark < 1) throw new CommandFailure('--set takes path=value');
      return [pair.slice(0, mark), valueOf(pair.slice(mark + 1))];
    }),
  );
}

/** The server reads a value as chancery.yaml has it: numbers, true and false are no texts. */
function valueOf(word: string): unknown {
  return /^(?:true|false|\d{1,15}|\[.*\]|\{.*\})$/u.test(word) ? (JSON.parse(word) as unknown) : word;
}

/** The claims of the options, as the command on a database reads them. */
async function claims(call: RemoteCall): Promise<Readonly<Record<string, unknown>>> {
  const { claimsOf } = await import('../accounts.ts');
  return claimsOf(call.options as unknown as Parameters<typeof claimsOf>[0]);
}

async function givenPassword(call: RemoteCall): Promise<{ readonly password: string }> {
  const { readNewPassword } = await import('../accounts.ts');
  return { password: await readNewPassword(call.options['password-stdin'] === true, call) };
}

function auditQuery({ options }: RemoteCall): RemoteRequest {
  const { since, until, action, actor, client, address, request, sub, outcome } = options;
  return {
    query: {
      since: text(since),
      until: text(until),
      action: text(action),
      actor: text(actor),
      client_id: text(client),
      address: text(address),
      request_id: text(request),
      sub: text(sub),
      outcome: text(outcome),
    },
  };
}

const PLAN_OPERATIONS = [
  'admin-declaration-plan',
  'admin-declaration-list',
  'admin-tenant-declaration-plan',
  'admin-tenant-declaration-list',
];

/** Every command on a registry, with its operation in the administration API or the reason why there is none. */
export const REMOTE: Readonly<Record<string, RemoteRow>> = {
  'clients list': {
    operation: 'admin-client-list',
    lists: true,
    request: ({ options }) => ({
      query: {
        registered_via: text(options['registered-via']),
        grant_type: text(options['grant-type']),
        name_contains: text(options['name']),
      },
    }),
  },
  'clients show': { operation: 'admin-client-read', request: byClient, refuses: { secrets: MADE_ONCE } },
  'clients create': { operation: 'admin-client-create', request: creation },
  'clients update': {
    operation: 'admin-client-replace',
    request: async (call) => {
      const { client_id: _, ...metadata } = await clientMetadata(call);
      return { ...byClient(call), body: { metadata } };
    },
    refuses: { secrets: 'the operation keeps the secret, and prints a new one without the option' },
  },
  'clients delete': {
    operation: 'admin-client-delete',
    request: (call) => ({ ...byClient(call), query: { purge: flag(call.options['purge']) } }),
  },
  'clients versions': { operation: 'admin-client-version-list', lists: true, request: byId },
  'clients diff': {
    operation: 'admin-client-diff',
    request: (call) => ({
      ...byId(call),
      query: { from: text(call.operands['from']), to: text(call.operands['to']) },
    }),
  },
  'clients restore': {
    operation: 'admin-client-restore',
    request: (call) => ({
      ...byId(call),
      body: { version: call.options['version'], with_secrets: call.options['with-secrets'] === true },
    }),
    refuses: { secrets: MADE_ONCE },
  },
  'clients fapi-report': {
    operation: 'admin-fapi-report',
    lists: true,
    request: ({ options }) => ({
      query: { profile: text(options['profile']), fits: options['lacking'] === true ? 'false' : undefined },
    }),
    lines: fapiReportLines,
    fails: ({ fits }) => fits === false,
  },
  'clients deleted': { operation: 'admin-deleted-client-list', lists: true },
  'clients refresh': {
    reason: 'servers fetch the document of a client themselves when it is no longer fresh',
  },
  'clients rotate-secret': {
    operation: 'admin-client-secret-rotate',
    request: (call) => {
      const keep_previous_seconds = call.options['keep-previous'];
      if (keep_previous_seconds === undefined)
        throw calledWrongly('--keep-previous is missing: the default is a setting of the server');
      return { ...byClient(call), body: { keep_previous_seconds } };
    },
  },
  'clients secrets': { operation: 'admin-client-secret-list', lists: true, request: byClient },
  'clients retire-secret': {
    operation: 'admin-client-secret-retire',
    request: (call) => ({ segments: { client_id: operand(call, 'id'), secret_id: operand(call, 'name') } }),
  },
  'clients prune': {
    operation: 'admin-client-bulk',
    only: 'set registration.idle-client-lifetime, and the servers do it; or send a bulk deletion with a filter to POST /admin/v1/clients/bulk',
  },
  'clients export': {
    reason: 'an export has every secret in clear, and the API shows a secret only where it is made',
  },
  'clients import': {
    reason:
      'the registration tokens of an export cannot be given over the API; declare the clients in files, and apply them',
  },
  'backup create': { own: ['admin-backup-create', 'admin-backup-read', 'admin-backup-download'] },
  'backup verify': { own: ['admin-backup-verify', 'admin-backup-read'] },
  'backup list': { operation: 'admin-backup-list', lists: true },
  'backup download': { own: ['admin-backup-read', 'admin-backup-download'] },
  'backup delete': { operation: 'admin-backup-delete', request: byId },
  plan: { own: PLAN_OPERATIONS },
  apply: { own: [...PLAN_OPERATIONS, 'admin-declaration-apply', 'admin-tenant-declaration-apply'] },
  'iat create': {
    operation: 'admin-initial-access-token-create',
    request: ({ options }) => ({
      body: {
        label: text(options['label']),
        scope: (options['scope'] as readonly string[] | undefined)?.flatMap((value) => value.split(' ')),
        redirect_hosts: options['redirect-host'],
        lifetime: options['lifetime'],
      },
    }),
  },
  'iat list': { operation: 'admin-initial-access-token-list', lists: true },
  'iat revoke': {
    operation: 'admin-initial-access-token-revoke',
    request: (call) => ({ ...byId(call), body: { cascade: call.options['cascade'] === true } }),
  },
  'token introspect': { reason: 'POST /token/introspect tells a client everything about a token' },
  'accounts add': {
    operation: 'admin-account-create',
    request: async (call) => ({
      body: {
        username: operand(call, 'name'),
        ...(await givenPassword(call)),
        claims: await claims(call),
        admin_role: text(call.options['admin-role']),
      },
    }),
  },
  'accounts list': { operation: 'admin-account-list', lists: true },
  'accounts show': { operation: 'admin-account-read', request: byAccount },
  'accounts update': {
    operation: 'admin-account-change',
    request: async (call) => {
      const removed = ((call.options['remove-claim'] ?? []) as readonly string[]).map(
        (name) => [name, null] as const,
      );
      return {
        ...(await byAccount(call)),
        body: { claims: { ...(await claims(call)), ...Object.fromEntries(removed) } },
      };
    },
  },
  'accounts disable': { operation: 'admin-account-disable', request: byAccount },
  'accounts enable': { operation: 'admin-account-enable', request: byAccount },
  'accounts set-password': {
    operation: 'admin-account-password',
    request: async (call) => ({ ...(await byAccount(call)), body: await givenPassword(call) }),
  },
  'accounts delete': { operation: 'admin-account-delete', request: byAccount },
  'accounts role': {
    operation: 'admin-account-change',
    request: async (call) => {
      const role = operand(call, 'role');
      return { ...(await byAccount(call)), body: { admin_role: role === 'none' ? null : role } };
    },
  },
  'sessions list': { operation: 'admin-session-list', lists: true, request: ofAccount },
  'sessions end': {
    operation: 'admin-account-end-sessions',
    withOperand: { operand: 'id', operation: 'admin-session-end' },
    request: async (call) => {
      const sid = text(call.operands['id']);
      return sid === undefined ? await byAccount(call) : { segments: { sid } };
    },
  },
  'grants list': { operation: 'admin-grant-list', lists: true, request: ofAccount },
  'grants revoke': {
    operation: 'admin-grant-revoke',
    request: (call) => {
      const grant_id = text(call.operands['id']);
      if (grant_id === undefined)
        throw calledWrongly('--server: name the grant: the API revokes one at a time');
      return { segments: { grant_id } };
    },
  },
  'requests list': { operation: 'admin-backchannel-request-list', lists: true },
  'requests refuse': {
    operation: 'admin-backchannel-request-refuse',
    request: (call) => ({ segments: { id: operand(call, 'id') } }),
  },
  'devices list': { operation: 'admin-device-authorization-list', lists: true },
  'devices refuse': {
    operation: 'admin-device-authorization-refuse',
    request: (call) => ({ segments: { id: operand(call, 'id') } }),
  },
  'consents list': { operation: 'admin-consent-list', lists: true, request: ofAccount },
  'consents withdraw': {
    operation: 'admin-consent-withdraw',
    request: async (call) => ({
      segments: { sub: await subjectOf(call), client_id: operand(call, 'client') },
    }),
  },
  'logouts list': {
    reason: 'the metrics tell how many notifications wait; their list is for the machine of the server',
  },
  'federation members': {
    operation: 'admin-federation-member-list',
    lists: true,
    request: ({ options }) => ({ query: { trust_anchor: text(options['anchor']) } }),
  },
  'federation show': { operation: 'admin-federation-member-read', request: byEntity },
  'federation refresh': { operation: 'admin-federation-member-refresh', request: byEntity },
  'federation remove': { operation: 'admin-federation-member-delete', request: byEntity },
  'federation resolve': { own: ['admin-federation-resolve'] },
  'federation entity-configuration': {
    reason: 'the server serves it to everyone, at /.well-known/openid-federation',
  },
  'federation trust-anchors show': {
    operation: 'admin-trust-anchor-list',
    lists: true,
    refuses: { offline: 'the list is always what the server has seen' },
  },
  'federation trust-anchors accept': {
    operation: 'admin-trust-anchor-accept',
    // Without a thumbprint only keys that are gone are withdrawn: the server refuses, and names what is announced.
    request: (call) => ({ ...byAnchor(call), body: { thumbprints: call.options['thumbprint'] ?? [] } }),
    refuses: { offline: 'the server accepts what it has seen; federation trust-anchors show has it' },
  },
  'federation trust-anchors reset': { operation: 'admin-trust-anchor-reset', request: byAnchor },
  'audit list': { operation: 'admin-audit-list', lists: true, request: auditQuery },
  'audit tail': {
    operation: 'admin-events',
    only: 'the stream GET /admin/v1/events follows the audit with a cursor: read it with curl -N',
  },
  ...WEBHOOK_ROWS,
  ...STREAM_ROWS,
  'keys list': { operation: 'admin-key-list', lists: true },
  'keys history': { operation: 'admin-removed-key-list', lists: true },
  'keys rotate': {
    operation: 'admin-key-rotate',
    request: ({ options }) => ({
      body: { use: text(options['use']), kind: text(options['kind']), now: flag(options['now']) },
    }),
  },
  'keys revoke': {
    operation: 'admin-key-revoke',
    request: (call) => ({ segments: { kid: operand(call, 'kid') } }),
  },
  'keys import': {
    operation: 'admin-key-import',
    request: async (call) => ({
      body: { jwks: await jsonInput(operand(call, 'file')), now: flag(call.options['now']) },
    }),
  },
  'tenants list': { operation: 'admin-tenant-list', lists: true },
  'tenants create': {
    operation: 'admin-tenant-create',
    request: (call) => ({
      body: {
        id: operand(call, 'id'),
        issuer: text(call.options['issuer']),
        aliases: call.options['alias'],
        settings: settingsOf(call.options['set']),
      },
    }),
    refuses: { from: 'create the tenants one by one, or on a machine of the server' },
  },
  'tenants update': {
    operation: 'admin-tenant-update',
    request: (call) => {
      const { alias, set, unset, 'no-alias': none } = call.options;
      const removed = ((unset ?? []) as readonly string[]).map((path) => [path, null] as const);
      const aliases = none === true ? [] : alias;
      return {
        ...byId(call),
        body: { aliases, settings: { ...settingsOf(set), ...Object.fromEntries(removed) } },
      };
    },
  },
  'tenants disable': { operation: 'admin-tenant-disable', request: byId },
  'tenants enable': { operation: 'admin-tenant-enable', request: byId },
  'tenants delete': {
    operation: 'admin-tenant-delete',
    request: (call) => {
      if (text(call.options['confirm']) !== operand(call, 'id'))
        throw new CommandFailure('--confirm must repeat the id of the tenant');
      return {
        ...byId(call),
        query: { force: flag(call.options['force']), dry_run: flag(call.options['dry-run']) },
      };
    },
    refuses: { 'audit-file': 'read the audit before: chancery audit list --server URL' },
  },
};

export const remoteRow = (words: readonly string[]): RemoteRow | undefined => {
  const name = words.join(' ');
  return Object.hasOwn(REMOTE, name) ? REMOTE[name] : undefined;
};
