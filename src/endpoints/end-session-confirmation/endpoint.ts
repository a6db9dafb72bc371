import { logEvent, originOf, placeOf } from '../../clients/person-event.ts';
import type { Log } from '../../ports/log.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { FrontChannelLogoutPage, Page, SignedOutPage } from '../../ports/pages.ts';
import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import {
  currentSession,
  endSession,
  isAntiForgeryToken,
  type SessionNeeds,
  sessionEnded,
} from '../../sessions/browser-session.ts';
import { type FrontChannelNeeds, frontChannelLogout } from '../../sessions/front-channel-logout.ts';
import {
  completeInteraction,
  findInteraction,
  type Interaction,
  type InteractionNeeds,
} from '../../sessions/interaction.ts';
import type { LogoutDelivery } from '../../sessions/logout-delivery.ts';
import {
  type LogoutRequestNeeds,
  logoutLocation,
  type WaitingLogout,
} from '../../sessions/logout-request.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { withoutRedirection } from '../logout-refusal.ts';
import { errorPage, type PageNeeds, pageNotice, pageResponse } from '../page-response.ts';
import { contract } from './contract.ts';

export interface EndSessionConfirmationNeeds extends PageNeeds {
  readonly browser: Browser;
  readonly sessions: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>;
  readonly interactions: Pick<InteractionNeeds, 'interactions' | 'clock'>;
  readonly logoutRequests: Pick<LogoutRequestNeeds, 'clients'>;
  readonly frontChannel: FrontChannelNeeds;
  readonly delivery: Pick<LogoutDelivery, 'deliver'>;
  /** Resolves when the end-user has waited long enough for clients to be notified. */
  readonly patience: () => Promise<void>;
  readonly form: FormLimits;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

type Choice = 'logout' | 'stay';

/**
 * Carries out the end-user's choice on the logout page, once. The server keeps the content of the page (decision 31). The
 * browser returns to its client after either choice (decision 33).
 */
export function endSessionConfirmation(needs: EndSessionConfirmationNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    async handle(request) {
      needs.browser.requireOwnPage(request);
      const { interaction, choice } = await chosen(needs, request);
      const { content } = interaction;
      const session = await sessionMeant(needs, request, content);
      if (!(await completeInteraction(needs.interactions, interaction))) throw answeredAlready();
      const outcome = choice === 'logout' ? await ended(needs, request, content, session) : kept(session);
      return await goOn(needs, request, content, outcome);
    },
  };
}

/**
 * Returns the waiting logout and the choice.
 * @throws OAuthError invalid_request if the form does not belong to a page that waits in this browser
 */
async function chosen(
  needs: EndSessionConfirmationNeeds,
  request: EndpointRequest,
): Promise<{ readonly interaction: Interaction<WaitingLogout>; readonly choice: Choice }> {
  const { headers, body, segment } = request;
  const { form_token = '', choice } = parseForm(
    headers['content-type'],
    body,
    contract.parameters.names,
    needs.form,
  );
  const cookie = needs.browser.cookie(request, 'interaction');
  const interaction = await findInteraction<WaitingLogout>(needs.interactions, 'logout', segment, cookie);
  if (interaction === undefined || cookie === undefined) throw answeredAlready();
  if (!isAntiForgeryToken(form_token, cookie, `logout:${segment}`)) {
    throw new OAuthError('invalid_request', {
      error_description: 'the form does not belong to this logout page',
      reason: 'foreign-form',
    });
  }
  if (choice !== 'logout' && choice !== 'stay') {
    throw new OAuthError('invalid_request', { error_description: 'choice must be logout or stay' });
  }
  return { interaction, choice };
}

function answeredAlready(): OAuthError {
  return new OAuthError('invalid_request', {
    error_description: 'this logout page was already used, has expired, or belongs to another browser',
    reason: 'page-over',
  });
}

/**
 * Returns the session that the page named; undefined if it has ended.
 * @throws OAuthError invalid_request if the browser has another session now, which this page must not end
 */
async function sessionMeant(
  needs: EndSessionConfirmationNeeds,
  request: EndpointRequest,
  { sid }: WaitingLogout,
): Promise<StoredSession | undefined> {
  const session = await currentSession(needs.sessions, needs.browser.cookie(request, 'session'));
  if (session === undefined || session.sid === sid) return session;
  throw new OAuthError('invalid_request', {
    error_description: 'the session of this browser has changed since the page was shown: sign out again',
  });
}

/** The outcome for the session, and the frames that tell its clients so. */
interface Outcome {
  readonly session: SignedOutPage['outcome'];
  readonly frames: readonly string[];
}

const kept = (session: StoredSession | undefined): Outcome => ({
  session: session === undefined ? 'none' : 'kept',
  frames: [],
});

/** Ends the session in all processes, then notifies the clients. */
async function ended(
  needs: EndSessionConfirmationNeeds,
  request: EndpointRequest,
  { client }: WaitingLogout,
  meant: StoredSession | undefined,
): Promise<Outcome> {
  const { sessions, browser } = needs;
  const event =
    meant === undefined
      ? undefined
      : sessionEnded(sessions, meant, endUserOf(needs, request), client?.client_id);
  const session = await endSession(sessions, browser.cookie(request, 'session'), event);
  if (session !== undefined && event !== undefined) logEvent(needs, event);
  if (session !== undefined) needs.metrics.count('chancery_sessions_ended_total', {});
  return session === undefined
    ? { session: 'none', frames: [] }
    : { session: 'ended', frames: await clientsTold(needs, request, session, client?.client_id) };
}

const endUserOf = (
  { settings }: EndSessionConfirmationNeeds,
  request: EndpointRequest,
): Parameters<typeof sessionEnded>[2] => {
  const origin = originOf(request);
  return { actor: 'end-user', request_id: origin.request_id, ...placeOf(settings, origin) };
};

/**
 * Notifies the clients of an ended session. Waits a limited time for those that the browser is about to visit, in a frame or
 * to return to: the back channel goes first.
 * @returns the frames of the page
 */
async function clientsTold(
  { delivery, frontChannel, patience, log }: EndSessionConfirmationNeeds,
  { id: request_id }: EndpointRequest,
  session: EndedSession,
  sender: ClientId | undefined,
): Promise<readonly string[]> {
  const { sid } = session;
  const { frames, alsoNotified, leftOut } = await frontChannelLogout(frontChannel, session, sender);
  if (leftOut.length > 0) {
    const members = { request_id, sid, clients: leftOut };
    log.warn(members, 'the page after a logout has no frame for some clients: logout.frames-max');
  }
  const visited = new Set([...(sender === undefined ? [] : [sender]), ...alsoNotified]);
  const telling = async (): Promise<void> => {
    try {
      await delivery.deliver(sid, visited);
    } catch (cause) {
      // The storage remembers which clients to notify: the next delivery run retries.
      log.error({ request_id, sid, cause }, 'clients could not be notified of a logout at once');
    }
  };
  await Promise.race([telling(), patience()]);
  return frames;
}

async function goOn(
  needs: EndSessionConfirmationNeeds,
  request: EndpointRequest,
  content: WaitingLogout,
  { session, frames }: Outcome,
): Promise<EndpointResponse> {
  const { location, ignored } = await logoutLocation(needs.logoutRequests, content);
  const cookies = session === 'kept' ? [] : [needs.browser.forget('session')];
  if (location !== undefined && frames.length === 0) return redirection(location, cookies);
  if (ignored !== undefined) {
    const about = { client_id: content.client?.client_id, ignored, asked: content.redirect?.uri };
    needs.log.info(withoutRedirection(request, about), 'logout without redirection');
  }
  const notice = ignored === undefined ? undefined : pageNotice(needs, request, ignored);
  const page: Page =
    frames.length === 0
      ? { kind: 'signed-out', outcome: session, notice }
      : framesPage(needs, frames, location, notice);
  return pageResponse(needs, request, page, { ui_locales: content.ui_locales ?? undefined, cookies });
}

const framesPage = (
  { settings }: EndSessionConfirmationNeeds,
  frames: readonly string[],
  location: string | undefined,
  notice: FrontChannelLogoutPage['notice'],
): FrontChannelLogoutPage => ({
  kind: 'front-channel-logout',
  frames,
  location,
  wait_seconds: settings['logout.frames-wait'],
  notice,
});
