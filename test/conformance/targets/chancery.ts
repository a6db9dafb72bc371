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
import type { CertificateAuthority } from '../../tls/certificate.ts';
import type { PageRule } from '../browser.ts';
import { objectOf, type Send, sender } from '../http.ts';
import { ACCOUNT, accountCommand } from '../real-suite/account.ts';
import { BROWSER_ORIGIN, type Sites } from '../site.ts';
import type { FapiRequestMethod, Json, Target } from '../world.ts';
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
  const tls = tlsFiles(folder, authority);
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
  const fapi = await fapiTenants(program, send, password);
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

/** Tenants with the FAPI 2.0 profiles, by the kind of request that their modules send. */
const FAPI_PROFILES: Readonly<Record<FapiRequestMethod, string>> = {
  unsigned: 'fapi-2.0',
  signed_non_repudiation: 'fapi-2.0-message-signing',
};

/** Adds the tenants beside the running program, each with the account, and waits until they are served. */
async function fapiTenants(
  program: Program,
  send: Send,
  password: string,
): Promise<Readonly<Record<FapiRequestMethod, string>>> {
  const issuers = Object.fromEntries(
    Object.values(FAPI_PROFILES).map((profile) => [profile, `${program.issuer}/${profile}`]),
  );
  const storage = await openProgramStorage(program.folder);
  try {
    for (const [profile, issuer] of Object.entries(issuers)) {
      const settings = { profile, 'registration.allow-open-registration': true };
      await addTenant(storage, { id: profile.replaceAll('.', '-'), issuer, settings });
    }
  } finally {
    await storage.close();
  }
  for (const [profile, issuer] of Object.entries(issuers)) {
    const accounts = await accountsBeside({ ...program, tenant: profile.replaceAll('.', '-') });
    await accounts.add({ username: ACCOUNT.username, password });
    await accounts.close();
    while ((await send(`${issuer}/.well-known/openid-configuration`)).status !== 200) await sleep(20);
  }
  return {
    unsigned: `${program.issuer}/${FAPI_PROFILES.unsigned}`,
    signed_non_repudiation: `${program.issuer}/${FAPI_PROFILES.signed_non_repudiation}`,
  };
}

function tlsFiles(
  folder: string,
  authority: CertificateAuthority,
): Record<'certificate' | 'key' | 'authority', string> {
  const { cert, key } = authority.issue({ addresses: ['127.0.0.1'] });
  const files = {
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
    authority: join(folder, 'ca.pem'),
  };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.authority, authority.certificate);
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
