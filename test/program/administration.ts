import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type Program, sha256, startProgram } from './start.ts';

/** An answer whose body was read. */
export interface Answered {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
  /** Empty for an answer without a body. */
  readonly json: Readonly<Record<string, unknown>>;
}

export async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const json = text === '' ? {} : (JSON.parse(text) as Answered['json']);
  return { status: response.status, etag: response.headers.get('etag') ?? '', text, json };
}

export interface Asked {
  /** The break-glass token where none is named. */
  readonly bearer?: string;
  readonly body?: unknown;
  /** Every version where none is named. */
  readonly match?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to the administration API, on the management listener. */
export async function administration(
  { managementUrl, adminToken }: Program,
  method: string,
  path: string,
  { bearer = adminToken, body, match = '*', headers }: Asked = {},
): Promise<Response> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return await fetch(`${managementUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      'if-match': match,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export interface Nodes {
  readonly one: Program;
  readonly two: Program;
  /** Sends a request to the administration of a node, the first where none is named. */
  readonly administer: (
    method: string,
    path: string,
    asked?: Asked & { readonly node?: Program },
  ) => Promise<Answered>;
}

/** Two nodes of one database, for all tests of a file. The break-glass token of the first one opens both. */
export function twoNodes(): Nodes {
  const started: Program[] = [];
  before(async () => {
    const one = await startProgram();
    const environment = {
      CHANCERY_ISSUER: one.issuer,
      CHANCERY_ADMIN_TOKEN_SHA256: sha256(one.adminToken),
    };
    started.push(one, await startProgram({ folder: one.folder, environment }));
  });
  after(async () => {
    for (const node of started.toReversed()) await node.stop();
  });
  const nodeAt = (index: number): Program =>
    started[index] ?? assert.fail('the nodes start before the first test');
  return {
    get one() {
      return nodeAt(0);
    },
    get two() {
      return nodeAt(1);
    },
    administer: async (method, path, { node = nodeAt(0), ...asked } = {}) => {
      const { issuer, adminToken } = nodeAt(0);
      const request = { bearer: adminToken, ...asked, headers: { issuer } };
      const answer = await answered(await administration(node, method, path, request));
      assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    },
  };
}
