import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { certificateAuthority } from '../../../test/tls/certificate.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import { emptyDatabase } from '../../testing/postgres/database.ts';
import { openTestRows } from '../../testing/postgres/rows.ts';
import { administer, startTestServer, type TestServer } from '../../testing/postgres/server.ts';
import { openPostgresStorage } from './open.ts';

/** An impostor of the database could declare every token valid, so each `sslmode` must do exactly what it says. */
const OPTIONS = { connections_max: 2, deadline_ms: 20_000, migrate: true, replica: '' };
const COMMON_NAME = '2.5.4.3';
const PASSWORD = 'correct-horse-battery';
const folder = mkdtempSync(join(tmpdir(), 'chancery-database-tls-'));
const ours = certificateAuthority('Ours');
const theirs = certificateAuthority('Theirs');

let server: TestServer;
/** `localhost:port/database`. */
let place: string;

const pem = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};

before(async () => {
  const { key, cert } = ours.issue({ names: ['localhost'] });
  server = await startTestServer({
    settings: { ssl: 'on', ssl_ca_file: 'ca.pem' },
    files: {
      'server.key': key,
      'server.crt': cert,
      'ca.pem': ours.certificate,
      'pg_hba.conf': [
        'hostssl all certified 127.0.0.1/32 cert',
        'host all knows_word 127.0.0.1/32 scram-sha-256',
        'host all certified all reject',
        'host all all 127.0.0.1/32 trust',
      ].join('\n'),
    },
  });
  for (const role of ['certified', `knows_word PASSWORD '${PASSWORD}'`]) {
    await administer(server.port, 'postgres', `CREATE ROLE ${role} LOGIN IN ROLE chancery`);
  }
  place = (await server.createDatabase()).replace('127.0.0.1', 'localhost').replace(/^.*@|\?.*$/gu, '');
  pem('ours.pem', ours.certificate);
  pem('theirs.pem', theirs.certificate);
  await (await openPostgresStorage(urlOf('disable'), OPTIONS)).close();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function urlOf(sslmode: string, files: Readonly<Record<string, string>> = {}, user = 'chancery'): string {
  const parameters = new URLSearchParams({ sslmode });
  for (const [name, file] of Object.entries(files)) parameters.set(name, join(folder, file));
  return `postgres://${user}@${place}?${parameters.toString()}`;
}

/** How the server says that it is spoken to. */
async function protocol(url: string): Promise<string> {
  const storage = await openPostgresStorage(url, { ...OPTIONS, migrate: false });
  try {
    await storage.ready();
    const rows = await openTestRows(`postgres://postgres@127.0.0.1:${server.port}/postgres`);
    const found = await rows.ask(
      `SELECT DISTINCT coalesce(version, 'in the clear') AS version
       FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'chancery'`,
    );
    await rows.close();
    return found.map(({ version }) => String(version)).join(' and ');
  } finally {
    await storage.close();
  }
}

async function assertRefused(url: string, why: RegExp): Promise<void> {
  await assert.rejects(openPostgresStorage(url, OPTIONS), (error: unknown) => {
    assert.ok(error instanceof StorageUnavailable);
    assert.match(error.message, why);
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, new RegExp(PASSWORD, 'u'));
    return true;
  });
}

test('sslmode=verify-full: a certificate of our authority for the host of the URL, and encryption', async () => {
  assert.equal(await protocol(urlOf('verify-full', { sslrootcert: 'ours.pem' })), 'TLSv1.3');
});

test('sslmode=verify-full: another authority is refused, and so is one that only its maker knows', async () => {
  await assertRefused(urlOf('verify-full', { sslrootcert: 'theirs.pem' }), /certificate/u);
  await assertRefused(urlOf('verify-full'), /certificate/u);
});

test('sslmode=verify-full: a certificate for another host is refused, be the host of the URL a name or an address', async () => {
  const url = urlOf('verify-full', { sslrootcert: 'ours.pem' });
  await assertRefused(url.replace('localhost', '127.0.0.1'), /altnames/u);
  assert.equal(
    await protocol(urlOf('verify-ca', { sslrootcert: 'ours.pem' }).replace('localhost', '127.0.0.1')),
    'TLSv1.3',
    'verify-ca does not look at it',
  );
});

test('without sslmode a server of another machine has to show who it is; one of this machine need not encrypt', async () => {
  const elsewhere = urlOf('', { sslrootcert: 'theirs.pem' }).replace('sslmode=&', '');
  assert.equal(await protocol(`postgres://chancery@${place}`), 'in the clear');
  // A name that is this machine, and is not known as such.
  await assertRefused(elsewhere.replace('localhost', '0x7f.1'), /certificate/u);
});

test('sslmode=verify-ca and require: an authority that is named is asked; require without one only encrypts', async () => {
  await assertRefused(urlOf('verify-ca', { sslrootcert: 'theirs.pem' }), /certificate/u);
  await assertRefused(urlOf('require', { sslrootcert: 'theirs.pem' }), /certificate/u);
  assert.equal(await protocol(urlOf('require', { sslrootcert: 'ours.pem' })), 'TLSv1.3');
  assert.equal(await protocol(urlOf('require')), 'TLSv1.3');
  await assertRefused(urlOf('verify-ca'), /must name an sslrootcert/u);
});

test('sslmode=disable speaks in the clear, and says so where certificates are named', async () => {
  assert.equal(await protocol(urlOf('disable')), 'in the clear');
  await assertRefused(urlOf('disable', { sslrootcert: 'ours.pem' }), /has certificates, but no TLS/u);
});

test('a server without TLS is refused where the URL wants it: nothing is said in the clear', async () => {
  const plain = (await emptyDatabase()).replace('127.0.0.1', 'localhost');
  for (const mode of ['require', 'verify-full'])
    await assertRefused(plain.replace('disable', mode), /does not support SSL/u);
});

test('a client certificate opens what is only open with one; without it the database refuses', async () => {
  const { key, cert } = ours.issue({ subject: [[[COMMON_NAME, 'certified']]] });
  pem('client.key', key);
  pem('client.crt', cert);
  const files = { sslrootcert: 'ours.pem', sslcert: 'client.crt', sslkey: 'client.key' };
  assert.equal(await protocol(urlOf('verify-full', files, 'certified')), 'TLSv1.3');
  const { sslrootcert } = files;
  await assertRefused(urlOf('verify-full', { sslrootcert }, 'certified'), /certificate/u);
  await assertRefused(urlOf('verify-full', { sslrootcert, sslcert: 'client.crt' }, 'certified'), /both/u);
});

test('a password of the URL is used; a wrong one is refused, and in no message', async () => {
  const url = urlOf('verify-full', { sslrootcert: 'ours.pem' }, `knows_word:${PASSWORD}`);
  assert.equal(await protocol(url), 'TLSv1.3');
  await assertRefused(url.replace(PASSWORD, `${PASSWORD}-wrong`), /password authentication failed/u);
});
