import { originOf } from '../../clients/person-event.ts';
import type { AccountDirectory } from '../../ports/account-directory.ts';
import type { SignInPage } from '../../ports/pages.ts';
import type { Random } from '../../ports/random.ts';
import {
  antiForgeryToken,
  isAntiForgeryToken,
  type SessionNeeds,
  signIn,
} from '../../sessions/browser-session.ts';
import {
  authenticateWithPassword,
  PASSWORD_ACR,
  PASSWORD_AMR,
  type PasswordSignInNeeds,
} from '../../sessions/password-sign-in.ts';
import { OAuthError } from '../../spec/errors.ts';
import { IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import { issuerPath } from '../../spec/issuer.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { type Browser, signedInCookies } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { EndpointRequest, EndpointResponse } from '../contract.ts';
import { type PageNeeds, pageResponse } from '../page-response.ts';
import { contract } from './contract.ts';

export interface OwnSignInNeeds extends PageNeeds {
  readonly issuer: string;
  readonly browser: Browser;
  readonly sessions: SessionNeeds;
  readonly directory: Pick<AccountDirectory, 'find'>;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly random: Random;
  /** The operator's own page, where people sign in instead of here. */
  readonly externalUrl: string | undefined;
}

/** Binds the form to this browser: another site must not sign a person in as someone else. */
const PURPOSE = 'backchannel-sign-in';

/**
 * Shows the sign-in page of no client: a person comes here without one. Where people sign in on the page of the operator, that page
 * shows the requests too (docs/operate/backchannel-authentication.md), and this one says that no one is signed in.
 */
export function signInForm(
  needs: OwnSignInNeeds,
  request: EndpointRequest,
  problem?: NonNullable<SignInPage['problem']>,
): EndpointResponse {
  if (needs.externalUrl !== undefined)
    return pageResponse(needs, request, { kind: 'signed-out', outcome: 'none', notice: undefined });
  const sent = needs.browser.cookie(request, 'interaction');
  const cookie = sent ?? needs.random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const wait = typeof problem === 'object' ? problem.wait_seconds : undefined;
  const response = pageResponse(
    needs,
    request,
    {
      kind: 'sign-in',
      client: undefined,
      form: {
        action: `${issuerPath(needs.issuer)}${contract.path}`,
        form_token: antiForgeryToken(cookie, PURPOSE),
      },
      username: '',
      problem,
    },
    {
      status: wait === undefined ? 200 : 429,
      cookies: sent === undefined ? [needs.browser.keep('interaction', cookie)] : [],
    },
  );
  return wait === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': String(wait) } };
}

/** Signs a person in on that page, and leads to the requests. */
export async function signInOnPage(
  needs: OwnSignInNeeds,
  request: EndpointRequest,
  { form_token = '', username = '', password = '' }: Parameters,
): Promise<EndpointResponse> {
  const cookie = needs.browser.cookie(request, 'interaction');
  if (
    needs.externalUrl !== undefined ||
    cookie === undefined ||
    !isAntiForgeryToken(form_token, cookie, PURPOSE)
  )
    throw new OAuthError('invalid_request', {
      error_description: 'the form does not belong to the page that is shown',
      reason: 'foreign-form',
    });
  const origin = originOf(request);
  const browser = needs.browser.cookie(request, 'browser');
  const attempt = { username, password, browser, ...origin, method: 'password', client_id: null } as const;
  const outcome = await authenticateWithPassword(needs.passwordSignIn, attempt);
  if (outcome.outcome === 'too_many_attempts')
    return signInForm(needs, request, { wait_seconds: outcome.retry_after });
  if (outcome.outcome === 'refused') return signInForm(needs, request, 'refused');
  const { sub, version: accountVersion } = outcome.account;
  const authentication = { sub, accountVersion, acr: PASSWORD_ACR, amr: PASSWORD_AMR };
  const cookies = { session: needs.browser.cookie(request, 'session'), browser };
  const cause = { client_id: null, method: 'password', origin } as const;
  const begun = await signIn(needs.sessions, authentication, cookies, cause);
  if (begun.outcome === 'account_changed') return signInForm(needs, request, 'refused');
  const lifetime = needs.sessions.settings['sign-in.browser-lifetime'];
  const kept = signedInCookies(needs.browser, begun.cookies, lifetime);
  return redirection(needs.issuer + contract.path, kept);
}
