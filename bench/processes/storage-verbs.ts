/** One verb of the storage on PostgreSQL, 64 callers at a time, as whoever the URL names. */
import { randomBytes } from 'node:crypto';
import type { StoredClient } from '../../src/ports/client-store.ts';
import {
  type AccessTokenKey,
  type ClientId,
  type ClientInstance,
  DEFAULT_TENANT,
  type Digest,
} from '../../src/spec/identifiers.ts';
import { locatorAt } from '../../src/tokens/token-identifier.ts';
import { postgresPlace } from '../place.ts';
import { sampleKeys } from '../postgres.ts';
import type { PostgresLimitResult } from './postgres-limit.ts';

export type Verb = 'find' | 'issue' | 'create';

export interface VerbOptions {
  readonly url: string;
  readonly verb: Verb;
  /** Where keys of tokens are seen that the storage is asked for. */
  readonly superuserUrl: string;
  /** What is created is like it. */
  readonly client: StoredClient;
}

const CALLERS = 64;

const { url, verb, superuserUrl, client } = JSON.parse(process.argv[2] ?? '') as VerbOptions;
const storage = await postgresPlace(url).open();
const tenant = storage.forTenant(DEFAULT_TENANT);
const text = (length: number): string => randomBytes(length).toString('base64url').slice(0, length);
const now = Math.floor(Date.now() / 1000);

const keys = await sampleKeys(superuserUrl);
const example = await tenant.accessTokens.find(keys[0] ?? ('' as AccessTokenKey));
if (example === undefined) throw new Error('no token');
let next = 0;

const VERBS: Readonly<Record<Verb, () => Promise<unknown>>> = {
  async find() {
    next += 1;
    const key = keys[next % keys.length] ?? example.key;
    if ((await tenant.accessTokens.find(key)) === undefined) throw new Error('a token is not there');
  },
  async issue() {
    const key = (locatorAt(Date.now()) + text(43)) as AccessTokenKey;
    await tenant.accessTokens.issue({ ...example, key });
  },
  async create() {
    const client_id = text(24) as ClientId;
    const another: StoredClient = {
      ...client,
      client_id,
      instance: text(16) as ClientInstance,
      registration_token_digest: text(43) as Digest,
    };
    const event = {
      at: now,
      action: 'client.create',
      outcome: 'done',
      actor: 'open',
      client_id,
      request_id: 'bench',
      detail: null,
    } as const;
    const outcome = await tenant.clients.create(another, { reuseDeletedId: false, now, event });
    if (outcome !== 'created') throw new Error(outcome);
  },
};

async function run(milliseconds: number): Promise<PostgresLimitResult> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let rows = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - begun < milliseconds) {
      await VERBS[verb]();
      rows += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const { user, system } = process.cpuUsage(cpu);
  return { rows, seconds: (performance.now() - begun) / 1000, cpuSeconds: (user + system) / 1e6 };
}

process.on('message', (milliseconds: number) => {
  void run(milliseconds).then((result) => process.send?.(result));
});
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
