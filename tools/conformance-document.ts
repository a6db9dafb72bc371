import {
  expectationOf,
  NOT_REPEATED,
  PROVIDERS,
  type Provider,
  REFERENCES,
} from '../test/conformance/expected.ts';
import { moduleNamed, PLANS, type Plan } from '../test/conformance/plans.ts';
import type { Result } from '../test/conformance/run.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `<!-- Made from test/conformance by \`npm run docs\`. Do not edit. -->

# Modules of the OpenID Foundation's conformance suite

The modules of the certification plans, made again from the suite's own list (openid-certification/conformance-suite at
12f2a4dac, August 2026): its names, its conditions with their levels, and its order of events. They speak HTTP alone, over TLS,
and import no code of the server. \`npm test\` runs all of them against the started program, and fails where a run does not end as
this page says. \`npm run conformance\` also runs them against oidc-provider and prints both, so that the modules themselves are
tested ([ADR 59](../adr/0059-conformance-as-a-table.md)).

**The suite itself has not been run**, and there is no certificate. A module here is our reading of the suite's module. Where the suite asks a
person to judge a screenshot, the page is searched instead; the last column says for what.
[test/conformance/real-suite](../../test/conformance/real-suite/README.md) prepares a server for the suite.

The server has the settings of that folder. Three of them decide results. With the default
\`client-authentication.assertion-audience: issuer\` the Dynamic plan fails, because the suite's assertions have the token endpoint as \`aud\`. With the default
\`authorization.request-uri-by-reference: false\` \`oidcc-request-uri-signed-rs256\` fails. Without open registration, plans with dynamic clients need the
suite's \`initial_access_token\`.

The FAPI 2.0 plans run at tenants with \`profile: fapi-2.0\` and \`profile: fapi-2.0-message-signing\`, with ES256 keys. These variants run:

- \`client_auth_type=private_key_jwt\` and \`sender_constrain=dpop\`: every module, for both plans.
- \`client_auth_type=mtls\` and \`sender_constrain=mtls\`: the modules of the security profile whose conditions differ. The clients have \`tls_client_auth\`, and
  use the endpoints of \`mtls_endpoint_aliases\`. The other modules are about proofs and assertions, which these clients do not send, or about the request alone.

The variants that mix them, an assertion with bound certificates and a certificate with DPoP, do not run: the runs above have each kind of authentication and of binding.
The message signing plan does not run with certificates, because no condition about signed requests and responses concerns them. The conditions about TLS are proven by test/tls.

\`passed\`: every condition holds. \`warning\`: a condition of the level WARNING does not hold; the suite certifies nevertheless.
\`skipped\`: a rule of the module ends it; the suite certifies nevertheless.
`;

/** Returns the made page about the modules of the conformance suite. */
export function conformanceMarkdown(): string {
  return [
    INTRODUCTION,
    '## Plans\n',
    table(['plan', 'certificate', 'runs', ...PROVIDERS], PLANS.map(planRow)),
    ...PLANS.flatMap((plan) => [`## ${plan.profile}: ${plan.name}\n`, planTable(plan)]),
    '## Modules of other plans that are not repeated\n',
    table(
      ['module', 'why'],
      NOT_REPEATED.map(({ modules, why }) => row(modules.map(code).join(', '), why)),
    ),
    '## Abbreviations\n',
    'Conditions name their requirement as the suite does.\n',
    table(
      ['abbreviation', 'specification'],
      Object.entries(REFERENCES).map(([short, name]) => row(code(short), name)),
    ),
  ].join('\n');
}

const code = (text: string): string => `\`${text}\``;

function runsOf({ entries }: Plan): readonly string[] {
  return entries.flatMap(({ modules }) => modules);
}

function planRow(plan: Plan): string {
  const runs = runsOf(plan);
  return row(
    code(plan.name),
    plan.profile,
    String(runs.length),
    ...PROVIDERS.map((provider) => counts(provider, runs)),
  );
}

function resultOf(provider: Provider, module: string): Result {
  return expectationOf(provider, module)?.result ?? 'passed';
}

function counts(provider: Provider, runs: readonly string[]): string {
  const all = Map.groupBy(runs, (module) => resultOf(provider, module));
  return (['passed', 'warning', 'skipped', 'failed'] as const)
    .flatMap((result) => (all.has(result) ? [`${all.get(result)?.length} ${result}`] : []))
    .join(', ');
}

/** The modules of a plan. Variants that most of them have stand above the table. */
function planTable(plan: Plan): string {
  const modules = [...new Set(runsOf(plan))];
  const usual = mostFrequent(modules.map((module) => variantsOf(plan, module)));
  const rows = modules.map((module) => {
    const variants = variantsOf(plan, module);
    return row(
      code(module),
      variants === usual ? '' : variants,
      String(conditionsOf(plan, module)),
      ...PROVIDERS.map((provider) => resultOf(provider, module)),
      notesOf(module),
    );
  });
  const columns = ['module', 'other variants', 'conditions', ...PROVIDERS, 'notes'];
  return `Variants: ${usual}.\n\n${table(columns, rows)}`;
}

function mostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? 'none';
}

function variantsOf({ entries }: Plan, module: string): string {
  return entries
    .filter(({ modules }) => modules.includes(module))
    .map(({ variant: { response_type, response_mode, client_auth_type, sender_constrain } }) =>
      [
        response_type,
        ...(response_mode === 'default' ? [] : [response_mode]),
        client_auth_type,
        ...(sender_constrain === undefined ? [] : [`sender_constrain=${sender_constrain}`]),
      ].join(', '),
    )
    .join('; ');
}

/** How many steps the module has with the plan's first variant for it, those that follow only one outcome included. */
function conditionsOf({ entries }: Plan, module: string): number {
  const entry = entries.find(({ modules }) => modules.includes(module));
  return entry === undefined ? 0 : moduleNamed(module).steps(entry.variant).length;
}

function notesOf(module: string): string {
  const { review, notes } = moduleNamed(module);
  return [
    ...(review === undefined ? [] : [`A person’s judgement there; here: ${review}.`]),
    ...(notes === undefined ? [] : [`${notes}.`]),
    ...PROVIDERS.flatMap((provider) => {
      const expected = expectationOf(provider, module);
      return expected === undefined ? [] : [`${provider}: ${expected.why}.`];
    }),
  ].join(' ');
}
