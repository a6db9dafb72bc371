import type { Mutant } from './mutant.ts';

const CONTRACT = 'src/storage/sqlite/storage.test.ts';
const DURABILITY = 'test/faults/durability.test.ts';
const KILL = { file: 'test/faults/kill.test.ts', test: 'kill -9 under mixed load' };
const contract = (...tests: readonly string[]): Mutant['killers'] =>
  tests.map((test) => ({ file: CONTRACT, test }));

/** Faults of the engine for SQLite, and of what both engines share. */
export const STORAGE_SQLITE: readonly Mutant[] = [
  {
    name: 'sqlite-answers-before-commit',
    fault: 'A write is answered, and committed 25 ms later.',
    edits: [
      {
        file: 'src/storage/sqlite/write-batch.ts',
        find: `      const answers = execute();
      commit.run();
      return answers;`,
        replace: `      const answers = execute();
      database.exec('ROLLBACK');
      setTimeout(() => {
        begin.run();
        execute();
        commit.run();
      }, 25);
      return answers;`,
      },
    ],
    killers: contract('another view sees a change as soon as its author knows of it, each time'),
  },
  {
    name: 'sqlite-synchronous-off',
    fault: 'No commit is fsynced.',
    edits: [
      { file: 'src/storage/sqlite/connection.ts', find: 'synchronous = FULL', replace: 'synchronous = OFF' },
    ],
    killers: [
      { file: DURABILITY, test: 'each acknowledged batch was committed by the thread that writes' },
      { file: DURABILITY, test: 'the log of the database was fsynced at least once' },
    ],
  },
  {
    name: 'sqlite-synchronous-normal',
    fault: 'Only checkpoints are fsynced.',
    edits: [
      {
        file: 'src/storage/sqlite/connection.ts',
        find: 'synchronous = FULL',
        replace: 'synchronous = NORMAL',
      },
    ],
    killers: [
      { file: DURABILITY, test: 'each acknowledged batch was committed by the thread that writes' },
      { file: DURABILITY, test: 'the log of the database was fsynced at least once' },
    ],
  },
  {
    name: 'sqlite-log-not-reset',
    fault: 'After a failed fsync the server appends to a log that may have a gap.',
    edits: [
      {
        file: 'src/storage/sqlite/write-batch.ts',
        find: 'if (this.#emptyLog) emptyWriteAheadLog(database);',
        replace: '',
      },
    ],
    killers: [
      { file: DURABILITY, test: 'after an fsync that failed the log is emptied before the next write' },
      {
        file: 'src/storage/sqlite/failing-writes.test.ts',
        test: 'after a commit with an input/output error the log is emptied before the next write',
      },
    ],
  },
  {
    name: 'sqlite-rotation-lost',
    fault: 'Every rotated refresh token is answered and not stored.',
    edits: [
      {
        file: 'src/storage/sqlite/grants.ts',
        find: 'SET refresh_token_digest = ?5,',
        replace: 'SET refresh_token_digest = coalesce(?3, ?5),',
      },
    ],
    killers: [...contract('a refresh token is exchanged for the next one and an access token'), KILL],
  },
  {
    name: 'sqlite-rotation-lost-sometimes',
    fault: 'One of a hundred rotated refresh tokens is answered and not stored.',
    edits: [
      {
        file: 'src/storage/sqlite/grants.ts',
        find: '      const end = toldGrantEnding(database);\n      return (tenant, { grant_id, presented,',
        replace:
          '      const end = toldGrantEnding(database);\n      let count = 0;\n      return (tenant, { grant_id, presented,',
      },
      {
        file: 'src/storage/sqlite/grants.ts',
        find: 'const values = [presented, expires_at, next.digest, next.expires_at, now] as const;',
        replace: `const kept = (count += 1) % 100 === 0 ? presented : next.digest;
        const values = [presented, expires_at, kept, next.expires_at, now] as const;`,
      },
    ],
    killers: contract('of 220 refresh tokens that are exchanged at once, each next one is good'),
  },
  {
    name: 'sqlite-registration-lost-sometimes',
    fault: 'One of a thousand registrations is answered and not stored.',
    edits: [
      {
        file: 'src/storage/sqlite/client-life.ts',
        find: '  const record = eventRecording(database);\n\n  return (tenant, client, conditions) => {',
        replace:
          '  const record = eventRecording(database);\n  let stored = 0;\n\n  return (tenant, client, conditions) => {',
      },
      {
        file: 'src/storage/sqlite/client-life.ts',
        find: '    insert(tenant, client);\n    count(tenant, more);',
        replace: `    stored += 1;
    if (stored % 1000 !== 0) insert(tenant, client);
    count(tenant, more);`,
      },
    ],
    killers: contract('of 1,100 registrations, replacements, tokens and revocations'),
  },
  {
    name: 'sqlite-token-lost-sometimes',
    fault: 'One of two hundred access tokens is answered and not stored.',
    edits: [
      {
        file: 'src/storage/sqlite/access-tokens.ts',
        find: `  return (tenant, { key, expires_at, client_id, client_instance, grant_id, introspection, sub }) => {
    insert.run(`,
        replace: `  let count = 0;
  return (tenant, { key, expires_at, client_id, client_instance, grant_id, introspection, sub }) => {
    count += 1;
    if (count % 200 !== 0) insert.run(`,
      },
    ],
    killers: contract('of 1,100 registrations, replacements, tokens and revocations'),
  },
  {
    name: 'sqlite-update-lost-sometimes',
    fault: 'One of a hundred updates of clients is answered and not stored.',
    edits: [
      {
        file: 'src/storage/sqlite/clients.ts',
        find: '      return (tenant, client, expectedVersion, event, versionsMax) => {',
        replace:
          '      let updates = 0;\n      return (tenant, client, expectedVersion, event, versionsMax) => {',
      },
      {
        file: 'src/storage/sqlite/clients.ts',
        find: '        update.run(...changing(client), tenant, client_id);',
        replace: `        updates += 1;
        if (updates % 100 !== 0) update.run(...changing(client), tenant, client_id);`,
      },
    ],
    killers: contract('of 1,100 registrations, replacements, tokens and revocations'),
  },
  {
    name: 'sqlite-ended-grant-keeps-refresh-token',
    fault: 'The end of a grant removes its access tokens only.',
    edits: [
      {
        file: 'src/storage/sqlite/grants.ts',
        find: '    DELETE FROM authorization_grant WHERE tenant = ? AND grant_id = ?\n    RETURNING client_id, client_instance AS instance, sub`',
        replace:
          '    SELECT client_id, client_instance AS instance, sub FROM authorization_grant WHERE tenant = ? AND grant_id = ?`',
      },
    ],
    killers: [
      ...contract('a grant ends once, with its tokens, and the journal names them; other grants stay'),
      KILL,
    ],
  },
  {
    name: 'sqlite-jti-in-memory',
    fault: 'Used assertions are remembered in memory only.',
    edits: [
      {
        file: 'src/storage/sqlite/replays.ts',
        find: `      return (tenant, kind, owner, value, expires_at) =>
        insert.run(tenant, kind, owner, value, expires_at).changes === 1;`,
        replace: `      void insert;
      const known = new Set<string>();
      return (tenant, kind, owner, value) => {
        const place = JSON.stringify([tenant, kind, owner, value]);
        if (known.has(place)) return false;
        known.add(place);
        return true;
      };`,
      },
    ],
    killers: [...contract('a value is remembered through a restart'), KILL],
  },
  {
    name: 'sqlite-used-code-in-memory',
    fault: 'The use of an authorisation code is remembered in memory only.',
    edits: [
      {
        file: 'src/storage/sqlite/authorization-codes.ts',
        find: 'UPDATE authorization_code AS code SET grant_id = ?3',
        replace: 'UPDATE authorization_code AS code SET grant_id = nullif(?3, ?3)',
      },
      {
        file: 'src/storage/sqlite/authorization-codes.ts',
        find: '      return (tenant, key, { grant, token, sid, onReuse }) => {',
        replace: `      const used = new Map<string, GrantId>();
      return (tenant, key, { grant, token, sid, onReuse }) => {
        const earlier = used.get(tenant + key);
        if (earlier !== undefined) {
          end(tenant, earlier, onReuse);
          return 'used';
        }
        used.set(tenant + key, grant.grant_id);`,
      },
    ],
    killers: [
      ...contract('one of fifty concurrent uses over two views redeems a code, and the reuse ends its grant'),
      KILL,
    ],
  },
  {
    name: 'sqlite-taken-notification-lost',
    fault: 'A logout notification that is taken is forgotten if the process dies while it delivers.',
    edits: [
      {
        file: 'src/storage/sqlite/logout-notifications.ts',
        find: 'SET attempts = attempts + 1, attempted_at = ?2, due_at = ?3',
        replace: 'SET attempts = attempts + 1, attempted_at = ?2, due_at = nullif(?3, ?3)',
      },
    ],
    killers: contract('a taken notification can be taken again after its lease expires, and not before'),
  },
  {
    name: 'sqlite-revoked-token-stays',
    fault: 'A revocation is answered, and the token stays.',
    edits: [
      {
        file: 'src/storage/sqlite/access-tokens.ts',
        find: "'DELETE FROM access_token WHERE tenant = ? AND key = ? RETURNING key, expires_at, client_id, sub',",
        replace: "'SELECT key, expires_at, client_id, sub FROM access_token WHERE tenant = ? AND key = ?',",
      },
    ],
    killers: [
      ...contract('a revoked token is gone, once, in its own tenant, and the journal tells of it'),
      KILL,
    ],
  },
  {
    name: 'sqlite-revocation-not-journalled',
    fault: 'A revocation leaves the token in the memory of every process.',
    edits: [
      {
        file: 'src/storage/sqlite/access-tokens.ts',
        find: '    journal(tenant, end);',
        replace: '    void journal;',
      },
    ],
    killers: contract('a revoked token is gone, once, in its own tenant, and the journal tells of it'),
  },
  {
    name: 'sqlite-session-end-not-journalled',
    fault: 'Those who follow the journal do not learn of the end of a session.',
    edits: [
      {
        file: 'src/storage/sqlite/session-ending.ts',
        find: "    journal(tenant, { kind: 'session-ended', sid: session.sid, sub: session.sub });",
        replace: '    void journal;',
      },
    ],
    killers: contract('a page has the changes after a number, in order and numbered, and a limit'),
  },
  {
    name: 'sqlite-used-invitation-stays',
    fault: 'A used initial access token makes further clients.',
    edits: [
      {
        file: 'src/storage/sqlite/client-life.ts',
        find: '      use.run(now, client.client_id, client.instance, tenant, key);\n      remove(tenant, key);',
        replace: '      void [use, remove, client, now];',
      },
    ],
    killers: contract(
      'of 50 parallel creations with one initial access token exactly one succeeds (RFC 7591 §3)',
      'two open storages: one initial access token still makes one client',
    ),
  },
  {
    name: 'cache-ignores-journal',
    fault: 'Records in memory outlive their change.',
    edits: [
      {
        file: 'src/storage/record-cache.ts',
        find: 'return changes.forEach((change) => forget(kept, change));',
        replace: 'return void forget;',
      },
    ],
    killers: [
      {
        file: 'src/storage/record-cache.test.ts',
        test: 'a record is read once, and again after its client was changed or ended',
      },
      {
        file: 'src/storage/record-cache.test.ts',
        test: 'an ended token is not found any more, and others of its client still are without being read',
      },
    ],
  },
  {
    name: 'cache-keeps-what-was-read-before-a-change',
    fault: 'A record that was read before a change is kept behind the change.',
    edits: [
      {
        file: 'src/storage/record-cache.ts',
        find: 'if (found !== undefined && journal.updates() === before) cache.set(keyOf(found), found);',
        replace: 'if (found !== undefined && before >= 0) cache.set(keyOf(found), found);',
      },
    ],
    killers: [
      {
        file: 'src/storage/record-cache.test.ts',
        test: 'a record that was read before a change that is learnt meanwhile is answered, but not kept',
      },
    ],
  },
  {
    name: 'sqlite-sweep-too-early',
    fault: 'Access tokens are swept 60 s before they expire.',
    edits: [
      {
        file: 'src/storage/sqlite/access-tokens.ts',
        find: 'Number(sweep.run(tenant, now, limit).changes)',
        replace: 'Number(sweep.run(tenant, now + 60, limit).changes)',
      },
    ],
    killers: contract('expired tokens are swept in batches; the living and other tenants keep theirs'),
  },
  {
    name: 'sqlite-deletion-not-audited',
    fault: 'The deletion of a client leaves no audit event.',
    edits: [
      {
        file: 'src/storage/sqlite/clients.ts',
        find: 'isKept === true ? event : undefined);\n        record(tenant, event);',
        replace: 'isKept === true ? event : undefined);\n        void record;',
      },
    ],
    killers: [
      ...contract('every change that is done has its event, and none that is not done has one'),
      KILL,
    ],
  },
  {
    name: 'sqlite-drain-not-awaited',
    fault: 'Closing does not wait for the writes under way.',
    edits: [
      { file: 'src/storage/sqlite/open.ts', find: 'await writes.drain();', replace: 'void writes.drain();' },
    ],
    killers: contract('closing waits for the writes under way, and they are durable'),
  },
  {
    name: 'sqlite-session-end-keeps-grants',
    fault: 'The end of a session leaves its grants alive.',
    edits: [
      {
        file: 'src/storage/sqlite/session-ending.ts',
        find: '    endGrants(tenant, session.sid);',
        replace: '    void endGrants;',
      },
    ],
    killers: contract('a grant that was given in a session ends with it, with its tokens'),
  },
  {
    name: 'sqlite-session-end-tells-no-client',
    fault: 'The end of a session queues no logout notification.',
    edits: [
      {
        file: 'src/storage/sqlite/session-ending.ts',
        find: '    note(tenant, session);',
        replace: '    void note;',
      },
    ],
    killers: [...contract('the act that ends a session notes each of its clients that is still there'), KILL],
  },
  {
    name: 'sqlite-session-of-changed-account',
    fault: 'A sign-in that began before the password changed gets a session.',
    edits: [
      {
        file: 'src/storage/sqlite/sessions.ts',
        find: 'if (accountVersion !== undefined && !isUnchanged(tenant, session.sub, accountVersion)) {',
        replace: 'if (accountVersion !== undefined && isUnchanged === undefined) {',
      },
    ],
    killers: contract('an account that was changed after the password check gets no session'),
  },
];
