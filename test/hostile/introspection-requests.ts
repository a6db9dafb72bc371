import type { HostileRequest } from './attacked-program.ts';

export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

export const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';

/** POST /token/introspect with a form as it is. */
export function formOf(body: string | Uint8Array): HostileRequest {
  return { method: 'POST', path: '/token/introspect', headers: FORM_TYPE, body };
}

/** RFC 6749 §2.3.1: both halves are form-encoded before they become user-id and password. */
export function basic({ client_id, client_secret }: Credentials): string {
  const [id, secret] = [client_id, client_secret].map((half) =>
    String(new URLSearchParams({ x: half })).slice(2),
  );
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A well-formed introspection request with client_secret_basic. */
export function introspect(credentials: Credentials, token: string): HostileRequest {
  return { ...formOf(String(new URLSearchParams({ token }))), authorization: basic(credentials) };
}
