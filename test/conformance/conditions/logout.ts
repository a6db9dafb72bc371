import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Check, expect, expectSame, present, shown, text } from '../verdict.ts';
import type { ReadJwt, World } from '../world.ts';
import { expectSignature, readJwt } from './keys.ts';
import { expectTime } from './standard-claims.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const SKEW_S = 300;
const FAKE_LIFETIME_S = 300;
/** Visible characters (RFC 6749, appendix A.5) without those that forms and libraries read in different ways. */
const STATE_CHARACTERS = Array.from({ length: 0x7f - 0x21 }, (_, at) =>
  String.fromCodePoint(at + 0x21),
).filter((each) => !'+;'.includes(each));

function randomState(): string {
  return [...randomBytes(50)].map((byte) => STATE_CHARACTERS[byte % STATE_CHARACTERS.length]).join('');
}

function without(...names: readonly string[]): Check {
  return ({ end_session_request: request }) => {
    for (const name of names) delete request[name];
  };
}

function logoutToken({ logout_token }: World): ReadJwt {
  return present(logout_token, 'logout token');
}

function onlyKnown(
  parameters: Readonly<Record<string, string>> | undefined,
  ...known: readonly string[]
): void {
  const unknown = Object.keys(present(parameters, 'request')).filter((name) => !known.includes(name));
  expect(unknown.length === 0, `unexpected: ${unknown.join(', ')}`);
}

function matchesIdToken(name: string): Check {
  return (world) => {
    const { claims } = logoutToken(world);
    if (claims[name] !== undefined)
      expectSame(claims[name], present(world.first_id_token, 'ID token').claims[name], name);
  };
}

/** A page of the provider, and no way to the relying party: an error, or a person who confirmed and stays. */
function stays({ landed }: World): void {
  expect(landed?.callback === undefined, `the browser was sent to ${landed?.callback?.url}`);
  const status = present(landed?.page, 'page').status;
  expect(status === 200 || (status >= 400 && status < 500), `the page has status ${status}`);
}

export const LOGOUT = {
  /** The ID token of the first authorisation is the hint, whatever the module does to it. */
  RememberIdToken(world) {
    world.first_id_token = present(world.id_token, 'ID token');
  },
  CreateRandomEndSessionState(world) {
    world.end_session_state = randomState();
  },
  CreateEndSessionEndpointRequest(world) {
    world.end_session_request = {
      id_token_hint: present(world.id_token, 'ID token').value,
      post_logout_redirect_uri: `${world.site.browserUrl}/post_logout_redirect`,
      state: present(world.end_session_state, 'state'),
    };
  },
  async GenerateFakeIdTokenClaimsAndSign(world) {
    const { privateKey, publicJwk } = present(world.client_key, 'client key');
    const claims = {
      iss: text(world.client['client_id'], 'client_id'),
      sub: 'SubjectID',
      aud: text(world.server['issuer'], 'issuer'),
      nonce: 'flibble',
    };
    const now = Math.floor(Date.now() / 1000);
    const value = await new SignJWT({ ...claims, iat: now, exp: now + FAKE_LIFETIME_S })
      .setProtectedHeader({ alg: publicJwk.alg ?? 'RS256' })
      .sign(privateKey);
    world.id_token = readJwt(value, 'the ID token of the suite');
  },
  ChangeIdTokenToAlgNone(world) {
    const { value, claims } = present(world.id_token, 'ID token');
    const none = Buffer.from('{"alg": "none"}').toString('base64url');
    world.id_token = { value: `${none}.${value.split('.')[1]}.`, header: { alg: 'none' }, claims };
  },
  RemoveStateFromEndSessionEndpointRequest: without('state'),
  RemoveIdTokenHintFromEndSessionEndpointRequest: without('id_token_hint'),
  RemovePostLogoutRedirectUriFromEndSessionEndpointRequest: without('post_logout_redirect_uri'),
  RemoveAllParametersFromEndSessionEndpointRequest: without(
    'id_token_hint',
    'post_logout_redirect_uri',
    'state',
  ),
  AddBadPostLogoutRedirectUriToEndSessionEndpointRequest({ end_session_request: request, site }) {
    request['post_logout_redirect_uri'] = `${site.browserUrl}/bad_post_logout_redirect_uri`;
  },
  AddPostLogoutRedirectUriWithQueryAddedToEndSessionEndpointRequest({ end_session_request: request }) {
    request['post_logout_redirect_uri'] += '?foo=bar';
  },
  async BuildRedirectToEndSessionEndpoint(world) {
    const endpoint = text(world.server['end_session_endpoint'], 'end_session_endpoint');
    const query = new URLSearchParams(world.end_session_request).toString();
    world.landed = await world.browser.go(query === '' ? endpoint : `${endpoint}?${query}`);
    const arrived = world.landed.callback?.url;
    if (arrived?.includes('/post_logout_redirect') === true)
      world.post_logout = Object.fromEntries(new URL(arrived).searchParams);
  },
  ExpectPostLogoutRedirect: ({ post_logout, landed }) =>
    expect(post_logout !== undefined, `no redirection; the page has status ${landed?.page?.status}`),
  CheckPostLogoutState: ({ post_logout, end_session_state }) =>
    expectSame(post_logout?.['state'], end_session_state, 'state'),
  CheckNoPostLogoutState: ({ post_logout }) =>
    expect(post_logout?.['state'] === undefined, 'a state that was not sent'),
  CheckForUnexpectedParametersInPostLogoutRedirect: ({ post_logout }) => onlyKnown(post_logout, 'state'),
  ExpectInvalidIdTokenHintErrorPage: stays,
  ExpectPostLogoutRedirectUriNotRegisteredErrorPage: stays,
  ExpectIdTokenHintRequiredErrorPage: stays,
  ExpectSuccessfulLogoutPage(world) {
    stays(world);
    expectSame(world.landed?.page?.status, 200, 'the status of the page');
  },
  async ExtractLogoutTokenFromBackchannelLogoutRequest(world) {
    const request = present(await world.site.until('/backchannel_logout'), 'back-channel request');
    expectSame(request.method, 'POST', 'the method');
    expect(
      request.contentType.startsWith('application/x-www-form-urlencoded'),
      `the content type is ${request.contentType}`,
    );
    world.logout_token = readJwt(text(request.form['logout_token'], 'logout_token'), 'logout_token');
  },
  CheckForUnexpectedParametersInBackchannelLogoutRequest: ({ site }) =>
    onlyKnown(site.received('/backchannel_logout')[0]?.form, 'logout_token'),
  async ValidateLogoutTokenSignature(world) {
    await expectSignature(world, logoutToken(world));
  },
  ValidateLogoutTokenClaims(world) {
    const { claims } = logoutToken(world);
    const now = Date.now() / 1000;
    expectSame(claims['iss'], world.server['issuer'], 'iss');
    const audience = Array.isArray(claims['aud']) ? claims['aud'] : [claims['aud']];
    expect(audience.includes(world.client['client_id']), `aud is ${shown(claims['aud'])}`);
    expectTime(claims, 'iat', { before: now + SKEW_S, after: now - 86_400 });
    text(claims['jti'], 'jti');
    expectSame(JSON.stringify(claims['events']), JSON.stringify({ [EVENT]: {} }), 'events');
  },
  CheckIdTokenSubMatchesLogoutToken: matchesIdToken('sub'),
  CheckIdTokenSidMatchesLogoutToken: matchesIdToken('sid'),
  CheckLogoutTokenNoNonce: (world) =>
    expect(!('nonce' in logoutToken(world).claims), 'the logout token has a nonce'),
  CheckLogoutTokenHasSubOrSid(world) {
    const { sub, sid } = logoutToken(world).claims;
    expect(sub !== undefined || sid !== undefined, 'neither sub nor sid');
  },
  ExpectFrontchannelLogoutRequest(world) {
    const framed = world.landed?.framed.find((each) =>
      new URL(each).pathname.endsWith('/frontchannel_logout'),
    );
    world.frontchannel_logout = Object.fromEntries(
      new URL(present(framed, 'frame of the front-channel logout address')).searchParams,
    );
  },
  CheckForUnexpectedParametersInFrontchannelLogoutRequest: ({ frontchannel_logout: request }) =>
    onlyKnown(request, 'sid', 'iss'),
  ValidateFrontchannelLogoutIss: ({ frontchannel_logout: request, server }) =>
    expectSame(request?.['iss'], server['issuer'], 'iss'),
  CheckIdTokenSidMatchesFrontChannelLogoutRequest: ({
    frontchannel_logout: request,
    first_id_token: token,
  }) => expectSame(request?.['sid'], text(token?.claims['sid'], 'sid'), 'sid'),
} satisfies Readonly<Record<string, Check>>;
