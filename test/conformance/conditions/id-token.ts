import { type Check, expect, expectSame, present, shown, strings, text } from '../verdict.ts';
import type { Json, ReadJwt, World } from '../world.ts';
import { expectHalfHash, expectSignature, readJwt } from './keys.ts';
import { expectStandardClaims, expectTime, SCOPE_CLAIMS } from './standard-claims.ts';

const SKEW_S = 300;
const NOT_ABOUT_THE_PERSON = [
  'iss',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'azp',
  'c_hash',
  'at_hash',
  's_hash',
  'jti',
  'nbf',
  'verified_claims',
];
const ALWAYS_ALLOWED = [...NOT_ABOUT_THE_PERSON, 'sub', 'sid', 'openbanking_intent_id', 'txn'];

function idToken({ id_token }: World): ReadJwt {
  return present(id_token, 'ID token');
}

const claim =
  (name: string) =>
  (world: World): unknown =>
    idToken(world).claims[name];

function lacks(name: string): Check {
  return (world) => expect(claim(name)(world) === undefined, `the ID token contains ${name}`);
}

function algorithm(expected: (world: World) => unknown): Check {
  return (world) => expectSame(idToken(world).header['alg'], expected(world), 'alg');
}

/** Checks the half hash where the token has it: the condition before says whether it must. */
function halfHash(name: string, of: (world: World) => string | undefined): Check {
  return (world) => {
    if (claim(name)(world) !== undefined) expectHalfHash(idToken(world), name, present(of(world), name));
  };
}

function sameInBoth(name: string, first: Json, second: Json): void {
  expectSame(JSON.stringify(second[name]), JSON.stringify(first[name]), `${name} of the second ID token`);
}

export const ID_TOKEN = {
  ExtractIdTokenFromAuthorizationResponse(world) {
    const value = text(world.authorization_endpoint_response['id_token'], 'id_token');
    world.id_token = readJwt(value, 'id_token');
    world.authorization_endpoint_id_token = world.id_token;
  },
  ValidateIdToken(world) {
    const { claims } = idToken(world);
    const client = world.client['client_id'];
    const now = Date.now() / 1000;
    expectSame(claims['iss'], world.server['issuer'], 'iss');
    const audience = Array.isArray(claims['aud']) ? strings(claims['aud']) : [String(claims['aud'])];
    expect(audience.includes(String(client)), `aud is ${shown(claims['aud'])}`);
    if (audience.length > 1) expect(claims['azp'] !== undefined, 'several audiences and no azp');
    if (claims['azp'] !== undefined) expectSame(claims['azp'], client, 'azp');
    expectTime(claims, 'exp', { after: now - SKEW_S });
    expectTime(claims, 'iat', { after: now - 86_400, before: now + SKEW_S });
    if (claims['nbf'] !== undefined) expectTime(claims, 'nbf', { before: now + SKEW_S });
    if (claims['auth_time'] !== undefined) expectTime(claims, 'auth_time', { before: now + SKEW_S });
  },
  ValidateIdTokenStandardClaims(world) {
    const about = Object.entries(idToken(world).claims).filter(
      ([name]) => !NOT_ABOUT_THE_PERSON.includes(name),
    );
    expectStandardClaims(Object.fromEntries(about));
  },
  ValidateIdTokenNonce: (world) =>
    expectSame(claim('nonce')(world), world.authorization_endpoint_request['nonce'], 'nonce'),
  ValidateIdTokenACRClaimAgainstRequest(world) {
    const acr = claim('acr')(world);
    expect(acr === undefined || typeof acr === 'string', `acr is ${shown(acr)}`);
  },
  async ValidateIdTokenSignature(world) {
    await expectSignature(world, idToken(world));
  },
  CheckForSubjectInIdToken: (world) =>
    expect(text(claim('sub')(world), 'sub').length <= 255, 'a sub of more than 255 characters'),
  EnsureIdTokenUpdatedAtValid(world) {
    if (claim('updated_at')(world) !== undefined)
      expectTime(idToken(world).claims, 'updated_at', { before: Date.now() / 1000 + SKEW_S });
  },
  EnsureIdTokenContainsKid: (world) => void text(idToken(world).header['kid'], 'kid'),
  EnsureIdTokenSignatureIsRS256: algorithm(() => 'RS256'),
  CheckIdTokenSignatureAlgorithm: algorithm(
    ({ dynamic_registration_request: request }) => request['id_token_signed_response_alg'],
  ),
  ExtractAtHash: (world) => void text(claim('at_hash')(world), 'at_hash'),
  ValidateAtHash: halfHash('at_hash', ({ access_token }) => access_token),
  ExtractCHash: (world) => void text(claim('c_hash')(world), 'c_hash'),
  ValidateCHash: halfHash('c_hash', ({ authorization_endpoint_response: { code } }) => code),
  EnsureIdTokenDoesNotContainName: lacks('name'),
  EnsureIdTokenContainsName: (world) => void text(claim('name')(world), 'name'),
  EnsureIdTokenDoesNotContainEmailForScopeEmail: lacks('email'),
  EnsureIdTokenDoesNotContainNonRequestedClaims(world) {
    const scopes = String(world.authorization_endpoint_request['scope']).split(' ');
    const allowed = new Set([...ALWAYS_ALLOWED, ...scopes.flatMap((scope) => SCOPE_CLAIMS[scope] ?? [])]);
    const more = Object.keys(idToken(world).claims).filter((name) => !allowed.has(name));
    expect(more.length === 0, `not requested: ${more.join(', ')}`);
  },
  VerifyIdTokenSubConsistentHybridFlow({
    authorization_endpoint_id_token: front,
    token_endpoint_id_token: back,
  }) {
    for (const name of ['sub', 'iss'])
      sameInBoth(name, present(front, 'ID token').claims, present(back, 'ID token').claims);
  },
  ValidateIdTokenACRClaimAgainstAcrValuesRequest(world) {
    const asked = String(world.authorization_endpoint_request['acr_values']).split(' ');
    const acr = claim('acr')(world);
    expect(asked.includes(String(acr)), `acr is ${shown(acr)}, not one of ${asked.join(', ')}`);
  },
  CheckIdTokenAuthTimeClaimPresentDueToMaxAge: (world) => expectTime(idToken(world).claims, 'auth_time', {}),
  CheckIdTokenAuthTimeIsRecentIfPresent(world) {
    const time = claim('auth_time')(world);
    if (time !== undefined)
      expectTime(idToken(world).claims, 'auth_time', { after: Date.now() / 1000 - SKEW_S - 1 });
  },
  CheckSecondIdTokenAuthTimeIsLaterIfPresent(world) {
    const [first, second] = [
      present(world.first_id_token, 'first ID token').claims['auth_time'],
      claim('auth_time')(world),
    ];
    if (first !== undefined && second !== undefined)
      expect(Number(second) > Number(first), `auth_time ${shown(second)} is not later than ${shown(first)}`);
  },
  CheckIdTokenAuthTimeClaimsSameIfPresent(world) {
    const { claims } = present(world.first_id_token, 'first ID token');
    if (claims['auth_time'] !== undefined && claim('auth_time')(world) !== undefined)
      sameInBoth('auth_time', claims, idToken(world).claims);
  },
  CheckIdTokenSubConsistentForSecondAuthorization: (world) =>
    sameInBoth('sub', present(world.first_id_token, 'first ID token').claims, idToken(world).claims),
  /** OpenID Connect Core 1.0 §12.2. */
  CompareIdTokenClaims(world) {
    if (world.id_token === undefined) return;
    const [first, second] = [present(world.first_id_token, 'first ID token').claims, idToken(world).claims];
    for (const name of ['iss', 'sub', 'aud', 'azp']) sameInBoth(name, first, second);
    if (second['auth_time'] !== undefined) sameInBoth('auth_time', first, second);
    expect(Number(second['iat']) !== Number(first['iat']), 'iat of the second ID token is that of the first');
  },
  ValidateIdTokenAudIsSingleElement(world) {
    const aud = claim('aud')(world);
    expect(typeof aud === 'string' || (Array.isArray(aud) && aud.length === 1), `aud is ${shown(aud)}`);
  },
} satisfies Readonly<Record<string, Check>>;
