// npm run conformance [-- --plan WORD] [--module WORD] [--provider chancery|oidc-provider] [--issuer URL …]: runs the modules
// against a started Chancery and against oidc-provider, or against another provider, and prints the results side by side.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CertificateAuthority, certificateAuthority } from '../tls/certificate.ts';
import type { PageRule } from './browser.ts';
import { ALL_CASES, differenceOf, findingsText, PROVIDERS, titleOf } from './expected.ts';
import { sender } from './http.ts';
import { type Case, makeClientKeys, type Outcome, runCases } from './run.ts';
import { openSites } from './site.ts';
import { startChancery } from './targets/chancery.ts';
import type { Target } from './world.ts';

const { values } = parseArgs({
  options: {
    /** Plans whose name contains this. */
    plan: { type: 'string', default: '' },
    /** Modules whose name contains this. */
    module: { type: 'string', default: '' },
    provider: { type: 'string' },
    /** Another provider, with the options below. It must be able to fetch from this machine. */
    issuer: { type: 'string' },
    'initial-access-token-file': { type: 'string' },
    /** PEM of the authority of the provider's certificate. */
    ca: { type: 'string' },
    /** JSON: what a person does on its pages, as rows of `kind`, `has` and `fields`. */
    pages: { type: 'string' },
    'at-once': { type: 'string', default: '12' },
  },
});

interface Started {
  readonly target: Target;
  stop(): Promise<void>;
}

const cases = ALL_CASES.filter(
  ({ plan, module, variant }) =>
    plan.includes(values.plan) &&
    module.includes(values.module) &&
    (values.issuer === undefined || variant.client_registration === 'dynamic_client'),
);
if (cases.length === 0) throw new Error('no module has such a name');
const authority = certificateAuthority();
const sites = await openSites(authority.issue({ addresses: ['127.0.0.1'] }));
const bench = { sites, keys: await makeClientKeys(3) };
const results = new Map<string, ReadonlyMap<Case, Outcome>>();
for (const start of starts(authority)) {
  const started = await start();
  const { target } = started;
  const outcomes = new Map<Case, Outcome>();
  try {
    await runCases(target, cases, bench, {
      atOnce: Number(values['at-once']),
      done: (at, outcome) => outcomes.set(at, outcome),
    });
  } finally {
    await started.stop();
  }
  results.set(target.name, outcomes);
}
await sites.close();
printTable();

function starts(trusted: CertificateAuthority): readonly (() => Promise<Started>)[] {
  if (values.issuer !== undefined) return [async () => another(values.issuer ?? '')];
  const known = {
    chancery: async () => await startChancery(trusted, sites),
    // Loading it prints a warning about the runtime.
    'oidc-provider': async () =>
      await (await import('./targets/oidc-provider.ts')).startOidcProvider(trusted),
  };
  if (values.provider === undefined) return Object.values(known);
  const one = known[values.provider as keyof typeof known];
  if (one === undefined) throw new Error(`--provider is one of ${Object.keys(known).join(', ')}`);
  return [one];
}

function another(issuer: string): Started {
  const token = values['initial-access-token-file'];
  if (values.pages === undefined) throw new Error('--pages FILE says what a person does on the pages');
  return {
    target: {
      name: issuer,
      issuer,
      send: sender(values.ca === undefined ? undefined : readFileSync(values.ca, 'utf8')),
      pages: JSON.parse(readFileSync(values.pages, 'utf8')) as readonly PageRule[],
      ...(token === undefined ? {} : { initialAccessToken: readFileSync(token, 'utf8').trim() }),
    },
    stop: async () => undefined,
  };
}

function printTable(): void {
  const width = Math.max(...cases.map((each) => titleOf(each).length));
  console.log(`${''.padEnd(width)}  ${[...results.keys()].map((name) => name.padEnd(14)).join(' ')}`);
  for (const each of cases) {
    const shown = [...results.values()].map((outcomes) => (outcomes.get(each)?.result ?? '–').padEnd(14));
    console.log(`${titleOf(each).padEnd(width)}  ${shown.join(' ')}`);
  }
  for (const [name, outcomes] of results) {
    const provider = PROVIDERS.find((known) => known === name);
    console.log(`\n${name}: ${countsOf(outcomes)}`);
    for (const [at, outcome] of outcomes) {
      const difference = provider === undefined ? undefined : differenceOf(provider, at, outcome);
      if (difference !== undefined) process.exitCode = 1;
      if (outcome.result === 'failed' || outcome.result === 'warning' || difference !== undefined)
        console.log(
          `${difference === undefined ? '' : '≠ '}${titleOf(at)}: ${outcome.result}${findingsText(outcome)}`,
        );
    }
  }
}

function countsOf(outcomes: ReadonlyMap<Case, Outcome>): string {
  const counts = Map.groupBy(outcomes.values(), ({ result }) => result);
  const looked = [...outcomes.values()].reduce((sum, { conditions }) => sum + conditions, 0);
  const words = [...counts].map(([result, all]) => `${all.length} ${result}`);
  return `${words.join(', ')}; ${looked} conditions looked at`;
}
