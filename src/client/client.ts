import { type Calls, OPERATIONS } from './operations.ts';
import type { ClientInformation, ClientMetadata, DryRun, TokenIntrospection } from './schemas.ts';

export type * from './admin-schemas.ts';
export type { Calls } from './operations.ts';
export type * from './schemas.ts';

/** How the caller authenticates. */
export type Credentials =
  | { readonly bearer: string }
  /** HTTP Basic (RFC 6749 §2.3.1). */
  | { readonly client_id: string; readonly client_secret: string }
  /** A public client: `client_id` stands in each form. */
  | { readonly client_id: string };

export interface ClientOptions {
  /** The issuer, without a slash at its end. */
  readonly issuer: string;
  /** Where the administration API stands, such as `http://127.0.0.1:9090`; the issuer by default. */
  readonly administration?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Sends the requests; the one of the runtime by default. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds for one request with its answer; 30,000 by default. */
  readonly timeout?: number | undefined;
}

/** A response that is no error. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A refusal of the server, or an answer that is none. */
export class ChanceryError extends Error {
  override readonly name = 'ChanceryError';
  readonly status: number;
  /** The error code, such as `invalid_grant`; undefined if the answer has none. */
  readonly error: string | undefined;
  readonly error_description: string | undefined;
  /** The whole body: a refused dry run lists its mistakes there. */
  readonly body: unknown;
  readonly headers: Headers;

  constructor(call: string, { status, headers, body }: Answer<unknown>) {
    const { error, error_description } = textsOf(body);
    super(
      `${call}: ${status}${error === undefined ? '' : ` ${error}`}: ${error_description ?? 'no description'}`,
    );
    this.status = status;
    this.error = error;
    this.error_description = error_description;
    this.body = body;
    this.headers = headers;
  }

  /** Seconds after which the request may succeed; undefined if the server names none. */
  get retryAfter(): number | undefined {
    const seconds = this.headers.get('retry-after');
    return seconds === null ? undefined : Number(seconds);
  }
}

type CallName = keyof Calls;
type RequestOf<Name extends CallName> = Calls[Name]['request'];
type Given<Name extends CallName> =
  object extends RequestOf<Name> ? [request?: RequestOf<Name>] : [request: RequestOf<Name>];

/** Every endpoint of the server as a method. A method returns the body, and throws `ChanceryError` for an error. */
export type Methods = {
  readonly [Name in CallName]: (...given: Given<Name>) => Promise<Calls[Name]['answer']>;
};

export interface Client extends Methods {
  /** Calls an endpoint and returns the whole response. @throws ChanceryError */
  call<Name extends CallName>(name: Name, ...given: Given<Name>): Promise<Answer<Calls[Name]['answer']>>;
  /** Returns the client of another caller at the same server. */
  as(credentials: Credentials | undefined): Client;
  /** Registers a client: `POST /clients`. */
  register(metadata: ClientMetadata): Promise<ClientInformation>;
  /** Checks a registration without storing it: `POST /clients?dry_run=true`. */
  check(metadata: ClientMetadata): Promise<DryRun>;
  /** Returns all clients, in pages of at most 1,000: `GET /clients`. */
  clients(limit?: number): AsyncGenerator<ClientInformation, void>;
  /** Says whether a token is active, and what it permits: `POST /token/introspect`. */
  introspect(token: string): Promise<TokenIntrospection>;
}

/** The parts of a request that any call may have; the others are segments of the path, and headers. */
interface AnyRequest {
  readonly [segmentOrHeader: string]: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly form?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;
/** Headers that a call may name. */
const HEADERS = ['if-match', 'idempotency-key', 'audit-reason', 'range', 'if-range'] as const;

/** Returns a client of a Chancery server. It sends nothing before the first call. */
export function createClient(options: ClientOptions): Client {
  const call = async (name: CallName, request: AnyRequest = {}): Promise<Answer<unknown>> =>
    await send(options, name, request);
  const methods = Object.fromEntries(
    (Object.keys(OPERATIONS) as CallName[]).map((name) => [
      name,
      async (request?: AnyRequest) => (await call(name, request)).body,
    ]),
  ) as unknown as Methods;
  return {
    ...methods,
    call: call as Client['call'],
    as: (credentials) => createClient({ ...options, credentials }),
    register: async (body) => (await methods.clientRegistration({ body })) as ClientInformation,
    check: async (body) => (await methods.clientRegistration({ body, query: { dry_run: true } })) as DryRun,
    clients: (limit = 1000) => pages(call as Client['call'], limit),
    introspect: async (token) => (await methods.introspection({ form: { token } })) as TokenIntrospection,
  };
}

async function* pages(call: Client['call'], limit: number): AsyncGenerator<ClientInformation, void> {
  let cursor: string | undefined;
  do {
    const { body, headers } = await call('clientList', {
      query: cursor === undefined ? { limit } : { limit, cursor },
    });
    yield* body;
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/u.exec(headers.get('link') ?? '')?.[1];
  } while (cursor !== undefined);
}

async function send(
  {
    issuer,
    administration = issuer,
    credentials,
    fetch: sendRequest = fetch,
    timeout = TIMEOUT_MS,
  }: ClientOptions,
  name: CallName,
  { query, form, body, ...others }: AnyRequest,
): Promise<Answer<unknown>> {
  const { method, path, ...rest } = OPERATIONS[name];
  const base = path.startsWith('/admin/v1/') ? administration : issuer;
  const url = new URL(
    base +
      path.replaceAll(/\{([a-z_]+)\}/gu, (_, segment: string) => encodeURIComponent(textOf(others[segment]))),
  );
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value));
  const headers = new Headers({ accept: 'application/json' });
  for (const header of HEADERS) {
    const value = others[header];
    if (typeof value === 'string') headers.set(header, value);
  }
  const authorization = authorizationOf(credentials);
  if (authorization !== undefined) headers.set('authorization', authorization);
  if ('type' in rest) headers.set('content-type', rest.type);
  const sent = form === undefined && body === undefined ? undefined : bodyOf(credentials, form, body);
  const response = await sendRequest(url, {
    method,
    headers,
    // A redirection could take the credentials to another server. No endpoint for programs redirects.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    ...(sent === undefined ? {} : { body: sent }),
  });
  const answer = { status: response.status, headers: response.headers, body: await bodyFrom(response) };
  if (!response.ok) throw new ChanceryError(name, answer);
  return answer;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** RFC 6749 §2.3.1: identifier and secret are form-encoded first. */
function authorizationOf(credentials: Credentials | undefined): string | undefined {
  if (credentials === undefined) return undefined;
  if ('bearer' in credentials) return `Bearer ${credentials.bearer}`;
  if (!('client_secret' in credentials)) return undefined;
  const { client_id, client_secret } = credentials;
  return `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(client_secret)}`)}`;
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function bodyOf(
  credentials: Credentials | undefined,
  form: AnyRequest['form'],
  body: unknown,
): string | URLSearchParams {
  if (form === undefined) return typeof body === 'string' ? body : JSON.stringify(body);
  const parameters = new URLSearchParams();
  const isPublic =
    credentials !== undefined && 'client_id' in credentials && !('client_secret' in credentials);
  if (isPublic) parameters.set('client_id', credentials.client_id);
  for (const [name, value] of Object.entries(form))
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) parameters.append(name, each);
  return parameters;
}

/** Returns JSON as its value, a file as a stream, a signed answer as its text, and undefined for no body. */
async function bodyFrom(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type === 'application/vnd.sqlite3') return response.body;
  const text = await response.text();
  if (text === '') return undefined;
  if (!/^application\/(?:problem\+)?json\b/u.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    // A list that lacks clients is broken on purpose.
    throw new TypeError('the answer is not JSON', { cause });
  }
}

function textsOf(body: unknown): { readonly error?: string; readonly error_description?: string } {
  if (typeof body !== 'object' || body === null) return {};
  const { error, error_description, type, detail } = body as Readonly<Record<string, unknown>>;
  // The administration API answers with problem details (RFC 9457).
  if (typeof type === 'string' && typeof detail === 'string')
    return { error: type.replace(/^urn:chancery:problem:/u, ''), error_description: detail };
  return {
    ...(typeof error === 'string' ? { error } : {}),
    ...(typeof error_description === 'string' ? { error_description } : {}),
  };
}
