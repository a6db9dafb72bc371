import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../program/free-port.ts';
import { storageUrl } from '../program/storage-place.ts';
import { type Launched, launch } from './launcher.ts';

const shell = promisify(execFile);

/** The output that a newcomer sees. */
interface Screen {
  readonly text: string;
  readonly issuer: string;
  readonly masterToken: string;
  readonly invitation: string;
  /** Name and password. */
  readonly account: string;
  /** The lines that begin with curl, as they can be copied. */
  readonly curls: readonly string[];
}

let folder: string;
let environment: Record<string, string>;
let running: Launched | undefined;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-first-steps-'));
  const data = join(folder, 'data');
  environment = {
    CHANCERY_LISTEN_PORT: String(await freePort()),
    CHANCERY_MANAGEMENT_LISTEN_PORT: String(await freePort()),
    CHANCERY_STORAGE_URL: await storageUrl(data),
  };
});

afterEach(stop);
after(() => rmSync(folder, { recursive: true, force: true }));

async function start(): Promise<Screen> {
  running = launch(['dev'], { environment, folder });
  const text = await running.untilPrinted(/^curl -s \S+\/jwks\.json\n/mu);
  const line = (label: string): string => new RegExp(`${label} +(\\S+)`, 'u').exec(text)?.[1] ?? '';
  return {
    text,
    issuer: line('Issuer'),
    masterToken: line('Master token \\(registry\\)'),
    invitation: line('Initial access token'),
    account: /Account \(name, password\) +(\S+ +\S+)/u.exec(text)?.[1] ?? '',
    curls: text.split('\n').filter((printed) => printed.startsWith('curl ')),
  };
}

async function stop(): Promise<void> {
  const stopping = running;
  if (stopping === undefined) return;
  running = undefined;
  stopping.signal('SIGTERM');
  assert.equal(await stopping.exited, 0, stopping.output());
}

/** Pastes one line into bash as it was printed. */
async function paste(line: string | undefined): Promise<Record<string, unknown>> {
  assert.ok(line !== undefined, 'the line was printed');
  const { stdout } = await shell('bash', ['-c', line], { timeout: 60_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function get(address: string, token: string): Promise<Record<string, unknown>> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Record<string, unknown>;
}

test('first steps: the four printed lines work as they are, and everything outlives a restart', async () => {
  const first = await start();
  assert.equal(first.curls.length, 4, first.text);
  assert.equal(first.issuer, `http://127.0.0.1:${environment['CHANCERY_LISTEN_PORT']}`);
  assert.match(first.account, /^developer +[A-Za-z0-9]{16}$/u);
  const [register, getToken, introspect, getKeys] = first.curls;

  const client = await paste(register);
  assert.match(String(client['client_id']), /^demo-[A-Za-z0-9]{6}$/u);
  assert.equal(client['client_name'], 'Demo');
  const token = await paste(getToken);
  assert.equal(token['token_type'], 'Bearer');
  assert.match(String(token['access_token']), /\S{43,}/u);
  const introspected = await paste(introspect);
  assert.equal(introspected['active'], true);
  assert.equal(introspected['client_id'], client['client_id']);
  const keys = await paste(getKeys);
  assert.ok(Array.isArray(keys['keys']) && keys['keys'].length >= 7);
  assert.equal((await paste(register))['error'], 'invalid_token', 'the initial access token was valid once');

  const registration = `${first.issuer}/clients/${String(client['client_id'])}`;
  const kept = await get(registration, first.masterToken);
  await stop();
  const second = await start();
  assert.equal(second.masterToken, first.masterToken);
  assert.equal(second.account, first.account);
  assert.deepEqual(await get(registration, second.masterToken), kept, 'the client is the same');
  assert.deepEqual(await paste(second.curls[3]), keys, 'the keys are the same');
  assert.equal((await paste(getToken))['token_type'], 'Bearer', 'its secret still works');
  assert.notEqual(second.invitation, first.invitation, 'the used-up invitation was replaced');

  await stop();
  const third = await start();
  assert.equal(third.invitation, second.invitation, 'the unused invitation was kept');
  assert.deepEqual(third.curls, second.curls);
  const other = await paste(third.curls[0]);
  assert.notEqual(other['client_id'], client['client_id']);
  assert.equal((await paste(third.curls[2]))['client_id'], other['client_id']);
});

test('first steps: the development mode says what it is, and that its data folder is private', async () => {
  const { text } = await start();
  assert.match(text, /DEVELOPMENT MODE.*Not for production/u);
  const files = readdirSync(join(folder, 'data'));
  assert.ok(files.includes('development-tokens.json'), files.join(' '));
  for (const file of files) {
    assert.equal(statSync(join(folder, 'data', file)).mode & 0o077, 0, `${file} is for its owner only`);
  }
});
