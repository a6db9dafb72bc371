import { clientInformation } from '../../clients/client-information.ts';
import { registerClient } from '../../clients/register-client.ts';
import { authenticateRegistrant } from '../../clients/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint } from '../contract.ts';
import { contract, registerContract } from './contract.ts';

/** At which address and with which status a registration is made. */
export interface RegistrationAddress {
  readonly contract: Contract;
  readonly status: 200 | 201;
  /** Whether discovery names this address as `registration_endpoint`. */
  readonly advertised: boolean;
}

export const ADDRESSES = {
  clients: { contract, status: 200 },
  register: { contract: registerContract, status: 201 },
} as const;

/** Registers a client. Any origin may ask in open mode, where no credentials are at stake (decision 40). */
export function clientRegistration(needs: RegistryNeeds, address: RegistrationAddress): Endpoint {
  return {
    contract: {
      ...address.contract,
      ...(address.advertised ? { advertisedAs: 'registration_endpoint' } : {}),
      cors: needs.settings.allowOpenRegistration ? 'any' : 'configured',
    },
    async handle({ headers, body }) {
      const registrant = await authenticateRegistrant(needs, headers['authorization']);
      requireMediaType(headers['content-type'], 'application/json');
      const request = parseJsonObject(body, needs.settings.json);
      const client = await registerClient(needs, registrant, request);
      return {
        status: address.status,
        headers: { 'content-type': 'application/json', ...UNCACHED },
        body: clientInformation(needs, client),
      };
    },
  };
}
