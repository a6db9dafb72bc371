import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, test } from 'node:test';
import { installClients } from '../clients/installed.ts';
import { visitor } from '../clients/visitor.ts';
import { documentOf } from './documents.ts';
import { type Newcomer, newcomer } from './newcomer.ts';

const STARTED = /^curl -s \S+\/jwks\.json\n/mu;

let person: Newcomer;
before(async () => await installClients('examples'));
beforeEach(async () => {
  person = await newcomer();
});
afterEach(async () => await person.leave());

test('docs/sign-in.md: each block works when it is pasted in order, and people sign in at the page of the example', async () => {
  const guide = documentOf('docs/sign-in.md');
  await person.open(guide.next(), STARTED);
  await person.open(guide.next(), /^Sign-in page on /mu);
  guide.end();
  await person.open(
    'npm run website -- --initial-access-token INITIAL_ACCESS_TOKEN',
    /^Sample relying party /mu,
  );
  const browser = visitor(person.issuer, person.account());
  const page = await browser.go(`${person.website}/login`);
  assert.ok(page.url.startsWith(`${person.signInPage}/?interaction=`), page.url);
  const token = /name="token" value="(\w+)"/u.exec(page.text)?.[1] ?? '';
  const form = { token, username: 'ada', password: 'analytical engine', choice: 'sign-in' };
  const shown = await browser.go(page.url, { form });
  assert.match(shown.text, /<h1>Signed in<\/h1>[\s\S]*Ada Lovelace/u);
});

test('docs/mcp.md: each block works when it is pasted in order, and the example sends clients to the server', async () => {
  const guide = documentOf('docs/mcp.md', {
    'npx @modelcontextprotocol/inspector': 'test/clients/inspector/inspector.test.ts',
  });
  await person.open(guide.next(), STARTED);
  const [install, create = '', start = ''] = guide.next().split('\n');
  assert.equal(install, 'npm ci --prefix examples', 'done before the tests');
  await person.paste(create);
  await person.open(start, /MCP server on/u);
  const refused = await fetch(`${person.mcpServer}/mcp`, { method: 'POST' });
  assert.equal(refused.status, 401);
  assert.match(
    refused.headers.get('www-authenticate') ?? '',
    /resource_metadata="[^"]+oauth-protected-resource\/mcp"/u,
  );
  assert.match(await person.paste(guide.next()), /client_id/u);
  guide.end();
});

test('docs/operate/administration.md: each block works when it is pasted in order, from the first token to a changed client', async () => {
  const guide = documentOf('docs/operate/administration.md', {
    // Its server has https.
    'chancery clients list --server': 'test/journeys/command-over-http.test.ts',
  });
  await person.open(guide.next(), STARTED);
  assert.match(await person.paste(guide.next()), /"use":"sig","state":"active"/u);
  assert.match(await person.paste(guide.next()), /"dry_run":true,"changes":\[\{"path":"\/rotated\/0"/u);
  assert.match(await person.paste(guide.next()), /"client_secret":/u);
  assert.match(await person.paste(guide.next()), /"scope":"admin:clients:write"/u);
  const [find = '', change = ''] = guide.next().split('\n');
  assert.match(await person.paste(find), /"items":\[\{"client_id"[^]*night job/u);
  assert.match(await person.paste(change), /"client_name":"day job"/u);
  guide.end();
});

test('docs/operate/install.md: init and serve work when they are pasted in order', async () => {
  const guide = documentOf('docs/operate/install.md', {
    'npm run build && npm pack': 'test/package/package.test.ts',
    'npm run build:debian': 'tools/debian-machine.sh',
    // The machines of the tests have no Docker: these run the same image and the same settings without it.
    'npm ci && npm run build': 'tools/container-machine.sh',
    'docker run --detach': 'tools/container-machine.sh',
    'umask 027': 'test/package/container.test.ts',
    'export CHANCERY_ISSUER': 'test/package/container.test.ts',
    'npm ci --omit=dev': 'test/journeys/launching.test.ts',
    'tools/first-hour.sh': 'tools/first-hour.sh',
  });
  assert.match(await person.paste(guide.next()), /chancery serve --config \S+chancery\.yaml --create/u);
  await person.open(guide.next(), /^chancery serves /mu);
  assert.equal((await fetch(`${person.managementUrl}/health/ready`)).status, 200);
  guide.end();
});
