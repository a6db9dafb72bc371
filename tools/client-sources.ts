import type { MediaType, OpenApiDocument, Operation } from '../src/endpoints/open-api/open-api-document.ts';
import type { Schema, SchemaType } from '../src/spec/json-schema.ts';

const MADE = '// Made from the API description by `npm run docs`; do not edit.\n';
const REFERENCE = '#/components/schemas/';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Below the issuer, or on the management listener. */
const ADMINISTRATION = '/admin/v1/';

/** Two objects that share this many members have a common interface. */
const SHARED_MIN = 10;

/** Types of the administration have a file of their own. */
const ofAdministration = (name: string): boolean => name.startsWith('Admin');

/** Returns `src/client/schemas.ts`: a type for each named schema that a call takes or returns. */
export function clientSchemas(document: OpenApiDocument): string {
  const texts = [...usedTypes(document)].filter(([name]) => !ofAdministration(name));
  return [MADE, ...texts.map(([, text]) => text)].join('\n');
}

/** Returns `src/client/admin-schemas.ts`: the types of the administration. */
export function clientAdminSchemas(document: OpenApiDocument): string {
  const types = usedTypes(document);
  const own = [...types].filter(([name]) => ofAdministration(name)).map(([, text]) => text);
  const others = namesIn(own.join('\n'), types).filter((name) => !ofAdministration(name));
  return [MADE, ...importsOf(others), ...own].join('\n');
}

/** Returns the declarations of the types that calls use, by name. */
function usedTypes(document: OpenApiDocument): ReadonlyMap<string, string> {
  const named = Object.entries(document.components['schemas'] as Readonly<Record<string, Schema>>);
  const texts = new Map(named.map(([name, schema]) => [name, declaration(name, schema, named)]));
  const used = new Set([...namesIn(callsOf(document), texts), 'OAuthError']);
  // The set grows while it is walked.
  for (const name of used) for (const other of namesIn(texts.get(name) ?? '', texts)) used.add(other);
  return new Map([...texts].filter(([name]) => used.has(name)));
}

/** Returns the imports of types, from the file of each. */
function importsOf(names: readonly string[]): readonly string[] {
  const from = (file: string, chosen: readonly string[]): readonly string[] =>
    chosen.length === 0 ? [] : [`import type { ${chosen.join(', ')} } from './${file}.ts';\n`];
  return [
    ...from('admin-schemas', names.filter(ofAdministration)),
    ...from(
      'schemas',
      names.filter((name) => !ofAdministration(name)),
    ),
  ];
}

const namesIn = (text: string, names: ReadonlyMap<string, unknown>): readonly string[] =>
  [...names.keys()].filter((name) => new RegExp(`\\b${name}\\b`, 'u').test(text));

function declaration(name: string, schema: Schema, all: readonly (readonly [string, Schema])[]): string {
  const words = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
  if (schema.type !== 'object') return `${words}export type ${name} = ${typeOf(schema)};\n`;
  const wider = all
    .filter(([other, candidate]) => other !== name && extendsSchema(schema, candidate))
    .toSorted(([, one], [, other]) => (other.required ?? []).length - (one.required ?? []).length)[0];
  const inherited = wider?.[1] ?? {};
  const own = Object.entries(schema.properties ?? {}).filter(
    ([member]) =>
      inherited.properties?.[member] === undefined ||
      ((schema.required ?? []).includes(member) && !(inherited.required ?? []).includes(member)),
  );
  const base = wider === undefined ? '' : ` extends ${wider[0]}`;
  const lines = [
    ...own.map(([member, value]) => `  ${memberOf(member, value, schema)};`),
    ...(wider === undefined ? taggedMembers(schema).map((line) => `  ${line};`) : []),
  ];
  return `${words}export interface ${name}${base} {\n${lines.join('\n')}\n}\n`;
}

/** Says whether an object has every member of another one with the same values, and requires more or has more. */
function extendsSchema(schema: Schema, other: Schema): boolean {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(other.properties ?? {});
  const demanded = other.required ?? [];
  return (
    members.length >= SHARED_MIN &&
    members.every(([name, value]) => JSON.stringify(properties[name]) === JSON.stringify(value)) &&
    demanded.every((name) => required.includes(name)) &&
    Object.keys(properties).length + required.length > members.length + demanded.length
  );
}

function memberOf(name: string, schema: Schema, { required = [] }: Schema): string {
  const key = /^[a-zA-Z_]\w*$/u.test(name) ? name : `'${name}'`;
  return `readonly ${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`;
}

/** Members such as `client_name#de`. */
function taggedMembers({ patternProperties = {} }: Schema): readonly string[] {
  return Object.keys(patternProperties).flatMap((pattern) => {
    const names = /^\^\(\?:(.*)\)#/u.exec(pattern)?.[1]?.split('|') ?? [];
    return names.map((name) => `readonly [tagged: \`${name}#\${string}\`]: string`);
  });
}

const SIMPLE: Readonly<Record<Exclude<SchemaType, 'array' | 'object'>, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: Schema): string {
  const { $ref, const: only, enum: values, anyOf, contentMediaType, type, items = {} } = schema;
  if ($ref !== undefined) return $ref.slice(REFERENCE.length);
  if (only !== undefined) return literal(only);
  if (values !== undefined) return values.map(literal).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (contentMediaType !== undefined) return 'ReadableStream<Uint8Array>';
  if (type === undefined) return 'unknown';
  if (typeof type !== 'string') return type.map((each) => typeOf({ type: each })).join(' | ');
  if (type === 'array') return `readonly ${inArray(typeOf(items))}[]`;
  return type === 'object' ? objectType(schema) : SIMPLE[type];
}

const inArray = (type: string): string => (/[ |]/u.test(type) ? `(${type})` : type);
const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");

function objectType(schema: Schema): string {
  const { properties, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  if (properties === undefined) return `Readonly<Record<string, ${values}>>`;
  return `{ ${Object.entries(properties)
    .map(([name, value]) => memberOf(name, value, schema))
    .join('; ')} }`;
}

interface Described {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly operation: Operation;
}

/** Returns `src/client/operations.ts`: the endpoints for programs, as data and as types. Pages are for browsers. */
export function clientOperations(document: OpenApiDocument): string {
  const calls = callsOf(document);
  const schemas = new Map(Object.entries(document.components['schemas'] ?? {}));
  return [
    MADE,
    ...importsOf(namesIn(calls, schemas)),
    '/** The requests and answers of each call, by its name. */',
    `export interface Calls {\n${calls}\n}\n`,
    '/** The place of each call. */',
    `export const OPERATIONS = {\n${operationsOf(document).map(operationRow).join('\n')}\n} as const;\n`,
  ].join('\n');
}

const callsOf = (document: OpenApiDocument): string => operationsOf(document).map(callType).join('\n');

function operationsOf({ paths }: OpenApiDocument): readonly Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      const stands = operation !== undefined && (!('servers' in item) || path.startsWith(ADMINISTRATION));
      return stands && !isForBrowsers(operation) ? [{ path, method, operation }] : [];
    }),
  );
}

const isForBrowsers = ({ responses }: Operation): boolean => {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  return types.some((type) => type === 'text/html' || type.endsWith('/*'));
};

function callType({ path, method, operation }: Described): string {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const members = [
    ...parameters.filter((each) => each.in === 'path').map(({ name }) => `readonly ${name}: string`),
    ...queryType(parameters),
    ...headerTypes(parameters),
    ...(requestBody === undefined ? [] : [bodyType(requestBody)]),
  ];
  const request = members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
  return [
    `  /** ${summary} \`${method.toUpperCase()} ${path}\` */`,
    `  ${operationId}: { readonly request: ${request}; readonly answer: ${answerType(operation)} };`,
  ].join('\n');
}

function queryType(parameters: NonNullable<Operation['parameters']>): readonly string[] {
  const query = parameters.filter((each) => each.in === 'query');
  if (query.length === 0) return [];
  return [
    `readonly query?: { ${query.map(({ name }) => `readonly ${name}?: string | number | boolean`).join('; ')} }`,
  ];
}

function headerTypes(parameters: NonNullable<Operation['parameters']>): readonly string[] {
  return parameters
    .filter((each) => each.in === 'header')
    .map(({ name, required = false }) => `readonly '${name.toLowerCase()}'${required ? '' : '?'}: string`);
}

function bodyType({ required, content }: NonNullable<Operation['requestBody']>): string {
  const form = content['application/x-www-form-urlencoded'];
  const optional = required ? '' : '?';
  if (form !== undefined) return `readonly form${optional}: ${typeOf(form.schema)}`;
  return `readonly body${optional}: ${[...new Set(Object.values(content).map(({ schema }) => typeOf(schema)))].join(' | ')}`;
}

function answerType({ responses }: Operation): string {
  const bodies: readonly Readonly<Record<string, MediaType>>[] = Object.entries(responses).flatMap(
    ([status, { content }]) => (status.startsWith('2') ? [content ?? {}] : []),
  );
  const types = bodies.flatMap((content) => Object.values(content).map(({ schema }) => typeOf(schema)));
  return types.length === 0 ? 'undefined' : [...new Set(types)].join(' | ');
}

function operationRow({ path, method, operation }: Described): string {
  const types = Object.keys(operation.requestBody?.content ?? {});
  const [type] = types;
  const body = type === undefined ? '' : `, type: '${type}'`;
  return `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}'${body} },`;
}
