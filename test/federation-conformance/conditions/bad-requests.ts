import { randomBytes } from 'node:crypto';
import { type Condition, refused } from '../condition.ts';
import { type Json, makeKey, withSignature } from '../keys.ts';
import { chainOf, now, type Plan, signedDraft } from '../plan.ts';
import { peerChain } from './requests.ts';

const HOUR_S = 3600;

/** Changes one claim of the request; undefined removes it. */
const claim =
  (name: string, value: (plan: Plan) => unknown) =>
  (plan: Plan): void => {
    plan.request.claims[name] = value(plan);
  };

const header =
  (name: string, value: unknown) =>
  ({ request }: Plan): void => {
    request.header[name] = value;
  };

/** Signs the request without a key pair. */
const unsigned =
  (alg: string, signature: string) =>
  (plan: Plan): void => {
    const { request } = plan;
    request.finish = () => withSignature({ ...request.header, alg }, request.claims, signature);
  };

/** Requests that the rules for entity statements (§3.2) and for registration requests (§12.2.1) forbid. */
export const BAD_REQUESTS: readonly Condition[] = [
  refused({
    id: 'refuse-typ',
    section: '§3.2 1',
    words: 'typ is entity-statement+jwt.',
    dialects: ['final'],
    spoil: header('typ', 'JWT'),
  }),
  refused({
    id: 'refuse-typ-absent',
    section: '§3.2 1',
    words: 'typ is there.',
    dialects: ['final'],
    spoil: header('typ', undefined),
  }),
  refused({
    id: 'refuse-alg-none',
    section: '§3.2 2',
    words: 'alg is not none.',
    spoil: unsigned('none', ''),
  }),
  refused({
    id: 'refuse-alg-hmac',
    section: '§3.2 2',
    words: 'A MAC is no signature.',
    spoil: unsigned('HS256', randomBytes(32).toString('base64url')),
  }),
  refused({
    id: 'refuse-signature',
    section: '§3.2 12',
    words: 'The signature holds.',
    distrusts: true,
    spoil: ({ request }) => {
      request.finish = (jwt) =>
        `${jwt.slice(0, jwt.lastIndexOf('.') + 1)}${randomBytes(64).toString('base64url')}`;
    },
  }),
  refused({
    id: 'refuse-other-key',
    section: '§3.2 12',
    words: 'A key of the jwks claim made the signature.',
    distrusts: true,
    spoil: ({ request, rp }) => {
      request.key = makeKey(rp.key.kid);
    },
  }),
  refused({
    id: 'refuse-kid',
    section: '§3.2 10',
    words: 'kid names a key of the jwks claim.',
    spoil: header('kid', 'another'),
  }),
  refused({
    id: 'refuse-iss-absent',
    section: '§3.2 5',
    words: 'iss is there.',
    spoil: claim('iss', () => undefined),
  }),
  refused({
    id: 'refuse-iss-no-url',
    section: '§3.2 5',
    words: 'iss is an entity identifier.',
    spoil: claim('iss', () => 'a relying party'),
  }),
  refused({
    id: 'refuse-sub-differs',
    section: '§12.2.1',
    words: 'sub is the relying party, as iss is.',
    spoil: claim('sub', ({ rp }) => `${rp.id}/another`),
  }),
  refused({
    id: 'refuse-iat-absent',
    section: '§3.2 7',
    words: 'iat is there.',
    spoil: claim('iat', () => undefined),
  }),
  refused({
    id: 'refuse-iat-future',
    section: '§3.2 7',
    words: 'iat is in the past.',
    spoil: claim('iat', () => now() + HOUR_S),
  }),
  refused({
    id: 'refuse-exp-absent',
    section: '§3.2 8',
    words: 'exp is there.',
    spoil: claim('exp', () => undefined),
  }),
  refused({
    id: 'refuse-exp-past',
    section: '§3.2 8',
    words: 'exp is in the future.',
    spoil: claim('exp', () => now() - HOUR_S),
  }),
  refused({
    id: 'refuse-jwks-absent',
    section: '§3.2 9',
    words: 'jwks is there.',
    spoil: claim('jwks', () => undefined),
  }),
  refused({
    id: 'refuse-jwks-no-set',
    section: '§3.2 9',
    words: 'jwks is a JWK set.',
    spoil: claim('jwks', ({ rp }) => [rp.key.jwk]),
  }),
  refused({
    id: 'refuse-kid-twice',
    section: '§3.1.1',
    words: 'Each key of jwks has a kid of its own.',
    spoil: claim('jwks', ({ rp }) => ({ keys: [rp.key.jwk, makeKey(rp.key.kid).jwk] })),
  }),
  refused({
    id: 'refuse-hints-absent',
    section: '§12.2.1',
    words: 'authority_hints is there.',
    spoil: claim('authority_hints', () => undefined),
  }),
  refused({
    id: 'refuse-hints-empty',
    section: '§3.1.2',
    words: 'authority_hints is not empty.',
    spoil: claim('authority_hints', () => []),
  }),
  refused({
    id: 'refuse-hints-no-array',
    section: '§3.1.2',
    words: 'authority_hints is an array.',
    spoil: claim('authority_hints', ({ levels }) => levels[0]?.entity.id),
  }),
  refused({
    id: 'refuse-metadata-absent',
    section: '§12.2.1',
    words: 'metadata is there.',
    spoil: claim('metadata', () => undefined),
  }),
  refused({
    id: 'refuse-metadata-of-no-relying-party',
    section: '§12.2.1',
    words: 'metadata has openid_relying_party.',
    spoil: claim('metadata', () => ({ federation_entity: { organization_name: 'Conformance' } })),
  }),
  refused({
    id: 'refuse-metadata-without-redirect-uris',
    section: 'OpenID Connect Dynamic Client Registration 1.0 §2',
    words: 'redirect_uris is there.',
    spoil: ({ metadata }) => {
      delete metadata['redirect_uris'];
    },
  }),
  refused({
    id: 'refuse-crit-unknown',
    section: '§13.4',
    words: 'A critical claim that is not understood ends the request.',
    spoil: ({ request }) => {
      request.claims['crit'] = ['urn:example:colour'];
      request.claims['urn:example:colour'] = 'red';
    },
  }),
  refused({
    id: 'refuse-metadata-policy-in-request',
    section: '§3.1.3',
    words: 'metadata_policy stands in statements about subordinates alone.',
    spoil: claim('metadata_policy', () => ({ openid_relying_party: { client_name: { value: 'Mine' } } })),
  }),
  refused({
    id: 'refuse-constraints-in-request',
    section: '§3.1.3',
    words: 'constraints stands in statements about subordinates alone.',
    spoil: claim('constraints', () => ({ max_path_length: 3 })),
  }),
  refused({
    id: 'refuse-trust-anchor-in-request',
    section: '§3.1.5',
    words: 'trust_anchor stands in answers alone.',
    spoil: claim('trust_anchor', ({ levels }) => levels.at(-1)?.entity.id),
  }),
  refused({
    id: 'refuse-aud-other',
    section: '§12.2.2',
    words: 'aud is the provider.',
    spoil: claim('aud', () => 'https://other.example'),
  }),
  refused({
    id: 'refuse-aud-more',
    section: '§12.2.1',
    words: 'aud has no other value.',
    spoil: claim('aud', ({ request }) => [request.claims['aud'], 'https://other.example']),
  }),
  refused({
    id: 'refuse-aud-absent',
    section: '§12.2.1',
    words: 'aud is there.',
    dialects: ['final'],
    spoil: claim('aud', () => undefined),
  }),
  refused({
    id: 'refuse-peer-chain-of-another',
    section: '§12.2.2 6',
    words: 'peer_trust_chain begins at the provider.',
    spoil: async (plan) => {
      plan.request.header['peer_trust_chain'] = await chainOf(await signedDraft(plan.request), plan.levels);
    },
  }),
  refused({
    id: 'refuse-peer-chain-to-another-anchor',
    section: '§12.2.2 6',
    words: 'peer_trust_chain ends at the trust anchor of trust_chain.',
    spoil: async (plan, run) => {
      const { configuration, provider, anchors } = run.world;
      const other = run.plan({ anchor: anchors.second });
      plan.request.header['trust_chain'] = await chainOf(await signedDraft(plan.request), plan.levels);
      plan.request.header['peer_trust_chain'] = await peerChain(other, configuration.jwt, provider.issuer, [
        ...configuration.keys,
      ]);
    },
  }),
  refused({
    id: 'refuse-content-type',
    section: '§12.2.2 1',
    words: 'The content type is one of those of a request.',
    spoil: ({ request }) => {
      request.contentType = 'text/plain';
    },
  }),
  refused({
    id: 'refuse-content-type-absent',
    section: '§12.2.2 1',
    words: 'The content type is there.',
    spoil: ({ request }) => {
      request.contentType = undefined;
    },
  }),
  refused({
    id: 'refuse-body-empty',
    section: '§12.2.1',
    words: 'The body is a statement.',
    spoil: ({ request }) => {
      request.body = () => '';
    },
  }),
  refused({
    id: 'refuse-body-json',
    section: '§12.2.1',
    words: 'The body is a statement, not the metadata of RFC 7591.',
    spoil: ({ request, metadata }) => {
      request.body = () => JSON.stringify(metadata satisfies Json);
    },
  }),
  refused({
    id: 'refuse-body-no-chain',
    section: '§12.2.1',
    words: 'A trust chain is a JSON array of statements.',
    dialects: ['final'],
    both: ({ request, levels }) => {
      request.contentType = 'application/trust-chain+json';
      request.body = async (jwt) => JSON.stringify(await chainOf(jwt, levels));
    },
    spoil: ({ request, levels }) => {
      request.body = async (jwt) => JSON.stringify({ chain: await chainOf(jwt, levels) });
    },
  }),
];
