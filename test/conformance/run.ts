import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { ConformanceBrowser } from './browser.ts';
import { CONDITIONS } from './conditions/library.ts';
import type { ConformanceModule } from './module.ts';
import { moduleNamed, type Plan } from './plans.ts';
import { BROWSER_ORIGIN, type Sites } from './site.ts';
import type { Step } from './step.ts';
import { ConditionFailed, ModuleSkipped } from './verdict.ts';
import type { ClientKey, Target, Variant, World } from './world.ts';

export type Result = 'passed' | 'warning' | 'skipped' | 'failed';

/** A condition that did not hold. */
export interface Finding {
  readonly condition: string;
  readonly level: Step['level'];
  readonly references: readonly string[];
  readonly message: string;
}

export interface Outcome {
  readonly result: Result;
  /** Why it was skipped. */
  readonly reason?: string;
  readonly findings: readonly Finding[];
  /** How many conditions were looked at. */
  readonly conditions: number;
}

/** One run: a module with a variant of a plan. */
export interface Case {
  readonly plan: string;
  readonly module: string;
  readonly variant: Variant;
}

/** A module that nothing answers ends after this time. */
const MODULE_TIMEOUT_MS = 120_000;

export function casesOf(plans: readonly Plan[]): readonly Case[] {
  return plans.flatMap(({ name: plan, entries }) =>
    entries.flatMap(({ modules, variant }) => modules.map((module) => ({ plan, module, variant }))),
  );
}

/** Makes the RSA keys that relying parties share. The suite, too, makes some beforehand and takes them in turn. */
export async function makeClientKeys(count: number): Promise<readonly ClientKey[]> {
  return await Promise.all(Array.from({ length: count }, makeClientKey));
}

async function makeClientKey(): Promise<ClientKey> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = await exportJWK(pair.publicKey);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  return {
    privateKey: await crypto.subtle.importKey(
      'pkcs8',
      pair.privateKey.export({ type: 'pkcs8', format: 'der' }),
      algorithm,
      false,
      ['sign'],
    ),
    publicJwk: { ...jwk, use: 'sig', alg: 'RS256', kid: await calculateJwkThumbprint(jwk) },
  };
}

export interface Bench {
  readonly sites: Sites;
  readonly keys: readonly ClientKey[];
}

/** FAPI 2.0 modules ask an issuer with their profile. */
function targetFor(target: Target, { sender_constrain, fapi_request_method: method }: Variant): Target {
  const issuer = method === undefined ? undefined : target.fapi?.[sender_constrain ?? method];
  return issuer === undefined ? target : { ...target, issuer };
}

let runs = 0;

function worldOf(target: Target, variant: Variant, { sites, keys }: Bench): World {
  runs += 1;
  const fixed = variant.client_registration === 'static_client';
  const site = sites.open(fixed ? 'static' : `run-${runs}`);
  let next = runs;
  return {
    target: targetFor(target, variant),
    variant,
    site,
    browser: new ConformanceBrowser(target.send, target.pages, BROWSER_ORIGIN),
    nextKey: () => {
      next += 1;
      const key = keys[next % keys.length];
      if (key === undefined) throw new Error('no client keys were made');
      return key;
    },
    redirect_uri: '',
    server: {},
    server_jwks: {},
    client: {},
    dynamic_registration_request: {},
    authorization_endpoint_request: {},
    request_object_claims: {},
    callback_query: {},
    authorization_endpoint_response: {},
    token_endpoint_request: {},
    token_endpoint_headers: {},
    token_endpoint_response: {},
    userinfo: {},
    end_session_request: {},
  };
}

/** Runs a module once and removes the client that it registered. */
export async function runModule(
  target: Target,
  { module: name, variant }: Omit<Case, 'plan'>,
  bench: Bench,
): Promise<Outcome> {
  if (variant.fapi_request_method !== undefined && target.fapi === undefined)
    return skipped('the provider is not asked for FAPI 2.0', [], 0);
  const world = worldOf(target, variant, bench);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the module did not end')), MODULE_TIMEOUT_MS);
  try {
    return await Promise.race([perform(moduleNamed(name), world), late]);
  } catch (cause) {
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    return {
      result: 'failed',
      findings: [{ condition: 'TheModuleEnds', level: 'stop', references: [], message }],
      conditions: 0,
    };
  } finally {
    clearTimeout(timer);
    if (world.variant.client_registration === 'dynamic_client') await unregister(world);
  }
}

async function perform(module: ConformanceModule, world: World): Promise<Outcome> {
  const findings: Finding[] = [];
  let conditions = 0;
  for (const step of module.steps(world.variant)) {
    if (step.when?.(world) === false) continue;
    conditions += 1;
    try {
      await CONDITIONS[step.condition](world);
    } catch (cause) {
      if (cause instanceof ModuleSkipped) return skipped(cause.message, findings, conditions);
      const { condition, level, references } = step;
      const message = cause instanceof ConditionFailed ? cause.message : String((cause as Error).stack);
      findings.push({ condition, level, references, message });
      if (level === 'stop') break;
    }
  }
  return { result: resultOf(findings), findings, conditions };
}

/** Keeps a failure from before the module was skipped, as the suite does. */
function skipped(reason: string, findings: readonly Finding[], conditions: number): Outcome {
  const result = resultOf(findings);
  return { result: result === 'failed' ? result : 'skipped', reason, findings, conditions };
}

function resultOf(findings: readonly Finding[]): Result {
  if (findings.some(({ level }) => level === 'stop' || level === 'failure')) return 'failed';
  return findings.some(({ level }) => level === 'warning') ? 'warning' : 'passed';
}

/** Runs cases, `atOnce` of them at a time, and calls `done` for each outcome as it comes. */
export async function runCases(
  target: Target,
  cases: readonly Case[],
  bench: Bench,
  { atOnce, done }: { readonly atOnce: number; readonly done: (at: Case, outcome: Outcome) => void },
): Promise<void> {
  const waiting = longestFirst(cases.filter(({ module }) => moduleNamed(module).alone !== true));
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      done(next, await runModule(target, next, bench));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const last of cases.filter(({ module }) => moduleNamed(module).alone === true))
    done(last, await runModule(target, last, bench));
}

/** The suite looks at the removal of its client with INFO only. */
async function unregister(world: World): Promise<void> {
  try {
    await CONDITIONS.UnregisterDynamicallyRegisteredClient(world);
  } catch {
    // Nothing depends on it.
  }
}

/** Begins with the modules that wait half a minute for the provider's clock. */
function longestFirst(cases: readonly Case[]): Case[] {
  const waits = ({ module }: Case): number => Number(moduleNamed(module).waits === true);
  return [...cases].sort((a, b) => waits(b) - waits(a));
}
