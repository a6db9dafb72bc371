import type { ConditionName } from '../conditions/library.ts';
import type { ConformanceModule } from '../module.ts';
import { fail, info, type Step, stop } from '../step.ts';
import type { Variant } from '../world.ts';

/** The FAPI 2.0 modules with `client_auth_type=mtls` and `sender_constrain=mtls`, as changes of those with keys. */

export const isMtls = ({ sender_constrain: method }: Variant): boolean => method === 'mtls';

type Change = (step: Step) => readonly Step[];

const without: Change = () => [];
const instead =
  (condition: ConditionName): Change =>
  (step) => [{ ...step, condition }];

/** The steps that replace those with assertions and proofs. */
const CHANGES: Readonly<Partial<Record<ConditionName, Change>>> = {
  GetDynamicServerConfiguration: (step) => [step, info('AddMTLSEndpointAliasesToEnvironment', 'RFC8705-5')],
  FAPI2CheckDpopSigningAlgValuesSupported: () => [
    fail('CheckTLSClientCertificateBoundAccessTokensTrue', 'FAPI2-SP-FINAL-5.3.3.1-5', 'RFC8705-3.3'),
    fail('EnsureServerConfigurationSupportsMTLS', 'FAPI2-SP-FINAL-5.3.3.1-5'),
  ],
  RegisterFapiClient: (step) => [stop('ExtractMTLSCertificatesFromConfiguration'), step],
  CreateClientAuthenticationAssertionClaimsWithIssAudience: without,
  SignClientAuthenticationAssertion: without,
  AddClientAssertionToPAREndpointParameters: instead('AddClientIdToPAREndpointParameters'),
  AddClientAssertionToRequest: instead('AddClientIdToRequest'),
  CreateDpopProofForTokenEndpoint: without,
  CreateDpopProofForResourceEndpoint: without,
  SignDpopProof: without,
  AddDpopHeaderForTokenEndpointRequest: without,
  CheckTokenTypeIsDpop: () => [fail('CheckTokenTypeIsBearer', 'RFC8705-3')],
  EnsureMinimumAccessTokenEntropy: (step) => [
    step,
    fail('EnsureAccessTokenIsBoundToCertificate', 'RFC8705-3.1'),
  ],
  CallProtectedResourceWithDpop: instead('CallProtectedResource'),
};

/** Returns the module with certificates where its variant says so. */
export function byCertificate(module: ConformanceModule): ConformanceModule {
  return {
    ...module,
    steps(variant) {
      const steps = module.steps(variant);
      if (!isMtls(variant)) return steps;
      return steps.flatMap((step) => CHANGES[step.condition]?.(step) ?? [step]);
    },
  };
}

const REFUSED: readonly Step[] = [
  stop('CallProtectedResource', 'RFC8705-3'),
  fail('EnsureHttpStatusCodeIs4xx', 'RFC6750-3.1', 'RFC8705-3'),
  stop('CallPAREndpointWithClientAuthentication', 'PAR-2.1'),
  fail('CheckErrorFromParEndpointResponseErrorInvalidClientOrInvalidRequest', 'PAR-2.3', 'RFC8705-2'),
];

/** The token and the request of the second client, first with the certificate of the first client, then with none. */
export const OTHER_CERTIFICATES: readonly Step[] = [
  stop('SwitchToFirstMTLSCertificate'),
  ...REFUSED,
  stop('RemoveMTLSCertificates'),
  ...REFUSED,
];

/** The modules whose conditions differ with certificates. */
export const MTLS_MODULES: readonly string[] = [
  'discovery-end-point-verification',
  'happy-flow',
  'access-token-type-header-case-sensitivity',
  'attempt-reuse-authorization-code-after-one-second',
  'ensure-authorization-code-is-bound-to-client',
  'ensure-client-id-in-token-endpoint',
  'ensure-holder-of-key-required',
  'refresh-token',
].map((name) => `fapi2-security-profile-final-${name}`);
