import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { clientKeysOf } from '../../clients/metadata-document/document-state.ts';
import type { Settings } from '../../config/settings.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { DEVICE_GRANT } from '../../spec/grant-types.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { withoutAdminScope } from '../admin-scope.ts';
import { requestedAudience } from '../audience.ts';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import { NO_CLAIMS } from '../authorization/claims-request.ts';
import type { DetailTypes } from '../authorization-details/detail-types.ts';
import { readAuthorizationDetails } from '../authorization-details/read-details.ts';
import { grantableScope } from '../end-user-scope.ts';
import { mayRefresh } from '../refreshable.ts';
import { type Device, type DeviceRequestNeeds, storeDeviceRequest } from './device-request.ts';

export interface DeviceAuthorizationNeeds extends DeviceRequestNeeds {
  readonly issuer: string;
  readonly settings: Settings;
  readonly detailTypes: DetailTypes;
}

/** RFC 8628 §3.2. */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds. */
  readonly interval: number;
}

/** The path of the page where people enter the code of a device, below the issuer. */
export const VERIFICATION_PATH = '/device';

/**
 * Begins the authorisation of a device (RFC 8628 §3.1).
 * @throws OAuthError unauthorized_client, invalid_scope, invalid_target
 */
export async function beginDeviceAuthorization(
  needs: DeviceAuthorizationNeeds,
  client: AuthenticatedClient,
  parameters: Parameters,
  address: string,
): Promise<DeviceAuthorization> {
  const { issuer, settings } = needs;
  const { 'device.code-lifetime': lifetime, 'device.interval': interval } = settings;
  const requestFor = requestOf(needs, client, parameters);
  const { device_code, user_code } = await storeDeviceRequest(
    needs,
    { lifetime, interval },
    requestFor,
    address,
  );
  const verification_uri = issuer + VERIFICATION_PATH;
  return {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
    expires_in: lifetime,
    interval,
  };
}

/** Checks the request, and returns it for the device that it will have. */
function requestOf(
  { issuer, settings, detailTypes }: DeviceAuthorizationNeeds,
  { stored, metadata }: AuthenticatedClient,
  { scope: asked, resource: requested, authorization_details: wanted }: Parameters,
): (device: Device) => AuthorizationRequest {
  if (!metadata.grant_types.includes(DEVICE_GRANT))
    throw new OAuthError('unauthorized_client', {
      error_description: `the client is not registered for grant_type ${quotedValue(DEVICE_GRANT)}`,
      reason: 'grant-type-not-registered',
      values: { grant_type: DEVICE_GRANT },
    });
  const authorization_details = readAuthorizationDetails(detailTypes, metadata, wanted);
  const isDetailed = asked === undefined && authorization_details !== undefined;
  // A device shows a code that a person types elsewhere: the administration needs a sign-in that the client itself began.
  const grantable = isDetailed ? [] : grantableScope(settings, stored, asked, mayRefresh(settings, metadata));
  const scope = withoutAdminScope(grantable ?? []);
  if (!isDetailed && (grantable === undefined || scope.length === 0))
    throw new OAuthError('invalid_scope', {
      error_description:
        asked === undefined
          ? 'scope is missing, and the client has no default scope'
          : `the client is registered for no value of scope ${quotedValue(asked)}`,
      reason: asked === undefined ? 'no-scope' : 'scope-not-registered',
      values: { scope: asked },
    });
  requestedAudience(settings, metadata, requested, scope);
  const client_keys = clientKeysOf(stored);
  return (device) => ({
    client_id: stored.client_id,
    client_instance: stored.instance,
    ...(client_keys === undefined ? {} : { client_keys }),
    device,
    // No response goes there: the device asks for its tokens.
    redirect_uri: issuer + VERIFICATION_PATH,
    response_mode: 'query',
    response_type: ['code'],
    scope,
    // RFC 8628 §5.4: the person must see the client and its wishes each time.
    prompt: ['consent'],
    acr_values: (metadata['default_acr_values'] as string[] | undefined) ?? [],
    claims: NO_CLAIMS,
    resource: requested === undefined ? [] : requested.split(' '),
    ...(authorization_details === undefined ? {} : { authorization_details }),
  });
}
