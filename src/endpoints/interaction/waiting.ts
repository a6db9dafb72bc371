import type { LogoImages } from '../../clients/logo-images.ts';
import type { WaitingRequest } from '../../grants/authorization/authorization-interaction.ts';
import type { DetailTypes } from '../../grants/authorization-details/detail-types.ts';
import type { AccountDirectory } from '../../ports/account-directory.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { SessionNeeds } from '../../sessions/browser-session.ts';
import { findInteraction, type Interaction, type InteractionNeeds } from '../../sessions/interaction.ts';
import type { PasswordSignInNeeds } from '../../sessions/password-sign-in.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { FormLimits } from '../../spec/parameters.ts';
import type { AuthorizationFlow } from '../authorization-flow.ts';
import type { Browser } from '../browser.ts';
import type { EndpointRequest, EndpointResponse } from '../contract.ts';
import { type PageNeeds, pageResponse } from '../page-response.ts';

export interface InteractionEndpointNeeds extends PageNeeds {
  readonly issuer: string;
  readonly logos: LogoImages;
  readonly flow: AuthorizationFlow;
  readonly browser: Browser;
  readonly clients: ClientStore;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  readonly directory: AccountDirectory;
  readonly passwordSignIn: PasswordSignInNeeds;
  /** The operator's own page, where people sign in instead of here. */
  readonly externalUrl: string | undefined;
  readonly form: FormLimits;
  readonly detailTypes: DetailTypes;
}

/** A waiting request of this browser, with its handle and cookie. */
export interface Waiting {
  readonly handle: string;
  /** The value of the browser's cookie. */
  readonly cookie: string;
  readonly interaction: Interaction<WaitingRequest>;
}

/** Returns the waiting request; undefined if the handle is unknown, answered, expired, or belongs to another browser. The response is the same for all four. */
export async function waitingRequest(
  { interactions, browser }: InteractionEndpointNeeds,
  request: EndpointRequest,
): Promise<Waiting | undefined> {
  const { segment: handle } = request;
  const cookie = browser.cookie(request, 'interaction');
  const interaction = await findInteraction<WaitingRequest>(interactions, 'authorization', handle, cookie);
  if (cookie === undefined || interaction === undefined || interaction.content.taken === true)
    return undefined;
  return { handle, cookie, interaction };
}

/** Shows the page for an answered request, which a person reaches by the back button, a bookmark or a second click. */
export function nothingWaits(needs: InteractionEndpointNeeds, request: EndpointRequest): EndpointResponse {
  const words = 'this page has already been used, has expired, or was opened in another browser';
  const notice = { error_id: request.id, detail: needs.settings['pages.error-details'] ? words : undefined };
  const page = { kind: 'error', error: 'interaction_over', notice } as const;
  const refused = new OAuthError('invalid_request', { error_description: words, reason: 'page-over' });
  return { ...pageResponse(needs, request, page, { status: 400 }), refused };
}

/** Returns the purpose of a form's anti-forgery token. It binds the form to the request and to the session that saw the page. */
export function formPurpose(handle: string, sessionKey: string | undefined): string {
  return `interaction:${handle}:${sessionKey ?? ''}`;
}
