import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTenant } from '../../../src/testing/storage/add-tenant.ts';
import { accountsBeside } from '../../hostile/sign-in-world.ts';
import { chancery } from '../../journeys/command.ts';
import { freePort } from '../../program/free-port.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../../program/start.ts';
import { openProgramStorage, storageUrl } from '../../program/storage-place.ts';
import {
  type CertificateAuthority,
  CLIENT_AUTHENTICATION,
  certificateAuthority,
} from '../../tls/certificate.ts';
import type { PageRule } from '../browser.ts';
import { objectOf, type Send, sender } from '../http.ts';
import { ACCOUNT, accountCommand } from '../real-suite/account.ts';
import { BROWSER_ORIGIN, type Sites } from '../site.ts';
import type { FapiIssuer, Json, Target } from '../world.ts';
import { openDirectory } from './directory.ts';
import { openFederation } from './federation.ts';

const HERE = join(import.meta.dirname, '../real-suite');
/** The settings that the real suite would meet. */
const SETTINGS_FILE = join(HERE, 'chancery.yaml');

export interface StartedTarget {
  readonly target: Target;
  readonly program: Program;
  readonly password: string;
  stop(): Promise<void>;
}

/** Returns how a person gets past each of our pages. */
function chanceryPages(username: string, password: string): readonly PageRule[] {
  return [
    {
      kind: 'sign-in',
      has: 'name="password"',
      fields: { username, password, choice: 'sign-in' },
      refusal: { username: '', password: '', choice: 'cancel' },
    },
    { kind: 'consent', has: 'value="allow"', fields: { choice: 'allow' }, refusal: { choice: 'deny' } },
    { kind: 'logout', has: 'value="logout"', fields: { choice: 'logout' } },
  ];
}

/**
 * Starts the program in production mode with the settings of the real suite, https at its own listener, and the account.
 * @param authority vouches for the server, and for the addresses that it fetches
 */
export async function startChancery(authority: CertificateAuthority, sites: Sites): Promise<StartedTarget> {
  const { federation, environment } = await openFederation(sites);
  const { directory, environment: trusted } = await openDirectory();
  const folder = mkdtempSync(join(tmpdir(), 'chancery-conformance-'));
  const port = await freePort();
  const issuer = `https://127.0.0.1:${port}`;
  const clients = certificateAuthority('Authority of clients');
  const tls = tlsFiles(folder, authority, clients);
  const mutualPort = await freePort();
  const shared = {
    CHANCERY_CONFIG: SETTINGS_FILE,
    CHANCERY_ISSUER: issuer,
    CHANCERY_STORAGE_URL: await storageUrl(folder),
  };
  const program = await startProgram({
    folder,
    environment: {
      ...shared,
      CHANCERY_LISTEN_PORT: String(port),
      CHANCERY_LISTEN_TLS_CERTIFICATE: tls.certificate,
      CHANCERY_LISTEN_TLS_KEY: tls.key,
      CHANCERY_LISTEN_MTLS_PORT: String(mutualPort),
      CHANCERY_LISTEN_TLS_CLIENT_CA: tls.clients,
      // The relying parties of the modules are on this machine.
      NODE_EXTRA_CA_CERTS: tls.authority,
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      ...environment,
      ...trusted,
    },
  });
  const password = randomBytes(12).toString('base64url');
  const command = { ...shared, CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY };
  await addAccount(password, command);
  const send = sender(authority.certificate);
  const fapi = await fapiTenants(program, send, password, `https://127.0.0.1:${mutualPort}`);
  const register = async (json: Json): Promise<Json> =>
    objectOf(
      await send(`${issuer}/register`, { json, headers: { authorization: `Bearer ${program.masterToken}` } }),
    );
  return {
    program,
    password,
    target: {
      name: 'Chancery',
      issuer,
      send,
      federation,
      directory,
      fapi,
      certify: (name) => clients.issue({ names: [name], purposes: [CLIENT_AUTHENTICATION] }),
      operatorToken: program.masterToken,
      pages: chanceryPages(ACCOUNT.username, password),
      clients: await staticClients(register),
      async rotateKeys() {
        const { how, stderr } = await chancery(['keys', 'rotate', '--use', 'sig', '--now'], command);
        if (how !== 0) throw new Error(stderr);
      },
    },
    async stop() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Tenants with the FAPI 2.0 profiles: their path, and their settings.
 * @param mutualOrigin of the listener that asks callers for certificates
 */
function fapiSettings(mutualOrigin: string): Readonly<Record<FapiIssuer, readonly [path: string, Json]>> {
  return {
    unsigned: ['fapi-2.0', { profile: 'fapi-2.0' }],
    signed_non_repudiation: ['fapi-2.0-message-signing', { profile: 'fapi-2.0-message-signing' }],
    mtls: [
      'fapi-2.0-mtls',
      {
        profile: 'fapi-2.0',
        'client-authentication.mtls-origin': mutualOrigin,
        // The modules read what a token is bound to.
        'access-token.format': 'self-contained',
      },
    ],
  };
}

/** Adds the tenants beside the running program, each with the account, and waits until they are served. */
async function fapiTenants(
  program: Program,
  send: Send,
  password: string,
  mutualOrigin: string,
): Promise<Readonly<Record<FapiIssuer, string>>> {
  const tenants = Object.entries(fapiSettings(mutualOrigin)).map(([name, [path, settings]]) => ({
    name,
    id: path.replaceAll('.', '-'),
    issuer: `${program.issuer}/${path}`,
    settings: { ...settings, 'registration.allow-open-registration': true },
  }));
  const storage = await openProgramStorage(program.folder);
  try {
    for (const { id, issuer, settings } of tenants) await addTenant(storage, { id, issuer, settings });
  } finally {
    await storage.close();
  }
  for (const { id, issuer } of tenants) {
    const accounts = await accountsBeside({ ...program, tenant: id });
    await accounts.add({ username: ACCOUNT.username, password });
    await accounts.close();
    while ((await send(`${issuer}/.well-known/openid-configuration`)).status !== 200) await sleep(20);
  }
  return Object.fromEntries(tenants.map(({ name, issuer }) => [name, issuer])) as Record<FapiIssuer, string>;
}

function tlsFiles(
  folder: string,
  authority: CertificateAuthority,
  clients: CertificateAuthority,
): Record<'certificate' | 'key' | 'authority' | 'clients', string> {
  const { cert, key } = authority.issue({ addresses: ['127.0.0.1'] });
  const files = {
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
    authority: join(folder, 'ca.pem'),
    clients: join(folder, 'clients.pem'),
  };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.authority, authority.certificate);
  writeFileSync(files.clients, clients.certificate);
  return files;
}

async function addAccount(password: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const { how, stderr } = await chancery(accountCommand(), environment, {
    input: Buffer.from(`${password}\n`),
  });
  if (how !== 0) throw new Error(`no account: ${stderr}`);
}

/** The clients that the operator registers where the plan says `static_client`, as the suite's instructions ask. */
async function staticClients(
  register: (json: Json) => Promise<Json>,
): Promise<Readonly<Record<string, Json>>> {
  const base = `${BROWSER_ORIGIN}/test/a/static`;
  const shared = {
    redirect_uris: [`${base}/callback`, `${base}/callback?dummy1=lorem&dummy2=ipsum`],
    post_logout_redirect_uris: [`${base}/post_logout_redirect`],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'openid profile email address phone offline_access',
  };
  return {
    client: await register({ ...shared, client_name: 'first client' }),
    client2: await register({ ...shared, client_name: 'second client' }),
    client_secret_post: await register({ ...shared, token_endpoint_auth_method: 'client_secret_post' }),
  };
}
