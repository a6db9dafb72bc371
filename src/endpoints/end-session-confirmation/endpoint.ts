import type { Log } from '../../ports/log.ts';
import type { SignedOutPage } from '../../ports/pages.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import {
  currentSession,
  endSession,
  isAntiForgeryToken,
  type SessionNeeds,
  sessionEnded,
} from '../../sessions/browser-session.ts';
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
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { errorPage, type PageNeeds, pageNotice, pageResponse } from '../page-response.ts';
import { contract } from './contract.ts';

export interface EndSessionConfirmationNeeds extends PageNeeds {
  readonly browser: Browser;
  readonly sessions: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>;
  readonly interactions: Pick<InteractionNeeds, 'interactions' | 'clock'>;
  readonly logoutRequests: Pick<LogoutRequestNeeds, 'clients'>;
  readonly delivery: Pick<LogoutDelivery, 'deliver'>;
  /** Resolves when the end-user has waited long enough for the client that sent them to be notified. */
  readonly patience: () => Promise<void>;
  readonly form: FormLimits;
  readonly log: Log;
}

const PARAMETERS: ReadonlySet<string> = new Set(['form_token', 'choice']);

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
  const { form_token = '', choice } = parseForm(headers['content-type'], body, PARAMETERS, needs.form);
  const cookie = needs.browser.cookie(request, 'interaction');
  const interaction = await findInteraction<WaitingLogout>(needs.interactions, 'logout', segment, cookie);
  if (interaction === undefined || cookie === undefined) throw answeredAlready();
  if (!isAntiForgeryToken(form_token, cookie, `logout:${segment}`)) {
    throw new OAuthError('invalid_request', {
      error_description: 'the form does not belong to this logout page',
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

type Outcome = SignedOutPage['outcome'];

const kept = (session: StoredSession | undefined): Outcome => (session === undefined ? 'none' : 'kept');

/**
 * Ends the session in all processes, then notifies the clients. Waits a limited time, so that the client that sent the end-user
 * learns of the logout before the browser returns to it.
 */
async function ended(
  { sessions, browser, delivery, patience, log }: EndSessionConfirmationNeeds,
  request: EndpointRequest,
  { client }: WaitingLogout,
  meant: StoredSession | undefined,
): Promise<Outcome> {
  const event =
    meant === undefined
      ? undefined
      : sessionEnded(sessions, meant, { actor: 'end-user', request_id: request.id }, client?.client_id);
  const session = await endSession(sessions, browser.cookie(request, 'session'), event);
  if (session === undefined) return 'none';
  const { sid } = session;
  const telling = async (): Promise<void> => {
    try {
      await delivery.deliver(sid, client?.client_id);
    } catch (cause) {
      // The storage remembers which clients to notify: the next delivery run retries.
      log.error({ request_id: request.id, sid, cause }, 'clients could not be notified of a logout at once');
    }
  };
  await Promise.race([telling(), patience()]);
  return 'ended';
}

async function goOn(
  needs: EndSessionConfirmationNeeds,
  request: EndpointRequest,
  content: WaitingLogout,
  outcome: Outcome,
): Promise<EndpointResponse> {
  const { location, ignored } = await logoutLocation(needs.logoutRequests, content);
  const cookies = outcome === 'kept' ? [] : [needs.browser.forget('session')];
  if (location !== undefined) return redirection(location, cookies);
  if (ignored !== undefined) {
    const members = { request_id: request.id, client_id: content.client?.client_id, reason: ignored };
    needs.log.info(members, 'logout without redirection');
  }
  const notice = ignored === undefined ? undefined : pageNotice(needs, request, ignored);
  const page: SignedOutPage = { kind: 'signed-out', outcome, notice };
  return pageResponse(needs, request, page, { ui_locales: content.ui_locales ?? undefined, cookies });
}
