import { header, objectOf } from '../conformance/http.ts';
import type { Json } from './keys.ts';
import { now } from './plan.ts';
import { ACCEPTS, at, type Fault, REFUSES, refusal, registered, unsigned } from './tampering.ts';
import type { Dialect } from './world.ts';

const OTHER = 'https://other.example';
const metadata = (change: Json): Fault => ({
  configuration: ({ metadata: own }) => ({
    metadata: {
      ...(own as Json),
      openid_provider: { ...((own as Json)['openid_provider'] as Json), ...change },
    },
  }),
});
const claims = (change: Json): Fault => ({ statement: () => change });
const token = (error: string): Fault => at('token', (reply) => refusal(reply, 400, error));
const withHeaders = (change: Readonly<Record<string, string | undefined>>): Fault =>
  at('registration', (reply) => ({ ...reply, headers: { ...reply.headers, ...change } }));
/** Forgets what was registered but the identifier. */
const FORGETS: Fault = {
  statement: ({ metadata: own }) => {
    const { client_id } = (own as { openid_relying_party: Json }).openid_relying_party;
    return { metadata: { openid_relying_party: { client_id } } };
  },
};

/** Fetches the configurations of entities that a request names. */
const fetches = (named: (request: Json) => readonly unknown[], times = 1): Fault => ({
  async beside(request) {
    for (const id of named(request))
      for (let time = 0; time < times; time += 1)
        await (await fetch(`${String(id)}/.well-known/openid-federation`)).arrayBuffer();
  },
});
const hints = ({ authority_hints }: Json): readonly unknown[] =>
  Array.isArray(authority_hints) ? (authority_hints as readonly unknown[]) : [];

/** Refuses every request of an entity but its first. */
function refusesLater(): Fault {
  const seen = new Set<unknown>();
  let late = false;
  return {
    async beside({ iss }) {
      late = seen.has(iss);
      await Promise.resolve(seen.add(iss));
    },
    reply: (reply, where) => (where === 'registration' && late ? refusal(reply) : reply),
  };
}

/** Ends every client once a request was refused. */
function endsAtRefusal(): Fault {
  let refused = false;
  return {
    reply: (reply, where) => {
      if (where === 'registration') refused ||= reply.status !== 200;
      return where === 'token' && refused ? refusal(reply, 401, 'invalid_client') : reply;
    },
  };
}

type Row = readonly [condition: string, fault: Fault, dialect?: Dialect];

/** A fault that each condition must see. Conditions without a row are in `faultsOf`. */
const ROWS: readonly Row[] = [
  ['op-status', at('configuration', (reply) => ({ ...reply, status: 404 }))],
  [
    'op-content-type',
    at('configuration', (reply) => ({ ...reply, headers: { 'content-type': 'application/jwt' } })),
  ],
  ['op-typ', { configurationHeader: { typ: 'JWT' } }],
  ['op-identity', { configuration: () => ({ iss: OTHER }) }],
  ['op-identity', { configuration: () => ({ sub: OTHER }) }],
  ['op-times', { configuration: () => ({ exp: now() - 1 }) }],
  ['op-times', { configuration: () => ({ iat: now() + 1000 }) }],
  ['op-keys', { configuration: ({ jwks }) => ({ jwks: { keys: twice((jwks as { keys: Json[] }).keys) } }) }],
  ['op-keys', { configuration: ({ jwks }) => ({ jwks: { keys: secret((jwks as { keys: Json[] }).keys) } }) }],
  ['op-signature', at('configuration', unsigned)],
  ['op-hints', { configuration: () => ({ authority_hints: [] }) }],
  ['op-issuer', metadata({ issuer: OTHER })],
  ['op-registration-types', metadata({ client_registration_types_supported: ['automatic'] })],
  ['op-registration-endpoint', metadata({ federation_registration_endpoint: `${OTHER}/register#here` })],
  [
    'op-registration-endpoint',
    metadata({ federation_registration_endpoint: 'ftp://other.example/register' }),
  ],
  ['op-registration-by-post', at('registration by GET', (reply) => ({ ...reply, status: 200 }))],
  ['op-trust-anchor-hints', { configuration: () => ({ trust_anchor_hints: [OTHER] }) }],
  ['op-signed-keys', at('signed-keys', unsigned)],
  [
    'op-signed-keys-interface',
    at('signed-keys', (reply) => ({ ...reply, headers: { 'content-type': 'text/plain' } })),
  ],

  ['request-without-published-configuration', fetches(({ iss }) => [iss])],
  ['request-client-secret', registered(() => ({ client_secret: undefined }))],
  ['request-keys-by-uri', registered(() => ({ jwks_uri: undefined }))],
  ['request-same-second', refusesLater()],
  ['request-federation-entity-metadata', FORGETS],

  ['chain-loop', fetches(hints, 2)],
  ['chain-loop', ACCEPTS],
  ['chain-many-hints', fetches(hints)],
  ['chain-many-hints', ACCEPTS],
  ['chain-no-fetch-for-a-forgery', fetches(hints)],
  ['chain-superior-away', at('registration', (reply) => refusal(reply, 400, 'invalid_trust_chain'))],

  ...['metadata-of-superior', 'policy-value', 'policy-add', 'policy-default', 'policy-subset-of'].map(
    (id): Row => [id, FORGETS],
  ),
  ...['policy-merged', 'policy-scope', 'policy-in-the-answer'].map((id): Row => [id, FORGETS]),
  ['policy-leaves-nothing', ACCEPTS],
  ['policy-default', registered(() => ({ client_name: 'no' }))],
  ['policy-merged', registered(() => ({ contacts: ['2@rp.example', '3@rp.example'] }))],

  ['answer-content-type', withHeaders({ 'content-type': 'application/entity-statement+jwt' })],
  ['answer-content-type-interface', withHeaders({ 'content-type': 'application/jwt' })],
  ['answer-typ', { statementHeader: { typ: 'entity-statement+jwt' } }],
  ['answer-header-interface', { statementHeader: { typ: 'explicit-registration-response+jwt' } }],
  ['answer-header-interface', { statementHeader: { kid: undefined } }],
  ['answer-not-cached', withHeaders({ 'cache-control': 'private' })],
  ['answer-not-cached', withHeaders({ pragma: undefined })],
  ['answer-signature', at('registration', unsigned)],
  ['answer-iss', claims({ iss: OTHER })],
  ['answer-sub', claims({ sub: OTHER })],
  ['answer-aud', claims({ aud: OTHER })],
  ['answer-aud', { statement: ({ aud }) => ({ aud: [aud, OTHER] }) }],
  ['answer-iat', claims({ iat: now() - 1000 })],
  ['answer-iat', claims({ iat: undefined })],
  ['answer-exp', { statement: ({ exp }) => ({ exp: Number(exp) + 1000 }) }],
  ['answer-exp', claims({ exp: now() - 1 })],
  ['answer-trust-anchor', claims({ trust_anchor: OTHER })],
  ['answer-authority-hints', claims({ authority_hints: [OTHER] })],
  [
    'answer-authority-hints',
    { statement: ({ authority_hints }) => ({ authority_hints: [...(authority_hints as []), OTHER] }) },
  ],
  ['answer-client-id', registered(() => ({ client_id: undefined }))],
  ['answer-metadata-policy', claims({ metadata_policy: undefined })],
  ['answer-metadata-policy', claims({ metadata_policy: { openid_relying_party: { client_id: 'me' } } })],
  ['answer-secret', registered(() => ({ client_secret_expires_at: now() }))],
  ['answer-secret-end', registered(() => ({ client_secret_expires_at: 0 }))],
  ['answer-no-registration-token', registered(() => ({ registration_access_token: 'token' }))],
  ['answer-no-registration-token', registered(() => ({ registration_client_uri: OTHER }))],
  ['answer-defaults', registered(() => ({ response_types: undefined }))],
  ['answer-jwks', claims({ jwks: { keys: [] } })],
  ['answer-selected-anchor', claims({ trust_anchor: OTHER })],
  ['answer-selected-anchor', claims({ authority_hints: [OTHER] })],

  ['refusal-json', withHeaders({ 'content-type': 'text/plain' })],
  [
    'refusal-json',
    at('registration', (reply) => ({ ...reply, text: JSON.stringify({ error: 'invalid_request' }) })),
  ],
  ['refusal-json', ACCEPTS],
  ['refusal-malformed', at('registration', (reply) => ({ ...reply, status: 401 }))],
  ['refusal-code', at('registration', (reply) => refusal(reply, 400, 'server_error'))],

  ['client-key', token('invalid_client')],
  ['client-secret', token('invalid_client')],
  ['client-replaced', token('invalid_grant')],
  ['client-replaced', registered(() => ({ client_secret: 'always the same' }))],
  ['client-survives-refusal', endsAtRefusal()],
  ['client-once', { statement: ({ metadata: own }) => ({ metadata: another(own as Json) }) }],
  ['client-expires', claims({ exp: now() - 600 })],
];

function twice(keys: readonly Json[]): readonly Json[] {
  return [...keys, ...keys];
}

function secret(keys: readonly Json[]): readonly Json[] {
  return keys.map((key) => ({ ...key, d: 'AQ' }));
}

let clients = 0;
function another(own: Json): Json {
  clients += 1;
  const party = own['openid_relying_party'] as Json;
  return { ...own, openid_relying_party: { ...party, client_id: `another-${clients}` } };
}

/** Tells distrust in the words of a malformed request. */
const MISNAMES = at('registration', (reply) =>
  reply.status === 200 ? reply : refusal(reply, 400, String(objectOf(reply)['error'])),
);
/** Refuses without an error code. */
const MUMBLES = at('registration', (reply) =>
  reply.status === 200 ? reply : { ...reply, text: `no: ${header(reply, 'content-type')}` },
);

/** Returns the faults that a condition must see. Where no row names it, it is about a request that is refused or accepted. */
export function faultsOf(id: string, dialect: Dialect, distrusts: boolean): readonly Fault[] {
  const rows = ROWS.filter(([condition, , only]) => condition === id && (only ?? dialect) === dialect);
  if (rows.length > 0) return rows.map(([, fault]) => fault);
  const isRefusal = /^(?:refuse|chain|constraint|policy)-/u.test(id) && id !== 'constraint-unknown';
  if (!isRefusal) return [REFUSES];
  return [ACCEPTS, MUMBLES, REFUSES, ...(distrusts && dialect === 'interface' ? [MISNAMES] : [])];
}

/** Every condition that a row names, so that none outlives its condition. */
export const NAMED: ReadonlySet<string> = new Set(ROWS.map(([condition]) => condition));
