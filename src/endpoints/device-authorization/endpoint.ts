import { identifyClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import type { NetworkLimits } from '../../clients/rate-limits.ts';
import {
  beginDeviceAuthorization,
  type DeviceAuthorizationNeeds,
} from '../../grants/device/device-authorization.ts';
import type { InteractionNeeds } from '../../sessions/interaction.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface DeviceAuthorizationEndpointNeeds extends Omit<DeviceAuthorizationNeeds, 'interactions'> {
  readonly interactions: Pick<InteractionNeeds, 'interactions'>;
  readonly authentication: AuthenticationNeeds;
  /** Limits for clients that did not prove themselves: each request is stored. */
  readonly interactionLimits: NetworkLimits;
  readonly form: FormLimits;
}

const { names: NAMES, repeatable: REPEATABLE } = contract.parameters;

/** Gives a device its two codes. */
export function deviceAuthorization(needs: DeviceAuthorizationEndpointNeeds): Endpoint {
  return {
    contract,
    async handle({ headers, body, clientCertificate: certificate, remoteAddress }) {
      const { authorization } = headers;
      const parameters = parseForm(headers['content-type'], body, NAMES, needs.form, REPEATABLE);
      const client = await identifyClient(needs.authentication, {
        authorization,
        parameters,
        certificate,
        remoteAddress,
      });
      if (client.metadata.token_endpoint_auth_method === 'none')
        await needs.interactionLimits.admit(remoteAddress);
      const begun = await beginDeviceAuthorization(
        { ...needs, ...needs.interactions },
        client,
        parameters,
        remoteAddress,
      );
      return { status: 200, headers: HEADERS, body: JSON.stringify(begun) };
    },
  };
}
