import { signedJwt } from '../../src/testing/jwt.ts';
import { forged, type HostileStep, now, type Sent } from './steps.ts';
import { CALLBACK, type World } from './world.ts';

/** Returns the configuration of a new relying party, for which the anchor vouches. */
const entity = (world: World, claims: object, vouched: object = {}): string => {
  const rp = world.authorities.entity(`rp-${Math.random()}`);
  rp.publish([world.anchor]);
  world.anchor.vouch(rp, vouched);
  return signedJwt(
    rp.key,
    {
      iss: rp.id,
      sub: rp.id,
      aud: world.program.issuer,
      iat: now(),
      exp: now() + 3600,
      jwks: { keys: [rp.key.jwk] },
      authority_hints: [world.anchor.id],
      metadata: { openid_relying_party: { redirect_uris: [CALLBACK] } },
      ...claims,
    },
    { typ: 'entity-statement+jwt' },
  );
};

const registering = (body: string): Sent => ({
  method: 'POST',
  path: '/federation/clients',
  headers: { 'content-type': 'application/entity-statement+jwt' },
  body,
});

const federated = (what: string, status: number, claims: (world: World) => object): HostileStep => ({
  endpoint: 'POST /federation/clients',
  what,
  status,
  request: (world) => registering(entity(world, claims(world))),
});

/** A policy of the anchor and a list of the relying party, both as long as a document may be. */
const POLICY: HostileStep = {
  endpoint: 'POST /federation/clients',
  what: 'a policy of 3,500 values for a list of 3,500 values',
  status: 200,
  request(world) {
    const values = Array.from({ length: 3_500 }, (_, index) => index.toString(36));
    const x = values.toReversed();
    const metadata = { openid_relying_party: { redirect_uris: [CALLBACK], x } };
    const policy = { openid_relying_party: { x: { subset_of: values, superset_of: x } } };
    return registering(entity(world, { metadata }, { metadata_policy: policy }));
  },
};

export const FEDERATION_STEPS: readonly HostileStep[] = [
  federated('a relying party as it should be', 200, () => ({})),
  federated('40 KB of an unknown claim', 200, () => ({ x: Array.from({ length: 20_000 }, () => 1) })),
  federated('a thousand hints', 400, () => ({
    authority_hints: Array.from({ length: 1_000 }, (_, index) => `https://a${index}.example`),
  })),
  federated('hundreds of keys', 400, ({ key }) => ({
    jwks: { keys: Array.from({ length: 250 }, (_, index) => ({ ...key.jwk, kid: `k${index}` })) },
  })),
  federated('hundreds of trust marks', 400, () => ({
    trust_marks: Array.from({ length: 600 }, () => ({
      trust_mark_type: 'https://a.example',
      trust_mark: 'e30.e30.AA',
    })),
  })),
  POLICY,
  {
    endpoint: 'POST /federation/clients',
    what: 'a trust chain of 600 statements',
    status: 400,
    request: (world) => ({
      method: 'POST',
      path: '/federation/clients',
      headers: { 'content-type': 'application/trust-chain+json' },
      body: JSON.stringify([
        entity(world, {}),
        ...Array.from({ length: 600 }, () => forged(10).slice(0, 100)),
      ]),
    }),
  },
];
