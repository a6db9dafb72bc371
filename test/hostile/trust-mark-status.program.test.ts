import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signedJwt, type TestKey } from '../../src/testing/jwt.ts';
import { type Answer, type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type Program, startProgram } from '../program/start.ts';

/** An issuer of trust marks that revokes, lies and is away, at the started program (docs/contract/hostile/federation.md). */
let authorities: Authorities;
let anchor: Entity;
let issuer: Entity;
let program: Program;
let made = 0;

const TYPE = 'https://anchor.example/marks/audited';
const CONTENT_TYPE = 'application/trust-mark-status-response+jwt';
const now = (): number => Math.floor(Date.now() / 1000);

before(async () => {
  authorities = await startAuthorities();
  [anchor, issuer] = [authorities.entity('anchor'), authorities.entity('issuer')];
  anchor.publish([], { trust_mark_issuers: { [TYPE]: [issuer.id] } });
  anchor.vouch(issuer);
  const federation_entity = { federation_trust_mark_status_endpoint: `${issuer.id}/status` };
  issuer.publish([anchor], { metadata: { federation_entity } });
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_REQUIRED_TRUST_MARKS: TYPE,
      CHANCERY_FEDERATION_MAX_PATH_LENGTH: '0',
      CHANCERY_OUTBOUND_TIMEOUT: '1',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
});

after(async () => {
  await program.stop();
  await authorities.close();
});

const signed = (key: TestKey, typ: string, claims: object): string => signedJwt(key, claims, { typ });

interface Applicant {
  readonly rp: Entity;
  readonly mark: string;
}

/** Another relying party with a mark without end. */
function applicant(): Applicant {
  made += 1;
  const rp = authorities.entity(`rp-${made}`);
  anchor.vouch(rp);
  const claims = { iss: issuer.id, sub: rp.id, trust_mark_type: TYPE, iat: now() };
  return { rp, mark: signed(issuer.key, 'trust-mark+jwt', claims) };
}

async function register(
  { rp, mark }: Applicant,
  superior = anchor,
): Promise<readonly [status: number, code: string, wait: string | null]> {
  const statement = {
    iss: rp.id,
    sub: rp.id,
    iat: now(),
    exp: now() + 3600,
    aud: program.issuer,
    jwks: { keys: [rp.key.jwk] },
    authority_hints: [superior.id],
    trust_marks: [{ trust_mark_type: TYPE, trust_mark: mark }],
    metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
  };
  const response = await fetch(`${program.url}/federation/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/entity-statement+jwt' },
    body: signed(rp.key, 'entity-statement+jwt', statement),
  });
  const text = await response.text();
  const code = response.status === 200 ? '' : (/"([a-z_]+): /.exec(text)?.[1] ?? text);
  return [response.status, code, response.headers.get('retry-after')];
}

/** Sets the answer of the status endpoint. */
function answering(answer: Answer): void {
  authorities.answer('/issuer/status', answer);
}

/** The status endpoint says this about a mark, signed with a key. */
function saying(status: string, { mark: trust_mark }: Applicant, key = issuer.key): void {
  const claims = { iss: issuer.id, iat: now(), trust_mark, status };
  const text = signed(key, 'trust-mark-status-response+jwt', claims);
  answering((response) => void response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(text));
}

test('a mark without exp is asked for at its issuer: active registers, revoked does not, for as long as the answer is cached (H-444)', async () => {
  const active = applicant();
  saying('active', active);
  assert.deepEqual(await register(active), [200, '', null]);
  const revoked = applicant();
  saying('revoked', revoked);
  assert.deepEqual(await register(revoked), [400, 'trust_mark_revoked', null]);
  saying('active', revoked);
  assert.deepEqual(await register(revoked), [400, 'trust_mark_revoked', null]);
});

test('an issuer that is away, hangs, or answers with the words of another leads to no client: 503 without an answer, 400 with a wrong one (H-445)', async () => {
  const away = applicant();
  answering((response) => void response.writeHead(500).end());
  assert.deepEqual((await register(away)).slice(0, 2), [503, 'trust_mark_status']);
  assert.notEqual((await register(away))[2], null);
  const hanging = applicant();
  answering(() => undefined);
  assert.deepEqual((await register(hanging)).slice(0, 2), [503, 'trust_mark_status']);
  const forged = applicant();
  saying('active', forged, anchor.key);
  assert.deepEqual(await register(forged), [400, 'trust_mark_status', null]);
  const other = applicant();
  saying('active', forged);
  assert.deepEqual(await register(other), [400, 'trust_mark_status', null]);
});

test('a chain that the federation allows and the operator does not is refused by the name of the setting, before its marks are asked for (H-446)', async () => {
  const member = applicant();
  const between = authorities.entity(`between-${made}`);
  between.publish([anchor]);
  anchor.vouch(between);
  between.vouch(member.rp);
  const asked = authorities.asked.filter((path) => path === '/issuer/status').length;
  assert.deepEqual(await register(member, between), [400, 'own_constraint_path_length', null]);
  assert.equal(authorities.asked.filter((path) => path === '/issuer/status').length, asked);
});
