import assert from 'node:assert/strict';
import { formText, VERIFIER } from '../../test/program/code-request.ts';
import type { Settings } from '../config/settings.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { asserted } from './assertion.ts';
import type { Answer } from './exchange.ts';
import {
  ANCHOR,
  type FederatedTenant,
  federatedTenant,
  ORG,
  RP,
  requestStatement,
} from './federated-tenant.ts';
import type { TestEntity } from './federation.ts';
import { signedJwt, type TestKey } from './jwt.ts';
import { answeredTo, aPerson, type TestPerson } from './person.ts';
import { CALLBACK, ISSUER } from './tenant.ts';

/** Seconds from a publication to the end of the statements. */
export const CHAIN = 14_400;

interface Publication {
  /** Members of the relying party's metadata beside the usual ones. */
  readonly metadata?: object;
  /** Claims of the superior's statement about the relying party. */
  readonly stated?: object;
  /** Seconds until the statements end. */
  readonly lifetime?: number;
  /** The relying party and its superior, with other keys than before. */
  readonly rp?: TestEntity;
  readonly org?: TestEntity;
}

/** An entity after it rolled its federation keys. */
export function rolled(entity: TestEntity, key: TestKey): TestEntity {
  const jwks = { keys: [key.jwk] };
  return {
    id: entity.id,
    key,
    configuration: (claims = {}, header = {}, signer = key) =>
      entity.configuration({ jwks, ...claims }, header, signer),
    about: (subject, claims = {}, header = {}, signer = key) => entity.about(subject, claims, header, signer),
  };
}

/** A relying party of a federation whose statements move with the clock of a tenant. */
export interface LivingMember {
  readonly tenant: FederatedTenant;
  readonly ada: TestPerson;
  /** Publishes all statements anew, as of now. */
  publish(publication?: Publication): void;
  /** Registers explicitly, and returns the client information. */
  register(metadata?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Authenticates with a client assertion. */
  send(endpoint: string, form: object, key?: TestKey, client_id?: string): Promise<Answer>;
  push(key?: TestKey): Promise<Answer>;
  /** Leads a pushed request up to the page that the end-user sees. */
  page(key?: TestKey): ReturnType<TestPerson['browser']['open']>;
  /** Signs in with a pushed request and redeems the code. */
  tokens(key?: TestKey): Promise<Readonly<Record<string, string>>>;
  redeem(location: string | undefined, key?: TestKey): Promise<Answer>;
  refresh(refresh_token: string | undefined, key?: TestKey): Promise<Answer>;
  /** Returns the client as the storage has it. */
  stored(client_id?: string): Promise<StoredClient>;
  /** Renews in the background. */
  renewDue(): Promise<{ readonly renewed: number; readonly failed: number }>;
  /** Returns the addresses that were fetched meanwhile. */
  fetchedDuring(act: () => Promise<unknown>): Promise<readonly string[]>;
}

const AUTOMATIC = {
  redirect_uris: [CALLBACK],
  client_registration_types: ['automatic'],
  token_endpoint_auth_method: 'private_key_jwt',
  grant_types: ['authorization_code', 'refresh_token'],
  jwks: { keys: [RP.key.jwk] },
};

let assertions = 0;

export async function livingMember(settings: Partial<Settings> = {}): Promise<LivingMember> {
  const tenant = await federatedTenant(settings);
  const { clock, federation } = tenant;
  const ada = await aPerson(tenant);
  const send: LivingMember['send'] = async (endpoint, form, key = RP.key, client_id = RP.id) =>
    await tenant.send(endpoint, {
      form: formText(asserted(signedJwt(key, claims(client_id, clock.now())), form)),
    });
  const push: LivingMember['push'] = async (key) =>
    await send('pushed-authorization-request', AUTHORIZATION, key);
  const page: LivingMember['page'] = async (key) => {
    const pushed = await push(key);
    assert.equal(pushed.status, 201, pushed.body);
    const address = { client_id: RP.id, request_uri: String(pushed.json['request_uri']) };
    return await ada.browser.open(`${ISSUER}/authorize?${formText(address)}`);
  };
  const redeem: LivingMember['redeem'] = async (location, key) => {
    const { code } = answeredTo({ location } as Parameters<typeof answeredTo>[0]);
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    return await send('token', form, key);
  };
  return {
    tenant,
    ada,
    publish: (publication) => publish(tenant, publication),
    async register(metadata = {}) {
      const times = { iat: clock.now(), exp: clock.now() + CHAIN };
      const answered = await tenant.postFinal(requestStatement({ ...EXPLICIT, ...metadata }, times));
      assert.equal(answered.status, 200, answered.body);
      const [, content = ''] = answered.body.split('.', 2);
      const stated = JSON.parse(Buffer.from(content, 'base64url').toString()) as Registered;
      return stated.metadata.openid_relying_party;
    },
    send,
    push,
    page,
    redeem,
    async tokens(key) {
      let shown = await page(key);
      if (shown.html.includes('name="password"')) shown = await ada.signIn(shown);
      if (shown.html.includes('value="allow"')) shown = await ada.browser.submit(shown, 'allow');
      const answered = await redeem(shown.location, key);
      assert.equal(answered.status, 200, answered.body);
      return answered.json as Readonly<Record<string, string>>;
    },
    refresh: async (refresh_token, key) =>
      await send('token', { grant_type: 'refresh_token', refresh_token }, key),
    stored: async (client_id = RP.id) =>
      (await tenant.unwatched.clients.find(client_id as ClientId)) ?? assert.fail('no client'),
    async renewDue() {
      const { federated, uses } = await tenant.opened();
      await uses.flush();
      return await (federated ?? assert.fail()).renewDue({ parallel: 4, stopped: () => false });
    },
    async fetchedDuring(act) {
      const before = federation.fetched.length;
      await act();
      return federation.fetched.slice(before);
    },
  };
}

function claims(client_id: string, now: number): object {
  assertions += 1;
  const jti = `living ${assertions}`;
  return { iss: client_id, sub: client_id, aud: ISSUER, iat: now, exp: now + 60, jti };
}

interface Registered {
  readonly metadata: { readonly openid_relying_party: Readonly<Record<string, unknown>> };
}

const EXPLICIT = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
};

const AUTHORIZATION = {
  response_type: 'code',
  client_id: RP.id,
  redirect_uri: CALLBACK,
  scope: 'openid',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

function publish(
  { federation, clock }: FederatedTenant,
  { metadata = {}, stated = {}, lifetime = CHAIN, rp = RP, org = ORG }: Publication = {},
): void {
  const times = { iat: clock.now(), exp: clock.now() + lifetime };
  federation.join(ANCHOR, [], times);
  federation.join(org, [ANCHOR], times, times);
  const openid_relying_party = { ...AUTOMATIC, ...metadata };
  federation.join(rp, [org], { ...times, metadata: { openid_relying_party } }, { ...times, ...stated });
}
