import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DocumentServer, publishing, startDocumentServer } from '../hostile/document-host.ts';
import {
  accountsBeside,
  answered,
  browserAt,
  CALLBACK,
  call,
  type Registered,
  redeem,
  through,
} from '../hostile/sign-in-world.ts';
import { codeRequest } from '../program/code-request.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { jsonLines, one, type RegistryCommands, registryCommands } from './registry-commands.ts';

/** An operator and the clients of documents, with the commands beside the running server. */
const ADA = { username: 'ada', password: 'correct horse battery' };
const ENVIRONMENT = {
  CHANCERY_REGISTRATION_CLIENT_ID_METADATA_DOCUMENTS: 'true',
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
};

let program: Program;
let host: DocumentServer;
let registry: RegistryCommands;
let name = 'Paper Clips';

before(async () => {
  program = await startProgram({ mode: 'dev', environment: ENVIRONMENT });
  registry = registryCommands(program.folder, ENCRYPTION_KEY, {
    ...ENVIRONMENT,
    CHANCERY_ISSUER: program.issuer,
  });
  host = await startDocumentServer({
    client: (...request) => publishing({ client_name: name })(...request),
  });
  const accounts = await accountsBeside(program);
  await accounts.add(ADA);
  await accounts.close();
});

after(async () => {
  host.close();
  await program.stop();
});

test('clients list, show, refresh, export and delete know the client of a document; it comes back with a consent', async () => {
  const client_id = `http://127.0.0.1:${host.port}/client`;
  const as = { client_id } as Registered;
  const url = codeRequest(program.issuer, { client_id, redirect_uri: CALLBACK });
  const { code } = answered(await through(browserAt(program), url, ADA));
  const { json } = await redeem(program, as, code);
  const refresh_token = String(json['refresh_token']);
  const command = async (...words: readonly string[]) =>
    await one(registry.json('clients', ...words, '--mode', 'development'));
  const listed = await command('list', '--registered-via', 'document');
  assert.equal(listed['client_id'], client_id);
  const shown = await command('show', client_id);
  assert.equal(shown['registered_via'], 'document');
  assert.ok(shown['chancery_metadata_document']);
  assert.deepEqual(await command('refresh', client_id), { client_id, changed: [] });
  name = 'Staples';
  assert.deepEqual((await command('refresh', client_id))['changed'], ['client_name']);
  assert.equal((await command('show', client_id))['client_name'], 'Staples');
  const exported = jsonLines(await registry.run('clients', 'export', '--mode', 'development'));
  assert.ok(
    !exported.some((line) => line['client_id'] === client_id),
    'it comes back where the issuer moves',
  );
  await command('delete', client_id);
  const refused = await call(program, '/token', as, { grant_type: 'refresh_token', refresh_token });
  assert.equal(refused.status, 401);
  const again = answered(await through(browserAt(program), url, ADA));
  assert.equal((await redeem(program, as, again['code'])).status, 200);
});
