import { header } from '../http.ts';
import { addressesOf, type Page } from '../page.ts';
import {
  type Check,
  ConditionFailed,
  expect,
  expectSame,
  ModuleSkipped,
  present,
  shown,
  text,
} from '../verdict.ts';
import type { World } from '../world.ts';
import { entropyOf } from './keys.ts';

/** RFC 6749 §4.1.2.1, RFC 9207 §2, and `session_state` of session management. */
const ERROR_MEMBERS = ['error', 'error_description', 'error_uri', 'state', 'session_state', 'iss'];
const NEEDS_A_PERSON = [
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
];
const DESCRIPTION = /^[\t\n\r\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
const CODE_BITS_MIN = 128;
const ENTROPY_MIN = 96;

async function go(world: World, journey: { method?: 'GET' | 'POST'; until?: string } = {}): Promise<void> {
  world.landed = await world.browser.go(present(world.redirect, 'address'), journey);
  const { callback } = world.landed;
  if (callback === undefined) return;
  const { searchParams, hash } = new URL(callback.url);
  world.callback_query = Object.fromEntries(searchParams);
  const fragment = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const { response_mode, response_type } = world.variant;
  const noType = world.authorization_endpoint_request['response_type'] === undefined;
  if (response_mode === 'form_post') world.authorization_endpoint_response = callback.form;
  else
    world.authorization_endpoint_response =
      response_type === 'code' || noType ? world.callback_query : fragment;
}

/** Whether the browser has arrived at the relying party. */
export const calledBack = ({ landed }: World): boolean => landed?.callback !== undefined;
export const onPage = (world: World): boolean => !calledBack(world);

function pageOf({ landed }: World): Page {
  return present(landed?.page, 'page: the browser was sent to the relying party');
}

/** An error page is no redirection, has a status of 4xx and is for people. */
function expectErrorPage(world: World): void {
  const page = pageOf(world);
  expect(page.status >= 400 && page.status < 500, `the page has status ${page.status}`);
  expect(header({ headers: page.headers }, 'content-type').startsWith('text/html'), 'the error is no page');
}

/** The page where a person signs in, or agrees: it is the module's "login page". */
function signInPage(world: World): Page {
  return present(world.landed?.shown.find(({ kind }) => kind === 'sign-in')?.page, 'sign-in page');
}

function linked(member: string): Check {
  return (world) => {
    const address = world.dynamic_registration_request[member];
    expect(
      addressesOf(signInPage(world), 'a').includes(String(address)),
      `the sign-in page has no link to ${shown(address)}`,
    );
  };
}

function errorIs(...codes: readonly string[]): Check {
  return ({ authorization_endpoint_response: { error } }) =>
    expect(codes.includes(String(error)), `the error is ${shown(error)}, not one of ${codes.join(', ')}`);
}

function notInQuery(name: string): Check {
  return ({ callback_query }) => expect(!(name in callback_query), `${name} is in the query`);
}

export const AUTHORIZATION_RESPONSE = {
  PerformRedirect: async (world) => await go(world),
  PerformRedirectByPost: async (world) => await go(world, { method: 'POST' }),
  PerformRedirectToSignInPage: async (world) => await go(world, { until: 'sign-in' }),
  ExpectCallback: ({ landed }) =>
    expect(
      landed?.callback !== undefined,
      `the browser ends on a page: ${landed?.page?.status} ${landed?.page?.html.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 400)}`,
    ),
  CheckCallbackHttpMethodIsPost: ({ landed }) => expectSame(landed?.callback?.method, 'POST', 'the method'),
  CheckCallbackContentTypeIsFormUrlEncoded: ({ landed }) =>
    expectSame(landed?.callback?.contentType, 'application/x-www-form-urlencoded', 'the content type'),
  RejectAuthCodeInUrlQuery: notInQuery('code'),
  RejectErrorInUrlQuery: notInQuery('error'),
  CheckMatchingCallbackParameters({ redirect_uri, callback_query }) {
    for (const [name, value] of new URL(redirect_uri).searchParams)
      expectSame(callback_query[name], value, name);
  },
  ValidateIssIfPresentInAuthorizationResponse({ authorization_endpoint_response: { iss }, server }) {
    if (iss !== undefined) expectSame(iss, server['issuer'], 'iss');
  },
  CheckIfAuthorizationEndpointError: ({ authorization_endpoint_response: { error, error_description } }) =>
    expect(error === undefined, `${error}: ${error_description}`),
  CheckStateInAuthorizationResponse({
    authorization_endpoint_response: { state, error },
    authorization_endpoint_request: request,
  }) {
    if (state === undefined && error === 'invalid_request_object') return;
    expectSame(state, request['state'], 'state');
  },
  ExtractAuthorizationCodeFromAuthorizationResponse: ({ authorization_endpoint_response: { code } }) =>
    void text(code, 'code'),
  ExtractAccessTokenFromAuthorizationResponse(world) {
    const { access_token, token_type } = world.authorization_endpoint_response;
    world.access_token = text(access_token, 'access_token');
    expectSame(token_type?.toLowerCase(), 'bearer', 'token_type');
  },
  EnsureMinimumAuthorizationCodeLength({ authorization_endpoint_response: { code = '' } }) {
    expect(code.length * 8 >= CODE_BITS_MIN, `the code has ${code.length} characters`);
  },
  EnsureMinimumAuthorizationCodeEntropy({ authorization_endpoint_response: { code = '' } }) {
    expect(entropyOf(code) > ENTROPY_MIN, `the code has ${entropyOf(code).toFixed(0)} bits`);
  },
  EnsureErrorFromAuthorizationEndpointResponse: ({ authorization_endpoint_response: response }) =>
    void text(response['error'], 'error'),
  RejectAuthCodeInAuthorizationEndpointResponse: ({ authorization_endpoint_response: response }) =>
    expect(!('code' in response), 'an error with a code'),
  CheckForUnexpectedParametersInErrorResponseFromAuthorizationEndpoint({
    authorization_endpoint_response: response,
    redirect_uri,
  }) {
    const known = new Set([...ERROR_MEMBERS, ...new URL(redirect_uri).searchParams.keys()]);
    const unknown = Object.keys(response).filter((name) => !known.has(name));
    expect(unknown.length === 0, `unexpected: ${unknown.join(', ')}`);
  },
  CheckErrorDescriptionFromAuthorizationEndpointResponseErrorContainsCRLFTAB: ({
    authorization_endpoint_response: { error_description = '' },
  }) => expect(!/[\r\n\t]/.test(error_description), 'error_description has a line break or a tabulator'),
  ValidateErrorDescriptionFromAuthorizationEndpointResponseError: ({
    authorization_endpoint_response: { error_description },
  }) =>
    expect(
      error_description === undefined || DESCRIPTION.test(error_description),
      `error_description ${shown(error_description)}`,
    ),
  ValidateErrorUriFromAuthorizationEndpointResponseError: ({
    authorization_endpoint_response: { error_uri },
  }) => expect(error_uri === undefined || URL.canParse(error_uri), `error_uri ${shown(error_uri)}`),
  CheckErrorFromAuthorizationEndpointErrorInvalidRequest: errorIs('invalid_request'),
  CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrUnsupportedResponseType: errorIs(
    'invalid_request',
    'unsupported_response_type',
  ),
  CheckErrorFromAuthorizationEndpointIsOneThatRequiredAUserInterface: errorIs(...NEEDS_A_PERSON),
  CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrInvalidRequestObjectOrInvalidClient: errorIs(
    'invalid_request',
    'invalid_request_object',
    'invalid_client',
  ),
  CheckErrorFromAuthorizationEndpointErrorInvalidRequestOrInvalidRequestObject: errorIs(
    'invalid_request',
    'invalid_request_object',
  ),
  SkipIfRequestNotSupported({ authorization_endpoint_response: { error } }) {
    if (error === 'request_not_supported')
      throw new ModuleSkipped('request_not_supported: no request objects');
  },
  SkipIfRequestUriNotSupported({ authorization_endpoint_response: { error } }) {
    if (error === 'request_uri_not_supported')
      throw new ModuleSkipped('request_uri_not_supported: no request_uri');
  },
  EnsureOPDoesNotUseDefaultRedirectUriInCaseOfInvalidRedirectUri: ({
    authorization_endpoint_response: { error },
  }) =>
    expect(
      error !== 'request_not_supported',
      'the answer went to a redirect URI that the request did not name',
    ),
  AuthorizationEndpointRedirectedBackUnexpectedly() {
    throw new ConditionFailed('the browser was sent to the relying party');
  },
  ExpectNoCallback: ({ landed }) =>
    expect(landed?.callback === undefined, `the browser was sent to ${landed?.callback?.url}`),
  ExpectRedirectUriErrorPage: expectErrorPage,
  ExpectRedirectUriMissingErrorPage: expectErrorPage,
  ExpectRequestMissingNonceErrorPage: expectErrorPage,
  ExpectResponseTypeMissingErrorPage: expectErrorPage,
  ExpectInvalidRequestOrInvalidClientErrorPage: expectErrorPage,
  ExpectInvalidRequestOrInvalidRequestObjectErrorPage: expectErrorPage,
  ExpectSecondLoginPage: (world) => void signInPage(world),
  ExpectNoLoginPage: ({ landed }) =>
    expect(landed?.shown.every(({ kind }) => kind !== 'sign-in') === true, 'the person had to sign in again'),
  ExpectLoginPageWithPolicyLink: linked('policy_uri'),
  ExpectLoginPageWithTosLink: linked('tos_uri'),
  async ExpectLoginPageWithLogo(world) {
    const images = addressesOf(signInPage(world), 'img');
    const kinds = await Promise.all(
      images.map(async (address) =>
        address.startsWith(world.target.issuer)
          ? header(await world.target.send(address), 'content-type')
          : address === world.dynamic_registration_request['logo_uri'] && 'image/',
      ),
    );
    expect(
      kinds.some((kind) => typeof kind === 'string' && kind.startsWith('image/')),
      'the sign-in page shows no logo',
    );
  },
  ExpectRedirectUriHasBeenCalled: ({ landed }) => void present(landed?.callback, 'callback'),
} satisfies Readonly<Record<string, Check>>;
