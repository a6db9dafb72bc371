import { audited } from '../../clients/audit-trail.ts';
import { clientInformation } from '../../clients/client-information.ts';
import { countingRegistration } from '../../clients/registration/count-registration.ts';
import { dryRun } from '../../clients/registration/dry-run.ts';
import { registerClient } from '../../clients/registration/register-client.ts';
import {
  authenticateRegistrant,
  authorisedRegistrant,
} from '../../clients/registration/registration-authority.ts';
import { applySoftwareStatement } from '../../clients/registration/software-statement.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { OAuthError } from '../../spec/errors.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { parseParameters } from '../../spec/parameters.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { contract, registerContract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });
const PARAMETERS_MAX = 32;

/** Registers a client at `POST /clients`, with status 200. */
export function clientRegistration(needs: RegistryNeeds): Endpoint {
  return registrationAt({ contract, status: 200, name: 'clients' }, needs);
}

/** Registers a client at `POST /register`, with status 201 (RFC 7591 §3.2.1). */
export function clientRegistration201(needs: RegistryNeeds): Endpoint {
  return registrationAt({ contract: registerContract, status: 201, name: 'register' }, needs);
}

interface Address {
  readonly contract: Contract;
  readonly status: 200 | 201;
  readonly name: 'clients' | 'register';
}

/** With open registration, scripts of any origin may register clients, because no credentials are at stake (decision 40). */
function registrationAt(address: Address, needs: RegistryNeeds): Endpoint {
  const advertised = needs.settings['registration.advertise'] === address.name;
  return {
    contract: {
      ...address.contract,
      ...(advertised ? { advertisedAs: 'registration_endpoint' } : {}),
      cors: needs.settings['registration.allow-open-registration'] ? 'any' : 'configured',
    },
    async handle(request) {
      const act = async (): Promise<EndpointResponse> => await registered(needs, address.status, request);
      return request.query.includes('dry_run=true') ? await act() : await countingRegistration(needs, act);
    },
  };
}

async function registered(
  needs: RegistryNeeds,
  status: Address['status'],
  { headers, query, body, id, remoteAddress }: EndpointRequest,
): Promise<EndpointResponse> {
  return await audited(needs, 'client.create', id, async (trail) => {
    const authenticated = await authenticateRegistrant(needs, headers['authorization'], trail);
    if (authenticated === undefined || authenticated.kind === 'open')
      await needs.openLimits.admit(remoteAddress);
    requireMediaType(headers['content-type'], 'application/json');
    const sent = parseJsonObject(body, needs.json);
    const applied = await applySoftwareStatement(needs, sent, remoteAddress);
    const { request } = applied;
    const authorised = authorisedRegistrant(needs, authenticated, applied, trail);
    const registrant = { ...authorised, remoteAddress };
    if (asksForDryRun(query)) {
      return { status: 200, headers: HEADERS, body: await dryRun(needs, registrant, request, trail) };
    }
    const client = await registerClient(needs, registrant, request, trail);
    return { status, headers: HEADERS, body: clientInformation(needs, client) };
  });
}

function asksForDryRun(query: string): boolean {
  const parameters = parseParameters(query, contract.parameters.names, { parameters: PARAMETERS_MAX });
  const { dry_run } = parameters;
  // `dry_run` without a value is an error: its sender does not expect that the server stores a client.
  if (!('dry_run' in parameters) || dry_run === 'false') return false;
  if (dry_run === 'true') return true;
  throw new OAuthError('invalid_request', { error_description: 'dry_run must be true or false' });
}
