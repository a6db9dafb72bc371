import type { WaitingRequest } from '../../grants/authorization/authorization-interaction.ts';
import { findInteraction, type Interaction } from '../../sessions/interaction.ts';
import type { AuthorizationNeeds } from '../authorization-progress.ts';
import type { EndpointRequest, EndpointResponse } from '../contract.ts';
import { pageResponse } from '../page-response.ts';

/** A request that waits in the browser that asks, with what names it there. */
export interface Waiting {
  readonly handle: string;
  /** The value of the browser's cookie. */
  readonly cookie: string;
  readonly interaction: Interaction<WaitingRequest>;
}

/** Undefined for a handle that is unknown, answered, expired, or of another browser: nobody can tell which. */
export async function waitingRequest(
  { interactions, browser }: AuthorizationNeeds,
  request: EndpointRequest,
): Promise<Waiting | undefined> {
  const { segment: handle } = request;
  const cookie = browser.cookie(request, 'interaction');
  const interaction = await findInteraction<WaitingRequest>(interactions, 'authorization', handle, cookie);
  if (cookie === undefined || interaction === undefined || interaction.content.taken === true)
    return undefined;
  return { handle, cookie, interaction };
}

/** What somebody sees who comes back to a page that was answered: by the back button, a bookmark, a second click. */
export function nothingWaits(needs: AuthorizationNeeds, request: EndpointRequest): EndpointResponse {
  const words = 'this page has already been used, has expired, or was opened in another browser';
  needs.log.info({ request_id: request.id, detail: words }, 'nothing waits');
  const notice = { error_id: request.id, detail: needs.showErrorDetails ? words : undefined };
  return pageResponse(needs, request, { kind: 'error', error: 'interaction_over', notice }, { status: 400 });
}

/** What the token of a form of ours is bound to: the page's request, and whom it was shown to. */
export function formPurpose(handle: string, sessionKey: string | undefined): string {
  return `interaction:${handle}:${sessionKey ?? ''}`;
}
