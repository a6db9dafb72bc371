import { randomUUID } from 'node:crypto';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { formText, VERIFIER } from '../program/code-request.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import type { Authorities, Entity } from './authorities.ts';

/** A relying party that never registers, over real sockets: its entity identifier is its client_id (OpenID Federation 1.0 §12.1). */
export interface AutomaticMember {
  readonly id: string;
  readonly entity: Entity;
  readonly key: TestKey;
  readonly browser: PlainBrowser;
  /** Publishes its configuration and its superior's statement. */
  publish(publication?: MemberPublication): void;
  /** Sends a form with a client assertion. */
  send(path: string, form: Readonly<Record<string, string>>, key?: TestKey): Promise<Response>;
  push(key?: TestKey): Promise<Response>;
  /** Opens the address of a pushed request. */
  page(key?: TestKey): Promise<Visit>;
  /** Opens a request in a request object. */
  ask(key?: TestKey): Promise<Visit>;
  finish(page: Visit): Promise<Visit>;
  redeem(page: Visit, key?: TestKey): Promise<Response>;
  refresh(refresh_token: string, key?: TestKey): Promise<Response>;
  /** Returns how often its configuration was asked for. */
  looks(): number;
}

export interface MemberPublication {
  readonly metadata?: object;
  /** Seconds from now to the end of its configuration. */
  readonly lifetime?: number;
  readonly entity?: Entity;
  /** Members of the superior's statement. */
  readonly stated?: object;
}

interface Peers {
  readonly authorities: Authorities;
  readonly superior: Entity;
  readonly program: Program;
  readonly account: { readonly username: string; readonly password: string };
}

const CALLBACK = 'https://rp.example/cb';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

let made = 0;

export function automaticMember({ authorities, superior, program, account }: Peers): AutomaticMember {
  made += 1;
  const entity = authorities.entity(`member-${made}`);
  const { id } = entity;
  const key = testKey('ES256', 'protocol-1');
  const browser = plainBrowser(program.issuer);
  const configuration = `/${entity.name}/.well-known/openid-federation`;
  const parameters = {
    response_type: 'code',
    client_id: id,
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const claims = (): object => ({ iss: id, aud: program.issuer, exp: now() + 60, jti: randomUUID() });
  const send: AutomaticMember['send'] = async (path, form, signer = key) => {
    const client_assertion = signedJwt(signer, { ...claims(), sub: id });
    const body = new URLSearchParams({ ...form, client_assertion_type: ASSERTION, client_assertion });
    return await fetch(`${program.issuer}${path}`, { method: 'POST', body });
  };
  const open = async (query: Readonly<Record<string, string>>): Promise<Visit> =>
    await browser.open(`${program.issuer}/authorize?${formText({ client_id: id, ...query })}`);
  const push: AutomaticMember['push'] = async (signer) => await send('/par', parameters, signer);
  return {
    id,
    entity,
    key,
    browser,
    publish({ metadata = {}, lifetime = 3600, entity: published = entity, stated = {} } = {}) {
      const openid_relying_party = {
        redirect_uris: [CALLBACK],
        client_registration_types: ['automatic'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [key.jwk] },
        ...metadata,
      };
      published.publish([superior], { exp: now() + lifetime, metadata: { openid_relying_party } });
      superior.vouch(published, stated);
    },
    send,
    push,
    async page(signer) {
      const { request_uri } = (await (await push(signer)).json()) as { readonly request_uri: string };
      return await open({ request_uri });
    },
    ask: async (signer = key) =>
      await open({
        request: signedJwt(signer, { ...claims(), ...parameters }, { typ: 'oauth-authz-req+jwt' }),
      }),
    async finish(page) {
      let shown = page;
      if (shown.html.includes('name="password"')) shown = await browser.submit(shown, 'sign-in', account);
      if (shown.html.includes('value="allow"')) shown = await browser.submit(shown, 'allow');
      return shown;
    },
    async redeem({ location = 'about:blank' }, signer) {
      const code = new URL(location).searchParams.get('code') ?? '';
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      };
      return await send('/token', form, signer);
    },
    refresh: async (refresh_token, signer) =>
      await send('/token', { grant_type: 'refresh_token', refresh_token }, signer),
    looks: () => authorities.asked.filter((path) => path === configuration).length,
  };
}

const now = (): number => Math.floor(Date.now() / 1000);
