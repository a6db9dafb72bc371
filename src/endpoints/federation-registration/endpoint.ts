import { audited } from '../../clients/audit-trail.ts';
import { countingRegistration } from '../../clients/registration/count-registration.ts';
import { Admission } from '../../federation/registration/admission.ts';
import {
  type ExplicitRegistrationNeeds,
  registerExplicitly,
} from '../../federation/registration/register-explicitly.ts';
import {
  REGISTRATION_TYPES,
  type RegistrationType,
} from '../../federation/registration/registration-request.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import { TooManyRequests } from '../../spec/errors.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const TYPES = Object.keys(REGISTRATION_TYPES) as readonly RegistrationType[];

export interface FederationRegistrationNeeds extends ExplicitRegistrationNeeds {
  readonly keys: Pick<ServerKeys['federation'], 'sign'>;
  /** Limit of simultaneous registrations; one network gets half of it. Each may wait for other servers as long as a resolution may take. */
  readonly parallel: number;
  /** Seconds after which a caller above the limit may retry. */
  readonly retryAfter: number;
}

/** Registers clients explicitly. */
export function federationRegistration(needs: FederationRegistrationNeeds): Endpoint {
  const admission = new Admission(needs.parallel);
  return {
    contract,
    handle: async ({ headers, body, id, remoteAddress }) =>
      await countingRegistration(
        needs.registry,
        async () =>
          await audited(needs.registry, 'client.create', id, async (trail) => {
            const mediaType = requireMediaType(headers['content-type'], ...TYPES);
            const leave = admission.enter(remoteAddress);
            if (leave === undefined) throw new TooManyRequests(needs.retryAfter, 'federation.registrations');
            try {
              const { claims, header, contentType } = await registerExplicitly(
                needs,
                { mediaType, body, remoteAddress },
                trail,
              );
              const statement = await needs.keys.sign(claims, header);
              return { status: 200, headers: { 'content-type': contentType, ...UNCACHED }, body: statement };
            } finally {
              leave();
            }
          }),
      ),
  };
}
