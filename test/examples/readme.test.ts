import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installClients } from '../clients/installed.ts';
import { visitor } from '../clients/visitor.ts';
import { documentOf } from './documents.ts';
import { type Newcomer, newcomer } from './newcomer.ts';

/** Blocks that need root, a registry or a second database. */
const README = documentOf('README.md', {
  'npm run build && npm pack': 'test/package/package.test.ts',
  'chancery storage copy': 'test/journeys/storage-copy.test.ts',
});
const STARTED = /^curl -s \S+\/jwks\.json\n/mu;

let person: Newcomer;
before(async () => {
  await installClients('examples');
  person = await newcomer();
});
after(async () => await person.leave());

test('README: each block works when it is pasted in order, in a checkout without data', async () => {
  assert.equal(README.next(), 'npm start');
  const server = await person.open(README.next(), STARTED);
  const page = await (await fetch(person.issuer)).text();
  assert.match(page, /Make an initial access token/u, 'the issuer is a start page');
  await signIn(README.next(), /Initial access token +(\S+)/u.exec(server.printed)?.[1] ?? '');
  assert.match(await person.paste(README.next()), /^developer +/mu, 'the accounts of the running server');
  await registerClient();
  await server.stop();
  await production(README.next());
  await federation(README.next());
  README.end();
});

/** A taken port and a used token end the website with a line that says what to do. */
async function signIn(block: string, token: string): Promise<void> {
  const website = await person.open(block, /^Sample relying party \S+ on (\S+)\n/mu);
  const shown = await visitor(person.issuer, person.account()).go(`${person.website}/login`);
  assert.equal(shown.url, `${person.website}/`);
  assert.match(shown.text, /<h1>Signed in<\/h1>/u);
  const again = block.replace('INITIAL_ACCESS_TOKEN', token);
  assert.match(
    await person.fail(again),
    /^Cannot listen on port \d+ \(EADDRINUSE\)\. --port PORT takes another\.\n$/u,
  );
  await website.stop();
  const refused = await person.fail(again);
  assert.match(
    refused,
    /^Cannot register at \S+: the initial access token has been used;.*\n.*\n {2}npm run .* iat create\n$/u,
  );
}

/** The token that `npm start` printed was the website's: `iat create` makes the one of this client. */
async function registerClient(): Promise<void> {
  assert.ok((await person.paste(README.next())).includes(`${person.issuer}/clients`), 'the issuer is found');
  const outcomes: unknown[] = [];
  for (const words of README.next().split('\n\n')) outcomes.push(JSON.parse(await person.paste(words)));
  const [client, token, introspected, keys] = outcomes as readonly Record<string, unknown>[];
  assert.equal(token?.['token_type'], 'Bearer');
  assert.deepEqual([introspected?.['active'], introspected?.['client_id']], [true, client?.['client_id']]);
  assert.ok(Array.isArray(keys?.['keys']) && keys['keys'].length > 0);
  const issued = JSON.parse(await person.paste(README.next())) as Record<string, unknown>;
  assert.equal(typeof issued['access_token'], 'string', JSON.stringify(issued));
}

async function production(block: string): Promise<void> {
  const server = await person.open(block, /^chancery serves /mu);
  assert.match(server.printed, /^The settings are good for production: issuer https:\/\/op\.example\.com$/mu);
  assert.equal((await fetch(`${person.managementUrl}/health/ready`)).status, 200);
  const masterToken = readFileSync(join(person.folder, 'chancery/master.token'), 'utf8').trim();
  const clients = { headers: { authorization: `Bearer ${masterToken}` } };
  assert.equal((await fetch(`${person.issuer}/clients`, clients)).status, 200);
  await server.stop();
}

/** The first line starts the server; the others belong into another terminal. */
async function federation(block: string): Promise<void> {
  const [start = '', register = '', resolve = ''] = block.split('\n');
  const guide = documentOf('docs/operate/federation.md').next().split('\n');
  assert.deepEqual(
    block.split('\n').map((line) => line.replace(/ +#.*/u, '')),
    guide,
    'the guide says the same',
  );
  const server = await person.open(start, /federation members .*--config \S+\n/u);
  assert.match(await person.paste(register), /^4\. The registered client:/mu);
  assert.match(await person.paste(resolve), /\/rp: trusted through http:\S+\/anchor until /u);
  const shown = await visitor(person.issuer, person.account()).go(`${person.entities}/website/sign-in`);
  assert.ok(shown.url.startsWith(`${person.entities}/website`), shown.url);
  assert.equal(shown.status, 200, shown.text);
  await server.stop();
}
