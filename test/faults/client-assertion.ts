import { createHmac, randomUUID } from 'node:crypto';
import type { Program } from '../program/start.ts';
import type { Registration } from './ledger.ts';

/** RFC 7523 §3, signed with the client's secret. */
export function assertionOf(node: Program, client: Registration, now: number, lifetime: number): string {
  const { client_id } = client;
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: node.issuer,
    jti: randomUUID(),
    iat: now,
    exp: now + lifetime,
  };
  const [header, payload] = [{ alg: 'HS256' }, claims].map((value) =>
    Buffer.from(JSON.stringify(value)).toString('base64url'),
  );
  const signature = createHmac('sha256', client.client_secret)
    .update(`${header}.${payload}`)
    .digest('base64url');
  return `${header}.${payload}.${signature}`;
}
