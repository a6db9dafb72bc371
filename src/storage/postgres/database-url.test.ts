import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import { parseDatabaseUrl } from './database-url.ts';

const SECRET = 'hunter2';

const WRONG: readonly (readonly [url: string, why: RegExp])[] = [
  [`postgres://user:${SECRET}@host`, /must be postgres:/u],
  [`postgres://user:${SECRET}@host/`, /must be postgres:|name a user and a database/u],
  [`postgres://user:${SECRET}@host/database#part`, /must be postgres:/u],
  [`postgres://:${SECRET}@host/database`, /name a user and a database/u],
  [`postgres://host/database`, /name a user and a database/u],
  [`postgres://user:${SECRET}@ho[st/database`, /host that cannot be read/u],
  [`postgres://user:${SECRET}@host:99999/database`, /host that cannot be read/u],
  [`postgres://user:${SECRET}@host:port/database`, /host that cannot be read/u],
  [`postgres://user:${SECRET}@one,two:x/database`, /host that cannot be read/u],
  [`postgres://us%er:${SECRET}@host/database`, /bad escape/u],
  [`postgres://user:${SECRET}%zz@host/database`, /bad escape/u],
  [`postgres://user:${SECRET}@host/database?sslmode=prefer`, /must not have prefer/u],
  [`postgres://user:${SECRET}@host/database?sslmode=allow`, /must not have allow/u],
  [`postgres://user:${SECRET}@host/database?sslmode=no-verify`, /must have disable, require/u],
  [`postgres://user:${SECRET}@host/database?sslrootcert=/absent.pem`, /sslrootcert that cannot be read/u],
  [`postgres://user:${SECRET}@host/database?sslcert=/absent.pem`, /sslcert that cannot be read/u],
  [`postgres://user:${SECRET}@host/database?target_session_attrs=any`, /parameter "target_session_attrs"/u],
  [`postgres://user:${SECRET}@host/database?password=${SECRET}`, /parameter "password"/u],
  [`postgres://user:${SECRET}@host/database?sslmode=disable&sslmode=require`, /parameter "sslmode" twice/u],
];

for (const [url, why] of WRONG) {
  test(`${url.replaceAll(SECRET, '…')}: one clear line, without the password`, () => {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: unknown) => {
        assert.ok(error instanceof StorageUnavailable);
        assert.match(error.message, why);
        assert.match(error.message, /^storage\.url [^\n]+$/u);
        assert.doesNotMatch(error.message, new RegExp(SECRET, 'u'));
        return true;
      },
    );
  });
}

test('what an URL says: escapes, several hosts, ports, addresses, the folder of a socket', () => {
  const { hosts, user, password, database, tls } = parseDatabaseUrl(
    'postgres://us%40er:p%3A%2F%20@one:1,two,[::1]:3/data%20base?sslmode=disable',
  );
  assert.deepEqual(hosts, [
    { host: 'one', port: 1 },
    { host: 'two', port: 5432 },
    { host: '::1', port: 3 },
  ]);
  assert.deepEqual([user, password, database, tls], ['us@er', 'p:/ ', 'data base', false]);
  const socket = parseDatabaseUrl('postgresql://user@/database?host=/run/postgresql');
  assert.deepEqual(socket.hosts, [{ host: '/run/postgresql', port: 5432 }]);
  assert.equal(socket.tls, false);
});

test('without sslmode: one host that is not this machine is enough for verification of all', () => {
  const tls = (authority: string) => parseDatabaseUrl(`postgres://user@${authority}/database`).tls;
  for (const own of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'localhost,127.0.0.1'])
    assert.equal(tls(own), false, own);
  for (const other of ['10.0.0.1', 'db.example', 'localhost,db.example', '127.example', '[::2]']) {
    const made = tls(other);
    assert.ok(made !== false && made.verify === 'host', other);
  }
});
