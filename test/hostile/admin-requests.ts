import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { OperationContract } from '../../src/endpoints/admin/operation-contract.ts';
import { ADMIN_CONTRACTS, ADMIN_CONTRACTS_OF_DEFAULT_TENANT } from '../../src/tenant/admin-endpoints.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { type Address, converse } from '../program/raw-socket.ts';
import { type Program, sha256, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type Answer, type Attacked, encode, type HostileRequest } from './attacked-program.ts';
import { JSON_TYPE } from './registry.ts';

/** Every request of a table stands below this path, on the listener of the protocol and on the management listener. */
export const ADMIN_PATH = '/admin/v1';

/** Returns the operations that the attacked tenant has. */
export function operationsAt({ program: { tenant } }: Attacked): readonly OperationContract[] {
  const elsewhere = new Set(tenant === 'default' ? [] : ADMIN_CONTRACTS_OF_DEFAULT_TENANT);
  return ADMIN_CONTRACTS.filter((contract) => !elsewhere.has(contract));
}

/** Returns a request of the administration, with a break-glass token where no other credential is named. */
export function administering(
  attacked: Attacked,
  method: string,
  path: string,
  more: Partial<HostileRequest> & { readonly json?: unknown } = {},
): HostileRequest {
  const { json, ...request } = more;
  const headers = `${json === undefined ? '' : JSON_TYPE}${request.headers ?? ''}`;
  return {
    bearer: attacked.program.adminToken,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...request,
    method,
    path: ADMIN_PATH + path,
    headers,
  };
}

export interface AdminClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly etag: string;
}

/** Registers a client by the administration, which may give it scope of the administration. */
export async function createClient(attacked: Attacked, metadata: object): Promise<AdminClient> {
  const answer = await attacked.send(administering(attacked, 'POST', '/clients', { json: { metadata } }));
  assert.equal(answer.status, 201, answer.body);
  return { ...(answer.json as unknown as AdminClient), etag: answer.headers['etag'] ?? '' };
}

export const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';

export const authorizationOf = ({ client_id, client_secret }: AdminClient): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;

/** An access token of a client that acts for itself. */
export async function tokenOf(attacked: Attacked, client: AdminClient, scope: string): Promise<string> {
  const answer = await attacked.send({
    method: 'POST',
    path: '/token',
    authorization: authorizationOf(client),
    headers: FORM_TYPE,
    body: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
  });
  assert.equal(answer.status, 200, answer.body);
  return String(answer.json['access_token']);
}

/** An access token of a new client that is registered for this scope. */
export async function tokenWith(attacked: Attacked, scope: string): Promise<string> {
  const client = await createClient(attacked, { grant_types: ['client_credentials'], scope });
  return await tokenOf(attacked, client, scope);
}

/** Asserts a refusal, and the code of its problem details. */
export function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, `${answer.status} ${answer.body}`);
  assert.equal(answer.json['type'], `urn:chancery:problem:${code}`);
}

/** The path of a second tenant below the issuer. */
export const RIVAL = '/rival';
/** Its break-glass token. */
export const rivalAdmin = randomBytes(32).toString('hex');

/** Adds the second tenant to the database of an attacked program. */
export async function addRival({ program, secrets }: Pick<Attacked, 'program' | 'secrets'>): Promise<void> {
  const storage = await openProgramStorage(program.folder);
  const settings = { 'admin.token-sha256': [sha256(rivalAdmin)] };
  await addTenant(storage, { id: 'rival', issuer: `${program.issuer}${RIVAL}`, settings });
  await storage.close();
  secrets.add(rivalAdmin);
}

/** Starts a second server on the database of an attacked one. */
export async function secondNode({ program }: Attacked): Promise<Program> {
  const environment = {
    CHANCERY_ADMIN_LISTENERS: 'both',
    CHANCERY_ADMIN_TOKEN_SHA256: sha256(program.adminToken),
  };
  return await startProgram({ folder: program.folder, environment });
}

/** Sends a request to a listener other than that of the attacked program; nothing is checked. */
export async function ask(address: Address, request: HostileRequest): Promise<Answer> {
  const { answers } = await converse(address, encode(request));
  const answer = answers.find(({ status }) => status >= 200) ?? assert.fail('no answer');
  return { ...answer, json: answer.body === '' ? {} : (JSON.parse(answer.body) as Answer['json']) };
}

/** Sends a request to the management listener; the tenant stands in a header. */
export async function askManagement(
  { program: { managementUrl, tenant } }: Attacked,
  request: HostileRequest,
  headers = `Tenant-ID: ${tenant}\r\n`,
): Promise<Answer> {
  const { hostname: host, port } = new URL(managementUrl);
  return await ask({ host, port: Number(port) }, { ...request, headers: headers + (request.headers ?? '') });
}
