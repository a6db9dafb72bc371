import assert from 'node:assert/strict';
import type { Answer, Attacked, HostileRequest } from './attacked-program.ts';
import type { Expected } from './registry.ts';
import { assertAnswer, authorise, getClient, postClient, putClient, register, STATUSES } from './registry.ts';

/** One request body of docs/contract/hostile/registration.md, for every address that takes client metadata. */
export interface BodyRow {
  /** Its number and what is sent. */
  readonly name: string;
  readonly body: string | Uint8Array;
  /** Instead of the plain JSON type: whole lines. */
  readonly headers?: string;
  readonly length?: number | 'none';
  readonly expected: Expected;
  /** Where an update answers otherwise. */
  readonly expectedOfUpdate?: Expected;
  /** A parameter that open registration needs a token for. */
  readonly privileged?: true;
  readonly check?: (information: Answer) => void;
}

/** By which credential and at which address a body is sent. */
export interface Route {
  readonly name: string;
  play(attacked: Attacked, row: BodyRow): Promise<void>;
}

export const POST_AS_MASTER: Route = {
  name: 'POST with the master token',
  async play(attacked, row) {
    const answer = await attacked.send(asSent(row, postClient(row.body, attacked.program.masterToken)));
    await judge(attacked, row, answer, row.expected);
  },
};

/** A refused request leaves the token as it was: it is used for row after row until one succeeds (decision 7). */
export function postWithInitialToken(): Route {
  let token: string | undefined;
  return {
    name: 'POST with an initial access token',
    async play(attacked, row) {
      token ??= await authorise(attacked, 'client-reg');
      const answer = await attacked.send(asSent(row, postClient(row.body, token)));
      if (answer.status === 200) token = undefined;
      await judge(attacked, row, answer, row.expected);
    },
  };
}

export const POST_OPENLY: Route = {
  name: 'POST without a token in open mode',
  async play(attacked, row) {
    const answer = await attacked.send(asSent(row, postClient(row.body)));
    if (row.privileged) assertAnswer(answer, 'invalid_token', true);
    else await judge(attacked, row, answer, row.expected);
  },
};

export function putAsMaster(): Route {
  let id: string | undefined;
  return {
    name: 'PUT with the master token',
    async play(attacked, row) {
      id ??= (await register(attacked)).client_id;
      const answer = await attacked.send(asSent(row, putClient(id, row.body, attacked.program.masterToken)));
      await judge(attacked, row, answer, row.expectedOfUpdate ?? row.expected);
    },
  };
}

function asSent({ headers, length }: BodyRow, request: HostileRequest): HostileRequest {
  return {
    ...request,
    ...(headers === undefined ? {} : { headers }),
    ...(length === undefined ? {} : { length }),
  };
}

/** Asserts the answer, and that later reads return the same: no answer promises what is not stored. */
async function judge(attacked: Attacked, row: BodyRow, answer: Answer, expected: Expected): Promise<void> {
  assertAnswer(answer, expected);
  if (expected !== 'registered') return;
  row.check?.(answer);
  const { client_id, registration_access_token } = answer.json;
  const read = await attacked.send(getClient(String(client_id), String(registration_access_token)));
  assert.equal(read.body, answer.body, 'GET differs');
}

/** The administration takes metadata as a member of its body. Text that is no JSON goes as it is. */
export const POST_AS_ADMIN: Route = {
  name: 'POST by the administration',
  async play(attacked, row) {
    const { body } = row;
    const content = typeof body === 'string' && isObject(body) ? `{"metadata":${body}}` : body;
    const request = { ...postClient(content, attacked.program.adminToken), path: '/admin/v1/clients' };
    const answer = await attacked.send(asSent(row, request));
    assert.equal(answer.status, row.expected === 'registered' ? 201 : STATUSES[row.expected], answer.body);
  },
};

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
