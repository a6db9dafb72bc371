import type { NetworkLimits } from '../../clients/rate-limits.ts';
import {
  type AuthorizationRequests,
  addressedParameters,
} from '../../grants/authorization/receive-authorization-request.ts';
import { beginInteraction, type InteractionNeeds } from '../../sessions/interaction.ts';
import { type FormLimits, parseForm, parseParameters } from '../../spec/parameters.ts';
import { type AuthorizationFlow, INTERACTION_PATH } from '../authorization-flow.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { errorPage, type PageNeeds } from '../page-response.ts';
import { contract, postContract } from './contract.ts';

export interface AuthorizationEndpointNeeds extends PageNeeds {
  readonly issuer: string;
  readonly flow: AuthorizationFlow;
  readonly authorizationRequests: AuthorizationRequests;
  readonly browser: Browser;
  readonly interactions: InteractionNeeds;
  readonly interactionLimits: NetworkLimits;
  readonly form: FormLimits;
}

/** Receives an authorisation request. Responds at once if no page is needed, and otherwise stores the request and leads to the page. */
export function authorization(needs: AuthorizationEndpointNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: async (request) => await needs.flow.answering(request, async () => await begin(needs, request)),
  };
}

async function begin(
  {
    issuer,
    browser,
    flow,
    form,
    interactionLimits,
    interactions,
    authorizationRequests,
  }: AuthorizationEndpointNeeds,
  request: EndpointRequest,
): Promise<EndpointResponse> {
  browser.requireVisit(request);
  const sent = addressedParameters(() =>
    parseParameters(request.query, contract.parameters.names, form, contract.parameters.repeatable),
  );
  const session = await flow.session(request);
  // Before a request object or a hint is opened, and before a federation is asked: a refused request must cost little.
  const takeBack = session === undefined ? await interactionLimits.admit(request.remoteAddress) : undefined;
  const received = await authorizationRequests.receive(sent, request.remoteAddress);
  const waiting = { request: received.request };
  const answered = await flow.answer(request, waiting, await flow.progress(waiting, session));
  if (answered !== undefined) {
    await takeBack?.();
    return answered;
  }
  const sentCookie = browser.cookie(request, 'interaction');
  const begun = await beginInteraction(interactions, 'authorization', waiting, sentCookie);
  const cookies = begun.browser === sentCookie ? [] : [browser.keep('interaction', begun.browser)];
  return redirection(`${issuer}${INTERACTION_PATH}/${begun.handle}`, cookies);
}

/**
 * Receives the same request as a form. A browser sends no SameSite=Lax cookies with another site's form, but sends them with
 * the GET after a redirection. The server therefore redirects, and stores the request as a pushed one (RFC 9126 §2), so that
 * its parameters do not appear in the address.
 */
export function postedAuthorization(needs: AuthorizationEndpointNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    handle: async (request) => await needs.flow.answering(request, async () => await pushed(needs, request)),
  };
}

async function pushed(
  { authorizationRequests, issuer, form, interactionLimits }: AuthorizationEndpointNeeds,
  { headers, body, remoteAddress }: EndpointRequest,
): Promise<EndpointResponse> {
  const type = headers['content-type'];
  const sent = addressedParameters(() =>
    parseForm(type, body, postContract.parameters.names, form, postContract.parameters.repeatable),
  );
  // A session does not show here: the form of another site brings no cookies.
  await interactionLimits.admit(remoteAddress);
  const { client, source } = await authorizationRequests.receive(sent, remoteAddress);
  const { request_uri } = await authorizationRequests.push(client.client_id, source);
  const query = new URLSearchParams({ client_id: client.client_id, request_uri });
  return redirection(`${issuer}${contract.path}?${query.toString()}`);
}
