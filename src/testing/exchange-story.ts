import assert from 'node:assert/strict';
import type { Contract, EndpointRequest } from '../endpoints/contract.ts';
import { type Answer, requestOf } from './exchange.ts';
import { PAGE_TOKEN } from './external-sign-in.ts';
import { ADMIN, acts, DIRECT, MASTER, type TestTenant } from './tenant.ts';

/** A request that a test sent, with its answer. */
export interface Exchange {
  readonly contract: Contract;
  readonly request: EndpointRequest;
  readonly answer: Answer;
}

/** An exchange for the reference, with the words above it. */
export interface ShownExchange extends Exchange {
  readonly title: string;
}

/** A tenant whose exchanges are kept. */
export interface Recorded<Tenant extends TestTenant> {
  readonly tenant: Tenant;
  /**
   * Puts the last exchange into the reference.
   * @param status it must have
   * @param endpoint the last one at this endpoint instead
   */
  readonly show: (title: string, status: number, endpoint?: string) => Answer;
  /** Every exchange so far, because earlier ones tell which values are secret. */
  readonly all: readonly Exchange[];
  readonly shown: readonly ShownExchange[];
}

export function recorded<Tenant extends TestTenant>(tenant: Tenant): Recorded<Tenant> {
  const all: Exchange[] = [];
  const shown: ShownExchange[] = [];
  const ask: TestTenant['ask'] = async (endpoint, sent) => {
    const answer = await tenant.ask(endpoint, sent);
    all.push({ contract: endpoint.contract, request: requestOf(endpoint.contract, sent), answer });
    return answer;
  };
  const send: TestTenant['send'] = async (name, sent = {}) => await ask(await tenant.endpoint(name), sent);
  return {
    tenant: { ...tenant, ask, send, ...acts({ send, registry: async () => await tenant.registry() }) },
    all,
    shown,
    show(title, status, endpoint) {
      const last = all.findLast(({ contract }) => endpoint === undefined || contract.name === endpoint);
      const exchange = last ?? assert.fail('nothing was sent');
      assert.equal(exchange.answer.status, status, exchange.answer.body);
      shown.push({ title, ...exchange });
      return exchange.answer;
    },
  };
}

/** Members whose values differ from run to run, or are secret. Parameters and headers with such values are found by the value. */
const NAMED: Readonly<Record<string, string>> = {
  client_id: 'CLIENT_ID',
  client_secret: 'CLIENT_SECRET',
  secret: 'SECRET',
  secret_id: 'SECRET_ID',
  registration_access_token: 'REGISTRATION_ACCESS_TOKEN',
  registration_access_token_id: 'REGISTRATION_ACCESS_TOKEN_ID',
  access_token: 'ACCESS_TOKEN',
  refresh_token: 'REFRESH_TOKEN',
  id_token: 'ID_TOKEN',
  id: 'ID',
  stream_id: 'STREAM_ID',
  jti: 'TOKEN_ID',
  token_id: 'TOKEN_ID',
  grant_id: 'GRANT_ID',
  sid: 'SESSION_ID',
  password: 'PASSWORD',
  sub: 'SUBJECT',
  kid: 'KEY_ID',
  succeeds: 'KEY_ID',
  n: 'MODULUS',
  x: 'X',
  y: 'Y',
  request_uri: 'REQUEST_URI',
  device_code: 'DEVICE_CODE',
  auth_req_id: 'AUTH_REQ_ID',
  user_code: 'USER_CODE',
};

/** Values shorter than this are no secrets, and would be found in other words. */
const LENGTH_MIN = 8;
const JWT = /\b[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b/gu;

/** Returns a function that replaces secrets and random values by names, the same in each run. */
export function steadily(all: readonly Exchange[]): (text: string) => string {
  const names = new Map<string, string>([
    [MASTER, 'MASTER_TOKEN'],
    [DIRECT, 'DIRECT_TOKEN'],
    [ADMIN, 'ADMIN_TOKEN'],
    [PAGE_TOKEN, 'SIGN_IN_PAGE_TOKEN'],
  ]);
  const counts = new Map<string, number>();
  const learn = (value: string, name: string): void => {
    if (value.length < LENGTH_MIN || names.has(value)) return;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    names.set(value, count === 1 ? name : `${name}_${count}`);
  };
  for (const { answer } of all) learnMembers(answer.json, learn);
  const longestFirst = [...names].sort(([one], [other]) => other.length - one.length);
  return (text) => {
    let steady = text;
    for (const [value, name] of longestFirst)
      steady = steady.replaceAll(value, name).replaceAll(encodeURIComponent(value), name);
    return steady.replaceAll(JWT, (found) => (/^(?:eyJ)/u.test(found) ? 'SIGNED_JWT' : found));
  };
}

function learnMembers(value: unknown, learn: (value: string, name: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('secret_id' in value && 'id' in value) learn(String(value.id), 'WEBHOOK_ID');
  for (const [member, inside] of Object.entries(value)) {
    const name = NAMED[member];
    if (name !== undefined && typeof inside === 'string') learn(inside, name);
    learnMembers(inside, learn);
  }
}
