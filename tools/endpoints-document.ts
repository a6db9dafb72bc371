import {
  type AnswerContract,
  type Contract,
  CREDENTIALS,
  type InputContract,
  type ParameterContract,
} from '../src/endpoints/contract.ts';
import { codesOf } from '../src/endpoints/open-api/open-api-document.ts';
import { ERROR_WORDS } from '../src/spec/error-words.ts';
import type { ErrorCode } from '../src/spec/errors.ts';
import type { Schema } from '../src/spec/json-schema.ts';
import { PARAMETER_WORDS } from '../src/spec/parameter-words.ts';
import { SCHEMAS, type SchemaName } from '../src/spec/schemas.ts';
import { steadily } from '../src/testing/exchange-story.ts';
import type { Story } from '../test/reference/story.ts';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { exchangeMarkdown } from './exchange-markdown.ts';
import { row, table } from './markdown.ts';

const FOLDER = 'docs/reference/endpoints';
const REFERENCE = '#/components/schemas/';

const INTRODUCTION = `# Endpoints

Made from the contracts in \`src/endpoints\` and the stories in \`test/reference\` by \`npm run docs\`; do not edit.

Each path stands below the issuer, except health and metrics: they are on the management listener. \`/openapi.json\` describes the same for programs, and so does [openapi.json](../openapi.json). A test sent
each request of these pages, and the server gave each answer. Names in capitals stand for secrets and random values.
`;

interface MadePage {
  readonly path: string;
  readonly make: () => string;
}

/** Returns the pages of the endpoints, one for each folder, and their index. */
export async function endpointPages(
  folders: readonly EndpointFolder[],
  stories: Readonly<Record<string, readonly Story[]>>,
): Promise<readonly MadePage[]> {
  const pages: MadePage[] = [];
  for (const { name, contracts } of folders) {
    const text = pageOf(name, contracts, await exchangesOf(stories[name] ?? []));
    pages.push({ path: `${FOLDER}/${name}.md`, make: () => text });
  }
  return [{ path: `${FOLDER}/README.md`, make: () => indexOf(folders) }, ...pages];
}

async function exchangesOf(stories: readonly Story[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const story of stories) {
    const { all, shown } = await story();
    const steady = steadily(all);
    texts.push(...shown.map((exchange) => exchangeMarkdown(exchange, steady)));
  }
  return texts;
}

const addressOf = ({ method, path }: Contract): string => `\`${method} ${path}\``;

function indexOf(folders: readonly EndpointFolder[]): string {
  const rows = folders.flatMap(({ name, contracts }) =>
    distinct(contracts).map((contract) => row(`[${addressOf(contract)}](${name}.md)`, contract.purpose)),
  );
  return `${INTRODUCTION}\n${table(['request', 'purpose'], rows.sort())}`;
}

/** A contract for other settings has the address of the first one. */
function distinct(contracts: readonly Contract[]): readonly Contract[] {
  const places = new Map(contracts.toReversed().map((contract) => [addressOf(contract), contract]));
  return contracts.filter((contract) => places.get(addressOf(contract)) === contract);
}

function pageOf(name: string, contracts: readonly Contract[], exchanges: readonly string[]): string {
  const shown = distinct(contracts);
  const codes = new Set(shown.flatMap(({ statuses, ...contract }) => codesAt({ ...contract, statuses })));
  return [
    `# ${name}`,
    '',
    'Made by `npm run docs`; do not edit. [All endpoints](README.md).',
    '',
    ...shown.map(section),
    ...(codes.size === 0 ? [] : [errorSection([...codes])]),
    '## Requests and answers',
    '',
    ...exchanges,
  ].join('\n');
}

const codesAt = (contract: Contract): readonly ErrorCode[] =>
  contract.errors === 'page' || contract.errors === 'problem'
    ? []
    : contract.statuses.flatMap((status) => codesOf(contract, status));

function section(contract: Contract): string {
  const {
    purpose,
    specifications,
    segments = {},
    parameters,
    inputs,
    content,
    credentials,
    scope,
  } = contract;
  return [
    `## ${contract.method} ${contract.path}`,
    '',
    purpose,
    '',
    ...(specifications.length === 0 ? [] : [`Specifications: ${specifications.map(linked).join('; ')}.`, '']),
    `**Authentication.** ${credentials.map((each) => CREDENTIALS[each].words).join(' Or: ')}`,
    '',
    ...(scope === undefined ? [] : [`**Scope.** \`${scope}\``, '']),
    ...Object.entries(segments).flatMap(([name, words]) => [`**\`{${name}}\`.** ${words}`, '']),
    ...(parameters === undefined ? [] : [parameterTable(parameters)]),
    ...(inputs === undefined || inputs.length === 0 ? [] : [inputTable(inputs)]),
    ...Object.entries(content ?? {}).map(([type, schema]) => bodyTable('Body', type, schema)),
    answerTable(contract),
    ...Object.values(contract.answers).flatMap(answerBodies),
  ].join('\n');
}

const linked = (citation: string): string =>
  citation.startsWith('docs/') ? `[${citation.slice(5)}](../../${citation.slice(5)})` : citation;

function parameterTable({ in: place, names, required, repeatable }: ParameterContract): string {
  const rows = [...names].map((name) =>
    row(
      `\`${name}\``,
      required.includes(name) ? 'required' : repeatable.has(name) ? 'may be repeated' : '',
      PARAMETER_WORDS[name],
    ),
  );
  const words = place === 'query' ? 'Parameters of the query' : 'Parameters of the form';
  return `**${words}.**\n\n${table(['parameter', '', 'meaning'], rows)}`;
}

function inputTable(inputs: readonly InputContract[]): string {
  const rows = inputs.map(({ name, in: place, words, schema, required }) =>
    row(`\`${name}\``, place, typeWords(schema), required === true ? 'required' : '', words),
  );
  return `**Parameters and headers.**\n\n${table(['name', 'in', 'type', '', 'meaning'], rows)}`;
}

function answerBodies({ content = {} }: AnswerContract): readonly string[] {
  return Object.entries(content).flatMap(([type, schema]) =>
    schemasIn(schema).map((each) => bodyTable('Answer', type, each)),
  );
}

/** Returns the objects of a body: those of a list, and each of several. */
function schemasIn(schema: Schema): readonly Schema[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(schemasIn);
  if (schema.items !== undefined) return schemasIn(schema.items);
  return schema.$ref === undefined ? [] : [schema];
}

function bodyTable(what: string, type: string, schema: Schema): string {
  const { description = '', properties, required = [], anyOf } = resolved(schema);
  const name = schema.$ref === undefined ? '' : ` \`${schema.$ref.slice(REFERENCE.length)}\``;
  const head = `**${what}${name}** (\`${type}\`).${description === '' ? '' : ` ${description}`}\n`;
  if (anyOf !== undefined) return [head, ...anyOf.map((each) => bodyTable('One of', type, each))].join('\n');
  if (properties === undefined) return head;
  const rows = Object.entries(properties).map(([member, value]) =>
    row(
      `\`${member}\``,
      typeWords(value),
      required.includes(member) ? 'always' : '',
      value.description ?? resolved(value).description ?? '',
    ),
  );
  return `${head}\n${table(['member', 'type', '', 'meaning'], rows)}`;
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : SCHEMAS[schema.$ref.slice(REFERENCE.length) as SchemaName];
}

function typeWords(schema: Schema): string {
  const { $ref, const: only, enum: values, anyOf, type, items = {}, minimum, maximum } = schema;
  if ($ref !== undefined) return `\`${$ref.slice(REFERENCE.length)}\``;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (values !== undefined)
    return values
      .map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``)
      .join(', ');
  if (anyOf !== undefined) return anyOf.map(typeWords).join(' or ');
  if (type === 'array') return `list of ${typeWords(items)}`;
  if (type === 'integer' && maximum !== undefined) return `integer from ${minimum ?? 0} to ${maximum}`;
  return typeof type === 'string' ? type : (type ?? ['any value']).join(' or ');
}

function answerTable(contract: Contract): string {
  const rows = contract.statuses.map((status) =>
    row(String(status), contract.answers[status]?.words ?? refusalWords(contract, status)),
  );
  return `**Answers.**\n\n${table(['status', 'meaning'], rows)}`;
}

function refusalWords(contract: Contract, status: number): string {
  if (contract.errors === 'page') return 'A page for the end-user says what is wrong.';
  if (contract.errors === 'problem') return 'Problem details (RFC 9457).';
  const codes = codesOf(contract, status);
  return codes.length === 0
    ? 'No body.'
    : codes.map((code) => `[\`${code}\`](../errors.md#${code})`).join(', ');
}

function errorSection(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => row(`\`${code}\``, ERROR_WORDS[code].means, ERROR_WORDS[code].remedy));
  return `## Errors\n\n${table(['error', 'cause', 'remedy'], rows)}\n[refusals.md](../refusals.md) has the reasons that the log tells the operator.\n`;
}
