import { ERROR_CODES, type ErrorCode } from '../../spec/errors.ts';
import { OBJECT, type Schema, TEXT } from '../../spec/json-schema.ts';
import { PARAMETER_WORDS, type ParameterName } from '../../spec/parameter-words.ts';
import { named, SCHEMAS } from '../../spec/schemas.ts';
import {
  type AnswerContract,
  type Content,
  type Contract,
  CREDENTIALS,
  type ParameterContract,
} from '../contract.ts';

/** The version of the package, which a test compares. */
export const API_VERSION = '0.1.0';

/** The endpoints at one address. */
export interface DescribedServer {
  readonly url: string;
  readonly contracts: readonly Contract[];
}

export interface Described {
  readonly description: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface MediaType {
  readonly schema: Schema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Described & { readonly name: string; readonly in: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Describes endpoints from their contracts.
 * @param servers the first one is the issuer; paths of the others name their server
 */
export function openApiDocument(servers: readonly DescribedServer[]): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [place, { url, contracts }] of servers.entries()) {
    for (const contract of contracts) {
      const item = (paths[contract.path] ??= place === 0 ? {} : { servers: [{ url }] });
      // A tool gives all contracts of an endpoint: the first one describes it.
      item[contract.method.toLowerCase()] ??= operationOf(contract);
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chancery',
      version: API_VERSION,
      description: 'OAuth 2.0 and OpenID Connect authorisation server.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: servers.slice(0, 1).map(({ url }) => ({ url })),
    paths,
    components: { schemas: SCHEMAS, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = Object.fromEntries(
  Object.entries(CREDENTIALS).flatMap(([name, described]) =>
    'scheme' in described ? [[name, { ...described.scheme, description: described.words }]] : [],
  ),
);

/** `client-read` → `clientRead`. */
const operationId = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Describes one endpoint. */
export function operationOf(contract: Contract): Operation {
  const { name, purpose, specifications, credentials, parameters, segments = {}, inputs = [] } = contract;
  const query = [
    ...(parameters?.in === 'query' ? queryParameters(parameters) : []),
    ...inputs.map(({ words: description, ...input }) => ({ ...input, description })),
  ];
  const path = Object.entries(segments).map(([segment, description]) => ({
    name: segment,
    in: 'path',
    required: true,
    description,
    schema: TEXT,
  }));
  const body = requestBody(contract);
  return {
    operationId: operationId(name),
    summary: purpose,
    ...(specifications.length === 0 ? {} : { description: specifications.join(', ') }),
    security: credentials.map((each) =>
      each === 'none' ? {} : { [each]: contract.scope === undefined ? [] : [contract.scope] },
    ),
    ...(query.length + path.length === 0 ? {} : { parameters: [...path, ...query] }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(contract),
  };
}

function queryParameters({
  names,
  required,
  repeatable,
}: ParameterContract): NonNullable<Operation['parameters']> {
  return [...names].map((name) => ({
    name,
    in: 'query',
    description: PARAMETER_WORDS[name],
    ...(required.includes(name) ? { required: true } : {}),
    schema: parameterSchema(repeatable, name),
  }));
}

const parameterSchema = (repeatable: ReadonlySet<string>, name: ParameterName): Schema =>
  repeatable.has(name) ? { anyOf: [TEXT, { type: 'array', items: TEXT }] } : TEXT;

function requestBody({ parameters, content }: Contract): Operation['requestBody'] {
  if (content !== undefined) return { required: true, content: mediaTypes(content) };
  if (parameters?.in !== 'form') return undefined;
  const { names, required, repeatable } = parameters;
  const schema: Schema = {
    ...OBJECT,
    properties: Object.fromEntries(
      [...names].map((name) => [
        name,
        { description: PARAMETER_WORDS[name], ...parameterSchema(repeatable, name) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
  return { required: required.length > 0, content: { 'application/x-www-form-urlencoded': { schema } } };
}

const mediaTypes = (content: Content): Readonly<Record<string, MediaType>> =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));

/** Answers of `http`, before an endpoint sees the request (decision 39). */
const edge = (content: Content): ResponseObject => ({
  description:
    'The server refused the request before the endpoint read it: 405, 408, 413, 414, 417, 429, 431 or 503.',
  content: mediaTypes(content),
});

const EDGE = edge({ 'application/json': named('OAuthError') });
const EDGE_OF_ADMINISTRATION = edge({ 'application/problem+json': named('Problem') });

function responsesOf(contract: Contract): Operation['responses'] {
  const described = contract.statuses.map((status) => {
    const own = contract.answers[status];
    return [String(status), own === undefined ? refusal(contract, status) : answered(status, own)] as const;
  });
  return {
    ...Object.fromEntries(described),
    default: contract.errors === 'problem' ? EDGE_OF_ADMINISTRATION : EDGE,
  };
}

function answered(status: number, { words, content }: AnswerContract): ResponseObject {
  return {
    description: words,
    ...headersOf(status),
    ...(content === undefined ? {} : { content: mediaTypes(content) }),
  };
}

function refusal(contract: Contract, status: number): ResponseObject {
  if (contract.errors === 'page')
    return {
      description: `A page for the end-user: ${MEANINGS[status] ?? 'the request is refused'}.`,
      ...headersOf(status),
      content: mediaTypes({ 'text/html': TEXT }),
    };
  const words = MEANINGS[status] ?? 'The request is refused.';
  if (contract.errors === 'problem')
    return {
      description: words,
      ...headersOf(status),
      content: mediaTypes({ 'application/problem+json': named('Problem') }),
    };
  const codes = codesOf(contract, status);
  if (codes.length === 0) return { description: `${words} No body.`, ...headersOf(status) };
  const schema = { ...named('OAuthError'), properties: { error: { enum: codes } } };
  return {
    description: `${words} \`error\`: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...headersOf(status),
    content: mediaTypes({ 'application/json': schema }),
  };
}

/** Returns the error codes that the endpoint answers with this status. */
export function codesOf({ refusals = [], errorStatuses }: Contract, status: number): readonly ErrorCode[] {
  const own = refusals.filter((code) => (errorStatuses?.[code] ?? ERROR_CODES[code].status) === status);
  const limited = status === 429 || status === 503;
  return limited ? [...new Set<ErrorCode>([...own, 'temporarily_unavailable'])] : own;
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is refused.',
  401: 'The credentials are missing or not valid.',
  403: 'The credentials do not permit the request.',
  404: 'Nothing is at this address.',
  409: 'The state of the resource does not permit this.',
  412: 'The resource has changed since the caller read it.',
  422: 'The request is well-formed, and cannot be followed.',
  428: 'The request needs `If-Match`.',
  429: 'Too many requests.',
  500: 'A fault of the server; its log has the cause.',
  503: 'The server cannot decide now.',
};

const HEADERS: Readonly<Record<number, Readonly<Record<string, Described>>>> = {
  303: { Location: { description: 'Where the browser goes.', required: true, schema: TEXT } },
  401: { 'WWW-Authenticate': { description: 'The credentials that the endpoint needs.', schema: TEXT } },
  429: { 'Retry-After': { description: 'Seconds.', required: true, schema: TEXT } },
};

const headersOf = (status: number): Pick<ResponseObject, 'headers'> => {
  const headers = HEADERS[status];
  return headers === undefined ? {} : { headers };
};
