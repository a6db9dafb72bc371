import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type AutomaticMember, automaticMember } from '../federation/automatic-member.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';

/** H-420 to H-427: clients that a federation vouches for, while their keys roll, their chains end and strangers name them. */
const LOOK_SECONDS = 2;
const NEW_KEY = testKey('ES256', 'protocol-2');
/** Seconds of a chain that ends during its test. */
const SHORT = 3;
const PATIENCE_MS = 30_000;

let authorities: Authorities;
let anchor: Entity;
let superior: Entity;
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  authorities = await startAuthorities();
  [anchor, superior] = [authorities.entity('anchor'), authorities.entity('superior')];
  anchor.publish([]);
  anchor.vouch(superior);
  superior.publish([anchor]);
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_STATEMENT_CACHE: '60',
      CHANCERY_FEDERATION_LOOK_INTERVAL: String(LOOK_SECONDS),
      CHANCERY_FEDERATION_RENEWAL_INTERVAL: '1',
      CHANCERY_FEDERATION_AUTOMATIC_CLIENT_LIFETIME: '0',
      CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
      CHANCERY_OUTBOUND_TIMEOUT: '3',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
  account = await developer(program);
});

after(async () => {
  await program.stop();
  await authorities.close();
});

function member(): AutomaticMember {
  const made = automaticMember({ authorities, superior, program, account });
  made.publish();
  return made;
}

async function signedIn(rp: AutomaticMember): Promise<string> {
  const answered = await rp.redeem(await rp.finish(await rp.page()));
  assert.equal(answered.status, 200, await answered.clone().text());
  return ((await answered.json()) as { readonly refresh_token: string }).refresh_token;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, what);
    await sleep(50);
  }
}

/** Returns how many looks at a member requests may cause in the time that they take. */
async function looksDuring(
  rp: AutomaticMember,
  act: () => Promise<unknown>,
): Promise<readonly [number, number]> {
  const [before, began] = [rp.looks(), Date.now()];
  await act();
  return [rp.looks() - before, 1 + Math.ceil((Date.now() - began) / (LOOK_SECONDS * 1000))];
}

test('H-420 100 request objects and assertions with unknown keys cause one look at the entity in an interval; its own key goes on', async () => {
  const rp = member();
  assert.equal((await rp.push()).status, 201);
  const [looks, allowed] = await looksDuring(
    rp,
    async () =>
      await Promise.all(
        Array.from({ length: 50 }, async (_, number) => {
          const forged = testKey('ES256', `forged-${number}`);
          assert.equal((await rp.push(forged)).status, 401);
          assert.doesNotMatch((await rp.ask(forged)).html, /name="password"/);
        }),
      ),
  );
  assert.ok(looks >= 1 && looks <= allowed, `${looks} of ${allowed}`);
  assert.equal((await rp.push()).status, 201);
});

test('H-423 a client that rolls its keys is followed at its next request, and the removed key stops there', async () => {
  const rp = member();
  const refresh_token = await signedIn(rp);
  rp.publish({ metadata: { jwks: { keys: [NEW_KEY.jwk] } } });
  const refreshed = await rp.refresh(refresh_token, NEW_KEY);
  assert.equal(refreshed.status, 200, await refreshed.text());
  assert.equal((await rp.push()).status, 401);
  assert.match((await rp.ask(NEW_KEY)).location ?? '', /[?&]code=/, 'the end-user is signed in');
});

test('H-423 federation keys that a member and its superior roll are followed within seconds, although statements are cached', async () => {
  const rp = member();
  assert.equal((await rp.push()).status, 201);
  const rolledSuperior = authorities.entity('superior', 2);
  const rolledMember = authorities.entity(rp.entity.name, 2);
  rolledSuperior.publish([anchor]);
  anchor.vouch(rolledSuperior);
  const before = superior;
  superior = rolledSuperior;
  const other = automaticMember({ authorities, superior, program, account });
  other.publish();
  // A new member asks for a chain that ends in the cached statements of the superior.
  await until('the rolled superior is followed', async () => (await other.push()).status === 201);
  rp.publish({ entity: rolledMember, metadata: { jwks: { keys: [NEW_KEY.jwk] } } });
  superior.vouch(rolledMember);
  await until('the rolled member is followed', async () => (await rp.push(NEW_KEY)).status === 201);
  assert.notEqual(before.key.jwk['kid'], superior.key.jwk['kid']);
});

test('H-424 a client whose statements end is refused at once; its refresh token and its open page go on once it is back', async () => {
  const rp = member();
  rp.publish({ lifetime: SHORT });
  const refresh_token = await signedIn(rp);
  const other = automaticMember({ authorities, superior, program, account });
  other.publish({ lifetime: SHORT });
  const page = await other.page();
  assert.match(page.html, /name="password"/);
  const kept = await rp.refresh(refresh_token);
  assert.equal(kept.status, 200, 'a live client');
  const { refresh_token: next } = (await kept.json()) as { readonly refresh_token: string };
  await until('the chain ended', async () => (await rp.push()).status !== 201);
  const refused = await rp.refresh(next);
  assert.equal(refused.status, 401, await refused.text());
  await until('the log says so', () => program.output().includes('does not vouch for a client now'));
  for (const one of [rp, other]) one.publish();
  let refreshed: Response | undefined;
  await until('the client is back', async () => {
    refreshed = await rp.refresh(next);
    return refreshed.status === 200;
  });
  const finished = await other.finish(page);
  assert.match(finished.location ?? '', /[?&]code=/, finished.html);
  assert.equal((await other.redeem(finished)).status, 200);
});

test('H-422 strangers who name an expired client at every endpoint cause one look in an interval, and none at a live one', async () => {
  const rp = member();
  rp.publish({ lifetime: SHORT });
  assert.equal((await rp.push()).status, 201);
  const url = `${program.issuer}/authorize?client_id=${encodeURIComponent(rp.id)}&response_type=code`;
  const named = async (): Promise<unknown> =>
    await Promise.all(
      Array.from({ length: 10 }, async () => [
        await (await fetch(url, { redirect: 'manual' })).text(),
        (await rp.send('/token', { grant_type: 'client_credentials' }, NEW_KEY)).status,
        (await rp.send('/token/revoke', { token: 'x' }, NEW_KEY)).status,
        await (await fetch(`${program.issuer}/userinfo`, { headers: { authorization: 'Bearer x' } })).text(),
      ]),
    );
  const live = member();
  assert.equal((await live.push()).status, 201);
  const plain = `${program.issuer}/authorize?client_id=${encodeURIComponent(live.id)}&response_type=code`;
  const looks = live.looks();
  await Promise.all(Array.from({ length: 20 }, async () => await (await fetch(plain)).text()));
  assert.equal(live.looks(), looks);
  await until('the chain ended', async () => (await rp.push()).status !== 201);
  const [seen, allowed] = await looksDuring(rp, named);
  assert.ok(seen <= allowed, `${seen} of ${allowed}`);
});

test('H-425 a client that 20 requests bring back at once is stored once and loses nothing', async () => {
  const rp = member();
  rp.publish({ lifetime: SHORT });
  const refresh_token = await signedIn(rp);
  await until('the chain ended', async () => (await rp.push()).status !== 201);
  rp.publish();
  await until('the client is back', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, async () => (await rp.push()).status));
    return all.every((status) => status === 201);
  });
  assert.equal((await rp.refresh(refresh_token)).status, 200);
  const response = await fetch(`${program.url}/clients`, {
    headers: { authorization: `Bearer ${program.masterToken}` },
  });
  const clients = (await response.json()) as readonly { readonly client_id: string }[];
  assert.equal(clients.filter(({ client_id }) => client_id === rp.id).length, 1);
});

test('H-426 a renewal whose metadata ask for more than federated clients may have is refused, and the client stays as it was', async () => {
  const rp = member();
  const refresh_token = await signedIn(rp);
  const grant_types = ['authorization_code', 'refresh_token', 'client_credentials'];
  rp.publish({ metadata: { grant_types, jwks: { keys: [NEW_KEY.jwk] } } });
  assert.equal((await rp.push(NEW_KEY)).status, 401);
  assert.equal((await rp.refresh(refresh_token)).status, 200);
});

test('H-427 a client in use is renewed in the background before its chain ends, and a superior that hangs delays none of its requests', async () => {
  const rp = member();
  rp.publish({ lifetime: SHORT * 2 });
  assert.equal((await rp.push()).status, 201);
  const looks = rp.looks();
  let waiting = 0;
  authorities.answer(`/${rp.entity.name}/.well-known/openid-federation`, () => {
    waiting += 1;
  });
  await until('the renewal began', () => waiting > 0);
  assert.equal((await rp.push()).status, 201);
  rp.publish();
  await until('the client was renewed', async () => {
    assert.equal((await rp.push()).status, 201, 'no request of the client fails meanwhile');
    return program
      .output()
      .split('a federated client was resolved again')
      .some((line) => line.includes(rp.id));
  });
  assert.ok(rp.looks() > looks);
});
