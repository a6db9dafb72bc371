import { authenticateClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import { originOf } from '../../clients/person-event.ts';
import {
  type BeginBackchannelNeeds,
  beginBackchannelRequest,
} from '../../grants/backchannel/begin-request.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface BackchannelAuthenticationNeeds extends BeginBackchannelNeeds {
  readonly authentication: AuthenticationNeeds;
  readonly form: FormLimits;
}

const { names: NAMES, repeatable: REPEATABLE } = contract.parameters;

/** Asks a person on behalf of a client, which must authenticate. */
export function backchannelAuthentication(needs: BackchannelAuthenticationNeeds): Endpoint {
  return {
    contract,
    async handle(request) {
      const { headers, body, clientCertificate: certificate, remoteAddress } = request;
      const { authorization } = headers;
      const parameters = parseForm(headers['content-type'], body, NAMES, needs.form, REPEATABLE);
      const offered = { authorization, parameters, certificate, remoteAddress };
      const client = await authenticateClient(needs.authentication, offered);
      const begun = await beginBackchannelRequest(needs, client, parameters, originOf(request));
      return { status: 200, headers: HEADERS, body: JSON.stringify(begun) };
    },
  };
}
