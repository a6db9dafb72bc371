import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import { authorization, callback, GENERIC_ERROR, request, setUp } from '../sequences.ts';
import { fail, type Step, stop, warn } from '../step.ts';
import type { Variant } from '../world.ts';

interface Logout {
  readonly metadata?: readonly Step[];
  /** Changes of the ID token. */
  readonly hint?: readonly Step[];
  /** Changes of the request. */
  readonly change?: readonly ConditionName[];
  readonly expected: readonly Step[];
  /** Whether the browser comes back, and is signed out then. */
  readonly back: boolean;
}

/** An authorisation with `prompt=none` says that the person is signed out. */
function signedOut(variant: Variant): readonly Step[] {
  return [
    ...request(variant, {
      longState: true,
      add: [stop('AddPromptNoneToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')],
    }),
    stop('PerformRedirect'),
    stop('ExpectCallback'),
    ...callback(variant),
    ...GENERIC_ERROR,
    fail('CheckErrorFromAuthorizationEndpointIsOneThatRequiredAUserInterface', 'OIDCC-3.1.2.6'),
  ];
}

function logout(
  name: string,
  { metadata = [], hint = [], change = [], expected, back }: Logout,
  review?: string,
): ConformanceModule {
  return {
    name,
    ...(review === undefined ? {} : { review }),
    steps: (variant) => [
      ...setUp(variant, {
        before: [stop('CreatePostLogoutRedirectUri', 'OIDCRIL-2', 'OIDCRIL-3')],
        metadata: [stop('AddPostLogoutRedirectUriToDynamicRegistrationRequest', 'OIDCRIL-3.1'), ...metadata],
      }),
      ...authorization(variant),
      stop('RememberIdToken'),
      ...hint,
      stop('CreateRandomEndSessionState', 'OIDCRIL-2', 'RFC6749A-A.5'),
      stop('CreateEndSessionEndpointRequest', 'OIDCRIL-2'),
      ...change.map((each) => stop(each)),
      stop('BuildRedirectToEndSessionEndpoint', 'OIDCRIL-2'),
      ...expected,
      ...(back ? signedOut(variant) : []),
    ],
  };
}

const RETURNED: readonly Step[] = [
  stop('ExpectPostLogoutRedirect', 'OIDCRIL-3'),
  fail('CheckPostLogoutState', 'OIDCRIL-2'),
  warn('CheckForUnexpectedParametersInPostLogoutRedirect', 'OIDCRIL-2'),
];
const STAYS = 'no redirection: an error page, or a page of the provider after the person has confirmed';
const SIGNED_OUT = 'a page of the provider with status 200, and no redirection';
const LOGGED_OUT_PAGE = stop('ExpectSuccessfulLogoutPage', 'OIDCRIL-2');
const BAD_HINT = stop('ExpectInvalidIdTokenHintErrorPage', 'OIDCRIL-2');
const NOT_REGISTERED = stop('ExpectPostLogoutRedirectUriNotRegisteredErrorPage', 'OIDCRIL-2');

const BACKCHANNEL: Logout = {
  metadata: [
    stop('CreateBackchannelLogoutUri', 'OIDCBCL-2.2'),
    stop('AddBackchannelLogoutSessionRequiredTrueToDynamicRegistrationRequest', 'OIDCBCL-2.2'),
    stop('AddBackchannelLogoutUriToDynamicRegistrationRequest', 'OIDCBCL-2.2'),
  ],
  expected: [
    stop('ExtractLogoutTokenFromBackchannelLogoutRequest', 'OIDCBCL-2.5'),
    warn('CheckForUnexpectedParametersInBackchannelLogoutRequest', 'OIDCBCL-2.5'),
    fail('ValidateLogoutTokenSignature', 'OIDCBCL-2.4'),
    fail('ValidateLogoutTokenClaims', 'OIDCBCL-2.4'),
    fail('CheckIdTokenSubMatchesLogoutToken', 'OIDCBCL-2.4'),
    fail('CheckIdTokenSidMatchesLogoutToken', 'OIDCBCL-2.4'),
    fail('CheckLogoutTokenNoNonce', 'OIDCBCL-2.4'),
    fail('CheckLogoutTokenHasSubOrSid', 'OIDCBCL-2.4'),
    ...RETURNED,
  ],
  back: true,
};

const FRONTCHANNEL: Logout = {
  metadata: [
    stop('CreateFrontchannelLogoutUri', 'OIDCFCL-2'),
    stop('AddFrontchannelLogoutSessionRequiredTrueToDynamicRegistrationRequest', 'OIDCFCL-2'),
    stop('AddFrontchannelLogoutUriToDynamicRegistrationRequest', 'OIDCFCL-2'),
  ],
  expected: [
    stop('ExpectFrontchannelLogoutRequest', 'OIDCFCL-2'),
    warn('CheckForUnexpectedParametersInFrontchannelLogoutRequest', 'OIDCFCL-2'),
    fail('ValidateFrontchannelLogoutIss', 'OIDCFCL-2'),
    fail('CheckIdTokenSidMatchesFrontChannelLogoutRequest', 'OIDCFCL-2', 'OIDCFCL-3'),
    ...RETURNED,
  ],
  back: true,
};

export const LOGOUT_MODULES: readonly ConformanceModule[] = [
  // proves openid-rp-logout-2-4
  logout('oidcc-rp-initiated-logout', { expected: RETURNED, back: true }),
  logout('oidcc-rp-initiated-logout-no-state', {
    change: ['RemoveStateFromEndSessionEndpointRequest'],
    expected: [
      stop('ExpectPostLogoutRedirect', 'OIDCRIL-3'),
      fail('CheckNoPostLogoutState', 'OIDCRIL-2'),
      warn('CheckForUnexpectedParametersInPostLogoutRedirect', 'OIDCRIL-3'),
    ],
    back: true,
  }),
  logout(
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    {
      change: ['AddBadPostLogoutRedirectUriToEndSessionEndpointRequest'],
      expected: [NOT_REGISTERED],
      back: false,
    },
    STAYS,
  ),
  logout(
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    {
      change: ['AddPostLogoutRedirectUriWithQueryAddedToEndSessionEndpointRequest'],
      expected: [NOT_REGISTERED],
      back: false,
    },
    STAYS,
  ),
  logout(
    'oidcc-rp-initiated-logout-modified-id-token-hint',
    { hint: [stop('ChangeIdTokenToAlgNone')], expected: [BAD_HINT], back: false },
    STAYS,
  ),
  logout(
    'oidcc-rp-initiated-logout-bad-id-token-hint',
    { hint: [stop('GenerateFakeIdTokenClaimsAndSign')], expected: [BAD_HINT], back: false },
    STAYS,
  ),
  logout(
    // proves openid-rp-logout-3-1
    'oidcc-rp-initiated-logout-no-id-token-hint',
    {
      change: ['RemoveIdTokenHintFromEndSessionEndpointRequest'],
      expected: [stop('ExpectIdTokenHintRequiredErrorPage', 'OIDCRIL-2')],
      back: false,
    },
    STAYS,
  ),
  logout(
    'oidcc-rp-initiated-logout-no-params',
    {
      change: ['RemoveAllParametersFromEndSessionEndpointRequest'],
      expected: [LOGGED_OUT_PAGE],
      back: false,
    },
    SIGNED_OUT,
  ),
  logout(
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
    {
      change: ['RemovePostLogoutRedirectUriFromEndSessionEndpointRequest'],
      expected: [LOGGED_OUT_PAGE],
      back: false,
    },
    SIGNED_OUT,
  ),
  logout(
    'oidcc-rp-initiated-logout-only-state',
    {
      change: [
        'RemoveIdTokenHintFromEndSessionEndpointRequest',
        'RemovePostLogoutRedirectUriFromEndSessionEndpointRequest',
      ],
      expected: [LOGGED_OUT_PAGE],
      back: false,
    },
    SIGNED_OUT,
  ),
  // proves openid-backchannel-logout-2.4-1
  logout('oidcc-backchannel-rp-initiated-logout', BACKCHANNEL),
  logout('oidcc-frontchannel-rp-initiated-logout', FRONTCHANNEL),
];
