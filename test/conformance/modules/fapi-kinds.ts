import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import { fail, type Step, stop } from '../step.ts';
import type { Variant } from '../world.ts';
import {
  authorized,
  type Edits,
  edited,
  flow,
  isSigned,
  REDEEM,
  refusedAtPar,
  SET_UP,
  tokenRefused,
} from './fapi-sequences.ts';

export const P = 'fapi2-security-profile-final-';
export const SP = 'FAPI2-SP-FINAL';
export const NO_TLS = 'the conditions about TLS are those of test/tls';

/** The step after which a module changes the request: before it is signed, or before it is sent. */
export const built = (variant: Variant): ConditionName =>
  isSigned(variant) ? 'AddClientIdToRequestObject' : 'AddCodeChallengeToAuthorizationEndpointRequest';

export const afterChallenge = (...steps: readonly Step[]): Edits => ({
  after: { AddCodeChallengeToAuthorizationEndpointRequest: steps },
});

/** A module whose flow succeeds. */
export const succeeds = (
  name: string,
  edits: (variant: Variant) => Edits = () => ({}),
  notes?: string,
): ConformanceModule => ({
  name: P + name,
  steps: (variant) => [...SET_UP, ...flow(variant, edits(variant))],
  ...(notes === undefined ? {} : { notes }),
});

/** A module whose request is refused at the PAR endpoint. */
export const refused = (
  name: string,
  edits: (variant: Variant) => Edits,
  ...error: readonly Step[]
): ConformanceModule => ({
  name: P + name,
  steps: (variant) => refusedAtPar(variant, edits(variant), error),
});

/** A module whose token request is refused. */
export const notRedeemed = (
  name: string,
  token: Edits,
  error: readonly Step[],
  asked: Edits = {},
): ConformanceModule => ({
  name: P + name,
  steps: (variant) => [...SET_UP, ...authorized(variant, asked), ...edited(REDEEM, token), ...error],
});

export const INVALID_OBJECT = fail('EnsurePARInvalidRequestObjectError', 'JAR-6.2', 'PAR-2.3');
export const INVALID_GRANT = tokenRefused(
  fail('CheckTokenEndpointHttpStatus400', 'OIDCC-3.1.3.4'),
  fail('CheckErrorFromTokenEndpointResponseErrorInvalidGrant', 'RFC6749-5.2'),
);
export const INVALID_CLIENT = tokenRefused(
  fail('CheckTokenEndpointHttpStatusIs400Allowing401ForInvalidClientError', 'RFC6749-5.2'),
  fail('CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidRequest', 'RFC6749-5.2'),
);
export const BAD_PROOF = [fail('CheckTokenEndpointReturnedInvalidRequestGrantOrDPopProofError', 'DPOP-10.1')];
const ASSERTION = 'CreateClientAuthenticationAssertionClaimsWithIssAudience';

export const assertion = (condition: ConditionName): Edits => ({ after: { [ASSERTION]: [stop(condition)] } });

/** Claims of the proofs at the token endpoint and at the resource. */
export const proofs = (...conditions: readonly ConditionName[]): Edits => {
  const steps = conditions.map((each) => stop(each, `${SP}-5.3.2.1-13`));
  return { after: { CreateDpopProofForTokenEndpoint: steps, CreateDpopProofForResourceEndpoint: steps } };
};
