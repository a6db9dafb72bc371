import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command } from '../../journeys/command.ts';
import { certificateAuthority } from '../../tls/certificate.ts';
import { objectOf } from '../http.ts';
import { openSites, type Sites } from '../site.ts';
import { type StartedTarget, startChancery } from '../targets/chancery.ts';

const authority = certificateAuthority();
const folder = mkdtempSync(join(tmpdir(), 'chancery-suite-'));
let started: StartedTarget;
let sites: Sites;

before(async () => {
  sites = await openSites(authority.issue({ addresses: ['127.0.0.1'] }));
  started = await startChancery(authority, sites);
});

after(async () => {
  await started.stop();
  await sites.close();
  rmSync(folder, { recursive: true });
});

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

async function prepare(...more: readonly string[]) {
  const output = join(folder, 'configuration.json');
  const words = [
    '--issuer',
    started.target.issuer,
    '--password-file',
    written('password', `${started.password}\n`),
  ];
  const script = join(import.meta.dirname, 'prepare.ts');
  const trust = { NODE_EXTRA_CA_CERTS: written('ca.pem', authority.certificate) };
  const ended = await command(process.execPath, [script, ...words, ...more, '--output', output], trust);
  assert.equal(ended.how, 0, ended.stderr);
  return JSON.parse(readFileSync(output, 'utf8')) as Record<string, Record<string, unknown>>;
}

test('prepare.ts registers the clients of a plan with static clients, which the server then knows', async () => {
  const token = written('master', `${started.program.masterToken}\n`);
  const configuration = await prepare('--master-token-file', token);
  for (const name of ['client', 'client2', 'client_secret_post']) {
    const { client_id, client_secret } = configuration[name] ?? {};
    const inForm = name === 'client_secret_post';
    const answer = await started.target.send(`${started.target.issuer}/token`, {
      form: {
        grant_type: 'authorization_code',
        code: 'none',
        redirect_uri: 'https://www.certification.openid.net/test/a/chancery/callback',
        ...(inForm ? { client_id: String(client_id), client_secret: String(client_secret) } : {}),
      },
      headers: inForm
        ? {}
        : { authorization: `Basic ${btoa(`${String(client_id)}:${String(client_secret)}`)}` },
    });
    assert.equal(objectOf(answer)['error'], 'invalid_grant', `${name}: ${answer.text}`);
  }
});

test('prepare.ts for dynamic clients: the discovery address, the account, and no client', async () => {
  const { server, client, browser, override } = await prepare();
  assert.equal(server?.['discoveryUrl'], `${started.target.issuer}/.well-known/openid-configuration`);
  assert.deepEqual(Object.keys(client ?? {}), ['client_name']);
  assert.ok(JSON.stringify(browser).includes(started.password));
  assert.equal(Object.keys(override ?? {}).length, 17);
});
