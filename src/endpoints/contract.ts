import type { AdminScope } from '../spec/admin-scopes.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { ErrorCode } from '../spec/errors.ts';
import type { Schema } from '../spec/json-schema.ts';
import type { ParameterName } from '../spec/parameter-words.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Credentials of a caller, with the scheme of the API description and words for people. `none`: the request needs none. */
export const CREDENTIALS = {
  none: { words: 'None.' },
  client: {
    scheme: { type: 'http', scheme: 'basic' },
    words:
      'Client authentication (RFC 6749 §2.3): identifier and secret with HTTP Basic. The other methods stand in the form: `client_id` with `client_secret` or with `client_assertion`. A client certificate authenticates too (RFC 8705 §2). A public client sends `client_id` alone.',
  },
  'access-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'An access token with the scope `openid`.',
  },
  'introspection-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'An access token whose scope has the address of the introspection endpoint.',
  },
  'master-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'The master token of the client registry, the setting `registration.master-token-sha256`.',
  },
  'initial-access-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'An initial access token (RFC 7591 §3). It registers one client.',
  },
  'registration-access-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'The `registration_access_token` of the client (RFC 7592 §3). It manages this client only.',
  },
  'direct-authorization-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'The master token of direct authorisation, the setting `direct-authorization.token-sha256`.',
  },
  'admin-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words:
      'An access token of this server with the scope value that the operation names, or a break-glass token, the setting `admin.token-sha256`.',
  },
  'global-revocation-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'A token of a trusted party, the setting `global-revocation.token-sha256`.',
  },
  'receiver-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words:
      'An access token that a client got for itself (`client_credentials`), with the scope value `ssf.manage`. `ssf.read` suffices to read.',
  },
  'sign-in-page-token': {
    scheme: { type: 'http', scheme: 'bearer' },
    words: 'The token of the sign-in page of the operator, the setting `sign-in.token-sha256`.',
  },
} as const;

export type Credential = keyof typeof CREDENTIALS;

/** Bodies by media type, without parameters. A schema of text stands for everything that is not JSON. */
export type Content = Readonly<Record<string, Schema>>;

/** A response that refuses nothing, or one whose body is of its own. */
export interface AnswerContract {
  readonly words: string;
  /** Absent: no body. */
  readonly content?: Content;
}

/** The parameters that an endpoint reads. It passes over all others. */
export interface ParameterContract {
  readonly in: 'query' | 'form';
  readonly names: ReadonlySet<ParameterName>;
  readonly required: readonly ParameterName[];
  readonly repeatable: ReadonlySet<string>;
}

/** A parameter of the query, or a header, that one endpoint reads. */
export interface InputContract {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly words: string;
  readonly schema: Schema;
  readonly required?: true;
}

interface ParameterRules {
  readonly required?: readonly ParameterName[];
  readonly repeatable?: readonly ParameterName[];
}

const parametersOf =
  (place: ParameterContract['in']) =>
  (
    names: readonly ParameterName[],
    { required = [], repeatable = [] }: ParameterRules = {},
  ): ParameterContract => ({
    in: place,
    names: new Set(names),
    required,
    repeatable: new Set(repeatable),
  });

export const queryOf = parametersOf('query');
export const formOf = parametersOf('form');

/** Describes an endpoint as data. The router, the API description, the documentation and the tests read it. */
export interface Contract {
  readonly name: string;
  readonly method: Method;
  /** Below the issuer; `{name}` stands for one path segment. */
  readonly path: string;
  /** One sentence that begins with a verb. */
  readonly purpose: string;
  /** The meaning of each `{name}` in the path. */
  readonly segments?: Readonly<Record<string, string>>;
  /** Each of these suffices. */
  readonly credentials: readonly Credential[];
  readonly parameters?: ParameterContract;
  /** Parameters of the query and headers that belong to this endpoint alone, by name. */
  readonly inputs?: readonly InputContract[];
  /** The scope value that the access token must have, for endpoints of administration. */
  readonly scope?: AdminScope;
  /** The bodies that the endpoint reads, if they are no form. */
  readonly content?: Content;
  /** Every response that is no refusal, by its status. */
  readonly answers: Readonly<Record<number, AnswerContract>>;
  readonly specifications: readonly string[];
  /** The member of the provider metadata that names this endpoint's address (RFC 8414 §2). */
  readonly advertisedAs?: string;
  readonly statuses: readonly number[];
  /** The form of errors; `page` shows them to a person in a browser, `problem` is RFC 9457. */
  readonly errors: 'json' | 'bearer-challenge' | 'page' | 'problem';
  /** The codes of its JSON errors. Limits and storage add `temporarily_unavailable` to 429 and 503. */
  readonly refusals?: readonly ErrorCode[];
  /** Statuses of this endpoint that differ from `ERROR_CODES`. */
  readonly errorStatuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /**
   * The origins whose scripts may call the endpoint. `any`: every origin, without credentials. `configured`: the origins of a
   * setting (decision 40). `none`: no origin, for addresses that browsers navigate to (RFC 9700 §2.6).
   */
  readonly cors: 'any' | 'configured' | 'none';
  /** The body that the endpoint reads. */
  readonly body: 'none' | 'json' | 'form' | 'statement';
  /** Clients call the endpoint with their certificates, so it has an alias at the address that requests them (RFC 8705 §5). */
  readonly certificates?: true;
}

/** The part of a request that endpoints see, as plain data; only header names are decoded. */
export interface EndpointRequest {
  /** As sent; an endpoint for GET also handles HEAD. */
  readonly method: string;
  /** The path segment that stands for `{id}`, still percent-encoded; `''` where the path has none. */
  readonly segment: string;
  /** The path segments by their names, still percent-encoded. */
  readonly segments: Readonly<Record<string, string>>;
  /** Names in lower case, without a prototype. The HTTP edge refuses repeated security-relevant headers. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without the question mark, still percent-encoded. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Identifies the request in the log and the audit. */
  readonly id: string;
  /** The address of the peer, or the address that a trusted proxy names. */
  readonly remoteAddress: string;
  /** The certificate whose key the caller proved to hold; undefined if it sent none. */
  readonly clientCertificate: ClientCertificate | undefined;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, the only header that may repeat (RFC 9110 §5.3). */
  readonly cookies?: readonly string[];
  /** Chunks of a stream are written with back-pressure. `return()` is called when the client has gone, also while it waits. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** The refusal that this response tells, if `handle` did not throw it. For the log and the counters; it is not sent. */
  readonly refused?: Error;
}

/** A failure as an error page shows it to a person. */
export interface Failure {
  readonly status: number;
  readonly error: ErrorCode | 'not_found';
  /** The reason; the page shows it only if a setting allows that. */
  readonly words: string;
  /** Seconds after which to retry. */
  readonly retryAfter?: number;
}

export interface Endpoint {
  readonly contract: Contract;
  /** Renders errors where the contract says `page`. */
  readonly errorPage?: (request: EndpointRequest, failure: Failure) => EndpointResponse;
  handle(request: EndpointRequest): EndpointResponse | Promise<EndpointResponse>;
}
