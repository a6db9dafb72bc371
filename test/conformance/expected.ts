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

/** What each run must end with. Every run that no row names must pass. */
export const EXPECTED: Readonly<Record<Provider, readonly Expectation[]>> = {
  Chancery: UNSIGNED,
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
    plan.replace('oidcc-', '').replace('-certification-test-plan', ''),
  ];
  return `${module} (${words.join('; ')})`;
}
