import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../program/free-port.ts';
import { storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { launch } from './launcher.ts';

const ISSUER = 'https://op.example.com';

let home: string;
before(() => {
  home = mkdtempSync(join(tmpdir(), 'chancery-init-'));
});
after(() => rmSync(home, { recursive: true, force: true }));

const init = async (...words: readonly string[]): Promise<Ended> => await chancery(['init', ...words], {});

test('init: three private files, valid settings, and a server that starts with them and takes the master token', async () => {
  const folder = join(home, 'new');
  const port = await freePort();
  const address = join(home, 'address');
  writeFileSync(address, await storageUrl(join(home, 'data')), { mode: 0o600 });
  const choices = ['--folder', folder, '--issuer', `${ISSUER}/`, '--listen', `127.0.0.1:${port}`];
  const made = await init(...choices, '--storage', `@${address}`, '--json');
  assert.deepEqual([made.how, made.stderr], [0, '']);
  const { files, next } = JSON.parse(made.stdout) as { files: string[]; next: string[] };
  for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
  assert.equal(next.length, 3);
  const configuration = join(folder, 'chancery.yaml');
  const checked = await chancery(['config', 'check', '--config', configuration], {});
  assert.equal(checked.stdout, `The settings are good for production: issuer ${ISSUER}\n`);

  const environment = { CHANCERY_MANAGEMENT_LISTEN_PORT: String(await freePort()) };
  const server = launch(['serve', '--config', configuration, '--create'], { environment, folder: home });
  await server.untilPrinted(/^chancery serves /mu);
  const token = readFileSync(join(folder, 'master.token'), 'utf8').trim();
  const listed = await fetch(`http://127.0.0.1:${port}/clients`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(listed.status, 200);
  await listed.text();
  server.signal('SIGTERM');
  assert.equal(await server.exited, 0);
});

test('init: what is there is never replaced, and nothing is written beside it', async () => {
  const folder = join(home, 'new');
  const before = readFileSync(join(folder, 'encryption.key'), 'utf8');
  const again = await init('--folder', folder, '--issuer', ISSUER);
  assert.deepEqual(
    [again.how, again.stderr],
    [1, `chancery init: ${join(folder, 'encryption.key')} is there already: nothing was written\n`],
  );
  assert.equal(readFileSync(join(folder, 'encryption.key'), 'utf8'), before);
});

const REFUSED: readonly (readonly [words: readonly string[], code: number, line: RegExp])[] = [
  [[], 2, /^chancery init: --issuer is missing\n$/u],
  [['--issuer', 'http://op.example.com'], 1, /^chancery init: issuer: must use https\n$/u],
  [['--issuer', ISSUER, '--storage', 'mysql://x'], 1, /^chancery init: storage\.url: must be sqlite:/u],
  [
    ['--issuer', ISSUER, '--listen', '8080'],
    2,
    /^chancery init: --listen must be HOST:PORT, found "8080"\n$/u,
  ],
  [
    ['--issuer', ISSUER, '--proxy', 'everyone'],
    1,
    /^chancery init: listen\.trusted-proxies: must be a list of networks/u,
  ],
];

for (const [words, code, line] of REFUSED) {
  test(`init ${words.join(' ')}: one line that names the choice, exit code ${code}, and no file`, async () => {
    const folder = join(home, 'refused');
    const ended = await init('--folder', folder, ...words);
    assert.equal(ended.how, code);
    assert.match(ended.stderr, line);
    assert.throws(() => statSync(folder), { code: 'ENOENT' });
  });
}
