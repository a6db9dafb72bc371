import type { RequestOrigin } from '../clients/person-event.ts';
import type { AuthorizationError } from '../grants/authorization/authorization-request.ts';
import type { AuthorizedResponseNeeds } from '../grants/authorization/authorized-response.ts';
import {
  type Backchannel,
  type BackchannelAuthorization,
  REQUESTS_PATH,
} from '../grants/backchannel/backchannel-request.ts';
import {
  allowBackchannel,
  type BackchannelDecisionNeeds,
  denyBackchannel,
} from '../grants/backchannel/decide.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { BackchannelDonePage } from '../ports/pages.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { issuerPath } from '../spec/issuer.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';
import { type PageNeeds, pageResponse } from './page-response.ts';

export interface BackchannelFlowNeeds extends PageNeeds {
  readonly responding: AuthorizedResponseNeeds;
  readonly backchannels: BackchannelDecisionNeeds;
}

/** Lets a client without a browser get its tokens, and tells the person. @throws AuthorizationError */
export async function backchannelAllowed(
  needs: BackchannelFlowNeeds,
  request: EndpointRequest,
  client: StoredClient,
  authorization: BackchannelAuthorization,
  by: { readonly session: StoredSession; readonly origin: RequestOrigin },
  cookies: readonly string[],
): Promise<EndpointResponse> {
  const deciding = { ...needs.responding, ...needs.backchannels };
  const isAllowed = await allowBackchannel(deciding, client, authorization, by);
  return donePage(needs, request, isAllowed ? 'allowed' : 'over', cookies);
}

/**
 * Lets a client without a browser learn that its person refused. Other failures of a sign-in leave the request open: another person may
 * have signed in, or the sign-in was too weak, and the person who was asked has not answered.
 */
export async function backchannelRefused(
  needs: BackchannelFlowNeeds,
  request: EndpointRequest,
  { id }: Backchannel,
  refused: AuthorizationError,
  by: { readonly session: StoredSession | undefined; readonly origin: RequestOrigin },
  cookies: readonly string[] = [],
): Promise<EndpointResponse> {
  const { session, origin } = by;
  if (session === undefined || refused.code !== 'access_denied')
    return { ...donePage(needs, request, 'unanswered', cookies), refused };
  const asked = { id, client_id: refused.target.client_id };
  const isDenied = await denyBackchannel(needs.backchannels, asked, session.sub, { origin });
  return { ...donePage(needs, request, isDenied ? 'denied' : 'over', cookies), refused };
}

function donePage(
  needs: PageNeeds,
  request: EndpointRequest,
  outcome: BackchannelDonePage['outcome'],
  cookies: readonly string[],
): EndpointResponse {
  const requests = `${issuerPath(needs.settings.issuer)}${REQUESTS_PATH}`;
  return pageResponse(needs, request, { kind: 'backchannel-done', outcome, requests }, { cookies });
}
