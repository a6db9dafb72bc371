import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describedServers, readEndpointFolders } from '../../../tools/contracts.ts';
import { CLIENT_METADATA } from '../../spec/client-metadata.ts';
import { ERROR_CODES } from '../../spec/errors.ts';
import { assertDescribed, assertDescribedOrRefused } from '../../testing/api-description.ts';
import { assertBodiless } from '../../testing/exchange.ts';
import { ISSUER, testTenant } from '../../testing/tenant.ts';
import { contract as tokenContract } from '../token/contract.ts';
import { contract } from './contract.ts';
import { API_VERSION, type OpenApiDocument, openApiDocument } from './open-api-document.ts';

const folders = await readEndpointFolders();
const contracts = folders.flatMap((folder) => folder.contracts);
const whole = openApiDocument(describedServers(folders));
const described = { settings: { 'openapi.enabled': true, 'federation.enabled': true } };

type Json = Readonly<Record<string, unknown>>;

function operations({ paths }: Pick<OpenApiDocument, 'paths'>): readonly string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => (method === 'servers' ? [] : [`${method} ${path}`])),
  );
}

test('200: GET /openapi.json describes every endpoint below the issuer in OpenAPI 3.1, at the address of the issuer', async () => {
  const tenant = testTenant(described);
  const answer = await tenant.send('open-api');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.deepEqual(answer.json['servers'], [{ url: ISSUER }]);
  const { endpoints } = await tenant.site();
  const standing = endpoints.map((each) => `${each.contract.method.toLowerCase()} ${each.contract.path}`);
  const document = answer.json as unknown as OpenApiDocument;
  assert.deepEqual(operations(document).toSorted(), standing.toSorted());
  // Development has more methods at some addresses.
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      assert.deepEqual(operation, json(whole).paths[path]?.[method]);
});

test('GET /openapi.json answers 500 if the description fails', async () => {
  const tenant = testTenant(described);
  const endpoint = { ...(await tenant.endpoint('open-api')), handle: () => assert.fail('broken') };
  assertBodiless(await tenant.ask(endpoint, {}), 500);
});

test('the API description is a valid OpenAPI 3.1 document, and every reference in it leads somewhere', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...json(whole) });
  assert.equal(valid, true, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
  const { schemas } = whole.components;
  for (const [, name = ''] of JSON.stringify(whole).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    assert.ok(schemas !== undefined && name in schemas, name);
  const broken = await new Validator().validate({ ...json(whole), paths: { token: {} } });
  assert.equal(broken.valid, false);
});

test('the API description has the version of the package', () => {
  const file = join(import.meta.dirname, '../../../package.json');
  assert.equal((JSON.parse(readFileSync(file, 'utf8')) as Json)['version'], API_VERSION);
});

test('the API description has every member of the client metadata and every parameter that endpoints read', () => {
  const { ClientMetadata } = whole.components['schemas'] as Readonly<Record<string, { properties: Json }>>;
  assert.deepEqual(Object.keys(ClientMetadata?.properties ?? {}), Object.keys(CLIENT_METADATA));
  const form = json(whole).paths['/token']?.['post'] as {
    requestBody: { content: Readonly<Record<string, { schema: { properties: Json } }>> };
  };
  const { properties } = form.requestBody.content['application/x-www-form-urlencoded']?.schema ?? {};
  assert.deepEqual(Object.keys(properties ?? {}), [...tokenContract.parameters.names]);
});

test('a contract describes each status that refuses nothing, the meaning of each {name}, and the codes of its JSON errors', () => {
  for (const { name, statuses, answers, path, segments = {}, errors, refusals, ...contract } of contracts) {
    for (const status of statuses) assert.ok(status >= 400 || status in answers, `${name} ${status}`);
    for (const status of Object.keys(answers))
      assert.ok(statuses.includes(Number(status)), `${name} ${status}`);
    const named = [...path.matchAll(/\{([a-z_]+)\}/gu)].map(([, segment]) => segment);
    assert.deepEqual(named, Object.keys(segments), name);
    const explains =
      errors !== 'page' &&
      errors !== 'problem' &&
      statuses.some((status) => [400, 401, 403].includes(status));
    assert.ok(!explains || refusals !== undefined, name);
    for (const code of refusals ?? []) {
      const status = contract.errorStatuses?.[code] ?? ERROR_CODES[code].status;
      assert.ok(statuses.includes(status), `${name} ${code}`);
    }
  }
});

test('a response that the API description does not describe fails a test: another member, code, media type or status', () => {
  const headers = { 'content-type': 'application/json' };
  const good = { access_token: 'a', token_type: 'Bearer', expires_in: 1, scope: '' };
  const check = (status: number, body: object, type = 'application/json'): void =>
    assertDescribed(tokenContract, {
      status,
      headers: { ...headers, 'content-type': type },
      body: JSON.stringify(body),
    });
  check(200, good);
  assert.throws(() => check(200, { ...good, expires_in: '1' }), /expires_in must be integer/);
  assert.throws(() => check(200, { ...good, more: 1 }), /must NOT have additional properties/);
  assert.throws(() => check(200, good, 'text/plain'), /media type/);
  assert.throws(() => check(418, good), /not described/);
  check(400, { error: 'invalid_grant', error_description: 'a' });
  assert.throws(() => check(400, { error: 'invalid_token', error_description: 'a' }), /allowed values/);
  assert.throws(() => assertDescribed(tokenContract, { status: 200, headers, body: '' }), /no body/);
  const refused = (status: number, body: string): void =>
    assertDescribedOrRefused(tokenContract, { status, headers, body });
  refused(413, '{"error":"invalid_request","error_description":"a"}');
  refused(404, '');
  assert.throws(() => refused(413, '{"error":"invalid_grant","error_description":"a"}'), /not described/);
  assert.throws(() => refused(400, '{"error":"invalid_request"}'), /error_description/);
  assert.throws(() => assertDescribed(contract, { status: 200, headers, body: '[]' }), /must be object/);
});

const json = (document: OpenApiDocument): OpenApiDocument =>
  JSON.parse(JSON.stringify(document)) as OpenApiDocument;
