import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { developmentFolder, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';

/** Runs the three commands that lead to a registered federated client. */
let program: Program;
let base: string;

before(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  program = await startProgram({
    mode: 'dev',
    parameters: ['--federation', '--federation-port', String(port)],
  });
});

after(async () => await program.stop());

async function demo(...words: readonly string[]): Promise<Ended> {
  const { issuer, port, folder } = program;
  const environment = {
    CHANCERY_ISSUER: issuer,
    CHANCERY_LISTEN_PORT: String(port),
    CHANCERY_STORAGE_URL: await storageUrl(folder),
  };
  return await chancery(['federation', 'register-demo', ...words], environment, { folder });
}

for (const [dialect, type] of [
  ['interface', 'application/jose;charset=UTF-8'],
  ['final', 'application/explicit-registration-response+jwt'],
] as const) {
  test(`federation register-demo --dialect ${dialect} registers the relying party of dev --federation and shows each step`, async () => {
    const { how, stdout, stderr } = await demo('--dialect', dialect);
    assert.deepEqual([how, stderr], [0, ''], stdout);
    assert.ok(stdout.includes(`: 200 ${type}`), stdout);
    assert.ok(stdout.includes(`"trust_anchor": "${base}/anchor"`));
    const client = stdout.slice(stdout.indexOf('4. The registered client:'));
    assert.match(client, /"client_id": "[A-Za-z0-9]{24}"/);
    assert.ok(client.includes('federation@organisation.example'), 'the policy of the intermediate applies');
  });
}

test('the printed command shows the chain of the relying party, and the server is an entity of the federation', async () => {
  const { folder } = program;
  const printed = new RegExp(`federation resolve ${base}/rp --mode development --config (\\S+)`, 'u');
  const config = printed.exec(program.output())?.[1] ?? '';
  assert.equal(resolve(folder, config), join(developmentFolder(folder), 'development-federation.yaml'));
  for (const entity of [`${base}/rp`, program.issuer]) {
    const environment = { CHANCERY_OUTBOUND_NEGATIVE_CACHE: '0', CHANCERY_ISSUER: 'http://127.0.0.1:1' };
    const { how, stdout } = await chancery(
      ['federation', 'resolve', entity, '--mode', 'development', '--config', config],
      environment,
      { folder },
    );
    assert.equal(how, 0, stdout);
    assert.ok(stdout.startsWith(`${entity}: trusted through ${base}/anchor until `), stdout);
  }
});

test('federation register-demo without dev --federation names the command to start', async () => {
  const folder = join(program.folder, 'elsewhere');
  const environment = { CHANCERY_STORAGE_URL: await storageUrl(folder) };
  mkdirSync(folder, { recursive: true });
  const { how, stderr } = await chancery(['federation', 'register-demo'], environment, { folder });
  assert.equal(how, 1);
  assert.match(stderr, /start the server with dev --federation first/);
});

test('federation register-demo rejects an unknown dialect, and dev rejects federation port 0', async () => {
  assert.equal((await demo('--dialect', 'latin')).how, 2);
  assert.equal((await chancery(['dev', '--federation', '--federation-port', '0'], {})).how, 2);
});
