import { readFileSync } from 'node:fs';
import { failureCode } from '../../config/environment.ts';
import { secretFileProblem } from '../../config/secret-file.ts';
import { isLoopbackHost } from '../../spec/uri.ts';
import { ADMIN_CONTRACTS } from '../../tenant/admin-endpoints.ts';
import { CommandFailure, calledWrongly } from '../failure.ts';
import { TOKEN_FILE_VARIABLE } from './options.ts';
import type { ServerCall } from './server-option.ts';

/** A request for an operation of the administration API. */
export interface RemoteRequest {
  readonly segments?: Readonly<Record<string, string>>;
  /** Parameters without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
}

export interface RemoteAnswer {
  readonly status: number;
  /** Undefined for an answer without a body. */
  readonly json: unknown;
}

/** The administration API of one server and tenant, with one token. */
export interface Server {
  /** Sends one request. Throws CommandFailure with the problem details of a refusal. */
  send(operation: string, request?: RemoteRequest): Promise<RemoteAnswer>;
  /** Sends one request whose answer is a file of any length. Throws as `send`. */
  open(operation: string, request?: RemoteRequest): Promise<Response>;
  /** Yields the items of a list, page by page. */
  pages(
    operation: string,
    request?: RemoteRequest,
  ): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]>;
}

const TIMEOUT_MS = 120_000;
const PAGE = 200;

/** Opens the API of a server. Throws CommandFailure for an unsafe address and for a missing token. */
export function openServer(url: string, call: ServerCall): Server {
  const base = baseOf(url);
  const headers = new Headers({ authorization: `Bearer ${tokenOf(call)}`, accept: 'application/json' });
  const { tenant, reason } = call.options;
  if (typeof tenant === 'string') headers.set('tenant-id', tenant);
  if (typeof reason === 'string') headers.set('audit-reason', reasonOf(reason));
  const open: Server['open'] = async (operation, request = {}) =>
    await ask(base, headers, operation, request);
  const send: Server['send'] = async (operation, request) => {
    const response = await open(operation, request);
    return { status: response.status, json: jsonOf(await response.text()) };
  };
  return {
    send,
    open,
    async *pages(operation, request = {}) {
      let cursor: string | undefined;
      do {
        const query = { limit: PAGE, ...request.query, cursor };
        const { json } = await send(operation, { ...request, query });
        const page = json as {
          readonly items: readonly Readonly<Record<string, unknown>>[];
          readonly next?: string;
        };
        yield page.items;
        cursor = page.next;
      } while (cursor !== undefined);
    },
  };
}

function baseOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw calledWrongly(`--server ${JSON.stringify(url)} is no URL of http or https`);
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw calledWrongly('--server must have no user, query or fragment');
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname.replace(/^\[|\]$/gu, '')))
    throw calledWrongly(
      '--server must have https: http would show the token to the network. It is allowed for loopback hosts',
    );
  return parsed.href.replace(/\/$/u, '');
}

function tokenOf({ options, environment, complain }: ServerCall): string {
  const { token, 'token-file': file } = options;
  if (token !== undefined && file !== undefined)
    throw calledWrongly('--token and --token-file exclude each other');
  if (typeof token === 'string') {
    complain('other users of this machine see a --token in the list of processes: prefer --token-file');
    return requireToken(token, '--token');
  }
  const name = typeof file === 'string' ? file : environment[TOKEN_FILE_VARIABLE];
  if (name === undefined) throw calledWrongly(`--server needs --token-file (or ${TOKEN_FILE_VARIABLE})`);
  const problem = secretFileProblem(name, false);
  if (problem !== undefined) throw new CommandFailure(`the token file ${name} is one that ${problem}`);
  try {
    return requireToken(readFileSync(name, 'utf8').trim(), name);
  } catch (failure) {
    if (failure instanceof CommandFailure) throw failure;
    throw new CommandFailure(`the token file ${name} cannot be read: ${failureCode(failure)}`);
  }
}

/** A header can hold these characters. */
function requireToken(token: string, place: string): string {
  if (/^[\x21-\x7e]+$/u.test(token)) return token;
  throw new CommandFailure(`${place} holds no token: a token is one word of ASCII characters`);
}

/** A header has ASCII characters only. */
function reasonOf(reason: string): string {
  if (/^[\x20-\x7e]{1,200}$/u.test(reason)) return reason;
  throw calledWrongly('--reason must have 1 to 200 printable ASCII characters');
}

async function ask(
  base: string,
  common: Headers,
  operation: string,
  { segments = {}, query = {}, body }: RemoteRequest,
): Promise<Response> {
  const contract = ADMIN_CONTRACTS.find(({ name }) => name === operation);
  if (contract === undefined) throw new Error(`there is no operation ${operation}`);
  const path = contract.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(segments[name] ?? ''),
  );
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  const headers = new Headers(common);
  const { kind } = contract.form;
  if (kind === 'change' || kind === 'removal') headers.set('if-match', '*');
  if (body !== undefined)
    headers.set('content-type', Object.keys(contract.content ?? {})[0] ?? 'application/json');
  const address = `${base}${path}${search === '' ? '' : `?${search}`}`;
  const response = await answered(base, address, {
    method: contract.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw refusal(response, jsonOf(await response.text()), base);
}

async function answered(base: string, address: string, init: RequestInit): Promise<Response> {
  const late = new AbortController();
  // A file may take longer than its beginning.
  const timeout = setTimeout(() => late.abort(new Error('it takes too long')), TIMEOUT_MS);
  try {
    // A redirect would take the token to another host.
    return await fetch(address, { ...init, redirect: 'manual', signal: late.signal });
  } catch (failure) {
    const { message, cause } = failure as Error;
    throw new CommandFailure(`${base} does not answer: ${cause instanceof Error ? cause.message : message}`);
  } finally {
    clearTimeout(timeout);
  }
}

function jsonOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ProblemDetails {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** Returns problem details (RFC 9457) as the failure of the command. */
function refusal(response: Response, json: unknown, base: string): CommandFailure {
  const { title, detail, errors = [] } = (json ?? {}) as ProblemDetails;
  if (title === undefined && detail === undefined) {
    const hint =
      response.status === 404 ? ': is the administration on at this address (admin.listeners)?' : '';
    return new CommandFailure(`${base} answers ${response.status} without problem details${hint}`);
  }
  const words = detail ?? title ?? '';
  const more = errors
    .map((error) => `${error.pointer} ${error.detail}`)
    .filter((line) => !words.includes(line));
  const scope = /scope="([^"]*)"/u.exec(response.headers.get('www-authenticate') ?? '')?.[1];
  const needed = scope === undefined ? '' : ` (the token needs ${scope})`;
  return new CommandFailure([`${words}${needed}`, ...more].join('; '));
}
