import { originOf } from '../../clients/person-event.ts';
import { AuthorizationError } from '../../grants/authorization/authorization-request.ts';
import { agreedRequest, type KeptOutcome } from '../../grants/authorization/external-outcome.ts';
import { digestOf, sameDigest } from '../../keys/digest.ts';
import { signIn } from '../../sessions/browser-session.ts';
import { changeInteraction, completeInteraction } from '../../sessions/interaction.ts';
import { parseParameters } from '../../spec/parameters.ts';
import { signedInCookies } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { EndpointRequest, EndpointResponse } from '../contract.ts';
import { goOn } from './choice.ts';
import { contract } from './contract.ts';
import { type InteractionEndpointNeeds, nothingWaits, type Waiting } from './waiting.ts';

/** Redirects to the operator's own page, with the handle that its server uses to ask about the request. */
export function toExternalPage(url: string, { handle }: Waiting): EndpointResponse {
  const address = new URL(url);
  address.searchParams.set('interaction', handle);
  return redirection(address.href);
}

/** Continues a request after its browser returns from the operator's page with the proof. */
export async function backFromExternalPage(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  waiting: Waiting,
  external: KeptOutcome,
): Promise<EndpointResponse> {
  const { outcome = '' } = parseParameters(request.query, contract.parameters.names, needs.form);
  if (!sameDigest(external.proof, digestOf(outcome))) return nothingWaits(needs, request);
  const { external: _taken, ...content } = waiting.interaction.content;
  const interaction = await changeInteraction(needs.interactions, waiting.interaction, content);
  // If two requests carry the same proof, only one succeeds.
  if (interaction === undefined) return nothingWaits(needs, request);
  const taken = { ...waiting, interaction };
  return 'refused' in external
    ? await refused(needs, request, taken, external.refused)
    : await signedIn(needs, request, taken, external.signedIn);
}

async function refused(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  { interaction }: Waiting,
  { error, error_description }: Extract<KeptOutcome, { readonly refused: object }>['refused'],
): Promise<EndpointResponse> {
  if (!(await completeInteraction(needs.interactions, interaction))) return nothingWaits(needs, request);
  const { request: target } = interaction.content;
  return await needs.flow.refuse(request, new AuthorizationError(target, error, error_description));
}

async function signedIn(
  needs: InteractionEndpointNeeds,
  request: EndpointRequest,
  waiting: Waiting,
  { consent, ...authentication }: Extract<KeptOutcome, { readonly signedIn: object }>['signedIn'],
): Promise<EndpointResponse> {
  const cookies = {
    session: needs.browser.cookie(request, 'session'),
    browser: needs.browser.cookie(request, 'browser'),
    abandoned: waiting.interaction.content.signedIn,
  };
  const begun = await signIn(needs.sessions, authentication, cookies, {
    client_id: waiting.interaction.content.request.client_id,
    method: 'external',
    origin: originOf(request),
  });
  if (begun.outcome === 'account_changed')
    return await refused(needs, request, waiting, {
      error: 'login_required',
      error_description: 'the account changed during sign-in',
    });
  const { session } = begun;
  const agreed = agreedRequest(waiting.interaction.content.request, consent);
  if (consent !== undefined) await needs.flow.rememberConsent(request, agreed, session);
  const done = {
    request: agreed,
    signedIn: session.key,
    ...(consent === undefined ? {} : { consented: session.key }),
  };
  const lifetime = needs.sessions.settings['sign-in.browser-lifetime'];
  return await goOn(needs, { request, waiting }, session, done, {
    cookies: signedInCookies(needs.browser, begun.cookies, lifetime),
  });
}
