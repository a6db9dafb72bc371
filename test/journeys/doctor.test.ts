import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../program/free-port.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { chancery, type Ended } from './command.ts';

const DAY_MS = 86_400_000;

let folder: string;
let program: Program;
let environment: Readonly<Record<string, string>>;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-doctor-'));
  const file = (name: string): string => join(folder, name);
  const authority = certificateAuthority('Authority of the test');
  const { cert, key } = authority.issue({
    names: ['localhost'],
    notAfter: new Date(Date.now() + 5 * DAY_MS),
  });
  writeFileSync(file('server.pem'), cert);
  writeFileSync(file('server.key'), key, { mode: 0o600 });
  writeFileSync(file('authority.pem'), authority.certificate);
  const port = await freePort();
  environment = {
    CHANCERY_ISSUER: `https://localhost:${port}`,
    CHANCERY_LISTEN_PORT: String(port),
    CHANCERY_LISTEN_TLS_CERTIFICATE: file('server.pem'),
    CHANCERY_LISTEN_TLS_KEY: file('server.key'),
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  program = await startProgram({ folder, environment: { ...environment } });
  environment = { ...environment, NODE_EXTRA_CA_CERTS: file('authority.pem') };
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Finding {
  readonly about: string;
  readonly level: string;
  readonly says: string;
}

const findingsOf = ({ stdout }: Ended): readonly Finding[] =>
  (JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings;

const faultsOf = (ended: Ended): readonly string[] =>
  findingsOf(ended)
    .filter(({ level }) => level !== 'good')
    .map(({ level, about, says }) => `${level} ${about}: ${says}`);

test('doctor ISSUER: a server of ours has no fault from outside, but the certificate that soon ends', async () => {
  const ended = await chancery(['doctor', environment['CHANCERY_ISSUER'] ?? '', '--json'], environment);
  const [fault = '', ...more] = faultsOf(ended);
  assert.match(fault, /^warning tls: the certificate ends in [45] days \(/u);
  assert.deepEqual([more, ended.how, ended.stderr], [[], 0, '']);
});

test('doctor ISSUER: a certificate of an unknown authority is a problem, exit code 1', async () => {
  const ended = await chancery(['doctor', environment['CHANCERY_ISSUER'] ?? ''], {});
  assert.equal(ended.how, 1);
  assert.match(ended.stdout, /^✗ tls: unable to verify the first certificate/mu);
  assert.match(ended.stdout, /^ {4}Remedy: .*NODE_EXTRA_CA_CERTS/mu);
});

test('doctor: settings, database, disk and clock of the installation, and its issuer from outside', async () => {
  const ended = await chancery(['doctor', '--json'], environment);
  const good = findingsOf(ended)
    .filter(({ level }) => level === 'good')
    .map(({ about }) => about);
  for (const about of ['database', 'clock', 'discovery', 'keys', 'endpoints'])
    assert.ok(good.includes(about), `${about} of ${JSON.stringify(good)}`);
  assert.ok(faultsOf(ended).some((fault) => fault.startsWith('warning settings: there is no master token')));
  assert.equal(ended.how, 0);
});

test('doctor: settings that no server starts with, and a database that is not there, are problems', async () => {
  const wrong = await chancery(['doctor', '--json'], { ...environment, CHANCERY_LISTEN_PORT: 'x' });
  assert.deepEqual(
    [wrong.how, ...faultsOf(wrong)],
    [
      1,
      'problem settings: listen.port: must be an integer from 0 to 65535, found "x" (CHANCERY_LISTEN_PORT)',
    ],
  );
  const storage = `sqlite:${join(folder, 'nowhere.db')}`;
  const lost = await chancery(['doctor', '--json'], { ...environment, CHANCERY_STORAGE_URL: storage });
  assert.equal(lost.how, 1);
  assert.ok(faultsOf(lost).some((fault) => fault.startsWith('problem database: there is no file at')));
});

test('doctor: a key that does not open the database is a problem that names encryption.key', async () => {
  const ended = await chancery(['doctor', '--json'], {
    ...environment,
    CHANCERY_ENCRYPTION_KEY: '01'.repeat(32),
  });
  assert.equal(ended.how, 1);
  assert.ok(faultsOf(ended).some((fault) => /^problem database: .*encryption\.key/u.test(fault)));
});

test('doctor --backups: the newest backup is read; one that was changed, and an empty folder, are problems', async () => {
  const backups = mkdtempSync(join(folder, 'backups-'));
  const source = join(folder, 'own', 'chancery.db');
  const own = { ...environment, CHANCERY_STORAGE_URL: `sqlite:${source}` };
  const made = await chancery(['iat', 'create'], own);
  assert.equal(made.how, 0, made.stderr);
  const empty = await chancery(['doctor', '--backups', backups, '--json'], own);
  assert.ok(faultsOf(empty).some((fault) => fault.startsWith('problem backup: there is no file in')));
  const file = join(backups, 'one.db');
  const backup = await chancery(['backup', 'create', '--out', file], own);
  assert.equal(backup.how, 0, backup.stderr);
  const sound = await chancery(['doctor', '--backups', backups, '--json'], own);
  assert.ok(findingsOf(sound).some(({ says }) => says === `${file} is sound and 0 hours old`));
  chmodSync(file, 0o600);
  writeFileSync(file, 'no database any more');
  const damaged = await chancery(['doctor', '--backups', backups, '--json'], own);
  assert.deepEqual(
    [damaged.how, faultsOf(damaged).some((fault) => fault.startsWith('problem backup:'))],
    [1, true],
  );
  const [nothing, kept] = [
    await chancery(['doctor', '--json'], own),
    await chancery(['backup', 'create'], own),
  ];
  assert.ok(!findingsOf(nothing).some(({ about }) => about === 'backup'));
  assert.equal(kept.how, 0, kept.stderr);
  const found = findingsOf(await chancery(['doctor', '--json'], own));
  const finding = found.find(({ about }) => about === 'backup');
  assert.match(
    finding?.says ?? '',
    /chancery\.db\.backups\/[0-9TZ]+-[0-9a-f]{8}\.db is sound and 0 hours old$/u,
  );
});
