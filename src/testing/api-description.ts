import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Contract } from '../endpoints/contract.ts';
import { type Operation, operationOf, type ResponseObject } from '../endpoints/open-api/open-api-document.ts';
import type { Schema } from '../spec/json-schema.ts';
import { SCHEMAS } from '../spec/schemas.ts';

/** A response, with the names of its headers in lower case. */
export interface SentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The response of the description for refusals before an endpoint reads the request. */
const EDGE = ' default';

/** Returns why a body does not have the form of a schema. */
type Validate = (body: unknown) => string | undefined;

const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
ajv.addVocabulary(['components']);
ajv.addSchema({ $id: 'https://api.example/', components: { schemas: SCHEMAS } });

/** By contract: an endpoint that the settings switch off has the name of the other one, and fewer responses. */
const operations = new WeakMap<Contract, Operation>();
/** By the text of the schema, so that each is compiled once. */
const validators = new Map<string, Validate>();

/** Asserts that a response of an endpoint is one that the API description describes. */
export function assertDescribed(contract: Contract, sent: SentResponse): void {
  const name = `${contract.name} ${sent.status}`;
  assertMatches(
    name,
    described(contract, String(sent.status)) ?? assert.fail(`${name} is not described`),
    sent,
  );
}

/** Asserts that the description has a response of the program: the endpoint gave it, or the edge refused the request. */
export function assertDescribedOrRefused(contract: Contract, sent: SentResponse): void {
  if (sent.status < 400) return assertDescribed(contract, sent);
  try {
    assertDescribed(contract, sent);
  } catch (failure) {
    const refusal = described(contract, 'default');
    if (refusal === undefined || !isEdgeRefusal(sent)) throw failure;
    assertMatches(contract.name + EDGE, refusal, sent);
  }
}

/** The edge refuses with one of these codes, with a problem that is its status alone, or with no body at all. */
const isEdgeRefusal = ({ body }: SentResponse): boolean =>
  body === '' ||
  /^\{"(?:error":"(?:invalid_request|temporarily_unavailable)|type":"(?:about:blank|urn:chancery:problem:(?:not_found|temporarily_unavailable)))"/u.test(
    body,
  );

function described(contract: Contract, status: string): ResponseObject | undefined {
  let operation = operations.get(contract);
  if (operation === undefined) {
    operation = operationOf(contract);
    operations.set(contract, operation);
  }
  return operation.responses[status];
}

function assertMatches(name: string, { content, headers = {} }: ResponseObject, sent: SentResponse): void {
  for (const [header, { required = false }] of Object.entries(headers))
    assert.ok(!required || sent.headers[header.toLowerCase()] !== undefined, `${name} lacks ${header}`);
  if (sent.body === '') {
    // 404 and the refusals of the edge have a body where an error code explains them, and none otherwise.
    const mayLackBody = sent.status === 404 || name.endsWith(EDGE);
    assert.ok(content === undefined || mayLackBody, `${name} has no body`);
    return;
  }
  const type = (sent.headers['content-type'] ?? '').replace(/;.*$/su, '');
  const media = content?.[type] ?? content?.[type.replace(/\/.*$/u, '/*')] ?? content?.['*/*'];
  assert.ok(media !== undefined, `${name}: the media type "${type}" is not described`);
  if (!type.endsWith('json') || type.endsWith('ndjson')) return;
  const problem = validatorOf(media.schema)(JSON.parse(sent.body));
  if (problem !== undefined) assert.fail(`${name} ${type} differs from its description: ${problem}`);
}

function validatorOf(schema: Schema): Validate {
  const text = JSON.stringify(schema);
  let validate = validators.get(text);
  if (validate === undefined) {
    const compiled = ajv.compile(absolute(text));
    validate = (body) => (compiled(body) ? undefined : faults(compiled));
    validators.set(text, validate);
  }
  return validate;
}

const faults = ({ errors }: ValidateFunction): string => ajv.errorsText(errors ?? null, { dataVar: 'body' });

/** References of the document are relative to it, and the compiler knows it by an address. */
function absolute(text: string): Schema {
  return JSON.parse(text.replaceAll('"#/components/', '"https://api.example/#/components/')) as Schema;
}
