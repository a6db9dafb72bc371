import { originOf } from '../clients/person-event.ts';
import {
  type Progress,
  type ProgressNeeds,
  progressOf,
  rememberConsent,
  type WaitingRequest,
} from '../grants/authorization/authorization-interaction.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
} from '../grants/authorization/authorization-request.ts';
import {
  type AuthorizedResponseNeeds,
  authorizedResponse,
} from '../grants/authorization/authorized-response.ts';
import type { BackchannelDecisionNeeds } from '../grants/backchannel/decide.ts';
import type { DeviceRequestNeeds } from '../grants/device/device-request.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { currentSession, type SessionNeeds } from '../sessions/browser-session.ts';
import { OAuthError } from '../spec/errors.ts';
import { backchannelAllowed, backchannelRefused } from './backchannel-decision.ts';
import type { Browser } from './browser.ts';
import {
  answeringClient,
  type ClientResponseNeeds,
  clientResponse,
  type Departure,
  refusal,
} from './client-response.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';
import { deviceAllowed, deviceDenied } from './device-decision.ts';

export interface AuthorizationFlowNeeds extends ClientResponseNeeds {
  readonly browser: Browser;
  readonly sessions: SessionNeeds;
  readonly progress: ProgressNeeds;
  readonly responding: AuthorizedResponseNeeds;
  readonly devices: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>;
  readonly backchannels: BackchannelDecisionNeeds;
}

/** Leads authorisation requests from receipt to response. Each issuer has one. */
export class AuthorizationFlow {
  readonly #needs: AuthorizationFlowNeeds;

  constructor(needs: AuthorizationFlowNeeds) {
    this.#needs = needs;
  }

  /** Returns the session of the browser that sends this request. */
  async session(request: EndpointRequest): Promise<StoredSession | undefined> {
    const { browser, sessions } = this.#needs;
    return await currentSession(sessions, browser.cookie(request, 'session'));
  }

  /**
   * Returns the client and the next step of a waiting request.
   * @throws OAuthError for the person, if the client or its redirection URI is no longer registered
   */
  async progress(waiting: WaitingRequest, session: StoredSession | undefined): Promise<Progress> {
    return await progressNow(this.#needs, waiting, session);
  }

  /** Responds to the client if the request needs no page; undefined if a page must come first. */
  async answer(
    request: EndpointRequest,
    waiting: WaitingRequest,
    progress: Progress,
    cookies: readonly string[] = [],
  ): Promise<EndpointResponse | undefined> {
    return await finalAnswer(this.#needs, request, waiting, progress, cookies);
  }

  /** Sends an `AuthorizationError` that `act` throws to the client. Any other error is for the person. */
  async answering(request: EndpointRequest, act: () => Promise<EndpointResponse>): Promise<EndpointResponse> {
    return await answeringClient(this.#needs, request, act);
  }

  /** Sends the person's own refusal to the client (RFC 6749 §4.1.2.1). */
  async refuse(request: EndpointRequest, error: AuthorizationError): Promise<EndpointResponse> {
    return await refused(this.#needs, request, error, { interacted: true });
  }

  /** Stores the consent of the end-user for this registration of the client. */
  async rememberConsent(
    request: EndpointRequest,
    agreed: AuthorizationRequest,
    session: StoredSession,
  ): Promise<void> {
    await rememberConsent(this.#needs.progress, agreed, session, originOf(request));
  }
}

/** The path of the pages of an authorisation request, below the issuer. */
export const INTERACTION_PATH = '/interaction';

/** Returns the next step. Without its client the request has no address for a response, so the person sees the error. */
async function progressNow(
  { progress }: AuthorizationFlowNeeds,
  waiting: WaitingRequest,
  session: StoredSession | undefined,
): Promise<Progress> {
  const found = await progressOf(progress, waiting, session);
  if (found !== undefined) return found;
  throw new OAuthError('invalid_request', {
    error_description: 'the client or its redirect_uri is no longer registered',
  });
}

async function finalAnswer(
  needs: AuthorizationFlowNeeds,
  request: EndpointRequest,
  { signedIn, consented }: WaitingRequest,
  { client, request: authorization, next }: Progress,
  cookies: readonly string[],
): Promise<EndpointResponse | undefined> {
  const departure = { cookies, interacted: signedIn !== undefined || consented !== undefined };
  try {
    if (next.step === 'refuse')
      throw new AuthorizationError(authorization, next.error, next.error_description);
    if (next.step !== 'grant') return undefined;
    const kept = await needs.progress.keepClient(client);
    const { device } = authorization;
    if (device !== undefined) {
      const decision = { session: next.session, origin: originOf(request) };
      return await deviceAllowed(needs, request, kept, { ...authorization, device }, decision, cookies);
    }
    const { backchannel } = authorization;
    if (backchannel !== undefined) {
      const decision = { session: next.session, origin: originOf(request) };
      const asked = { ...authorization, backchannel };
      return await backchannelAllowed(needs, request, kept, asked, decision, cookies);
    }
    const issued = await authorizedResponse(needs.responding, kept, authorization, {
      session: next.session,
      origin: originOf(request),
    });
    return await clientResponse(needs, request, authorization, issued, departure);
  } catch (failure) {
    if (!(failure instanceof AuthorizationError)) throw failure;
    return await refused(needs, request, failure, departure);
  }
}

/** Sends a refusal to the client, or lets its device learn of it. */
async function refused(
  needs: AuthorizationFlowNeeds,
  request: EndpointRequest,
  error: AuthorizationError,
  departure: Departure,
): Promise<EndpointResponse> {
  const { device, backchannel } = error.target;
  if (backchannel !== undefined) {
    const session = await currentSession(needs.sessions, needs.browser.cookie(request, 'session'));
    const by = { session, origin: originOf(request) };
    return await backchannelRefused(needs, request, backchannel, error, by, departure.cookies);
  }
  return device === undefined
    ? await refusal(needs, request, error, departure)
    : await deviceDenied(needs, request, device, error, departure.cookies);
}
