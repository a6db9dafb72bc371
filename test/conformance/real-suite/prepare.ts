// Prepares a running server for the conformance suite: creates the account, registers the static clients and writes the
// configuration of a test plan. README.md has the steps.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ACCOUNT, accountCommand } from './account.ts';
import { staticMetadata, suiteConfiguration } from './suite-configuration.ts';

const { values } = parseArgs({
  options: {
    issuer: { type: 'string' },
    /** The suite's address. */
    suite: { type: 'string', default: 'https://www.certification.openid.net' },
    alias: { type: 'string', default: 'chancery' },
    'password-file': { type: 'string' },
    /** Creates the account too, in the database that the environment names. */
    'create-account': { type: 'boolean', default: false },
    /** Registers static clients with it; without it the plan uses dynamic ones. */
    'master-token-file': { type: 'string' },
    output: { type: 'string', default: 'suite-configuration.json' },
  },
});

const { issuer, suite, alias, output } = values;
if (issuer === undefined) throw new Error('--issuer names the server under test');
if (values['password-file'] === undefined)
  throw new Error('--password-file holds the password of the account');
const password = contentOf(values['password-file']);
if (values['create-account']) createAccount();
const tokenFile = values['master-token-file'];
const configuration = suiteConfiguration({
  issuer,
  alias,
  username: ACCOUNT.username,
  password,
  clients: tokenFile === undefined ? {} : await registered(issuer, contentOf(tokenFile)),
});
writeFileSync(output, `${JSON.stringify(configuration, undefined, 2)}\n`, { mode: 0o600 });
console.log(`${output} holds secrets: give it to the suite, and to no one else`);

function createAccount(): void {
  const program = join(import.meta.dirname, '../../../bin/chancery.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program, ...accountCommand()], {
    input: `${password}\n`,
  });
  if (status !== 0) throw new Error(`no account: ${stderr.toString()}`);
}

async function registered(server: string, token: string): Promise<Record<string, object>> {
  const metadata = staticMetadata(suite, alias);
  const second = await register(server, token, { ...metadata, client_name: 'second client' });
  const posting = {
    ...metadata,
    client_name: 'posting client',
    token_endpoint_auth_method: 'client_secret_post',
  };
  return {
    client: await register(server, token, { ...metadata, client_name: 'first client' }),
    client2: second,
    client_secret_post: await register(server, token, posting),
  };
}

async function register(server: string, token: string, metadata: object): Promise<object> {
  const response = await fetch(`${server}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.status !== 201) throw new Error(`no client: ${response.status} ${JSON.stringify(answer)}`);
  return { client_id: answer['client_id'], client_secret: answer['client_secret'] };
}

function contentOf(file: string): string {
  return readFileSync(file, 'utf8').trim();
}
