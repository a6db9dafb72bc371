import { expect } from '../../conformance/verdict.ts';
import { accepted, type Condition, NotSupported, type Run } from '../condition.ts';
import { signed } from '../keys.ts';
import { chainOf, newEntity, type Plan, signedDraft } from '../plan.ts';
import { objectIn } from '../world.ts';

const ALGORITHMS = ['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const;

const nothing = (): void => undefined;

/** Puts the chain of the plan into a header parameter of the request. */
async function withChain(plan: Plan): Promise<void> {
  plan.request.header['trust_chain'] = await chainOf(await signedDraft(plan.request), plan.levels);
}

/** Requests that a provider must be able to register, and those that it may. */
export const REQUESTS: readonly Condition[] = [
  accepted({
    id: 'request-below-anchor',
    section: '§12.2.2',
    words: 'A relying party directly below the trust anchor is registered.',
    vary: nothing,
  }),
  accepted({
    id: 'request-below-intermediate',
    section: '§12.2.2',
    words: 'A relying party below one intermediate is registered.',
    options: { intermediates: 1 },
    vary: nothing,
  }),
  accepted({
    id: 'request-below-two-intermediates',
    section: '§12.2.2',
    words: 'A relying party below two intermediates is registered.',
    options: { intermediates: 2 },
    vary: nothing,
  }),
  accepted({
    id: 'request-without-published-configuration',
    section: '§12.2.2',
    words: 'The configuration in the request counts: the provider does not need a published one.',
    vary: nothing,
    look: (_, { rp }, { world }) => {
      const asked = world.host.asked(`${rp.path}/.well-known/openid-federation`);
      expect(asked === 0, `the provider asked ${asked} times for the configuration that it had`);
    },
  }),
  accepted({
    id: 'request-alg-RS256',
    section: '§3',
    words: 'A statement signed with RS256 is verified.',
    level: 'should',
    dialects: ['final'],
    options: { alg: 'RS256' },
    vary: nothing,
  }),
  accepted({
    id: 'request-alg-RS256-interface',
    section: 'interface, Authentication',
    words: 'A statement signed with RS256 is verified.',
    dialects: ['interface'],
    options: { alg: 'RS256' },
    vary: nothing,
  }),
  ...ALGORITHMS.flatMap((alg) => [
    accepted({
      id: `request-alg-${alg}`,
      section: '§3',
      words: `A statement signed with ${alg} is verified.`,
      level: 'may',
      dialects: ['final'],
      options: { alg },
      vary: nothing,
    }),
    accepted({
      id: `request-alg-${alg}-interface`,
      section: 'interface, Authentication',
      words: `A statement signed with ${alg} is verified.`,
      dialects: ['interface'],
      options: { alg },
      vary: nothing,
    }),
  ]),
  accepted({
    id: 'request-body-trust-chain',
    section: '§12.2.1',
    words: 'A body of type application/trust-chain+json with the whole chain is registered.',
    dialects: ['final'],
    options: { intermediates: 1 },
    vary: ({ request, levels }) => {
      request.contentType = 'application/trust-chain+json';
      request.body = async (jwt) => JSON.stringify(await chainOf(jwt, levels));
    },
  }),
  accepted({
    id: 'request-header-trust-chain',
    section: '§4.3',
    words: 'A request with its chain in the trust_chain header parameter is registered.',
    options: { intermediates: 1 },
    vary: withChain,
  }),
  accepted({
    id: 'request-header-peer-trust-chain',
    section: '§4.4',
    words: 'A request with a chain of the provider in peer_trust_chain is registered.',
    vary: async (plan, { world }) => {
      plan.request.header['peer_trust_chain'] = await peerChain(
        plan,
        world.configuration.jwt,
        world.provider.issuer,
        [...world.configuration.keys],
      );
    },
  }),
  accepted({
    id: 'request-unknown-claim',
    section: '§3.2',
    words: 'A claim that the provider does not know is ignored.',
    vary: ({ request }) => {
      request.claims['urn:example:colour'] = { of: 'the logo' };
    },
  }),
  accepted({
    id: 'request-unknown-metadata',
    section: 'OpenID Connect Dynamic Client Registration 1.0 §2',
    words: 'A metadata member that the provider does not know is ignored.',
    options: { metadata: { favourite_colour: 'red' } },
    vary: nothing,
  }),
  accepted({
    id: 'request-second-hint-leads',
    section: '§10.1',
    words: 'If the first authority hint leads nowhere, the next one is followed.',
    vary: ({ request }, { world }) => {
      const lost = newEntity(world.host, 'lost');
      request.claims['authority_hints'] = [lost.id, ...(request.claims['authority_hints'] as string[])];
    },
  }),
  accepted({
    id: 'request-seventh-hint',
    section: '§18.1',
    words: 'The seventh authority hint is followed, although a provider may follow fewer.',
    level: 'may',
    options: { intermediates: 1 },
    vary: manyFederations,
  }),
  accepted({
    id: 'request-seventh-hint-by-chain',
    section: '§12.2.2 4',
    words: 'The chain in the request shows the way among seven authority hints.',
    level: 'should',
    options: { intermediates: 1 },
    vary: async (plan, run) => {
      manyFederations(plan, run);
      await withChain(plan);
    },
  }),
  accepted({
    id: 'request-aud-array-of-one',
    section: 'RFC 7519 §4.1.3',
    words: 'An aud array whose only value is the provider counts as that value.',
    level: 'should',
    vary: ({ request }) => {
      request.claims['aud'] = [request.claims['aud']];
    },
  }),
  accepted({
    id: 'request-without-aud',
    section: 'interface, Relying party entity statement',
    words: 'A statement without aud registers.',
    dialects: ['interface'],
    level: 'may',
    vary: ({ request }) => {
      delete request.claims['aud'];
    },
  }),
  accepted({
    id: 'request-header-alg-alone',
    section: 'interface, Relying party entity statement',
    words: 'The header needs alg alone: typ and kid may be absent.',
    dialects: ['interface'],
    vary: ({ request }) => {
      request.header = {};
    },
  }),
  accepted({
    id: 'request-content-type-parameter',
    section: 'RFC 9110 §8.3.1',
    words: 'A parameter of the content type does not matter.',
    level: 'should',
    vary: ({ request }) => {
      request.contentType = `${String(request.contentType)}; charset=UTF-8`;
    },
  }),
  accepted({
    id: 'request-client-secret',
    section: '§12.2.3',
    words: 'A client that asks for a method with a secret gets one in the answer.',
    options: {
      metadata: { token_endpoint_auth_method: 'client_secret_basic', jwks: undefined },
    },
    vary: nothing,
    look: ({ registered }) => {
      expect(typeof registered['client_secret'] === 'string', 'the answer has no client_secret');
    },
  }),
  accepted({
    id: 'request-keys-by-uri',
    section: '§5.2.1',
    words: 'A relying party may give its keys by jwks_uri.',
    vary: keysByUri,
    look: ({ registered }) => expect(registered['jwks_uri'] !== undefined, 'jwks_uri is not registered'),
  }),
  accepted({
    id: 'request-keys-twice',
    section: '§5.2.1.1',
    words: 'A relying party may have jwks beside jwks_uri.',
    vary: (plan, run) => {
      const { jwks } = plan.metadata;
      keysByUri(plan, run);
      plan.metadata['jwks'] = jwks;
    },
  }),
  accepted({
    id: 'request-keys-signed',
    section: '§5.2.1',
    words: 'A relying party may give its keys by signed_jwks_uri alone.',
    level: 'may',
    vary: keysSigned,
  }),
  accepted({
    id: 'request-same-second',
    section: '§12.2.1',
    words: 'Two different statements of one second are both taken.',
    vary: nothing,
    look: async (_, plan, run) => {
      const again: Plan = { ...plan, request: { ...plan.request, claims: { ...plan.request.claims } } };
      again.request.claims['exp'] = Number(again.request.claims['exp']) - 1;
      const answer = await run.ask(again);
      expect(
        answer.statement !== undefined,
        `the second one is answered ${answer.reply.status} ${answer.reply.text}`,
      );
    },
  }),
  accepted({
    id: 'request-federation-entity-metadata',
    section: '§12.2.5',
    words: 'The answer has the entity types of the request.',
    level: 'should',
    dialects: ['final'],
    vary: ({ request, metadata }) => {
      request.claims['metadata'] = {
        openid_relying_party: metadata,
        federation_entity: { organization_name: 'Conformance' },
      };
    },
    look: ({ statement }) => {
      const types = Object.keys(objectIn(statement?.claims, 'metadata')).toSorted().join(' ');
      expect(types === 'federation_entity openid_relying_party', `the answer has metadata for: ${types}`);
    },
  }),
];

/** Puts the relying party into six other federations, which come first. */
function manyFederations({ request }: Plan, { world: { host } }: Run): void {
  const others = Array.from({ length: 6 }, () => newEntity(host, 'federation').id);
  request.claims['authority_hints'] = [...others, ...(request.claims['authority_hints'] as string[])];
}

/** Makes a chain from the provider to the anchor of the plan. */
export async function peerChain(
  { levels }: Plan,
  configuration: string,
  issuer: string,
  keys: readonly object[],
): Promise<readonly string[]> {
  const anchor = levels.at(-1);
  if (anchor === undefined) throw new NotSupported('the plan has no anchor');
  const { statement } = anchor;
  const about = await signed(statement.key, statement.header, {
    ...statement.claims,
    sub: issuer,
    jwks: { keys },
  });
  return [configuration, about, await signedDraft(anchor.configuration)];
}

/** Publishes the keys of the client at an address, as its metadata says. */
function keysByUri({ rp, metadata, clientKey }: Plan, { world }: Run): void {
  const path = `${rp.path}/jwks.json`;
  world.host.publish(path, {
    type: 'application/json',
    body: () => JSON.stringify({ keys: [clientKey.jwk] }),
  });
  delete metadata['jwks'];
  metadata['jwks_uri'] = world.host.url + path;
}

async function keysSigned(plan: Plan, { world }: Run): Promise<void> {
  const { rp, metadata, clientKey } = plan;
  const path = `${rp.path}/jwks.jose`;
  const set = { iss: rp.id, sub: rp.id, keys: [clientKey.jwk] };
  const jwt = await signed(rp.key, { typ: 'jwk-set+jwt', kid: rp.key.kid }, set);
  world.host.publish(path, { type: 'application/jwk-set+jwt', body: () => jwt });
  delete metadata['jwks'];
  metadata['signed_jwks_uri'] = world.host.url + path;
}
