import type { Mutant } from './mutant.ts';

const CONTRACT = 'src/storage/postgres/storage.test.ts';
const contract = (...tests: readonly string[]): Mutant['killers'] =>
  tests.map((test) => ({ file: CONTRACT, test }));

/** Faults of the engine for PostgreSQL. */
export const STORAGE_POSTGRES: readonly Mutant[] = [
  {
    name: 'postgres-asynchronous-commit',
    fault: 'A role with synchronous_commit=off keeps it: a commit is answered before it is in the log.',
    edits: [
      {
        file: 'src/storage/postgres/connection.ts',
        find: "set_config('synchronous_commit', 'on', false)",
        replace: "current_setting('synchronous_commit')",
      },
    ],
    killers: [{ file: 'test/faults/durability.test.ts', test: 'PostgreSQL with fsync=off' }],
  },
  {
    name: 'postgres-no-warning-of-fsync-off',
    fault: 'The server starts without a word on a PostgreSQL with fsync=off.',
    edits: [
      {
        file: 'src/storage/postgres/open.ts',
        find: '      ...(await concernsOfDurability(connection)),\n',
        replace: '',
      },
    ],
    killers: [{ file: 'test/faults/durability.test.ts', test: 'PostgreSQL with fsync=off' }],
  },
  {
    name: 'postgres-rotation-lost',
    fault: 'Every rotated refresh token is answered and not stored.',
    edits: [
      {
        file: 'src/storage/postgres/grants.ts',
        find: 'SET refresh_token_digest = :next_digest,',
        replace: 'SET refresh_token_digest = coalesce(:presented, :next_digest),',
      },
    ],
    killers: contract('a refresh token is exchanged for the next one and an access token'),
  },
  {
    name: 'postgres-rotation-without-comparison',
    fault: 'Any refresh token of a grant is good, however often it was used.',
    edits: [
      {
        file: 'src/storage/postgres/grants.ts',
        find: 'AND refresh_token_digest = :presented',
        replace: 'AND :presented::text IS NOT NULL',
      },
    ],
    killers: contract(
      'a refresh token that was used before ends its grant and every access token of it (RFC 9700 §4.14.2)',
      'of fifty uses of one refresh token at once, over two views, one wins',
    ),
  },
  {
    name: 'postgres-reuse-ends-nothing',
    fault: 'The second use of a refresh token is refused, and the grant goes on.',
    edits: [
      {
        file: 'src/storage/postgres/grants.ts',
        find: '  await endToldGrant(transaction, tenant, grant_id, onReuse);',
        replace: '  void onReuse;',
      },
    ],
    killers: contract(
      'a refresh token that was used before ends its grant and every access token of it (RFC 9700 §4.14.2)',
    ),
  },
  {
    name: 'postgres-ended-grant-keeps-tokens',
    fault: 'The end of a grant leaves its access tokens.',
    edits: [
      {
        file: 'src/storage/postgres/grants.ts',
        find: 'const { rows: tokens } = await transaction.query(REMOVE_TOKENS, { tenant, grant_id });',
        replace: 'const tokens: readonly Row[] = REMOVE_TOKENS === undefined ? [] : [];',
      },
    ],
    killers: contract('a grant ends once, with its tokens, and the journal names them; other grants stay'),
  },
  {
    name: 'postgres-jti-twice',
    fault: 'A used assertion is good again.',
    edits: [
      {
        file: 'src/storage/postgres/replays.ts',
        find: 'ON CONFLICT DO NOTHING`',
        replace: 'ON CONFLICT (tenant, kind, owner, value) DO UPDATE SET expires_at = excluded.expires_at`',
      },
    ],
    killers: contract(
      'a value is new once for each owner and tenant',
      'of fifty at once, over two views of the data, exactly one is told that the value is new',
    ),
  },
  {
    name: 'postgres-code-twice',
    fault: 'An authorisation code is good again.',
    edits: [
      {
        file: 'src/storage/postgres/authorization-codes.ts',
        find: 'EXISTS (SELECT 1 FROM found WHERE grant_id IS NULL)',
        replace: 'EXISTS (SELECT 1 FROM found)',
      },
    ],
    killers: contract(
      'a second use gives nothing, and ends what the first one gave (RFC 6749 §4.1.2)',
      'one of fifty concurrent uses over two views redeems a code, and the reuse ends its grant',
    ),
  },
  {
    name: 'postgres-revoked-token-stays',
    fault: 'A revocation is answered, and the token stays.',
    edits: [
      {
        file: 'src/storage/postgres/access-tokens.ts',
        find: 'removed AS (DELETE FROM access_token WHERE tenant = :tenant AND (key = :ended_key OR',
        replace: "removed AS (DELETE FROM access_token WHERE tenant = '' AND (key = :ended_key OR",
      },
    ],
    killers: contract('a revoked token is gone, once, in its own tenant, and the journal tells of it'),
  },
  {
    name: 'postgres-used-invitation-stays',
    fault: 'A used initial access token makes further clients.',
    edits: [
      {
        file: 'src/storage/postgres/client-life.ts',
        find: 'used_at = :now, used_by_client_id',
        replace: 'used_at = nullif(:now::bigint, :now::bigint), used_by_client_id',
      },
    ],
    killers: contract(
      'of 50 parallel creations with one initial access token exactly one succeeds (RFC 7591 §3)',
    ),
  },
  {
    name: 'postgres-registration-lost-in-a-batch',
    fault: 'The last of many registrations of one moment is answered and not stored.',
    edits: [
      {
        file: 'src/storage/postgres/client-life.ts',
        find: '    const clients = writes.map(([, client]) => clientValues(client));',
        replace:
          '    const clients = writes.slice(0, writes.length > 99 ? -1 : undefined).map(([, client]) => clientValues(client));',
      },
    ],
    killers: contract('of 1,100 registrations, replacements, tokens and revocations'),
  },
  {
    name: 'postgres-update-not-journalled',
    fault: 'A changed client stays in the memory of every process.',
    edits: [
      {
        file: 'src/storage/postgres/journal.ts',
        find: "SELECT :tenant::text, journal, 'client-changed', :client_id::text, NULL FROM counters`",
        replace:
          "SELECT :tenant::text, journal, 'client-changed', :client_id::text, NULL FROM counters WHERE journal < 0`",
      },
    ],
    killers: contract('replacement, deletion, use and revocation of an initial access token are told'),
  },
  {
    name: 'postgres-journal-from-memory',
    fault: 'A gap in the journal is taken for the whole of it.',
    edits: [
      {
        file: 'src/storage/postgres/journal.ts',
        find: 'const complete = rows.length === 0 || rows[0]?.sequence === sequence + 1;',
        replace: 'const complete = true;',
      },
    ],
    killers: contract('a reader that is behind the kept rows must drop everything'),
    survives:
      'Trimming keeps ten times as many rows as are replayed, so it never leaves a gap among those. Only a row that was deleted by hand does, and faults/integrity finds that.',
  },
  {
    name: 'postgres-sweep-too-early',
    fault: 'Access tokens are swept 60 s before they expire.',
    edits: [
      {
        file: 'src/storage/postgres/access-tokens.ts',
        find: '(SELECT key FROM access_token WHERE tenant = :tenant AND expires_at < :now ORDER BY',
        replace: '(SELECT key FROM access_token WHERE tenant = :tenant AND expires_at < :now + 60 ORDER BY',
      },
    ],
    killers: contract('expired tokens are swept in batches; the living and other tenants keep theirs'),
  },
  {
    name: 'postgres-unlocked-grant',
    fault: 'A grant is committed beside the deletion of its client, and neither sees the other.',
    edits: [
      {
        file: 'src/storage/postgres/grants.ts',
        find: '      // Without the lock it could be committed beside the deletion of its client, and neither would see the other.\n      locksTenant: true,',
        replace: '      locksTenant: false,',
      },
    ],
    killers: [
      {
        file: 'src/storage/postgres/grant-lock.test.ts',
        test: 'grants that are created in one event-loop turn, while the deletion of their client is not committed yet',
      },
    ],
  },
];
