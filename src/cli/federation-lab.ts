import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { systemRandom } from '../system/random.ts';
import { readOrMake } from './development.ts';
import { writePrivately } from './private-file.ts';

const ROLES = ['anchor', 'organisation', 'rp'] as const;
export type LabRole = (typeof ROLES)[number];

/** The entities of a federation on one machine. Each has a path of its own on one loopback port. */
export interface FederationLab {
  readonly base: string;
  /** Private federation keys. */
  readonly keys: Readonly<Record<LabRole, JsonWebKey>>;
  /** The key with which the relying party authenticates. Its superiors do not know this key. */
  readonly clientKey: JsonWebKey;
}

const FILE = 'development-federation.json';
const SETTINGS_FILE = 'development-federation.yaml';

export const entityIdOf = ({ base }: FederationLab, role: LabRole): string => `${base}/${role}`;

/** Returns the federation of a data folder. The first start creates its keys; later starts keep them. */
export function federationLab(folder: string, port: number): FederationLab {
  const made = readOrMake(folder, FILE, () => ({
    keys: Object.fromEntries(ROLES.map((role) => [role, privateKey(`${role}-1`)])),
    clientKey: privateKey('rp-client-1'),
  })) as Omit<FederationLab, 'base'>;
  const lab = { ...made, base: `http://127.0.0.1:${port}` };
  writePrivately(join(folder, SETTINGS_FILE), JSON.stringify(labSettings(lab), null, 2));
  return lab;
}

/** Returns the federation that was last started in this folder, or undefined. */
export function startedLab(folder: string): FederationLab | undefined {
  const file = join(folder, SETTINGS_FILE);
  if (!existsSync(file)) return undefined;
  const { federation } = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof labSettings>;
  const [anchor] = federation['trust-anchors'];
  const port = Number(new URL(anchor['entity-id']).port);
  return federationLab(folder, port);
}

/** Returns the path of the settings with which a server trusts the federation, for --config. JSON is YAML. */
export const settingsFileOf = (folder: string): string => join(folder, SETTINGS_FILE);

function labSettings(lab: FederationLab) {
  const anchor = {
    'entity-id': entityIdOf(lab, 'anchor'),
    jwks: { keys: [publicKey(lab.keys.anchor)] },
  };
  return {
    federation: {
      enabled: true,
      'trust-anchors': [anchor] as [typeof anchor],
      'authority-hints': [entityIdOf(lab, 'organisation')],
      'organization-name': 'A server on a desk',
    },
    outbound: { 'allow-http': true, 'allow-networks': ['127.0.0.0/8'] },
  };
}

export function publicKey({ kty, crv, x, y, kid }: JsonWebKey): { [member: string]: unknown; kty: string } {
  return { kty: String(kty), crv, x, y, kid };
}

function privateKey(kid: string): JsonWebKey {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...key.export({ format: 'jwk' }), kid };
}

const LIFETIME = 3600;
const signer = joseJwtSigner();

/** The redirection URI of the sample relying party. No program answers there. */
const CALLBACK = 'https://rp.example/callback';

type Claims = Readonly<Record<string, unknown>>;

/** The superior of each entity. The organisation is also the superior of the development server. */
const SUPERIORS: Readonly<Partial<Record<LabRole, LabRole>>> = { organisation: 'anchor', rp: 'organisation' };

async function signedBy(lab: FederationLab, role: LabRole, claims: Claims, now: number): Promise<string> {
  const key = lab.keys[role];
  const statement = { iss: entityIdOf(lab, role), iat: now, exp: now + LIFETIME, ...claims };
  return await signer.sign(
    statement,
    { alg: 'ES256', kid: String(key['kid']), typ: 'entity-statement+jwt' },
    key,
  );
}

function ownClaims(lab: FederationLab, role: LabRole): Claims {
  const superior = SUPERIORS[role];
  return {
    sub: entityIdOf(lab, role),
    jwks: { keys: [publicKey(lab.keys[role])] },
    ...(superior === undefined ? {} : { authority_hints: [entityIdOf(lab, superior)] }),
    metadata:
      role === 'rp'
        ? { openid_relying_party: relyingParty(lab) }
        : { federation_entity: { federation_fetch_endpoint: `${entityIdOf(lab, role)}/fetch` } },
  };
}

function relyingParty({ clientKey }: FederationLab): Claims {
  return {
    client_name: 'Sample relying party',
    redirect_uris: [CALLBACK],
    client_registration_types: ['explicit', 'automatic'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicKey(clientKey)] },
  };
}

/** Returns the entity configuration of an entity of the federation (OpenID Federation 1.0 §9). */
export async function labConfiguration(lab: FederationLab, role: LabRole, now: number): Promise<string> {
  return await signedBy(lab, role, ownClaims(lab, role), now);
}

/** Returns the request for explicit registration: the entity configuration with an audience (§12.2.1). */
export async function labRequest(lab: FederationLab, audience: string, now: number): Promise<string> {
  return await signedBy(
    lab,
    'rp',
    { ...ownClaims(lab, 'rp'), aud: audience, jti: systemRandom.alphanumeric(16) },
    now,
  );
}

/** The development server as a subordinate of the organisation. */
export interface LabMember {
  readonly entity_id: string;
  readonly keys: () => Promise<readonly JsonWebKey[]>;
}

/** Returns the statement of one entity about another, or undefined for an unknown subject (§8.1). */
export async function labStatement(
  lab: FederationLab,
  role: LabRole,
  subject: string,
  { server, now }: { readonly server: LabMember; readonly now: number },
): Promise<string | undefined> {
  if (role === 'organisation' && subject === server.entity_id)
    return await signedBy(lab, role, { sub: subject, jwks: { keys: await server.keys() } }, now);
  const subordinate = (Object.keys(SUPERIORS) as readonly LabRole[]).find(
    (one) => SUPERIORS[one] === role && entityIdOf(lab, one) === subject,
  );
  if (subordinate === undefined) return undefined;
  const policy = { contacts: { add: ['federation@organisation.example'] } };
  return await signedBy(
    lab,
    role,
    {
      sub: subject,
      jwks: { keys: [publicKey(lab.keys[subordinate])] },
      ...(role === 'organisation' ? { metadata_policy: { openid_relying_party: policy } } : {}),
    },
    now,
  );
}
