import type { RequestOrigin } from '../clients/person-event.ts';
import type {
  AuthorizationError,
  AuthorizationRequest,
} from '../grants/authorization/authorization-request.ts';
import type { AuthorizedResponseNeeds } from '../grants/authorization/authorized-response.ts';
import { allowDevice } from '../grants/device/device-decision.ts';
import {
  type Device,
  type DeviceRequestNeeds,
  refuseDevice,
  userCodeKey,
} from '../grants/device/device-request.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { DeviceDonePage } from '../ports/pages.ts';
import type { StoredSession } from '../ports/session-store.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';
import { type PageNeeds, pageResponse } from './page-response.ts';

export interface DeviceDecisionNeeds extends PageNeeds {
  readonly responding: AuthorizedResponseNeeds;
  readonly devices: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>;
}

/** Lets a device fetch its tokens, and tells the person. @throws AuthorizationError */
export async function deviceAllowed(
  needs: DeviceDecisionNeeds,
  request: EndpointRequest,
  client: StoredClient,
  authorization: AuthorizationRequest & { readonly device: Device },
  by: { readonly session: StoredSession; readonly origin: RequestOrigin },
  cookies: readonly string[],
): Promise<EndpointResponse> {
  const { interactions } = needs.devices;
  const isAllowed = await allowDevice({ ...needs.responding, interactions }, client, authorization, by);
  return donePage(needs, request, isAllowed ? 'allowed' : 'over', cookies);
}

/** Lets a device learn that it gets no tokens, and tells the person. The edge logs the refusal. */
export async function deviceDenied(
  needs: DeviceDecisionNeeds,
  request: EndpointRequest,
  device: Device,
  refused: AuthorizationError,
  cookies: readonly string[] = [],
): Promise<EndpointResponse> {
  const { key, user_code } = device;
  const isFirst = await refuseDevice(needs.devices, { key, user_code: userCodeKey(user_code) });
  return { ...donePage(needs, request, isFirst ? 'denied' : 'over', cookies), refused };
}

function donePage(
  needs: PageNeeds,
  request: EndpointRequest,
  outcome: DeviceDonePage['outcome'],
  cookies: readonly string[],
): EndpointResponse {
  return pageResponse(needs, request, { kind: 'device-done', outcome }, { cookies });
}
