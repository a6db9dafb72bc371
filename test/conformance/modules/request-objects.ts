import { calledBack, onPage } from '../conditions/authorization-response.ts';
import type { ConformanceModule } from '../module.ts';
import { authorization, isDynamic, request, setUp, success } from '../sequences.ts';
import { fail, type Step, stop, warn, where } from '../step.ts';

const BY_VALUE = stop('BuildRequestObjectByValueRedirectToAuthorizationEndpoint');
const BY_REFERENCE = stop('BuildRequestObjectByReferenceRedirectToAuthorizationEndpoint');
const CONVERT = stop('ConvertAuthorizationEndpointRequestToRequestObject');
const NULL_ALGORITHM = stop('SerializeRequestObjectWithNullAlgorithm');
const SKIP = stop('SkipTestIfNoneUnsupported');
const BY_REFERENCE_SUPPORTED = fail('CheckDiscEndpointRequestUriParameterSupported', 'OIDCD-3');

/** Every module about `request_uri` registers one, also where it is skipped afterwards. */
const REGISTER_REQUEST_URI: readonly Step[] = [
  stop('CreateRandomRequestUriWithFragment', 'OIDCC-6.2'),
  stop('AddRequestUriToDynamicRegistrationRequest'),
];

export const REQUEST_OBJECT_MODULES: readonly ConformanceModule[] = [
  {
    // proves openid-conformance-22
    name: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    steps: (variant) => [
      ...setUp(variant, { after: [SKIP] }),
      ...authorization(
        variant,
        { build: [CONVERT, NULL_ALGORITHM, BY_VALUE] },
        { first: [stop('SkipIfRequestNotSupported'), warn('CheckDiscEndpointRequestParameterSupported')] },
      ),
    ],
  },
  {
    // proves openid-conformance-21
    name: 'oidcc-ensure-request-object-with-redirect-uri',
    review: 'an error page: status 4xx, text/html, and no redirection',
    steps: (variant) => [
      ...setUp(variant, { after: [SKIP] }),
      ...request(variant, {
        build: [
          CONVERT,
          stop('AddInvalidRedirectUriToAuthorizationRequest', 'OIDCC-6.1'),
          NULL_ALGORITHM,
          BY_VALUE,
        ],
      }),
      stop('PerformRedirect'),
      ...where(onPage, [stop('ExpectRedirectUriErrorPage', 'RFC6749-3.1.2')]),
      ...where(calledBack, [
        stop('EnsureOPDoesNotUseDefaultRedirectUriInCaseOfInvalidRedirectUri'),
        warn('CheckDiscEndpointRequestParameterSupported'),
        ...success(variant),
      ]),
    ],
  },
  {
    // proves openid-conformance-22
    name: 'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    notFor: (variant) => !isDynamic(variant),
    steps: (variant) => [
      ...setUp(variant, { metadata: REGISTER_REQUEST_URI, after: [SKIP] }),
      ...authorization(
        variant,
        { build: [CONVERT, NULL_ALGORITHM, BY_REFERENCE] },
        {
          first: [
            stop('SkipIfRequestUriNotSupported'),
            warn('CheckDiscEndpointRequestUriParameterSupported'),
          ],
        },
      ),
    ],
  },
  {
    name: 'oidcc-request-uri-unsigned',
    notFor: (variant) => !isDynamic(variant),
    steps: (variant) => [
      ...setUp(variant, { metadata: REGISTER_REQUEST_URI, after: [BY_REFERENCE_SUPPORTED, SKIP] }),
      ...authorization(variant, { build: [CONVERT, NULL_ALGORITHM, BY_REFERENCE] }),
    ],
  },
  {
    name: 'oidcc-request-uri-signed-rs256',
    notFor: (variant) => !isDynamic(variant),
    steps: (variant) => [
      ...setUp(variant, {
        metadata: [
          ...REGISTER_REQUEST_URI,
          stop('AddRequestObjectSigningAlgRS256ToDynamicRegistrationRequest'),
        ],
        after: [
          BY_REFERENCE_SUPPORTED,
          fail('CheckDiscEndpointRequestObjectSigningAlgValuesSupportedContainsRS256', 'OIDCD-3'),
        ],
      }),
      ...authorization(variant, {
        build: [
          CONVERT,
          stop('AddAudToRequestObject', 'OIDCC-6.1'),
          stop('AddIssToRequestObject', 'OIDCC-6.1'),
          stop('SignRequestObject'),
          BY_REFERENCE,
        ],
      }),
    ],
  },
];
