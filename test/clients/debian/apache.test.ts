import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { initialAccessToken } from '../../journeys/initial-access-token.ts';
import { developer } from '../../program/developer.ts';
import { freePort } from '../../program/free-port.ts';
import { type Program, startProgram } from '../../program/start.ts';
import { ownName } from '../https-site.ts';
import { type Page, type Visitor, visitor } from '../visitor.ts';
import { register } from '../website.ts';
import { type Apache, startApache } from './apache-server.ts';
import { skipReason } from './packages.ts';

const NOTICE_TIMEOUT_MS = 20_000;
const name = await ownName();
const skip = typeof name === 'string' ? name : skipReason('mod_auth_openidc');

suite('mod_auth_openidc', { skip }, () => {
  let folder: string;
  let program: Program;

  before(async () => {
    assert.ok(typeof name === 'object');
    folder = mkdtempSync(join(tmpdir(), 'chancery-apache-ca-'));
    writeFileSync(join(folder, 'ca.pem'), name.authority.certificate);
    program = await startProgram({
      mode: 'dev',
      environment: {
        // For the notifications of logouts: Apache has a private address, and a certificate from an authority of this test.
        CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      },
    });
  });
  after(async () => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts Apache with a recipe, and stops it when `visiting` is done. `metadata` registers it by hand. */
  async function atApache(
    recipe: string,
    host: string,
    visiting: (apache: Apache, person: Visitor) => Promise<void>,
    metadata?: (callback: string) => Readonly<Record<string, unknown>>,
    server = program,
  ): Promise<void> {
    assert.ok(typeof name === 'object');
    const base = `https://${host}:${await freePort()}`;
    const callback = `${base}/protected/callback`;
    const members = { redirect_uris: [callback], post_logout_redirect_uris: [`${base}/signed-out`] };
    const client =
      metadata === undefined ? undefined : await register(server, { ...members, ...metadata(callback) });
    const apache = await startApache(name, base, recipe, {
      ISSUER: server.issuer,
      CLIENT_ID: client?.client_id ?? '',
      CLIENT_SECRET: client?.client_secret ?? '',
    });
    try {
      await visiting(apache, visitor(server.issuer, await developer(server)));
    } finally {
      await apache.stop();
    }
  }

  const callsOf = ({ log }: Apache): string =>
    (log().match(/incoming request: .*logout=\w+/g) ?? []).join('\n');

  /** Waits until Apache asks for a sign-in again. */
  async function untilSignedOut(apache: Apache, person: Visitor): Promise<void> {
    const deadline = Date.now() + NOTICE_TIMEOUT_MS;
    while ((await person.look(`${apache.base}/protected/`)).headers.has('x-user')) {
      if (Date.now() > deadline) assert.fail(`still signed in:\n${callsOf(apache)}\n${program.output()}`);
      await sleep(50);
    }
  }

  /** Chooses the server on the module's own page, and signs in. The module registers itself meanwhile. */
  async function signInWhileRegistering(apache: Apache, person: Visitor, server = program): Promise<Page> {
    const { text } = await person.go(`${apache.base}/protected/`);
    const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const form = new URLSearchParams(fields.map(([, field = '', value = '']) => [field, value]));
    form.set('iss', server.issuer);
    return await person.go(`${apache.base}/protected/callback?${String(form)}`);
  }

  test('mod_auth_openidc registers itself with an initial access token, signs a person in, and is told of the logout', async () => {
    assert.ok(typeof name === 'object');
    await atApache('apache-dynamic.conf', name.host, async (apache, person) => {
      const provider = encodeURIComponent(program.issuer.slice('http://'.length));
      const token = await initialAccessToken(program, ['client-reg']);
      const settings = { registration_token: token, scope: 'openid email' };
      writeFileSync(join(apache.metadata, `${provider}.conf`), JSON.stringify(settings), { mode: 0o644 });
      const page = await signInWhileRegistering(apache, person);
      assert.equal(page.text, 'The protected page', apache.log());
      assert.match(
        page.headers.get('x-user') ?? '',
        /^\w+@http:\/\/127\.0\.0\.1:\d+ developer@example\.com$/,
      );
      await person.go(`${program.issuer}/logout`);
      await untilSignedOut(apache, person);
    });
  });

  for (const [mode, outcome] of [
    ['false', /Could not find valid provider metadata/],
    ['true', /^The protected page$/],
  ] as const) {
    test(`mod_auth_openidc without a token, with open registration ${mode}: ${String(outcome)}`, async () => {
      assert.ok(typeof name === 'object');
      const server = await startProgram({
        mode: 'dev',
        environment: {
          CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: mode,
          CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
        },
      });
      try {
        await atApache(
          'apache-dynamic.conf',
          name.host,
          async (apache, person) => {
            assert.match((await signInWhileRegistering(apache, person, server)).text, outcome, apache.log());
          },
          undefined,
          server,
        );
      } finally {
        await server.stop();
      }
    });
  }

  for (const [channel, member, value] of [
    ['back', 'backchannel_logout_uri', 'backchannel'],
    ['front', 'frontchannel_logout_uri', 'get'],
  ] as const) {
    test(`mod_auth_openidc, registered by hand: signs a person in and out, and ends the session by ${channel}-channel logout`, async () => {
      await atApache(
        'apache.conf',
        '127.0.0.1',
        async (apache, person) => {
          const { base } = apache;
          const page = await person.go(`${base}/protected/`);
          assert.equal(page.text, 'The protected page', apache.log());
          assert.match(page.headers.get('x-user') ?? '', / developer@example\.com$/);
          const back = encodeURIComponent(`${base}/signed-out`);
          assert.equal((await person.go(`${base}/protected/callback?logout=${back}`)).text, 'Signed out');
          await person.go(`${base}/protected/`);
          assert.ok((await person.look(`${base}/protected/`)).headers.has('x-user'));
          await person.go(`${program.issuer}/logout`);
          await untilSignedOut(apache, person);
          assert.match(callsOf(apache), new RegExp(`logout=${value}$`));
        },
        (callback) => ({ [member]: `${callback}?logout=${value}` }),
      );
    });
  }
});
