import assert from 'node:assert/strict';
import type { Fields } from '../../test/program/code-request.ts';
import { type Profile, valuesOfProfile } from '../config/profiles.ts';
import type { Settings } from '../config/settings.ts';
import type { Answer } from './exchange.ts';
import { type FapiClient, fapiClient, fapiKey, fapiMetadata } from './fapi.ts';
import { aPerson } from './person.ts';
import { CALLBACK, type ClientInformation, ISSUER, type TestTenant, testTenant } from './tenant.ts';

export const KEY = fapiKey();

/** A tenant with a FAPI 2.0 profile. */
export const fapiTenant = (profile: Profile, settings: Partial<Settings> = {}): TestTenant =>
  testTenant({ settings: { ...valuesOfProfile(profile), ...settings } });

/** A tenant whose clients registered before its profile was switched on. */
export async function switchedOn(
  profile: Profile,
  metadata: object,
): Promise<readonly [tenant: TestTenant, client: ClientInformation]> {
  const before = testTenant();
  const client = await before.register(metadata);
  return [testTenant({ platform: before.platform, settings: valuesOfProfile(profile) }), client];
}

/** A client that the tenant knows by this name. */
export const clientNamed = (tenant: TestTenant, client_id: string): FapiClient =>
  fapiClient({ issuer: ISSUER, callback: CALLBACK, now: () => tenant.clock.now() }, client_id, KEY);

export async function registeredClient(tenant: TestTenant, metadata: object = {}): Promise<FapiClient> {
  const { client_id } = await tenant.register({ ...fapiMetadata(CALLBACK, KEY), ...metadata });
  return clientNamed(tenant, client_id);
}

type Headers = Readonly<Record<string, string>>;

export const sendPushed = async (tenant: TestTenant, form: object, headers: Headers = {}): Promise<Answer> =>
  await tenant.send('pushed-authorization-request', {
    form: form as Readonly<Record<string, string>>,
    headers,
  });

export const pushed = async (tenant: TestTenant, client: FapiClient, change: Fields = {}): Promise<Answer> =>
  await sendPushed(tenant, { ...client.credentials(), ...client.parameters(change) });

/** The address that the browser of an end-user returns to after a pushed request. */
export async function returnedTo(tenant: TestTenant, client: FapiClient, answer: Answer): Promise<URL> {
  assert.equal(answer.status, 201, answer.body);
  const ada = await aPerson(tenant);
  const request_uri = String(answer.json['request_uri']);
  const query = String(new URLSearchParams({ client_id: client.client_id, request_uri }));
  let page = await ada.signIn(await ada.browser.open(`${ISSUER}/authorize?${query}`));
  if (page.html.includes('value="allow"')) page = await ada.browser.submit(page, 'allow');
  return new URL(page.location ?? '');
}

export const fieldsOf = ({ searchParams }: URL): Readonly<Record<string, string>> =>
  Object.fromEntries(searchParams);

export const redeemed = async (
  tenant: TestTenant,
  client: FapiClient,
  code: string | undefined,
  headers: Headers = { dpop: client.proof('/token') },
): Promise<Answer> =>
  await tenant.send('token', { form: { ...client.credentials(), ...client.redemption(code) }, headers });

/** The claims of a JWT, or the members of its header. */
export function partOf(jwt: unknown, part: 0 | 1): Readonly<Record<string, unknown>> {
  const segment = String(jwt).split('.')[part] ?? '';
  return JSON.parse(Buffer.from(segment, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}
