import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Program } from '../program/start.ts';
import { startProgram } from '../program/start.ts';
import {
  CLIENT_AUTHENTICATION,
  certificateAuthority,
  derOf,
  type KeyPair,
  type TlsIdentity,
} from './certificate.ts';
import { callHttps, type HttpsAnswer, type HttpsCall } from './https-call.ts';

/** Vouches for the server. */
export const SERVER_AUTHORITY = certificateAuthority('Authority of servers');
/** Vouches for clients. */
export const CLIENT_AUTHORITY = certificateAuthority('Authority of clients');
export const SERVER_NAME = 'op.example.com';

/** The certificate of a client from `CLIENT_AUTHORITY`, and the client's metadata (RFC 8705 §2.1.2). */
export const SUBJECT = { names: ['client.example'], purposes: [CLIENT_AUTHENTICATION] };
export const CERTIFIED = {
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_san_dns: 'client.example',
};

export interface TlsProgram {
  readonly program: Program;
  readonly files: { readonly certificate: string; readonly key: string; readonly authorities: string };
  /** Over TLS to the listener, or to another of its ports. */
  call(
    call: Omit<HttpsCall, 'port' | 'ca' | 'servername'> & { readonly port?: number },
  ): Promise<HttpsAnswer>;
  /** Registers with the master token; the client identifier. */
  register(metadata: object): Promise<string>;
  /** A token for a client that authenticates with its certificate. */
  token(client_id: string, identity?: TlsIdentity, port?: number): Promise<HttpsAnswer>;
  stop(): Promise<void>;
}

/**
 * The started program with TLS at its own listener.
 * @param keys of its certificate; new ones of P-256 where they are absent
 * @param mode `dev` may fetch plain http, as the authorities of tests serve it
 */
export async function startTlsProgram(
  environment: Readonly<Record<string, string>>,
  keys?: KeyPair,
  mode: 'serve' | 'dev' = 'serve',
): Promise<TlsProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tls-'));
  const files = {
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
    authorities: join(folder, 'clients.pem'),
  };
  const { cert, key } = SERVER_AUTHORITY.issue({
    names: [SERVER_NAME],
    ...(keys === undefined ? {} : { keys }),
  });
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.authorities, CLIENT_AUTHORITY.certificate);
  const program = await startProgram({
    mode,
    environment: {
      CHANCERY_LISTEN_TLS_CERTIFICATE: files.certificate,
      CHANCERY_LISTEN_TLS_KEY: files.key,
      CHANCERY_LISTEN_TLS_CLIENT_CA: files.authorities,
      ...environment,
    },
  });
  const call: TlsProgram['call'] = async (request) =>
    await callHttps({
      port: program.port,
      ...request,
      ca: SERVER_AUTHORITY.certificate,
      servername: SERVER_NAME,
    });
  return {
    program,
    files,
    call,
    async register(metadata) {
      const headers = { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ grant_types: ['client_credentials'], ...metadata });
      const answer = await call({ method: 'POST', path: '/clients', headers, body });
      assert.equal(answer.status, 200, answer.text);
      return String(answer.json['client_id']);
    },
    async token(client_id, identity, port = program.port) {
      const form = { grant_type: 'client_credentials', client_id };
      return await call({ path: '/token', form, port, ...identity });
    },
    async stop() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** RFC 9440 §2.1. */
export function headerOf(identity: Pick<TlsIdentity, 'cert'>): string {
  return `:${derOf(identity).toString('base64')}:`;
}

/** SHA-256 of the certificate that a new connection is shown, in hexadecimal with colons. */
export async function servedFingerprint(port: number): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    ca: SERVER_AUTHORITY.certificate,
    servername: SERVER_NAME,
  });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
