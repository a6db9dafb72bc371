import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../program/free-port.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { developmentFolder, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';

/** Runs the commands of `dev --federation` in another terminal: without the variables of the server, in another folder. */
let program: Program;
let base: string;
let config: string;
let elsewhere: string;

before(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  program = await startProgram({
    mode: 'dev',
    parameters: ['--federation', '--federation-port', String(port), '--second-anchor'],
    environment: { CHANCERY_STORAGE_SWEEP_INTERVAL: '1' },
  });
  config = join(developmentFolder(program.folder), 'development-federation.yaml');
  elsewhere = mkdtempSync(join(tmpdir(), 'chancery-lab-'));
});

after(async () => {
  await program.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

async function federation(...words: readonly string[]): Promise<Ended> {
  return await chancery(['federation', ...words, '--config', config], {}, { folder: elsewhere });
}

/** With the secrets, which stay out of the file. */
async function registry(...words: readonly string[]): Promise<Ended> {
  const environment = {
    CHANCERY_STORAGE_URL: await storageUrl(program.folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  const all = ['federation', ...words, '--mode', 'development', '--config', config];
  return await chancery(all, environment, { folder: elsewhere });
}

for (const [dialect, type] of [
  ['interface', 'application/jose;charset=UTF-8'],
  ['final', 'application/explicit-registration-response+jwt'],
] as const) {
  test(`federation register-demo --dialect ${dialect} registers the relying party of dev --federation and shows each step`, async () => {
    const { how, stdout, stderr } = await federation('register-demo', '--dialect', dialect);
    assert.deepEqual([how, stderr], [0, ''], stdout);
    assert.ok(stdout.includes(`: 200 ${type}`), stdout);
    assert.ok(stdout.includes(`"trust_anchor": "${base}/anchor"`));
    const client = stdout.slice(stdout.indexOf('4. The registered client:'));
    assert.match(client, /"client_id": "[A-Za-z0-9]{24}"/);
    assert.ok(client.includes('federation@organisation.example'), 'the policy of the intermediate applies');
  });
}

test('federation register-demo --second-anchor selects the second anchor with a trust chain (OpenID Federation 1.0 §12.2.3)', async () => {
  const { how, stdout } = await federation('register-demo', '--second-anchor');
  assert.equal(how, 0, stdout);
  assert.ok(stdout.includes('application/trust-chain+json: 200'), stdout);
  assert.ok(stdout.includes(`"trust_anchor": "${base}/second-anchor"`), stdout);
});

test('federation resolve --server explains the search of that server, as text, JSON and picture, with the exit code of the outcome', async () => {
  const token = join(elsewhere, 'admin.token');
  writeFileSync(token, program.adminToken, { mode: 0o600 });
  const asked = async (...words: readonly string[]): Promise<Ended> => {
    const server = ['--server', program.managementUrl, '--token-file', token];
    return await chancery(['federation', 'resolve', ...words, ...server], {}, { folder: elsewhere });
  };
  const text = await asked(`${base}/rp`, '--anchor', `${base}/anchor`);
  assert.deepEqual([text.how, text.stderr], [0, '']);
  assert.ok(text.stdout.startsWith(`${base}/rp: trusted through ${base}/anchor until `), text.stdout);
  assert.match(text.stdout, /↳ .* changed it from|added it/u);
  const { stdout } = await asked(`${base}/rp`, '--json');
  assert.equal((JSON.parse(stdout) as { subject: string }).subject, `${base}/rp`);
  const picture = await asked(`${base}/lost`, '--svg');
  assert.deepEqual([picture.how, picture.stdout.slice(0, 4)], [1, '<svg']);
  const wrong = await asked('rp.example');
  assert.deepEqual([wrong.how, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /\/entity_id is not a URL/u);
});

test('each printed command of dev --federation works in another terminal: the file names issuer, ports and database', async () => {
  const { folder } = program;
  const printed = [
    ...program.output().matchAll(/^(?:npm run -s chancery --|chancery) (federation .*)$/gmu),
  ].map(([, words = '']) => words.split(' '));
  assert.deepEqual(
    printed.map(([, verb]) => verb),
    ['register-demo', 'resolve', 'members'],
  );
  const secrets = {
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  for (const words of printed) {
    const { how, stdout, stderr } = await chancery(words, words[1] === 'members' ? secrets : {}, { folder });
    assert.equal(how, 0, `${words.join(' ')}\n${stdout}${stderr}`);
    assert.equal(resolve(folder, words.at(-1) ?? ''), config);
  }
  const settings = JSON.parse(readFileSync(config, 'utf8')) as Record<string, unknown>;
  assert.equal(settings['issuer'], program.issuer);
  assert.deepEqual(settings['listen'], { host: '127.0.0.1', port: program.port });
  assert.equal(JSON.stringify(settings).includes(ENCRYPTION_KEY), false, 'secrets stay out of the file');
});

test('the relying party and the server itself are entities of the federation', async () => {
  for (const entity of [`${base}/rp`, program.issuer]) {
    const { how, stdout } = await federation('resolve', entity, '--mode', 'development');
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
  assert.ok(
    stderr.includes(`no federation has been started on the data in ${developmentFolder(folder)}: start`),
    stderr,
  );
  assert.match(stderr, /npm start -- --federation .* --config$/mu);
});

test('federation register-demo rejects an unknown dialect, and dev rejects federation port 0 and a second anchor alone', async () => {
  assert.equal((await federation('register-demo', '--dialect', 'latin')).how, 2);
  assert.equal((await chancery(['dev', '--federation', '--federation-port', '0'], {})).how, 2);
  assert.equal((await chancery(['dev', '--second-anchor'], {}, { folder: elsewhere })).how, 2);
});

interface Member {
  readonly entity_id: string;
  readonly client_id: string;
  readonly registration: string;
  readonly trust_anchor: string;
  readonly trust_chain: readonly string[];
  readonly expires_at: number;
  readonly resolved_at: number;
}

test('federation members, show, refresh and remove manage the clients of an entity', async () => {
  assert.equal((await federation('register-demo')).how, 0);
  // The first request of the website registers it; it needs no end-user.
  const begun = await fetch(`${base}/website/sign-in`, { redirect: 'manual' });
  await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const listed = await registry('members', '--json');
  const members = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Member);
  assert.deepEqual(
    members
      .map(({ entity_id, registration, trust_anchor }) => [entity_id, registration, trust_anchor])
      .toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
    [
      [`${base}/rp`, 'explicit', `${base}/anchor`],
      [`${base}/website`, 'automatic', `${base}/anchor`],
    ],
  );
  assert.ok(members.every(({ expires_at }) => expires_at > Date.now() / 1000));
  assert.match((await registry('members')).stdout, /^ENTITY +REGISTRATION +TRUST ANCHOR +EXPIRES/u);
  assert.equal((await registry('members', '--json', '--anchor', `${base}/second-anchor`)).stdout, '');

  const rp = members.find(({ entity_id }) => entity_id === `${base}/rp`);
  const chain = [`${base}/rp`, `${base}/organisation`, `${base}/anchor`];
  assert.deepEqual(rp?.trust_chain, chain);
  const shown = await registry('show', `${base}/rp`);
  assert.match(shown.stdout, /^client_name +Sample relying party$/mu);
  assert.match(shown.stdout, new RegExp(`^trust_chain +${chain.join(' ← ')}$`, 'mu'));

  for (const entity of chain.slice(0, 1).concat(`${base}/website`)) {
    const { how, stdout, stderr } = await registry('refresh', entity, '--json');
    assert.equal(how, 0, stderr);
    const renewed = JSON.parse(stdout) as Member & { readonly changed: readonly string[] };
    const before = members.find(({ entity_id }) => entity_id === entity);
    assert.ok(renewed.resolved_at > (before?.resolved_at ?? Infinity) - 1);
    assert.ok(renewed.expires_at >= (before?.expires_at ?? Infinity));
    assert.deepEqual([renewed.client_id, renewed.changed], [before?.client_id, []]);
  }
  assert.equal((await registry('remove', `${base}/rp`)).stdout, `deleted ${rp?.client_id}\n`);
  const gone = await registry('refresh', `${base}/rp`);
  assert.deepEqual([gone.how, gone.stdout], [1, '']);
  assert.ok(gone.stderr.includes(`there is no client of the entity "${base}/rp"`), gone.stderr);
});

test('GET /metrics shows resolutions, their time, and when a registration and an anchor expire next', async () => {
  const expiry = /^chancery_federation_anchor_expiry_timestamp_seconds \d{10}$/mu;
  let text = '';
  for (let tries = 0; tries < 100 && !expiry.test(text); tries += 1) {
    text = await (await fetch(`${program.managementUrl}/metrics`)).text();
    await sleep(100);
  }
  assert.match(text, expiry);
  assert.match(text, /^chancery_federation_registration_expiry_timestamp_seconds \d{10}$/mu);
  assert.match(text, /^chancery_federation_resolutions_total\{outcome="valid",reason="none"\} [1-9]/mu);
  assert.match(text, /^chancery_federation_resolution_duration_seconds_count [1-9]/mu);
  assert.match(text, /^chancery_outbound_fetches_total\{purpose="statements",outcome="ok"\} [1-9]/mu);
  assert.match(text, /^chancery_cache_hits_total\{cache="entity-statements"\} [1-9]/mu);
});

test('federation entity-configuration prints what the server publishes, and federation validate accepts it', async () => {
  const { stdout } = await registry('entity-configuration', '--json');
  const claims = JSON.parse(stdout) as Record<string, unknown>;
  const published = await (await fetch(`${program.issuer}/.well-known/openid-federation`)).text();
  const payload = Buffer.from(published.split('.')[1] ?? '', 'base64url').toString();
  const { iat: _, exp: __, ...same } = JSON.parse(payload) as Record<string, unknown>;
  const { iat, exp, ...own } = claims;
  assert.deepEqual(own, same);
  assert.ok(Number(exp) > Number(iat));
  assert.match((await registry('entity-configuration')).stdout, new RegExp(`^iss +${program.issuer}$`, 'mu'));

  const file = join(elsewhere, 'configuration.jwt');
  writeFileSync(file, (await registry('entity-configuration', '--jwt')).stdout);
  const valid = await federation('validate', file, '--mode', 'development');
  assert.equal(valid.how, 0, valid.stdout);
  assert.match(valid.stdout, /^✓ §3\.2 12 signature$/mu);
  assert.match(valid.stdout, /^valid as a configuration: 33 checks passed, expires /mu);
});

test('federation validate names the broken rule, and never needs the network (H-452)', async () => {
  const file = join(elsewhere, 'broken.jwt');
  const [header, payload, signature = ''] = (await registry('entity-configuration', '--jwt')).stdout.split(
    '.',
  );
  writeFileSync(
    file,
    [header, payload, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.'),
  );
  const broken = await federation('validate', file, '--mode', 'development', '--json');
  assert.equal(broken.how, 1);
  const { valid, reason } = JSON.parse(broken.stdout) as { valid: boolean; reason: { code: string } };
  assert.deepEqual([valid, reason.code], [false, 'statement_signature']);

  for (const [content, words] of [
    ['not a JWT', /not a signed JWT in compact form/],
    ['x'.repeat(2_000_000), /larger than/],
  ] as const) {
    writeFileSync(file, content);
    const refused = await federation('validate', file, '--mode', 'development');
    assert.equal(refused.how, 1);
    assert.match(refused.stderr, words);
  }
});

test('federation validate checks a statement of a configured anchor with its keys, and one of another issuer with --issuer-jwks', async () => {
  const fetchFrom = async (role: string, subject: string): Promise<string> =>
    await (await fetch(`${base}/${role}/fetch?sub=${encodeURIComponent(subject)}`)).text();
  const file = join(elsewhere, 'statement.jwt');
  writeFileSync(file, await fetchFrom('anchor', `${base}/organisation`));
  const byAnchor = await federation('validate', file, '--mode', 'development');
  assert.equal(byAnchor.how, 0, byAnchor.stdout + byAnchor.stderr);

  writeFileSync(file, await fetchFrom('organisation', `${base}/rp`));
  const withoutKeys = await federation('validate', file, '--mode', 'development');
  assert.equal(withoutKeys.how, 2);
  assert.match(withoutKeys.stderr, /--issuer-jwks must name the keys/);
  const configuration = await (await fetch(`${base}/organisation/.well-known/openid-federation`)).text();
  const { jwks } = JSON.parse(Buffer.from(configuration.split('.')[1] ?? '', 'base64url').toString()) as {
    jwks: object;
  };
  const keys = join(elsewhere, 'jwks.json');
  writeFileSync(keys, JSON.stringify(jwks));
  const withKeys = await federation('validate', file, '--mode', 'development', '--issuer-jwks', keys);
  assert.equal(withKeys.how, 0, withKeys.stdout + withKeys.stderr);
});
