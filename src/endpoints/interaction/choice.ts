import { originOf } from '../../clients/person-event.ts';
import type { WaitingRequest } from '../../grants/authorization/authorization-interaction.ts';
import { AuthorizationError } from '../../grants/authorization/authorization-request.ts';
import type { SignInPage } from '../../ports/pages.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { isAntiForgeryToken, signIn } from '../../sessions/browser-session.ts';
import { changeInteraction, completeInteraction } from '../../sessions/interaction.ts';
import { authenticateWithPassword, PASSWORD_ACR, PASSWORD_AMR } from '../../sessions/password-sign-in.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type Parameters, parseForm } from '../../spec/parameters.ts';
import { INTERACTION_PATH } from '../authorization-flow.ts';
import { signedInCookies } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { EndpointRequest, EndpointResponse } from '../contract.ts';
import { postContract } from './contract.ts';
import {
  formPurpose,
  type InteractionEndpointNeeds,
  nothingWaits,
  type Waiting,
  waitingRequest,
} from './waiting.ts';

/** Shows the sign-in page again. */
type AskAgain = (waiting: Waiting, problem: NonNullable<SignInPage['problem']>) => Promise<EndpointResponse>;

/** A form that a page sent, with the request that it belongs to. */
interface Choice {
  readonly request: EndpointRequest;
  readonly waiting: Waiting;
  readonly form: Parameters;
  readonly askAgain: AskAgain;
}

/**
 * Handles the form of a sign-in or consent page.
 * @throws OAuthError if the form does not come from a page of this server, or not from the page that was shown last
 */
export async function receiveChoice(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  askAgain: AskAgain,
): Promise<EndpointResponse> {
  needs.browser.requireOwnPage(request);
  const form = parseForm(
    request.headers['content-type'],
    request.body,
    postContract.parameters.names,
    needs.form,
  );
  const waiting = await waitingRequest(needs, request);
  if (waiting === undefined) return nothingWaits(needs, request);
  const choice = { request, waiting, form, askAgain };
  if (form['choice'] === 'sign-in' && needs.externalUrl === undefined)
    return await signInChosen(needs, choice);
  if (form['choice'] === 'cancel') return await declined(needs, choice, undefined);
  const session = await needs.flow.session(request);
  if (form['choice'] === 'allow' && session !== undefined) return await allowed(needs, choice, session);
  if (form['choice'] === 'deny') return await declined(needs, choice, session);
  return redirection(addressOf(needs, waiting));
}

/** Requires that the form belongs to the page that this end-user saw, so that no person consents on another person's page (decision 31). */
function requireFormToken({ waiting, form }: Choice, session: StoredSession | undefined): void {
  const { cookie, handle } = waiting;
  const token = form['form_token'] ?? '';
  if (isAntiForgeryToken(token, cookie, formPurpose(handle, session?.key))) return;
  throw new OAuthError('invalid_request', {
    error_description: 'the form does not belong to the page that is shown',
    reason: 'foreign-form',
    client: waiting.interaction.content.request.client_id,
  });
}

async function signInChosen(needs: InteractionEndpointNeeds, choice: Choice): Promise<EndpointResponse> {
  const { request, waiting, form, askAgain } = choice;
  requireFormToken(choice, undefined);
  const { username = '', password = '' } = form;
  const browser = needs.browser.cookie(request, 'browser');
  const outcome = await authenticateWithPassword(needs.passwordSignIn, {
    username,
    password,
    browser,
    ...originOf(request),
    method: 'password',
    client_id: waiting.interaction.content.request.client_id,
  });
  if (outcome.outcome === 'too_many_attempts')
    return await askAgain(waiting, { wait_seconds: outcome.retry_after });
  if (outcome.outcome === 'refused') return await askAgain(waiting, 'refused');
  const { sub, version: accountVersion } = outcome.account;
  const authentication = { sub, accountVersion, acr: PASSWORD_ACR, amr: PASSWORD_AMR };
  // Only one of several simultaneous forms signs in: the others would leave sessions without a browser.
  const taken = await changed(needs, waiting, { taken: true });
  if (taken === undefined) return nothingWaits(needs, request);
  try {
    const cookiesSent = {
      session: needs.browser.cookie(request, 'session'),
      browser,
      abandoned: waiting.interaction.content.signedIn,
    };
    const { client_id } = waiting.interaction.content.request;
    const cause = { client_id, method: 'password', origin: originOf(request) } as const;
    const signedIn = await signIn(needs.sessions, authentication, cookiesSent, cause);
    if (signedIn.outcome === 'account_changed')
      return await askAgain((await changed(needs, taken, { taken: false })) ?? waiting, 'refused');
    const lifetime = needs.sessions.settings['sign-in.browser-lifetime'];
    const cookies = signedInCookies(needs.browser, signedIn.cookies, lifetime);
    const done = { signedIn: signedIn.session.key, taken: false };
    return await goOn(needs, { request, waiting: taken }, signedIn.session, done, { cookies });
  } catch (failure) {
    // Unlocks the request, so that the end-user can try again.
    await changed(needs, taken, { taken: false }).catch(() => undefined);
    throw failure;
  }
}

/** Stores a change of the waiting request; undefined if another request changed it first. */
async function changed(
  needs: InteractionEndpointNeeds,
  waiting: Waiting,
  note: Pick<WaitingRequest, 'taken'>,
): Promise<Waiting | undefined> {
  const content = { ...waiting.interaction.content, ...note };
  const interaction = await changeInteraction(needs.interactions, waiting.interaction, content);
  return interaction === undefined ? undefined : { ...waiting, interaction };
}

async function allowed(
  needs: InteractionEndpointNeeds,
  choice: Choice,
  session: StoredSession,
): Promise<EndpointResponse> {
  requireFormToken(choice, session);
  const { request } = choice;
  const { content } = choice.waiting.interaction;
  const { next } = await needs.flow.progress(content, session);
  // Another step comes first: show its page.
  if (next.step !== 'consent') return redirection(addressOf(needs, choice.waiting));
  return await goOn(
    needs,
    choice,
    session,
    { consented: session.key },
    { first: async () => await needs.flow.rememberConsent(request, content.request, session) },
  );
}

async function declined(
  needs: InteractionEndpointNeeds,
  choice: Choice,
  session: StoredSession | undefined,
): Promise<EndpointResponse> {
  requireFormToken(choice, session);
  const { request, waiting } = choice;
  if (!(await completeInteraction(needs.interactions, waiting.interaction)))
    return nothingWaits(needs, request);
  const target = waiting.interaction.content.request;
  return await needs.flow.refuse(
    request,
    new AuthorizationError(target, 'access_denied', 'the end-user refused the request'),
  );
}

interface GoingOn {
  readonly cookies?: readonly string[];
  /** Runs only for the form whose choice counts. */
  readonly first?: () => Promise<void>;
}

/** Responds to the client, or leads to the next page. The page that was shown is used up in both cases. */
export async function goOn(
  needs: InteractionEndpointNeeds,
  { request, waiting }: Pick<Choice, 'request' | 'waiting'>,
  session: StoredSession,
  done: Partial<Pick<WaitingRequest, 'request' | 'signedIn' | 'consented' | 'taken'>>,
  { cookies = [], first = async () => undefined }: GoingOn,
): Promise<EndpointResponse> {
  const { interaction } = waiting;
  const content: WaitingRequest = { ...interaction.content, ...done };
  const progress = await needs.flow.progress(content, session);
  if (progress.next.step === 'sign-in' || progress.next.step === 'consent') {
    if ((await changeInteraction(needs.interactions, interaction, content)) !== undefined) await first();
    return redirection(addressOf(needs, waiting), cookies);
  }
  if (!(await completeInteraction(needs.interactions, interaction)))
    return { ...nothingWaits(needs, request), cookies };
  await first();
  const answered = await needs.flow.answer(request, content, progress, cookies);
  return answered ?? { ...nothingWaits(needs, request), cookies };
}

function addressOf({ issuer }: InteractionEndpointNeeds, { handle }: Waiting): string {
  return `${issuer}${INTERACTION_PATH}/${handle}`;
}
