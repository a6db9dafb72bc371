import type { Progress } from '../../grants/authorization/authorization-interaction.ts';
import type { AuthorizationRequest } from '../../grants/authorization/authorization-request.ts';
import { requestedClaims } from '../../grants/authorization/next-step.ts';
import { shownDetails } from '../../grants/authorization-details/shown-details.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ConsentPage, Page, PageClient, SignInPage } from '../../ports/pages.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { antiForgeryToken } from '../../sessions/browser-session.ts';
import { completeInteraction } from '../../sessions/interaction.ts';
import { preferredLanguages } from '../../spec/languages.ts';
import { INTERACTION_PATH } from '../authorization-flow.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { pageClient } from '../page-client.ts';
import { pageLogo } from '../page-logo.ts';
import { errorPage, pageResponse } from '../page-response.ts';
import { receiveChoice } from './choice.ts';
import { contract, postContract } from './contract.ts';
import { backFromExternalPage, toExternalPage } from './external.ts';
import {
  formPurpose,
  type InteractionEndpointNeeds,
  nothingWaits,
  type Waiting,
  waitingRequest,
} from './waiting.ts';

/** Shows the pages between an authorisation request and its response. */
export function interaction(needs: InteractionEndpointNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: async (request) => {
      needs.browser.requireVisit(request);
      const waiting = await waitingRequest(needs, request);
      if (waiting === undefined) return nothingWaits(needs, request);
      const { external } = waiting.interaction.content;
      return external === undefined
        ? await show(needs, request, waiting)
        : await backFromExternalPage(needs, request, waiting, external);
    },
  };
}

/** Handles the person's choice on such a page: sign in, allow, deny or cancel. */
export function interactionChoice(needs: InteractionEndpointNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    handle: async (request) =>
      await receiveChoice(needs, request, (waiting, problem) =>
        signInPage(needs, request, waiting, undefined, problem),
      ),
  };
}

async function show(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  waiting: Waiting,
): Promise<EndpointResponse> {
  const { content } = waiting.interaction;
  const session = await needs.flow.session(request);
  const progress = await needs.flow.progress(content, session);
  if (progress.next.step === 'sign-in')
    return needs.externalUrl === undefined
      ? await signInPage(needs, request, waiting, session)
      : toExternalPage(needs.externalUrl, waiting);
  if (progress.next.step === 'consent' && session !== undefined)
    return await consentPage(needs, request, waiting, session, progress);
  // The end-user completed the missing step in another tab.
  if (!(await completeInteraction(needs.interactions, waiting.interaction)))
    return nothingWaits(needs, request);
  return (await needs.flow.answer(request, content, progress)) ?? nothingWaits(needs, request);
}

async function signInPage(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  waiting: Waiting,
  session: StoredSession | undefined,
  problem?: SignInPage['problem'],
): Promise<EndpointResponse> {
  const { client_id, redirect_uri, login_hint, ui_locales, ...asked } = waiting.interaction.content.request;
  const client = await needs.clients.find(client_id);
  const tags = languages(request, ui_locales);
  const again = session === undefined ? undefined : await needs.directory.find(session.sub);
  const page: Page = {
    kind: 'sign-in',
    client:
      client === undefined ? undefined : withoutHost(asked, shownClient(needs, client, redirect_uri, tags)),
    form: formOf(needs, waiting, undefined),
    username: login_hint ?? again?.username ?? '',
    problem,
  };
  const tooMany = typeof problem === 'object';
  const response = pageResponse(needs, request, page, {
    status: tooMany ? 429 : 200,
    ui_locales,
    formTargets: [redirect_uri],
  });
  return tooMany
    ? { ...response, headers: { ...response.headers, 'retry-after': String(problem.wait_seconds) } }
    : response;
}

async function consentPage(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  waiting: Waiting,
  session: StoredSession,
  { client, request: authorization }: Progress,
): Promise<EndpointResponse> {
  const { redirect_uri, scope, resource, ui_locales, authorization_details } = authorization;
  const tags = languages(request, ui_locales);
  const account = await needs.directory.find(session.sub);
  const page: Page = {
    kind: 'consent',
    client: withoutHost(authorization, shownClient(needs, client, redirect_uri, tags)),
    form: formOf(needs, waiting, session),
    username: account?.username ?? '',
    scope,
    claims: requestedClaims(authorization),
    resources: resource,
    ...(authorization_details === undefined
      ? {}
      : { details: shownDetails(needs.detailTypes, authorization_details, tags) }),
    ...shownElsewhere(authorization),
  };
  // The form leads to the operator's page if the session has ended in the meantime.
  const formTargets = [redirect_uri, ...(needs.externalUrl === undefined ? [] : [needs.externalUrl])];
  return pageResponse(needs, request, page, { ui_locales, formTargets });
}

function formOf(
  { issuer }: InteractionEndpointNeeds,
  { handle, cookie }: Waiting,
  session: StoredSession | undefined,
): SignInPage['form'] {
  const action = `${new URL(issuer).pathname.replace(/\/$/, '')}${INTERACTION_PATH}/${handle}`;
  return { action, form_token: antiForgeryToken(cookie, formPurpose(handle, session?.key)) };
}

type AskedElsewhere = Pick<AuthorizationRequest, 'device' | 'backchannel'>;

/** Leaves out where the browser returns to: it stays here after a decision about a device, or about a client without a browser. */
function withoutHost({ device, backchannel }: AskedElsewhere, client: PageClient): PageClient {
  return device === undefined && backchannel === undefined ? client : { ...client, host: undefined };
}

/** Describes the device, or the request of a client without a browser. */
function shownElsewhere({
  device,
  backchannel,
}: AskedElsewhere): Pick<ConsentPage, 'device' | 'backchannel'> {
  if (device !== undefined) return { device: { user_code: device.user_code, address: device.address } };
  if (backchannel === undefined) return {};
  const { binding_message, address } = backchannel;
  return { backchannel: { binding_message, address } };
}

/** Describes a client with its logo. */
function shownClient(
  needs: InteractionEndpointNeeds,
  client: StoredClient,
  redirect_uri: string,
  tags: readonly string[],
): PageClient {
  const logo = pageLogo(needs, client, { redirect_uri, languages: tags });
  return { ...pageClient(client, redirect_uri, tags), ...(logo === undefined ? {} : { logo }) };
}

function languages(request: EndpointRequest, ui_locales: string | undefined): readonly string[] {
  return preferredLanguages(ui_locales, request.headers['accept-language']);
}
