import { header, objectOf, type Reply, type Sent } from '../http.ts';
import { type Check, expect, expectSame, present, shown, text } from '../verdict.ts';
import type { ReadJwt, World } from '../world.ts';
import { expectSignature, readJwt } from './keys.ts';
import { expectScopesReturned, expectStandardClaims, expectTime } from './standard-claims.ts';

const SKEW_S = 300;

async function call(world: World, sent: (token: string) => Sent): Promise<void> {
  const endpoint = text(world.server['userinfo_endpoint'], 'userinfo_endpoint');
  const request = sent(present(world.access_token, 'access token'));
  world.resource = await world.target.send(endpoint, { ...request, certificate: world.certificate });
}

const bearer = (token: string): Sent => ({ headers: { authorization: `Bearer ${token}` } });

function reply({ resource }: World): Reply {
  return present(resource, 'UserInfo response');
}

function statusIs(holds: (status: number) => boolean): Check {
  return (world) =>
    expect(
      holds(reply(world).status),
      `UserInfo answered ${reply(world).status}: ${reply(world).text.slice(0, 200)}`,
    );
}

function contentType(expected: string): Check {
  return (world) =>
    expect(
      header(reply(world), 'content-type').startsWith(expected),
      `the content type is ${header(reply(world), 'content-type')}`,
    );
}

function sameSub(idToken: (world: World) => ReadJwt | undefined): Check {
  return (world) =>
    expectSame(world.userinfo['sub'], present(idToken(world), 'ID token').claims['sub'], 'sub');
}

function signed({ userinfo_jwt }: World): ReadJwt {
  return present(userinfo_jwt, 'signed UserInfo response');
}

export const USERINFO = {
  SetProtectedResourceUrlToUserInfoEndpoint: ({ server }) =>
    void text(server['userinfo_endpoint'], 'userinfo_endpoint'),
  CallProtectedResource: async (world) => await call(world, bearer),
  CallUserInfoEndpoint: async (world) => await call(world, bearer),
  SetResourceMethodToPost: () => undefined,
  CallUserInfoEndpointByPost: async (world) =>
    await call(world, (token) => ({ method: 'POST', ...bearer(token) })),
  CallUserInfoEndpointWithBearerTokenInBody: async (world) =>
    await call(world, (access_token) => ({ form: { access_token } })),
  EnsureHttpStatusCodeIs200: statusIs((status) => status === 200),
  EnsureHttpStatusCodeIs4xx: statusIs((status) => status >= 400 && status < 500),
  UserInfoEndpointWithAccessTokenInBodyNotSupported: statusIs((status) => status >= 200 && status < 300),
  EnsureUserInfoContentTypeJson: contentType('application/json'),
  EnsureContentTypeApplicationJwt: contentType('application/jwt'),
  ExtractUserInfoFromUserInfoEndpointResponse(world) {
    world.userinfo = objectOf(reply(world));
    expect(Object.keys(world.userinfo).length > 0, `no UserInfo in ${shown(reply(world).text)}`);
  },
  ExtractSignedUserInfoFromUserInfoEndpointResponse(world) {
    world.userinfo_jwt = readJwt(reply(world).text, 'the UserInfo response');
    world.userinfo = world.userinfo_jwt.claims;
  },
  async ValidateUserInfoResponseSignature(world) {
    await expectSignature(world, readJwt(reply(world).text, 'the UserInfo response'));
  },
  ValidateUserInfoSigningAlgIsRS256: (world) => expectSame(signed(world).header['alg'], 'RS256', 'alg'),
  ValidateSignedUserInfoResponseStandardJWTClaims(world) {
    const { claims } = signed(world);
    const now = Date.now() / 1000;
    expectSame(claims['iss'], world.server['issuer'], 'iss');
    const audience = Array.isArray(claims['aud']) ? claims['aud'] : [claims['aud']];
    expect(audience.includes(world.client['client_id']), `aud is ${shown(claims['aud'])}`);
    if (claims['exp'] !== undefined) expectTime(claims, 'exp', { after: now - SKEW_S });
    if (claims['iat'] !== undefined) expectTime(claims, 'iat', { before: now + SKEW_S, after: now - 86_400 });
  },
  EnsureUserInfoDoesNotContainNonce: ({ userinfo }) =>
    expect(!('nonce' in userinfo), 'UserInfo contains nonce'),
  ValidateUserInfoStandardClaims: ({ userinfo }) => expectStandardClaims(userinfo),
  EnsureUserInfoContainsSub: ({ userinfo }) => void text(userinfo['sub'], 'sub'),
  EnsureUserInfoUpdatedAtValid({ userinfo }) {
    if (userinfo['updated_at'] !== undefined)
      expectTime(userinfo, 'updated_at', { before: Date.now() / 1000 + SKEW_S });
  },
  EnsureMemberValuesInClaimNameReferenceToMemberNamesInClaimSources({ userinfo }) {
    const sources = Object.keys(Object(userinfo['_claim_sources'] ?? {}));
    for (const source of Object.values(Object(userinfo['_claim_names'] ?? {})))
      expect(sources.includes(String(source)), `_claim_sources lacks ${shown(source)}`);
  },
  VerifyUserInfoAndIdTokenInAuthorizationEndpointSameSub: sameSub(
    ({ authorization_endpoint_id_token: token }) => token,
  ),
  VerifyUserInfoAndIdTokenInTokenEndpointSameSub: sameSub(({ token_endpoint_id_token: token }) => token),
  VerifyScopesReturnedInUserInfoClaims: ({ userinfo, authorization_endpoint_request: request }) =>
    expectScopesReturned(request['scope'], userinfo),
  VerifyScopesReturnedInAuthorizationEndpointIdToken: ({
    authorization_endpoint_id_token: token,
    authorization_endpoint_request: request,
  }) => expectScopesReturned(request['scope'], present(token, 'ID token').claims),
  EnsureUserInfoContainsName: ({ userinfo }) => void text(userinfo['name'], 'name'),
  EnsureUserInfoDoesNotContainName: ({ userinfo }) => expect(!('name' in userinfo), 'UserInfo contains name'),
} satisfies Readonly<Record<string, Check>>;
