import { header as headerOf } from '../../conformance/http.ts';
import { expect, expectSame, text } from '../../conformance/verdict.ts';
import { type Condition, NotSupported, type Run } from '../condition.ts';
import { isSignedBy, type Json, opened } from '../keys.ts';
import { now } from '../plan.ts';
import { member } from '../world.ts';

const SKEW_S = 60;
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function about(
  id: string,
  section: string,
  words: string,
  check: (run: Run) => void | Promise<void>,
  level: Condition['level'] = 'must',
): Condition {
  return { id, section, words, level, dialects: [], check };
}

/** The entity configuration of the provider, and what it says about registration. */
export const CONFIGURATION: readonly Condition[] = [
  about('op-status', '§9.2', 'The entity configuration is at its well-known address.', ({ world }) => {
    expectSame(world.configuration.reply.status, 200, 'the status');
  }),
  about('op-content-type', '§9.2', 'It has the type application/entity-statement+jwt.', ({ world }) => {
    const type = headerOf(world.configuration.reply, 'content-type');
    expectSame(type, 'application/entity-statement+jwt', 'the content type');
  }),
  about('op-typ', '§3', 'Its typ is entity-statement+jwt.', ({ world }) => {
    expectSame(world.configuration.header['typ'], 'entity-statement+jwt', 'typ');
  }),
  about(
    'op-identity',
    '§3.1.1',
    'iss and sub are the provider.',
    ({ world: { configuration, provider } }) => {
      expectSame(configuration.claims['iss'], provider.issuer, 'iss');
      expectSame(configuration.claims['sub'], provider.issuer, 'sub');
    },
  ),
  about('op-times', '§3.1.1', 'iat is past, and exp is to come.', ({ world: { configuration } }) => {
    const { iat, exp } = configuration.claims;
    expect(Number(iat) <= now() + SKEW_S, `iat is ${String(iat)}`);
    expect(Number(exp) > now(), `exp is ${String(exp)}`);
  }),
  about(
    'op-keys',
    '§3.1.1',
    'Each federation key has a kid of its own, and nothing private.',
    ({ world }) => {
      const { keys } = world.configuration;
      expect(keys.length > 0, 'there is no key');
      const names = keys.map(({ kid }) => text(kid, 'kid'));
      expect(new Set(names).size === names.length, `the kids are ${names.join(' ')}`);
      const secret = keys.flatMap((key) => PRIVATE.filter((name) => key[name] !== undefined));
      expect(secret.length === 0, `the keys have ${secret.join(' ')}`);
    },
  ),
  about(
    'op-signature',
    '§3.2 12',
    'One of these keys signs it, and kid names the key.',
    async ({ world }) => {
      const { header, jwt, keys } = world.configuration;
      text(header['kid'], 'kid');
      expect(await isSignedBy(jwt, keys), 'no key of its jwks claim made the signature');
    },
  ),
  about('op-hints', '§3.1.2', 'authority_hints, if it is there, is a non-empty array.', ({ world }) => {
    const hints = world.configuration.claims['authority_hints'];
    if (hints === undefined) throw new NotSupported('the provider names no superior');
    expect(Array.isArray(hints) && hints.length > 0, `authority_hints is ${JSON.stringify(hints)}`);
  }),
  about('op-issuer', '§5.1.3', 'The issuer in openid_provider is the entity identifier.', ({ world }) => {
    expectSame(world.configuration.metadata['issuer'], world.provider.issuer, 'issuer');
  }),
  about(
    'op-registration-types',
    '§12.2',
    'client_registration_types_supported has explicit.',
    ({ world }) => {
      const types = world.configuration.metadata['client_registration_types_supported'];
      expect(Array.isArray(types) && types.includes('explicit'), `it is ${JSON.stringify(types)}`);
    },
  ),
  about(
    'op-registration-endpoint',
    '§5.1.3',
    'The registration endpoint is an https URL without fragment.',
    (run) => {
      const { configuration, allowHttp } = run.world;
      const url = new URL(text(configuration.metadata['federation_registration_endpoint'], 'the endpoint'));
      expect(url.protocol === 'https:' || (allowHttp && url.protocol === 'http:'), `it is ${url.href}`);
      expectSame(url.hash, '', 'the fragment');
    },
  ),
  about(
    'op-registration-by-post',
    '§12.2.1',
    'A GET of the registration endpoint registers nothing.',
    async ({ world }) => {
      const endpoint = String(world.configuration.metadata['federation_registration_endpoint']);
      const { status } = await world.provider.send(endpoint);
      expect(status >= 400 && status < 500, `it is answered ${status}`);
    },
  ),
  about(
    'op-trust-anchor-hints',
    '§3.1.2',
    'trust_anchor_hints, if it is there, names the configured anchors.',
    ({ world: { configuration, anchors } }) => {
      const hints = configuration.claims['trust_anchor_hints'];
      if (hints === undefined) throw new NotSupported('trust_anchor_hints is absent');
      expect(Array.isArray(hints) && hints.includes(anchors.first.id), `it is ${JSON.stringify(hints)}`);
    },
    'may',
  ),
  about(
    'op-signed-keys',
    '§5.2.1',
    'signed_jwks_uri leads to a key set that a federation key signs.',
    signedKeys,
    'may',
  ),
  about(
    'op-signed-keys-interface',
    'interface, Signed server JWK set',
    'The signed key set has alg RS256, kid, typ, iss, sub, iat and keys.',
    signedKeysOfTheInterface,
    'may',
  ),
];

async function signedKeySet({ world: { configuration, provider } }: Run): Promise<{
  readonly header: Json;
  readonly claims: Json;
  readonly jwt: string;
  readonly type: string;
}> {
  const url = configuration.metadata['signed_jwks_uri'];
  if (typeof url !== 'string') throw new NotSupported('signed_jwks_uri is absent');
  const reply = await provider.send(url);
  const jwt = opened(reply.text);
  expect(jwt !== undefined, `${url} is answered ${reply.status}`);
  return { ...jwt, jwt: reply.text, type: headerOf(reply, 'content-type') };
}

async function signedKeys(run: Run): Promise<void> {
  const { header, claims, jwt } = await signedKeySet(run);
  const { keys, claims: own } = run.world.configuration;
  expectSame(header['typ'], 'jwk-set+jwt', 'typ');
  expect(await isSignedBy(jwt, keys), 'no federation key of the provider made the signature');
  expectSame(claims['iss'], own['iss'], 'iss');
  expectSame(claims['sub'], own['sub'], 'sub');
  expect(Array.isArray(claims['keys']), 'keys is no array');
}

async function signedKeysOfTheInterface(run: Run): Promise<void> {
  const { header, claims, type } = await signedKeySet(run);
  expectSame(header['alg'], 'RS256', 'alg');
  text(header['kid'], 'kid');
  expectSame(type, 'application/jwk-set+jwt', 'the content type');
  expect(Number(claims['iat']) <= now() + SKEW_S, `iat is ${String(claims['iat'])}`);
  const { jwks_uri } = run.world.configuration.metadata;
  if (typeof jwks_uri !== 'string') return;
  const plain: unknown = JSON.parse((await run.world.provider.send(jwks_uri)).text);
  expectSame(JSON.stringify(claims['keys']), JSON.stringify(member(plain, 'keys')), 'keys');
}
