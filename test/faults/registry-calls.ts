import type { Program } from '../program/start.ts';
import type { Ledger, Operation, Registration } from './ledger.ts';

export interface Answer {
  readonly status: number;
  /** Parsed JSON; undefined where there was no body. */
  readonly body: unknown;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly authorization?: string;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
}

/** Rejects when no whole answer came. */
export async function call(
  program: Program,
  { method, path, authorization, json, form }: Request,
): Promise<Answer> {
  const answer = await fetch(`${program.url}${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

export const bearer = (token: string): string => `Bearer ${token}`;

/** RFC 6749 §2.3.1; identifiers and secrets are alphanumeric, so form-urlencoding leaves them as they are. */
export function basic({ client_id, client_secret }: Registration): string {
  return `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
}

/** Several members and `data`, so that a half-written registration would show. */
function metadata({ issuer }: Program, mark: string): object {
  return {
    client_name: mark,
    grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
    redirect_uris: ['https://rp.example/callback'],
    scope: `${issuer}/token/introspect read`,
    contacts: [`${mark}@rp.example`],
    data: { mark },
  };
}

/** The request of an operation; `token` opens `/clients/{id}`, and is the master token where none is given. */
function requestOf(program: Program, operation: Operation, client?: Registration, byMaster = true): Request {
  const master = bearer(program.masterToken);
  const manager = byMaster || client === undefined ? master : bearer(client.registration_access_token);
  switch (operation.kind) {
    case 'invite':
      return {
        method: 'POST',
        path: '/direct-authz/rest/v2',
        authorization: bearer(program.directToken),
        json: { scope: ['client-reg'] },
      };
    case 'create': {
      const { initialAccessToken: token, mark } = operation;
      const authorization = token === undefined ? master : bearer(token);
      return { method: 'POST', path: '/clients', authorization, json: metadata(program, mark) };
    }
    case 'update': {
      const json = metadata(program, operation.mark);
      return { method: 'PUT', path: `/clients/${operation.client_id}`, authorization: manager, json };
    }
    case 'delete':
      return { method: 'DELETE', path: `/clients/${operation.client_id}`, authorization: manager };
    case 'access-token': {
      const authorization = client === undefined ? '' : basic(client);
      return { method: 'POST', path: '/token', authorization, form: { grant_type: 'client_credentials' } };
    }
    case 'grant': {
      const { client_id } = operation;
      const json = { client_id, sub: 'alice', scope: ['read'], refresh_token: { issue: true, rotate: true } };
      return {
        method: 'POST',
        path: '/direct-authz/rest/v2',
        authorization: bearer(program.directToken),
        json,
      };
    }
    case 'refresh': {
      const authorization = client === undefined ? '' : basic(client);
      const form = { grant_type: 'refresh_token', refresh_token: operation.refresh_token };
      return { method: 'POST', path: '/token', authorization, form };
    }
    case 'revoke': {
      const authorization = client === undefined ? '' : basic(client);
      return { method: 'POST', path: '/token/revoke', authorization, form: { token: operation.token } };
    }
  }
}

/**
 * Sends one operation with its entries in the ledger before and after. Rejects when no whole answer came. An answer of
 * 408, 500 or 503 leaves the operation without an outcome: it may have happened.
 */
export async function perform(
  program: Program,
  ledger: Ledger,
  operation: Operation,
  client?: Registration,
  byMaster?: boolean,
): Promise<Answer> {
  const op = ledger.sent(operation);
  const answer = await call(program, requestOf(program, operation, client, byMaster));
  if (!isWithoutOutcome(answer)) ledger.acked(op, answer.status, answer.body);
  return answer;
}

/** 408: it did not arrive in time; a machine that does too much at once may answer so to anybody. */
export const isWithoutOutcome = ({ status }: Answer): boolean => status >= 500 || status === 408;

export async function read(program: Program, client_id: string, token: string): Promise<Answer> {
  return await call(program, { method: 'GET', path: `/clients/${client_id}`, authorization: bearer(token) });
}

export async function introspect(program: Program, caller: Registration, token: string): Promise<Answer> {
  const path = '/token/introspect';
  return await call(program, { method: 'POST', path, authorization: basic(caller), form: { token } });
}

export async function list(program: Program): Promise<readonly Registration[]> {
  const authorization = bearer(program.masterToken);
  const { status, body } = await call(program, { method: 'GET', path: '/clients', authorization });
  if (status !== 200 || !Array.isArray(body)) throw new Error(`GET /clients: ${status}`);
  return body as Registration[];
}
