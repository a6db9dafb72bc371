import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { signedJwt } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Sets up a relying party with two superiors at the started program, for each test of the importing file. */
export let authorities: Authorities;
export let anchor: Entity;
export let good: Entity;
export let bad: Entity;
export let rp: Entity;
export let program: Program;
/** Makes names and statements unique. */
let made = 0;

export function another(): number {
  made += 1;
  return made;
}

before(async () => {
  authorities = await startAuthorities();
  anchor = authorities.entity('anchor');
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
      CHANCERY_FEDERATION_REGISTRATIONS: '32',
      CHANCERY_OUTBOUND_TIMEOUT: '1',
      CHANCERY_OUTBOUND_NEGATIVE_CACHE: '1',
      CHANCERY_FEDERATION_FAILURE_CACHE: '1',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
});

after(async () => {
  await program.stop();
  await authorities.close();
});

/** Creates new entities for each test, because the server remembers failed fetches for some time. */
beforeEach(() => {
  made += 1;
  [good, bad, rp] = [
    authorities.entity(`good-${made}`),
    authorities.entity(`bad-${made}`),
    authorities.entity(`rp-${made}`),
  ];
  anchor.publish([]);
  for (const authority of [good, bad]) {
    authority.publish([anchor]);
    authority.vouch(rp);
    anchor.vouch(authority);
  }
});

export const now = (): number => Math.floor(Date.now() / 1000);

export function claimsOf(claims: object = {}): object {
  made += 1;
  return {
    iss: rp.id,
    sub: rp.id,
    iat: now(),
    exp: now() + 3600,
    aud: program.issuer,
    jwks: { keys: [rp.key.jwk] },
    authority_hints: [good.id],
    metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
    number: made,
    ...claims,
  };
}

export const request = (claims: object = {}, header: object = {}): string =>
  signedJwt(rp.key, claimsOf(claims), { typ: 'entity-statement+jwt', ...header });

export interface Answered {
  readonly status: number;
  readonly error: string;
  readonly words: string;
}

export async function post(body: string, type = 'application/jose'): Promise<Answered> {
  const response = await fetch(`${program.url}/federation/clients`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  const text = await response.text();
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('pragma'), 'no-cache');
  if (response.status === 200) return { status: 200, error: '', words: '' };
  const { error, error_description: words } = JSON.parse(text) as {
    error: string;
    error_description: string;
  };
  return { status: response.status, error, words };
}
