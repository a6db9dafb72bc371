import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from './keys.ts';
import { type Answer, type Dialect, planOf, publishPlan, register, type World } from './world.ts';

const FILE = join(import.meta.dirname, '../vectors/metadata-policy-test-vectors-2025-02-13.json');

/** A public vector: the policies of a trust anchor and of an intermediate, metadata, and what follows from them. */
export interface Vector {
  readonly n: number;
  readonly TA: Json;
  readonly INT: Json;
  readonly metadata: Json;
  readonly resolved?: Json;
  readonly error?: string;
}

/** How one vector ended: as it says, or by a rule of the provider that has nothing to do with policies, or wrongly. */
export type Ending =
  | 'resolved'
  | 'refused'
  | 'own rule: grant_types empty'
  | 'own rule: grant password'
  | `wrong: ${string}`;

/** Values that a provider may register where the metadata has none (OpenID Connect Dynamic Client Registration 1.0 §2). */
const DEFAULTS: Json = {
  grant_types: ['authorization_code'],
  id_token_signed_response_alg: 'RS256',
  require_auth_time: false,
};

export function readVectors(): readonly Vector[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Vector[];
}

/** Registers a relying party with the metadata of a vector below superiors with its policies. */
export async function endingOf(world: World, dialect: Dialect, vector: Vector): Promise<Ending> {
  const { TA, INT, metadata } = vector;
  const plan = planOf(world, dialect, {
    intermediates: 1,
    metadata: { grant_types: undefined, ...metadata },
  });
  const [intermediate, anchor] = plan.levels;
  if (intermediate === undefined || anchor === undefined) throw new Error('the plan has two superiors');
  anchor.statement.claims['metadata_policy'] = { openid_relying_party: TA };
  intermediate.statement.claims['metadata_policy'] = { openid_relying_party: INT };
  await publishPlan(world, plan);
  const answer = await registered(world, plan);
  return vector.error === undefined ? resolution(vector, answer) : refusal(vector.error, answer);
}

/** A busy server asks to try again (RFC 9110 §15.6.4). */
const TRIES = 20;
const PAUSE_MS = 500;

async function registered(world: World, plan: ReturnType<typeof planOf>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await register(world, plan);
    if (answer.reply.status !== 503 || tries === TRIES) return answer;
    await sleep(PAUSE_MS);
  }
}

function refusal(expected: string, { reply, statement, error }: Answer): Ending {
  if (statement !== undefined) return `wrong: registered, not ${expected}`;
  const told = `${String(error['error'])} ${String(error['error_description'])}`;
  return /policy|metadata/u.test(told) ? 'refused' : `wrong: ${reply.status} ${told}`;
}

function resolution({ TA, INT, metadata, resolved = {} }: Vector, answer: Answer): Ending {
  const { reply, statement, registered } = answer;
  if (statement === undefined)
    return ownRule(resolved) ?? `wrong: ${reply.status} ${reply.text.slice(0, 200)}`;
  const names = new Set([TA, INT, metadata].flatMap((each) => Object.keys(each)));
  for (const name of names) {
    const found = registered[name] ?? undefined;
    const isRight =
      isDeepStrictEqual(found, resolved[name]) ||
      (resolved[name] === undefined && isDeepStrictEqual(found, DEFAULTS[name]));
    if (!isRight) return `wrong: ${name} is ${JSON.stringify(found)}, not ${JSON.stringify(resolved[name])}`;
  }
  return 'resolved';
}

/** A provider may refuse a client without a grant, and one with a grant that it gives to no federated client. */
function ownRule({ grant_types }: Json): Ending | undefined {
  if (!Array.isArray(grant_types)) return undefined;
  if (grant_types.length === 0) return 'own rule: grant_types empty';
  return grant_types.includes('password') ? 'own rule: grant password' : undefined;
}

/** Runs vectors, `atOnce` of them at a time, and returns how many ended in which way. */
export async function runVectors(
  world: World,
  dialect: Dialect,
  vectors: readonly Vector[],
  { atOnce, wrong }: { readonly atOnce: number; readonly wrong: (vector: Vector, ending: Ending) => void },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const waiting = [...vectors];
  const worker = async (): Promise<void> => {
    for (let vector = waiting.shift(); vector !== undefined; vector = waiting.shift()) {
      const ending = await endingOf(world, dialect, vector);
      if (ending.startsWith('wrong')) wrong(vector, ending);
      const kind = ending.replace(/^wrong.*/su, 'wrong');
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return counts;
}
