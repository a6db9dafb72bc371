import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import { rememberedOutcomes } from '../clients/client-authentication/remembered-outcomes.ts';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type { ClientJwtNeeds } from '../clients/issued-jwt/client-jwt.ts';
import { type NetworkRates, networkLimits } from '../clients/rate-limits.ts';
import { liveClients } from '../clients/registered-client.ts';
import type { RegistryNeeds, RegistrySettings } from '../clients/registry-needs.ts';
import { clientUses } from '../clients/upkeep/client-uses.ts';
import { answer } from '../endpoints/answer.ts';
import { clientDelete } from '../endpoints/client-delete/endpoint.ts';
import { clientList } from '../endpoints/client-list/endpoint.ts';
import { clientRead } from '../endpoints/client-read/endpoint.ts';
import { ADDRESSES, clientRegistration } from '../endpoints/client-registration/endpoint.ts';
import { clientUpdate } from '../endpoints/client-update/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { directAuthorization } from '../endpoints/direct-authorization/endpoint.ts';
import { type IntrospectionNeeds, introspection } from '../endpoints/introspection/endpoint.ts';
import { revocation } from '../endpoints/revocation/endpoint.ts';
import { token } from '../endpoints/token/endpoint.ts';
import type { AssertionGrantNeeds } from '../grants/assertion-grant.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { IssuingNeeds } from '../grants/grant.ts';
import { joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { readCertificateAuthorities } from '../keys/certificate-authorities.ts';
import { digestOf } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { AudienceRule } from '../ports/jwt-verifier.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { samlAssertionVerifier } from '../saml/assertion-verifier.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { type CertificateTrust, SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { withRecordCache } from '../storage/record-cache.ts';
import { systemRandom } from '../system/random.ts';
import { sealerForTenant, sealerWith } from '../system/sealer.ts';
import type { MasterToken } from '../tokens/bearer-token.ts';
import { type Answer, received, requestOf, type TestRequest } from './exchange.ts';
import { publishedKeys, selfContainedTokens } from './server-keys.ts';
import { openedSignIn, type SignInOptions } from './sign-in.ts';
import { emptyTenantStorage } from './storage.ts';
import { LIFETIMES, type TokenOptions, tokenSettings } from './token-settings.ts';
import { type Watch, watched } from './watched-storage.ts';

export const ISSUER = 'https://op.example.com/c2';
export const INTROSPECTION_SCOPE = `${ISSUER}/token/introspect`;
export const MASTER = 'master-token-of-the-client-registry-0123456789';
export const DIRECT = 'master-token-of-direct-authorisation-012345678';
export const CALLBACK = 'https://client.example/cb';
export const START = 1_800_000_000;

/** A client that needs no privilege but `client-reg:grant:code`. */
export const WEB_CLIENT = { redirect_uris: [CALLBACK] };
/** A client that acts for itself. */
export const SERVICE = { grant_types: ['client_credentials'] };

/** Endpoint tests are pure: whatever would be fetched is not to be had. */
const NO_WAY_OUT: OutboundHttp = {
  urlProblem: () => undefined,
  get: async () => ({ status: 'failed', reason: 'unresolvable', detail: 'endpoint tests ask nobody' }),
};

const SETTINGS: RegistrySettings = {
  allowOpenRegistration: false,
  openScopeValues: [],
  masterTokens: [masterToken(MASTER)],
  openClientsMax: undefined,
  openIdempotent: false,
  clientSecretLifetime: 0,
  previousSecretGrace: 0,
  clientIdLength: 24,
  clientSecretLength: 43,
  registrationTokenLength: 43,
  bearerTokenLengthMax: 512,
  json: { depth: 16, members: 200 },
  metadata: {
    redirectUris: 100,
    uriLength: 2000,
    httpAllowed: false,
    certificateTrust: 'none',
    signingAlgorithms: SIGNING_ALGORITHMS,
  },
};

/** A token that opens an administrative endpoint, labelled by its first word. */
export function masterToken(token: string): MasterToken {
  return { label: token.split('-')[0] ?? '', digest: digestOf(token) };
}

export interface TestClock extends Clock {
  advance(seconds: number): void;
}

export interface LoggedLine {
  readonly members: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** One issuer with real endpoints, sealer and identifiers over a storage in memory, and a clock that only tests move. */
export interface TestTenant {
  readonly clock: TestClock;
  readonly needs: RegistryNeeds;
  readonly storage: TenantStorage;
  /** The same data behind the watch's back. */
  readonly unwatched: TenantStorage;
  readonly watch: Watch;
  readonly reports: unknown[];
  readonly log: readonly LoggedLine[];
  readonly endpoints: Endpoints;
  send(endpoint: EndpointName, request?: TestRequest): Promise<Answer>;
  /** Registers with the master token; the client information response. */
  register(metadata: object): Promise<ClientInformation>;
  /** An access token from the direct authorisation endpoint. */
  authorize(request: object): Promise<string>;
  /** An initial access token of these scope values. */
  initialToken(...scope: readonly string[]): Promise<string>;
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
}

export interface ClientInformation {
  readonly client_id: string;
  /** Empty for a client without one. */
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface TestTenantOptions {
  readonly settings?: Partial<RegistrySettings>;
  readonly directTokens?: readonly string[];
  readonly openRates?: Partial<NetworkRates>;
  /** What is fetched; nothing where it is absent. */
  readonly outbound?: OutboundHttp;
  readonly assertionAudience?: AudienceRule;
  readonly tokens?: TokenOptions;
  readonly introspection?: Partial<Pick<IntrospectionNeeds, 'audience' | 'legacyJwt'>> & {
    /** That the server has keys for; all where it is absent. */
    readonly signatures?: readonly string[];
  };
  /** What assertions are taken as grants; none where it is absent. */
  readonly assertionGrants?: AssertionGrantOptions;
  readonly signIn?: SignInOptions;
  /** Certificates of clients serve; PEM of the authorities that may vouch for them. */
  readonly certificateAuthorities?: readonly string[];
}

/** Issuers and what is not as usual. */
export type AssertionGrantOptions = Partial<AssertionGrantNeeds>;

export type Endpoints = ReturnType<typeof endpointsOf>;
export type EndpointName = keyof Endpoints;

export function testTenant(options: TestTenantOptions = {}): TestTenant {
  const unwatched = withRecordCache(emptyTenantStorage(), { clients: 1000, accessTokens: 1000 });
  const { storage, watch } = watched(unwatched);
  const clock = testClock();
  const log: LoggedLine[] = [];
  const needs = registryNeeds(options, storage, clock, log);
  const endpoints = endpointsOf(
    needs,
    options.directTokens ?? [DIRECT],
    authenticationNeeds(needs, storage, options),
    {
      accessTokens: needs.accessTokens,
      tokenSettings: tokenSettings(options.tokens),
      grants: storage.grants,
      log: needs.log,
    },
    options.introspection,
    assertionGrantNeeds(needs, storage, options.assertionGrants),
    { storage, options: options.signIn ?? {} },
  );
  const reports: unknown[] = [];
  const send = async (name: EndpointName, request: TestRequest = {}): Promise<Answer> => {
    const endpoint: Endpoint = endpoints[name];
    const response = await answer(endpoint, requestOf(endpoint.contract, request), (failure) => {
      reports.push(failure);
    });
    return await received(endpoint.contract, response);
  };
  return { clock, needs, storage, unwatched, watch, reports, log, endpoints, send, ...acts(send) };
}

function registryNeeds(
  options: TestTenantOptions,
  storage: TenantStorage,
  clock: TestClock,
  log: LoggedLine[],
): RegistryNeeds {
  const line = (members: LoggedLine['members'], message: string): void => void log.push({ members, message });
  return {
    issuer: ISSUER,
    clients: liveClients(storage.clients, clock),
    accessTokens: {
      issuer: ISSUER,
      mac: createSecretKey(systemRandom.bytes(32)),
      genuine: new BoundedMap(1000),
      selfContained: selfContainedTokens(ISSUER, clock),
      store: storage.accessTokens,
      clock,
      random: systemRandom,
    },
    sealer: sealerForTenant(sealerWith([systemRandom.bytes(32)]), 'test'),
    outbound: options.outbound ?? NO_WAY_OUT,
    openLimits: networkLimits(
      { kind: 'open-registration', perNetwork: 0, overall: 0, ...options.openRates },
      { store: storage.rates, clock, log: { info: line, warn: line, error: line } },
    ),
    audit: storage.audit,
    clock,
    random: systemRandom,
    log: { info: line, warn: line, error: line },
    settings: {
      ...SETTINGS,
      metadata: { ...SETTINGS.metadata, certificateTrust: trustOf(options) },
      ...options.settings,
    },
  };
}

function trustOf({ certificateAuthorities: pems }: TestTenantOptions): CertificateTrust {
  if (pems === undefined) return 'none';
  return pems.length === 0 ? 'keys' : 'chains';
}

type Send = TestTenant['send'];

function acts(send: Send): Pick<TestTenant, 'register' | 'authorize' | 'initialToken' | 'introspect'> {
  const authorize = async (request: object): Promise<string> => {
    const answered = await send('authorize', { bearer: DIRECT, json: request });
    assert.equal(answered.status, 200, answered.body);
    return textOf(answered.json['access_token']);
  };
  return {
    authorize,
    initialToken: async (...scope) => await authorize({ sub: 'admin', scope }),
    async register(metadata) {
      const answered = await send('register', { bearer: MASTER, json: metadata });
      assert.equal(answered.status, 200, answered.body);
      return clientInformationOf(answered);
    },
    async introspect(token) {
      const scope = ['irrelevant', INTROSPECTION_SCOPE];
      const client = await send('register', { bearer: MASTER, json: { ...SERVICE, scope: scope.join(' ') } });
      const { client_id, client_secret } = clientInformationOf(client);
      const answered = await send('introspect', { basic: [client_id, client_secret], form: { token } });
      assert.equal(answered.status, 200, answered.body);
      return answered.json;
    },
  };
}

export function clientInformationOf({ json }: Answer): ClientInformation {
  return {
    client_id: textOf(json['client_id']),
    client_secret: textOf(json['client_secret']),
    registration_access_token: textOf(json['registration_access_token']),
    members: json,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function testClock(): TestClock {
  let now = START;
  return {
    now: () => now,
    milliseconds: () => now * 1000,
    advance(seconds) {
      now += seconds;
    },
  };
}

function authenticationNeeds(
  { issuer, clients, clock, log, outbound, sealer }: RegistryNeeds,
  { replays }: TenantStorage,
  options: TestTenantOptions,
): AuthenticationNeeds {
  const audience = options.assertionAudience ?? { kind: 'sole', values: [issuer] };
  const authorities = readCertificateAuthorities((options.certificateAuthorities ?? []).join('')) ?? [];
  return {
    issuer,
    clients,
    clock,
    uses: clientUses({ clients, clock, log }),
    remembered: rememberedOutcomes(),
    assertions: {
      verifier: joseJwtVerifier(clock),
      jwkSets: remoteJwkSets({ outbound, clock }),
      sealer,
      replays,
      audience,
    },
    certificateAuthorities: () => authorities,
  };
}

function assertionGrantNeeds(
  { issuer, clients, clock, outbound }: RegistryNeeds,
  { replays }: TenantStorage,
  options: AssertionGrantOptions | undefined,
): AssertionGrantNeeds | undefined {
  if (options === undefined) return undefined;
  return {
    issuer,
    tokenEndpoint: `${issuer}/token`,
    audience: 'issuer',
    jwtIssuers: [],
    samlIssuers: [],
    samlLengthMax: 32_768,
    samlVerifier: samlAssertionVerifier(),
    clock,
    lifetimeMax: 3600,
    clockSkew: 60,
    verifier: joseJwtVerifier(clock),
    jwkSets: remoteJwkSets({ outbound, clock }),
    replays,
    clients,
    ...options,
  };
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- the names in it are the type
function endpointsOf(
  needs: RegistryNeeds,
  directTokens: readonly string[],
  authentication: AuthenticationNeeds,
  issuing: IssuingNeeds,
  inspecting: TestTenantOptions['introspection'] = {},
  assertions: AssertionGrantNeeds | undefined,
  signIn: { readonly storage: TenantStorage; readonly options: SignInOptions },
) {
  const { issuer, clients, accessTokens } = needs;
  const { uses } = authentication;
  const form = { parameters: 32 };
  const clientJwts: ClientJwtNeeds = {
    keys: {
      canSign: (alg) => inspecting.signatures?.includes(alg) ?? true,
      sign: async (claims, header) => await (await publishedKeys()).sign(claims, header),
    },
    encrypter: joseJweEncrypter,
    jwkSets: authentication.assertions.jwkSets,
  };
  const direct: DirectAuthorizationNeeds = {
    ...issuing,
    clients,
    uses,
    idTokens: { issuer, clientJwts, pairwiseSecret: createSecretKey(Buffer.alloc(32, 1)) },
    lifetimes: LIFETIMES,
  };
  const opened = openedSignIn({ direct, authentication, ...signIn });
  return {
    register: clientRegistration(needs, { ...ADDRESSES.clients, advertised: false }),
    register201: clientRegistration(needs, { ...ADDRESSES.register, advertised: true }),
    list: clientList(needs),
    read: clientRead(needs),
    update: clientUpdate(needs),
    delete: clientDelete(needs),
    authorize: directAuthorization({
      ...direct,
      masterTokens: directTokens.map(masterToken),
      bearerTokenLengthMax: needs.settings.bearerTokenLengthMax,
      json: needs.settings.json,
    }),
    ...opened.endpoints,
    token: token({ ...issuing, assertions, endUsers: opened.endUsers, authentication, form }),
    introspect: introspection({
      issuer,
      authentication,
      accessTokens,
      form,
      clock: needs.clock,
      clientJwts,
      audience: 'any',
      legacyJwt: false,
      ...inspecting,
    }),
    revoke: revocation({ ...issuing, authentication, form }),
  };
}
