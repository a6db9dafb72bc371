import type { NetworkLimits } from '../../clients/rate-limits.ts';
import {
  AUTHORIZATION_PARAMETERS,
  REPEATABLE_PARAMETERS,
} from '../../grants/authorization/authorization-parameters.ts';
import { pushRequest } from '../../grants/authorization/pushed-request.ts';
import {
  type ReceivingNeeds,
  receiveAuthorizationRequest,
} from '../../grants/authorization/receive-authorization-request.ts';
import { beginInteraction } from '../../sessions/interaction.ts';
import { type FormLimits, parseForm, parseParameters } from '../../spec/parameters.ts';
import {
  type AuthorizationNeeds,
  finalAnswer,
  INTERACTION_PATH,
  progressNow,
  sessionBehind,
} from '../authorization-progress.ts';
import { answeringClient, redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { errorPage } from '../page-response.ts';
import { contract, postContract } from './contract.ts';

export interface AuthorizationEndpointNeeds extends AuthorizationNeeds {
  readonly receiving: ReceivingNeeds;
  readonly interactionLimits: NetworkLimits;
  readonly form: FormLimits;
}

/** An authorisation request: answered at once where nothing has to be asked, kept while pages are shown otherwise. */
export function authorization(needs: AuthorizationEndpointNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: async (request) => await answeringClient(needs, request, async () => await begin(needs, request)),
  };
}

async function begin(needs: AuthorizationEndpointNeeds, request: EndpointRequest): Promise<EndpointResponse> {
  needs.browser.requireVisit(request);
  const { query } = request;
  const sent = parseParameters(query, AUTHORIZATION_PARAMETERS, needs.form, REPEATABLE_PARAMETERS);
  const waiting = { request: (await receiveAuthorizationRequest(needs.receiving, sent)).request };
  const session = await sessionBehind(needs, request);
  const answered = await finalAnswer(needs, request, waiting, await progressNow(needs, waiting, session));
  if (answered !== undefined) return answered;
  if (session === undefined) await needs.interactionLimits.admit(request.remoteAddress);
  const { browser, interactions, issuer } = needs;
  const sentCookie = browser.cookie(request, 'interaction');
  const begun = await beginInteraction(interactions, 'authorization', waiting, sentCookie);
  const cookies = begun.browser === sentCookie ? [] : [browser.keep('interaction', begun.browser)];
  return redirection(`${issuer}${INTERACTION_PATH}/${begun.handle}`, cookies);
}

/**
 * The same as a form. Another site's form brings no cookies of ours (SameSite=Lax), which the redirection to a GET that follows
 * does; so that nothing of the request is in an address, it is pushed for its client (RFC 9126 §2).
 */
export function postedAuthorization(needs: AuthorizationEndpointNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    handle: async (request) =>
      await answeringClient(needs, request, async () => await pushed(needs, request)),
  };
}

async function pushed(
  { receiving, issuer, form, interactionLimits }: AuthorizationEndpointNeeds,
  { headers, body, remoteAddress }: EndpointRequest,
): Promise<EndpointResponse> {
  const sent = parseForm(
    headers['content-type'],
    body,
    AUTHORIZATION_PARAMETERS,
    form,
    REPEATABLE_PARAMETERS,
  );
  const { client, source } = await receiveAuthorizationRequest(receiving, sent);
  // Whoever is signed in cannot be seen here.
  await interactionLimits.admit(remoteAddress);
  const { request_uri } = await pushRequest(receiving.pushed, client.client_id, source);
  const query = new URLSearchParams({ client_id: client.client_id, request_uri });
  return redirection(`${issuer}${contract.path}?${query.toString()}`);
}
