import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { signedJwt } from '../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../test/federation/authorities.ts';
import type { Program } from '../test/program/start.ts';
import { requestHead } from './http-subject.ts';
import type { LoadRequest } from './load.ts';
import { startHeld } from './start-held.ts';
import type { Bench } from './subject.ts';

/** Places for resolutions. One network gets half of them, which is more than the connections of the load. */
const REGISTRATIONS = 256;
const LIFETIME_S = 7200;

/** A started program and the members of its federation, below one intermediate. */
export interface FederatedProgram {
  readonly program: Program;
  readonly authorities: Authorities;
  /** Returns a member that its superior vouches for. */
  member(number: number): Entity;
  /** Lets a member publish its configuration, for renewals by the server itself. */
  publish(member: Entity): void;
  close(): Promise<void>;
}

/**
 * Starts a program of a federation.
 * @param keptFor seconds for which it keeps statements
 * @param checkout the `chancery.ts` of another checkout
 */
export async function federatedProgram(
  { folder: parent }: Bench,
  name: string,
  { keptFor, checkout }: { readonly keptFor: number; readonly checkout?: string | undefined },
  environment: Readonly<Record<string, string>> = {},
): Promise<FederatedProgram> {
  const authorities = await startAuthorities();
  const anchor = authorities.entity('anchor');
  const superior = authorities.entity('intermediate');
  anchor.publish([]);
  anchor.vouch(superior, { exp: now() + LIFETIME_S });
  superior.publish([anchor], { exp: now() + LIFETIME_S });
  const folder = join(parent, `federation-${name.replaceAll(/\W/gu, '')}`);
  mkdirSync(folder);
  const program = await startHeld({
    // Only the development mode fetches over plain http.
    mode: 'dev',
    folder,
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_REGISTRATIONS: String(REGISTRATIONS),
      CHANCERY_FEDERATION_STATEMENT_CACHE: String(keptFor),
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      ...environment,
    },
    ...(checkout === undefined ? {} : { program: checkout }),
  });
  const members = new Map<number, Entity>();
  return {
    program,
    authorities,
    member(number) {
      const known = members.get(number);
      if (known !== undefined) return known;
      const made = authorities.entity(`member-${number}`);
      superior.vouch(made, { exp: now() + LIFETIME_S });
      members.set(number, made);
      return made;
    },
    publish(entity) {
      entity.publish([superior], { exp: now() + LIFETIME_S, metadata: relyingParty(entity) });
    },
    async close() {
      await program.stop();
      await authorities.close();
    },
  };
}

const now = (): number => Math.floor(Date.now() / 1000);

const relyingParty = ({ key }: Entity): object => ({
  openid_relying_party: {
    redirect_uris: ['https://rp.example/cb'],
    client_name: 'A member of the benchmark',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.jwk] },
  },
});

/** Returns a registration request of a member, different from every other one. */
export function registrationStatement(
  { program: { issuer }, authorities }: FederatedProgram,
  member: Entity,
): string {
  const claims = {
    iss: member.id,
    sub: member.id,
    aud: issuer,
    iat: now(),
    exp: now() + LIFETIME_S,
    jti: randomUUID(),
    jwks: { keys: [member.key.jwk] },
    authority_hints: [`${authorities.base}/intermediate`],
    metadata: relyingParty(member),
  };
  return signedJwt(member.key, claims, { typ: 'entity-statement+jwt' });
}

const HEAD = requestHead('POST', '/federation/clients', {
  'content-type': 'application/entity-statement+jwt',
});

export function registrationRequest(federated: FederatedProgram, member: Entity): LoadRequest {
  return { head: HEAD, body: registrationStatement(federated, member) };
}
