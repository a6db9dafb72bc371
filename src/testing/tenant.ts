import assert from 'node:assert/strict';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Settings } from '../config/settings.ts';
import { answer } from '../endpoints/answer.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import type { Site } from '../http/router.ts';
import { digestOf } from '../keys/digest.ts';
import type { AdminScope } from '../spec/admin-scopes.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { openTenant, type Tenant } from '../tenant/tenant.ts';
import { registerAsOperator } from './administration.ts';
import { type ClientInformation, clientInformationOf, textOf } from './client-information.ts';
import { type Answer, received, requestOf, type TestRequest } from './exchange.ts';
import { type TestPlatform, type TestPlatformOptions, testPlatform } from './platform.ts';
import { testSettings } from './settings.ts';

export { type ClientInformation, clientInformationOf } from './client-information.ts';
export { START } from './platform.ts';

export const ISSUER = 'https://op.example.com/c2';
export const INTROSPECTION_SCOPE = `${ISSUER}/token/introspect`;
export const MASTER = 'master-token-of-the-client-registry-0123456789';
export const DIRECT = 'master-token-of-direct-authorisation-012345678';
/** A break-glass token: it opens every operation of the administration. */
export const ADMIN = 'break-glass-token-of-the-administration-0123456789';
export const CALLBACK = 'https://client.example/cb';

/** A client that needs no privilege but `client-reg:grant:code`. */
export const WEB_CLIENT = { redirect_uris: [CALLBACK] };
/** A client that acts for itself. */
export const SERVICE = { grant_types: ['client_credentials'] };

/** The settings of the product as a test tenant has them: every default, an issuer, and two master tokens. */
export const DEFAULTS: Settings = testSettings({
  issuer: ISSUER,
  'registration.master-token-sha256': [masterToken(MASTER)],
  'direct-authorization.token-sha256': [masterToken(DIRECT)],
  'admin.token-sha256': [masterToken(ADMIN)],
});

/** Returns a master token as settings have it: with its first word as the label. */
export function masterToken(token: string): string {
  return `${token.split('-')[0] ?? ''}:${Buffer.from(digestOf(token), 'base64url').toString('hex')}`;
}

/** The real tenant of the product on a platform in memory. It opens at its first request. */
export interface TestTenant extends Pick<TestPlatform, 'clock' | 'unwatched' | 'watch'> {
  readonly platform: TestPlatform;
  /** The tenant's storage with a watch on every call. */
  readonly storage: TestPlatform['unwatched'];
  readonly log: TestPlatform['lines'];
  readonly reports: unknown[];
  opened(): Promise<Tenant>;
  site(): Promise<Site>;
  /** The administration, as it stands on the management listener. */
  managementSite(): Promise<Site>;
  registry(): Promise<RegistryNeeds>;
  /** @param name as the contract has it */
  endpoint(name: string): Promise<Endpoint>;
  /** Sends a request to an endpoint; what it cannot handle is in `reports`. */
  ask(endpoint: Endpoint, request: TestRequest): Promise<Answer>;
  /** Sends a request to the endpoint of this name. */
  send(endpoint: string, request?: TestRequest): Promise<Answer>;
  /** Registers with the master token; the client information response. */
  register(metadata: object): Promise<ClientInformation>;
  /** An access token from the direct authorisation endpoint. */
  authorize(request: object): Promise<string>;
  /** An initial access token of these scope values. */
  initialToken(...scope: readonly string[]): Promise<string>;
  /** An access token of a client that acts for itself and is registered for these scope values of administration. */
  adminToken(...scope: readonly AdminScope[]): Promise<string>;
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
}

export interface TestTenantOptions extends TestPlatformOptions {
  /** Settings that differ from `DEFAULTS`. */
  readonly settings?: Partial<Settings>;
  /** The platform of another test tenant: this one is that tenant, started anew with other settings. */
  readonly platform?: TestPlatform;
}

export function testTenant(options: TestTenantOptions = {}): TestTenant {
  const { platform = testPlatform(options) } = options;
  const { clock, unwatched, watch, watchedStorage: storage, lines } = platform;
  const settings = { ...DEFAULTS, ...certificateSettings(options), ...options.settings };
  const reports: unknown[] = [];
  let opening: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    opening ??= openOn(platform, settings);
    return await opening;
  };
  const endpoint: TestTenant['endpoint'] = async (name) => {
    const { site, management } = await open();
    return (
      [...site.endpoints, ...management.endpoints].find(({ contract }) => contract.name === name) ??
      assert.fail(`no endpoint is named ${name}`)
    );
  };
  const ask: TestTenant['ask'] = async (asked, request) => {
    const response = await answer(asked, requestOf(asked.contract, request), (failure) => {
      reports.push(failure);
    });
    return await received(asked.contract, response);
  };
  const send: TestTenant['send'] = async (name, request = {}) => await ask(await endpoint(name), request);
  const registry = async (): Promise<RegistryNeeds> => (await open()).tenant.registry;
  return {
    platform,
    clock,
    storage,
    unwatched,
    watch,
    reports,
    log: lines,
    opened: async () => (await open()).tenant,
    site: async () => (await open()).site,
    managementSite: async () => (await open()).management,
    registry,
    endpoint,
    ask,
    send,
    ...acts({ send, registry }),
  };
}

interface Opened {
  readonly tenant: Tenant;
  readonly site: Site;
  /** The administration, as it stands on the management listener. */
  readonly management: Site;
}

async function openOn(platform: TestPlatform, settings: Settings): Promise<Opened> {
  const tenant = await openTenant(platform, { id: 'test' as TenantId, settings });
  const site = await tenant.site(settings.issuer);
  const management = await tenant.managementSite(settings.issuer);
  platform.watch.begin();
  return { tenant, site, management };
}

function certificateSettings({ certificateAuthorities: pems }: TestPlatformOptions): Partial<Settings> {
  if (pems === undefined) return {};
  return {
    'listen.tls-client-certificates': 'optional',
    ...(pems.length === 0 ? {} : { 'listen.tls-client-ca': pems.join('\n') }),
  };
}

/** Returns the acts of a tenant whose requests go this way. */
export function acts({
  send,
  registry,
}: Pick<TestTenant, 'send' | 'registry'>): Pick<
  TestTenant,
  'register' | 'authorize' | 'initialToken' | 'adminToken' | 'introspect'
> {
  const authorize = async (request: object): Promise<string> => {
    const answered = await send('direct-authorization', { bearer: DIRECT, json: request });
    assert.equal(answered.status, 200, answered.body);
    return textOf(answered.json['access_token']);
  };
  return {
    authorize,
    initialToken: async (...scope) => await authorize({ sub: 'admin', scope }),
    async adminToken(...scope) {
      const metadata = { ...SERVICE, scope: scope.join(' ') };
      const { client_id, client_secret } = await registerAsOperator({ registry }, metadata);
      const form = { grant_type: 'client_credentials', scope: scope.join(' ') };
      const answered = await send('token', { basic: [client_id, client_secret], form });
      assert.equal(answered.status, 200, answered.body);
      return textOf(answered.json['access_token']);
    },
    async register(metadata) {
      const answered = await send('client-registration', { bearer: MASTER, json: metadata });
      assert.equal(answered.status, 200, answered.body);
      return clientInformationOf(answered);
    },
    async introspect(token) {
      const scope = ['irrelevant', INTROSPECTION_SCOPE];
      const client = await send('client-registration', {
        bearer: MASTER,
        json: { ...SERVICE, scope: scope.join(' ') },
      });
      const { client_id, client_secret } = clientInformationOf(client);
      const answered = await send('introspection', { basic: [client_id, client_secret], form: { token } });
      assert.equal(answered.status, 200, answered.body);
      return answered.json;
    },
  };
}
