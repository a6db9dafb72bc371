import { BRAZIL_MODULES } from './modules/brazil.ts';
import { FAPI_MODULES } from './modules/fapi.ts';
import { FAPI_OBJECT_MODULES } from './modules/fapi-requests.ts';
import { FEDERATION_MODULES } from './modules/federation.ts';
import { PLANS } from './plans.ts';
import { type Case, casesOf, type Outcome, type Result } from './run.ts';

/** The providers whose results are in the table. */
export const PROVIDERS = ['Chancery', 'oidc-provider'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A result that is not `passed`, and its reason. */
export interface Expectation {
  readonly modules: readonly string[];
  readonly result: Exclude<Result, 'passed'>;
  readonly why: string;
}

const NO_UNSIGNED_REQUESTS =
  'the module’s own rule: `request_object_signing_alg_values_supported` does not contain `none`';
const UNSIGNED: readonly Expectation[] = [
  {
    modules: ['oidcc-idtoken-unsigned'],
    result: 'skipped',
    why: 'the module’s own rule: `id_token_signing_alg_values_supported` does not contain `none`',
  },
  {
    modules: [
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      'oidcc-ensure-request-object-with-redirect-uri',
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    ],
    result: 'skipped',
    why: NO_UNSIGNED_REQUESTS,
  },
];

/** The result of each run. Every run that no row names must pass. */
const EXPECTED: Readonly<Record<Provider, readonly Expectation[]>> = {
  Chancery: [
    { modules: ['oidcc-request-uri-unsigned'], result: 'skipped', why: NO_UNSIGNED_REQUESTS },
    ...UNSIGNED,
    {
      modules: ['fapi2-security-profile-final-brazildcr-update-client-config'],
      result: 'failed',
      why: 'Brazil requires a software statement in every update; here a statement is one of several ways, so an update without one succeeds',
    },
    {
      modules: [
        'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds',
      ],
      result: 'warning',
      why: 'a `request_uri` is used up when the browser brings it, which the specification allows and does not recommend',
    },
  ],
  'oidc-provider': [
    ...UNSIGNED,
    {
      modules: ['oidcc-ensure-request-with-acr-values-succeeds'],
      result: 'warning',
      why: 'its pages for developers report no `acr`',
    },
    {
      modules: ['oidcc-request-uri-unsigned', 'oidcc-request-uri-signed-rs256'],
      result: 'failed',
      why: 'version 9 has no `request_uri` by reference',
    },
    {
      modules: [...FEDERATION_MODULES, ...BRAZIL_MODULES].map(({ name }) => name),
      result: 'skipped',
      why: 'not asked: it has neither federation nor software statements',
    },
    {
      modules: [...FAPI_MODULES, ...FAPI_OBJECT_MODULES].map(({ name }) => name),
      result: 'skipped',
      why: 'not asked: it is not configured for FAPI 2.0 here',
    },
    {
      modules: ['oidcc-registration-logo-uri'],
      result: 'failed',
      why: 'its pages for developers show the logo on the consent page only',
    },
    {
      modules: [
        'oidcc-frontchannel-logout-discovery-endpoint-verification',
        'oidcc-frontchannel-rp-initiated-logout',
      ],
      result: 'failed',
      why: 'no front-channel logout',
    },
  ],
};

export function expectationOf(provider: Provider, module: string): Expectation | undefined {
  return EXPECTED[provider].find(({ modules }) => modules.includes(module));
}

/** Returns how an outcome differs from the table; undefined where it does not. */
export function differenceOf(provider: Provider, { module }: Case, outcome: Outcome): string | undefined {
  const expected = expectationOf(provider, module)?.result ?? 'passed';
  if (outcome.result === expected) return undefined;
  return `${outcome.result}, expected ${expected}${findingsText(outcome)}`;
}

/** The conditions that did not hold, one a line; those of level INFO change nothing and are left out. */
export function findingsText({ findings, reason }: Outcome): string {
  const lines = findings
    .filter(({ level }) => level !== 'info')
    .map(
      ({ condition, level, references, message }) =>
        `\n  ${level} ${condition} (${references.join(', ')}): ${message}`,
    );
  return [...(reason === undefined ? [] : [`\n  ${reason}`]), ...lines].join('');
}

export const ALL_CASES: readonly Case[] = casesOf(PLANS);

/** A short name: the plan without its constant words, the response type, and what is not usual. */
export function titleOf({ plan, module, variant }: Case): string {
  const { response_type, response_mode, client_auth_type } = variant;
  const words = [
    response_type,
    ...(response_mode === 'default' ? [] : [response_mode]),
    client_auth_type,
    plan.replace('oidcc-', '').replace(/-certification-test-plan|-test-plan$/, ''),
  ];
  return `${module} (${words.join('; ')})`;
}

/** Modules that concern other entities, other plans or other testing means, with the reason. */
export const NOT_REPEATED: readonly { readonly modules: readonly string[]; readonly why: string }[] = [
  {
    modules: [
      'openid-federation-list-and-fetch',
      'openid-federation-ensure-fetch-with-invalid-sub-fails',
      'openid-federation-ensure-fetch-with-iss-as-sub-fails',
    ],
    why: 'not applicable: they ask the fetch and list endpoints of an authority; an OpenID provider is a leaf',
  },
  {
    modules: [
      'openid-federation-compare-trust-chain-to-resolve',
      'openid-federation-preconfigured-keys-match-trust-anchors-keys',
    ],
    why: 'not applicable: they compare the answers and keys of a trust anchor',
  },
];

/** The suite's abbreviations of specifications. */
export const REFERENCES: Readonly<Record<string, string>> = {
  OIDCC: 'OpenID Connect Core 1.0',
  OIDCD: 'OpenID Connect Discovery 1.0',
  OIDCR: 'OpenID Connect Dynamic Client Registration 1.0',
  OIDCRIL: 'OpenID Connect RP-Initiated Logout 1.0',
  OIDCBCL: 'OpenID Connect Back-Channel Logout 1.0',
  OIDCFCL: 'OpenID Connect Front-Channel Logout 1.0',
  OIDFED: 'OpenID Federation 1.0',
  'OAuth2-RT': 'OAuth 2.0 Multiple Response Type Encoding Practices',
  'OAuth2-FP': 'OAuth 2.0 Form Post Response Mode',
  'OAuth2-iss': 'RFC 9207',
  PAR: 'RFC 9126',
  DPOP: 'RFC 9449',
  JARM: 'JARM',
  'FAPI2-SP-FINAL': 'FAPI 2.0 Security Profile',
  'FAPI2-MS-ID1': 'FAPI 2.0 Message Signing',
  JAR: 'RFC 9101',
};
