import { ConditionFailed } from '../conformance/verdict.ts';
import type { EntityHost } from './authorities.ts';
import { type Condition, NotSupported, runOf } from './condition.ts';
import type { SigningKey } from './keys.ts';
import { authorityClaims, configurationPath, draft, signedDraft } from './plan.ts';
import {
  type Anchors,
  type Dialect,
  type Provider,
  planOf,
  publishPlan,
  readConfiguration,
  register,
  type World,
} from './world.ts';

export interface Outcome {
  readonly result: 'pass' | 'fail' | 'not supported';
  readonly message?: string;
}

/** A condition in one dialect. */
export interface Case {
  readonly condition: Condition;
  /** Undefined if the condition needs no registration. */
  readonly dialect: Dialect | undefined;
}

export function casesOf(conditions: readonly Condition[]): readonly Case[] {
  return conditions.flatMap((condition): readonly Case[] =>
    condition.dialects.length === 0
      ? [{ condition, dialect: undefined }]
      : condition.dialects.map((dialect) => ({ condition, dialect })),
  );
}

export const titleOf = ({ condition: { id }, dialect }: Case): string =>
  dialect === undefined ? id : `${id} (${dialect})`;

/** Publishes the trust anchors at addresses that stay the same for the same keys and the same host. */
export async function openAnchors(
  host: EntityHost,
  keys: readonly [SigningKey, SigningKey],
): Promise<Anchors> {
  const [first, second] = await Promise.all(
    (['anchor', 'second-anchor'] as const).map(async (name, at) => {
      const path = `/${name}`;
      const key = keys[at] ?? keys[0];
      const entity = { id: host.url + path, path, key };
      // At each request, so that a suite that runs for long has no expired anchor.
      const body = async (): Promise<string> =>
        await signedDraft(draft(entity, authorityClaims(entity, undefined)));
      host.publish(configurationPath(entity), { body });
      return entity;
    }),
  );
  if (first === undefined || second === undefined) throw new Error('there are two anchors');
  return { first, second };
}

/** Reads the provider's configuration, and lets the first anchor vouch for the provider. */
export async function openWorld(
  host: EntityHost,
  anchors: Anchors,
  provider: Provider,
  { allowHttp }: { readonly allowHttp: boolean },
): Promise<World> {
  const configuration = await readConfiguration(provider);
  const about = draft(anchors.first, { sub: provider.issuer, jwks: { keys: configuration.keys } });
  const path = `${anchors.first.path}/fetch?sub=${encodeURIComponent(provider.issuer)}`;
  host.publish(path, { body: async () => await signedDraft(about) });
  return { host, provider, anchors, configuration, allowHttp };
}

/** Returns the dialects in which the provider registers anything, and the answer of those in which it does not. */
export async function dialectsOf(world: World): Promise<ReadonlyMap<Dialect, string | undefined>> {
  const found = new Map<Dialect, string | undefined>();
  for (const dialect of ['final', 'interface'] as const) {
    const plan = planOf(world, dialect);
    await publishPlan(world, plan);
    const { statement, reply } = await register(world, plan);
    found.set(dialect, statement === undefined ? `${reply.status} ${reply.text.slice(0, 200)}` : undefined);
  }
  return found;
}

/**
 * Runs a condition once. A dialect in which nothing registers is not supported, except the one of the final text.
 */
export async function runCase(
  world: World,
  { condition, dialect }: Case,
  dialects: ReadonlyMap<Dialect, string | undefined>,
): Promise<Outcome> {
  const unsupported = dialect === 'interface' ? dialects.get(dialect) : undefined;
  if (unsupported !== undefined) return { result: 'not supported', message: unsupported };
  try {
    await condition.check(runOf(world, dialect ?? 'final'));
    return { result: 'pass' };
  } catch (failure) {
    if (failure instanceof NotSupported) return { result: 'not supported', message: failure.message };
    const message = failure instanceof ConditionFailed ? failure.message : String((failure as Error).stack);
    return { result: 'fail', message };
  }
}

/** Runs cases, `atOnce` of them at a time, and calls `done` for each outcome as it comes. */
export async function runCases(
  world: World,
  cases: readonly Case[],
  dialects: ReadonlyMap<Dialect, string | undefined>,
  { atOnce, done }: { readonly atOnce: number; readonly done: (at: Case, outcome: Outcome) => void },
): Promise<void> {
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      done(next, await runCase(world, next, dialects));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
