import { AuthorizationError } from '../grants/authorization/authorization-error.ts';
import {
  type Progress,
  type ProgressNeeds,
  progressOf,
  rememberConsent,
  type WaitingRequest,
} from '../grants/authorization/authorization-interaction.ts';
import type { AuthorizationRequest } from '../grants/authorization/authorization-request.ts';
import {
  type AuthorizedResponseNeeds,
  authorizedResponse,
} from '../grants/authorization/authorized-response.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { currentSession, type SessionNeeds } from '../sessions/browser-session.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Browser } from './browser.ts';
import { answeringClient, type ClientResponseNeeds, clientResponse, refusal } from './client-response.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';

export interface AuthorizationFlowNeeds extends ClientResponseNeeds {
  readonly browser: Browser;
  readonly sessions: SessionNeeds;
  readonly progress: ProgressNeeds;
  readonly responding: AuthorizedResponseNeeds;
}

/** Carries authorisation requests from their arrival to their answers; one for an issuer. */
export class AuthorizationFlow {
  readonly #needs: AuthorizationFlowNeeds;

  constructor(needs: AuthorizationFlowNeeds) {
    this.#needs = needs;
  }

  /** Finds the session of the browser that sends this request. */
  async session(request: EndpointRequest): Promise<StoredSession | undefined> {
    const { browser, sessions } = this.#needs;
    return await currentSession(sessions, browser.cookie(request, 'session'));
  }

  /** @throws OAuthError for the person, when the client or its redirection URI has gone meanwhile */
  async progress(waiting: WaitingRequest, session: StoredSession | undefined): Promise<Progress> {
    return await progressNow(this.#needs, waiting, session);
  }

  /** Answers the client once nothing more is needed; undefined where a page has to be shown first. */
  async answer(
    request: EndpointRequest,
    waiting: WaitingRequest,
    progress: Progress,
    cookies?: readonly string[],
  ): Promise<EndpointResponse | undefined> {
    return await finalAnswer(this.#needs, request, waiting, progress, cookies);
  }

  /** Tells the client of an `AuthorizationError` that `act` throws; any other error is for the person. */
  async answering(request: EndpointRequest, act: () => Promise<EndpointResponse>): Promise<EndpointResponse> {
    return await answeringClient(this.#needs, request, act);
  }

  /** Tells the client that its request is refused (RFC 6749 §4.1.2.1). */
  async refuse(request: EndpointRequest, error: AuthorizationError): Promise<EndpointResponse> {
    return await refusal(this.#needs, request, error);
  }

  /** Remembers what the person agreed to, for this client as it is registered now. */
  async rememberConsent(request: AuthorizationRequest, session: StoredSession): Promise<void> {
    await rememberConsent(this.#needs.progress, request, session);
  }
}

/** Where the pages of an authorisation request are, below the issuer. */
export const INTERACTION_PATH = '/interaction';

/** Without its client a request has no address for an answer: the person is told instead. */
async function progressNow(
  { progress }: AuthorizationFlowNeeds,
  waiting: WaitingRequest,
  session: StoredSession | undefined,
): Promise<Progress> {
  const found = await progressOf(progress, waiting, session);
  if (found !== undefined) return found;
  throw new OAuthError('invalid_request', {
    error_description: 'the client, or where it is answered, is not registered any more',
  });
}

async function finalAnswer(
  needs: AuthorizationFlowNeeds,
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
