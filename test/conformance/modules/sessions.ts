import type { ConformanceModule } from '../module.ts';
import {
  authorization,
  callback,
  either,
  GENERIC_ERROR,
  request,
  STANDARD_ID_TOKEN_CHECKS,
  setUp,
} from '../sequences.ts';
import { fail, type Step, stop } from '../step.ts';
import type { Variant } from '../world.ts';

const SECOND_SIGN_IN = 'the sign-in page is shown a second time';
const PROMPT_NONE = stop('AddPromptNoneToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1');

const SAME_SIGN_IN: readonly Step[] = [
  fail('CheckIdTokenAuthTimeClaimsSameIfPresent', 'OIDCC-2'),
  fail('CheckIdTokenSubConsistentForSecondAuthorization', 'OIDCC-2'),
];
const AUTH_TIME = fail(
  'CheckIdTokenAuthTimeClaimPresentDueToMaxAge',
  'OIDCC-2',
  'OIDCC-3.1.2.1',
  'OIDCC-15.1',
);

interface Twice {
  readonly first?: readonly Step[];
  readonly afterFirst?: readonly Step[];
  readonly wait?: readonly Step[];
  readonly second: readonly Step[];
  /** Checks of the second ID token. */
  readonly idToken?: readonly Step[];
  readonly after?: readonly Step[];
}

/** A module that authorises twice in one browser. */
function twice(
  name: string,
  { first = [], afterFirst = [], wait = [], second, idToken = [], after = [] }: Twice,
  review?: string,
): ConformanceModule {
  return {
    name,
    ...(review === undefined ? {} : { review }),
    steps: (variant) => [
      ...setUp(variant),
      ...authorization(variant, { add: first }),
      stop('RememberFirstTokens'),
      ...afterFirst,
      ...wait,
      ...authorization(variant, { add: second }, { idToken: [...STANDARD_ID_TOKEN_CHECKS, ...idToken] }),
      ...after,
    ],
  };
}

const NOT_LOGGED_IN: ConformanceModule = {
  // proves openid-conformance-17
  name: 'oidcc-prompt-none-not-logged-in',
  steps: (variant: Variant) => [
    ...setUp(variant),
    ...either(
      request(variant, { longState: true, add: [PROMPT_NONE] }),
      [stop('ExpectCallback')],
      [
        ...callback(variant),
        ...GENERIC_ERROR,
        fail('CheckErrorFromAuthorizationEndpointIsOneThatRequiredAUserInterface', 'OIDCC-3.1.2.6'),
      ],
    ),
  ],
};

export const SESSION_MODULES: readonly ConformanceModule[] = [
  twice(
    // proves openid-conformance-17, openid-core-3.1.2.1-3
    'oidcc-prompt-login',
    {
      wait: [stop('WaitForOneSecond')],
      second: [stop('AddPromptLoginToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')],
      after: [
        stop('ExpectSecondLoginPage', 'OIDCC-3.1.2.1'),
        fail('CheckSecondIdTokenAuthTimeIsLaterIfPresent', 'OIDCC-2'),
      ],
    },
    SECOND_SIGN_IN,
  ),
  // proves openid-conformance-17, openid-core-3.1.2.1-3
  twice('oidcc-prompt-none-logged-in', {
    second: [PROMPT_NONE],
    after: [stop('ExpectNoLoginPage'), ...SAME_SIGN_IN],
  }),
  NOT_LOGGED_IN,
  twice(
    'oidcc-max-age-1',
    {
      wait: [stop('WaitFor2Seconds')],
      second: [stop('AddMaxAge1ToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')],
      idToken: [
        AUTH_TIME,
        fail('CheckSecondIdTokenAuthTimeIsLaterIfPresent', 'OIDCC-2'),
        fail('CheckIdTokenAuthTimeIsRecentIfPresent', 'OIDCC-2'),
      ],
      after: [stop('ExpectSecondLoginPage', 'OIDCC-3.1.2.1')],
    },
    SECOND_SIGN_IN,
  ),
  twice('oidcc-max-age-10000', {
    first: [stop('AddMaxAge15000ToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')],
    afterFirst: [AUTH_TIME],
    second: [stop('AddMaxAge10000ToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-15.1')],
    after: [stop('ExpectNoLoginPage'), AUTH_TIME, ...SAME_SIGN_IN],
  }),
  twice('oidcc-id-token-hint', {
    second: [
      PROMPT_NONE,
      stop('AddIdTokenHintFromFirstLoginToAuthorizationEndpointRequest', 'OIDCC-3.1.2.1', 'OIDCC-3.1.2.2'),
    ],
    after: [stop('ExpectNoLoginPage'), ...SAME_SIGN_IN],
  }),
];
