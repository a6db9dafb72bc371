import { AuthorizationError } from '../grants/authorization/authorization-error.ts';
import {
  type Progress,
  type ProgressNeeds,
  progressOf,
  type WaitingRequest,
} from '../grants/authorization/authorization-interaction.ts';
import {
  type AuthorizedResponseNeeds,
  authorizedResponse,
} from '../grants/authorization/authorized-response.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { currentSession, type SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Browser } from './browser.ts';
import { type ClientResponseNeeds, clientResponse, refusal } from './client-response.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';

/** What the endpoints that an authorisation request goes through have in common. */
export interface AuthorizationNeeds extends ClientResponseNeeds {
  readonly issuer: string;
  readonly browser: Browser;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  readonly progress: ProgressNeeds;
  readonly responding: AuthorizedResponseNeeds;
}

/** Where the pages of an authorisation request are, below the issuer. */
export const INTERACTION_PATH = '/interaction';

export async function sessionBehind(
  { browser, sessions }: Pick<AuthorizationNeeds, 'browser' | 'sessions'>,
  request: EndpointRequest,
): Promise<StoredSession | undefined> {
  return await currentSession(sessions, browser.cookie(request, 'session'));
}

/** @throws OAuthError for the person, when the client or its redirection URI has gone meanwhile: nobody knows any more where answers would go */
export async function progressNow(
  { progress }: AuthorizationNeeds,
  waiting: WaitingRequest,
  session: StoredSession | undefined,
): Promise<Progress> {
  const found = await progressOf(progress, waiting, session);
  if (found !== undefined) return found;
  throw new OAuthError('invalid_request', {
    error_description: 'the client, or where it is answered, is not registered any more',
  });
}

/**
 * The answer to the client, once nothing more is needed.
 * @returns undefined where a page has to be shown first
 */
export async function finalAnswer(
  needs: AuthorizationNeeds,
  request: EndpointRequest,
  { request: authorization }: WaitingRequest,
  { client, next }: Progress,
  cookies: readonly string[] = [],
): Promise<EndpointResponse | undefined> {
  try {
    if (next.step === 'refuse')
      throw new AuthorizationError(authorization, next.error, next.error_description);
    if (next.step !== 'grant') return undefined;
    const issued = await authorizedResponse(needs.responding, client, authorization, next.session);
    return await clientResponse(needs, request, authorization, issued, cookies);
  } catch (failure) {
    if (!(failure instanceof AuthorizationError)) throw failure;
    return await refusal(needs, request, failure, cookies);
  }
}
