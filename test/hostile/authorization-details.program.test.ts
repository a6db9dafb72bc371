import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNTS, DETAILED_CLIENT, PAYMENT, payment } from '../../src/testing/authorization-details.ts';
import { DEVICE_GRANT } from '../../src/testing/device.ts';
import { formText } from '../program/code-request.ts';
import { startProgram } from '../program/start.ts';
import { attackedProgram, type HostileRequest } from './attacked-program.ts';
import { MALFORMED, STRANGE_TYPES, TOO_MUCH, UNFIT } from './authorization-details-rows.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, FORM_TYPE } from './introspection-requests.ts';
import { clientPath, postClient, putClient } from './registry.ts';
import {
  accountsBeside,
  answered,
  authorizeUrl,
  browserAt,
  CALLBACK,
  type Called,
  call,
  type Person,
  type Registered,
  redeem,
  register,
  through,
} from './sign-in-world.ts';

/** A pattern that takes exponential time on an engine with backtracking. */
const reference = { type: 'string', pattern: '^(a+)+$' };
const { schema } = PAYMENT;
const payments = {
  ...PAYMENT,
  schema: { ...schema, properties: { ...Object(schema['properties']), reference } },
};

/** H-630…H-637, H-639: details that are malformed, too much, not granted, not seen, or used at two servers at once. */
const ADA: Person = { username: 'ada', password: 'analytical engine' };
const environment = {
  CHANCERY_AUTHORIZATION_DETAILS_TYPES: JSON.stringify([payments, ACCOUNTS]),
  CHANCERY_SIGN_IN_CONSENT: 'third-party',
};
const attacked = attackedProgram({ environment }, async ({ program }) => {
  const people = await accountsBeside(program);
  await people.add(ADA);
  await people.close();
  client = await register(program, {
    ...DETAILED_CLIENT,
    redirect_uris: [CALLBACK],
    grant_types: [...DETAILED_CLIENT.grant_types, DEVICE_GRANT],
  });
});
let client: Registered;

const DETAILS = JSON.stringify([payment()]);

/** The same details at every endpoint that reads them. */
function everywhere(authorization_details: string): readonly HostileRequest[] {
  const form = (path: string, fields: Readonly<Record<string, string>>): HostileRequest => ({
    method: 'POST',
    path,
    authorization: basic(client),
    headers: FORM_TYPE,
    body: formText({ ...fields, authorization_details }),
  });
  const code = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
  return [
    form('/token', { grant_type: 'client_credentials' }),
    form('/par', code),
    form('/device_authorization', {}),
  ];
}

async function assertRefusedEverywhere(details: string): Promise<void> {
  for (const request of everywhere(details)) {
    const { status, json, body } = await attacked.send(request);
    const what = `${request.path} ${details.slice(0, 80)}: ${body}`;
    // A body beyond `limits.body` is refused before it is read.
    if (status === 413) continue;
    assert.deepEqual([status, json['error']], [400, 'invalid_authorization_details'], what);
  }
}

test('H-630 values that are no list of details are 400 invalid_authorization_details at every endpoint, and store nothing (RFC 9396 §5)', async () => {
  for (const details of MALFORMED) await assertRefusedEverywhere(details);
});

test('H-631 look-alikes of types and names of JavaScript are unknown types (RFC 9396 §2: an exact match)', async () => {
  for (const type of STRANGE_TYPES) await assertRefusedEverywhere(JSON.stringify([{ type }]));
});

test('H-632 details that are too long, too deep, too wide or too many are refused (RFC 9396 §5)', async () => {
  for (const details of TOO_MUCH) await assertRefusedEverywhere(details);
});

test('H-633 details that break the schema of their type are refused, also those that are made for backtracking (RFC 9396 §5)', async () => {
  for (const details of UNFIT) await assertRefusedEverywhere(details);
});

async function grantedCode(authorization_details = DETAILS): Promise<string> {
  const { program } = attacked;
  const url = authorizeUrl(program, client, { authorization_details });
  const { code = '' } = answered(await through(browserAt(program), url, ADA));
  assert.notEqual(code, '');
  return code;
}

const refreshed = async (
  program: { readonly url: string },
  token: unknown,
  details?: string,
): Promise<Called> =>
  await call({ ...attacked.program, ...program }, '/token', client, {
    grant_type: 'refresh_token',
    refresh_token: String(token),
    authorization_details: details,
  });

test('H-634 a code and a refresh token give no more than was granted, and a refused request uses up neither (RFC 9396 §6.1)', async () => {
  const { program } = attacked;
  const code = await grantedCode();
  const more = [
    [payment(), payment()],
    [payment({ instructedAmount: { currency: 'EUR', amount: '999.00' } })],
    [payment({ actions: ['initiate', 'status', 'cancel', 'cancel'] })],
    [{ type: ACCOUNTS.type }],
  ].map((details) => JSON.stringify(details));
  for (const authorization_details of more) {
    const { status, json } = await redeem(program, client, code, { authorization_details });
    assert.deepEqual([status, json['error']], [400, 'invalid_authorization_details']);
  }
  const { json } = await redeem(program, client, code);
  assert.deepEqual(json['authorization_details'], [payment()]);
  for (const details of more) {
    const refused = await refreshed(program, json['refresh_token'], details);
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_authorization_details']);
  }
  assert.equal((await refreshed(program, json['refresh_token'])).status, 200);
});

test('H-728 numbers keep their values from the request over the consent to the token, its introspection and its refresh (RFC 9396 §7, §9.2)', async () => {
  const { program } = attacked;
  const details = `[{"type":"${ACCOUNTS.type}","note":[1.10,45.00,1E2,0.1,-12.5,1.5e-7,9007199254740991]}]`;
  const { json } = await redeem(program, client, await grantedCode(details));
  const kept = { type: ACCOUNTS.type, note: [1.1, 45, 100, 0.1, -12.5, 1.5e-7, 9_007_199_254_740_991] };
  const again = await refreshed(program, json['refresh_token'], details);
  const scope = `${program.issuer}/token/introspect`;
  const reader = await register(program, { grant_types: ['client_credentials'], redirect_uris: [], scope });
  for (const answer of [json, again.json]) {
    assert.deepEqual(answer['authorization_details'], [kept]);
    const shown = await call(program, '/token/introspect', reader, { token: String(answer['access_token']) });
    assert.deepEqual(shown.json['authorization_details'], [kept], JSON.stringify(shown.json));
  }
});

test('H-635 no client gives itself a type, neither when it registers nor by its own update', async () => {
  const plain = { redirect_uris: ['https://rp.example.com/cb'] };
  const greedy = { ...plain, authorization_details_types: [PAYMENT.type] };
  const { json } = await attacked.send(postClient(plain, attacked.program.masterToken));
  const id = String(json['client_id']);
  const bearer = String(json['registration_access_token']);
  const updated = await attacked.send(putClient(id, greedy, bearer));
  assert.equal(updated.status, 200, updated.body);
  const read = await attacked.send({
    method: 'GET',
    path: clientPath(id),
    bearer: attacked.program.masterToken,
  });
  assert.equal('authorization_details_types' in read.json, false, read.body);
  const open = await attacked.send(postClient(greedy));
  assert.equal(open.status, 401, open.body);
});

test('H-636 markup, templates and turned text in details are shown as text on the consent page', async () => {
  const { program } = attacked;
  const creditorName = '"><script>alert(1)</script>{{ page.form.form_token }}\u202e{% raw %}';
  const browser = browserAt(program);
  const url = authorizeUrl(program, client, {
    authorization_details: JSON.stringify([payment({ creditorName })]),
  });
  const page = await browser.submit(await browser.open(url), 'sign-in', { ...ADA });
  assert.doesNotMatch(page.html, /<script/);
  assert.ok(page.html.includes('{{ page.form.form_token }}\\u202e{% raw %}'), page.html);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

test('H-637 nothing agrees in place of the end-user: prompt=none, an earlier consent, a form from another page', async () => {
  const { program } = attacked;
  const browser = browserAt(program);
  const url = authorizeUrl(program, client, { authorization_details: DETAILS });
  const signIn = await browser.open(url);
  const page = await browser.submit(signIn, 'sign-in', { ...ADA });
  assert.match(
    page.html,
    /value="allow"/,
    'sign-in.consent is third-party, and the operator registered the client',
  );
  const other = authorizeUrl(program, client, {
    authorization_details: JSON.stringify([payment({ creditorName: 'Mallory' })]),
  });
  const mallory = await browser.open(other);
  const crossed = await browser.submit({ ...mallory, html: withTokenOf(page.html, mallory.html) }, 'allow');
  assert.equal(crossed.status, 400, 'the form of one request agrees to no other');
  assert.notEqual(answered(await browser.submit(await browser.open(url), 'allow'))['code'], undefined);
  const silent = answered(await browser.open(`${url}&prompt=none`));
  assert.equal(silent['error'], 'consent_required');
});

/** The form of one page with the token of another. */
function withTokenOf(from: string, into: string): string {
  const field = /name="form_token" value="[^"]*"/;
  return into.replace(field, field.exec(from)?.[0] ?? assert.fail('no token'));
}

test('H-639 one refresh token in forty narrower requests at once, at two processes on one database: no token has more, and all that succeed are within the grant', async () => {
  const { program } = attacked;
  const second = await startProgram({ folder: program.folder, environment });
  try {
    const code = await grantedCode();
    const status = JSON.stringify([payment({ actions: ['status'] })]);
    const redeemed = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) =>
          await redeem({ ...program, url: index % 2 === 0 ? program.url : second.url }, client, code, {
            authorization_details: index % 4 === 0 ? status : undefined,
          }),
      ),
    );
    assert.equal(redeemed.filter((each) => each.status === 200).length, 1, 'a code works once');
    const { json } = await redeem(program, client, await grantedCode());
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, index) =>
          await refreshed(
            { url: index % 2 === 0 ? program.url : second.url },
            json['refresh_token'],
            index % 3 === 0 ? status : index % 3 === 1 ? undefined : JSON.stringify([payment(), payment()]),
          ),
      ),
    );
    for (const [index, answer] of answers.entries())
      assert.deepEqual(
        answer.json['authorization_details'] ?? answer.json['error'],
        [[payment({ actions: ['status'] })], [payment()], 'invalid_authorization_details'][index % 3],
      );
  } finally {
    await second.stop();
  }
});

testInvariantsAtTheEnd(attacked);
