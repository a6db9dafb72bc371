import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { credentialsOf, type Enterprise, LEDGER, startEnterprise } from '../journeys/enterprise.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';

/** examples/token-exchange: a gateway that exchanges the tokens of its callers for tokens of the API behind it. */
const FOLDER = join(REPOSITORY, 'examples/token-exchange');
const files = mkdtempSync(join(tmpdir(), 'chancery-gateway-'));
/** The token that the API behind the gateway got last. */
let received = '';
const ledger = createServer(({ headers }: IncomingMessage, response) => {
  received = headers.authorization?.replace('Bearer ', '') ?? '';
  response.end('three entries');
});
let enterprise: Enterprise;
let url = '';
const stopping: (() => void)[] = [];

before(async () => {
  enterprise = await startEnterprise();
  ledger.listen(0, '127.0.0.1');
  const port = await listeningPort(ledger);
  const metadata = JSON.parse(readFileSync(join(FOLDER, 'gateway.json'), 'utf8')) as openid.ClientMetadata;
  const { idp } = enterprise;
  const own = await openid.dynamicClientRegistration(
    new URL(idp.issuer),
    metadata,
    openid.ClientSecretBasic(),
    { initialAccessToken: idp.masterToken, execute: [openid.allowInsecureRequests] },
  );
  const credentials = join(files, 'credentials.json');
  writeFileSync(credentials, JSON.stringify(credentialsOf(own)));
  const words = ['--issuer', idp.issuer, '--api', `http://127.0.0.1:${port}`];
  const gateway = endedWithTests(
    spawn(
      process.execPath,
      [join(FOLDER, 'gateway.mjs'), ...words, '--port', '0', '--credentials', credentials],
      { env: inheritedEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] },
    ),
  );
  stopping.push(() => gateway.kill());
  const [line] = (await once(createInterface(gateway.stdout), 'line')) as [string];
  url = /http:\S+/u.exec(line)?.[0] ?? assert.fail(line);
});

after(async () => {
  for (const stop of stopping) stop();
  ledger.close();
  await enterprise.stop();
  rmSync(files, { recursive: true });
});

const ask = async (token: string): Promise<Response> =>
  await fetch(`${url}/entries`, { headers: { authorization: `Bearer ${token}` } });

test('the gateway passes a request on with a token for the API, about the same person and with the gateway as the actor', async () => {
  const { access_token } = await enterprise.signIn();
  const answer = await ask(access_token);
  assert.deepEqual([answer.status, await answer.text()], [200, 'three entries']);
  assert.notEqual(received, access_token);
  const said = await openid.tokenIntrospection(enterprise.gateway, received);
  const first = await openid.tokenIntrospection(enterprise.gateway, access_token);
  assert.deepEqual([said.aud, said.sub, said.scope], [[LEDGER], first.sub, 'read']);
  assert.equal(typeof (said['act'] as { readonly sub?: unknown }).sub, 'string');
});

test('the gateway refuses a token that was revoked, with 401', async () => {
  const { access_token } = await enterprise.signIn();
  await openid.tokenRevocation(enterprise.wiki, access_token);
  const answer = await ask(access_token);
  await answer.text();
  assert.equal(answer.status, 401);
});
