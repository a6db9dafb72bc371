import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { readOrMake, writePrivately } from '../dev/development-data.ts';

const ROLES = ['anchor', 'organisation', 'rp'] as const;
export type LabRole = (typeof ROLES)[number];

/** The entities of a federation on one's desk, each below a path of its own on one loopback port. */
export interface FederationLab {
  readonly base: string;
  /** Private federation keys. */
  readonly keys: Readonly<Record<LabRole, JsonWebKey>>;
  /** The relying party's key for signing in, which no superior sees. */
  readonly clientKey: JsonWebKey;
}

const FILE = 'development-federation.json';
const SETTINGS_FILE = 'development-federation.yaml';

export const entityIdOf = ({ base }: FederationLab, role: LabRole): string => `${base}/${role}`;

/** Made at the first start, kept from then on: an anchor with a new key would be another anchor. */
export function federationLab(folder: string, port: number): FederationLab {
  const made = readOrMake(folder, FILE, () => ({
    keys: Object.fromEntries(ROLES.map((role) => [role, privateKey(`${role}-1`)])),
    clientKey: privateKey('rp-client-1'),
  })) as Omit<FederationLab, 'base'>;
  const lab = { ...made, base: `http://127.0.0.1:${port}` };
  writePrivately(join(folder, SETTINGS_FILE), JSON.stringify(labSettings(lab), null, 2));
  return lab;
}

/** The lab that was started in this folder last; undefined where there was none. */
export function startedLab(folder: string): FederationLab | undefined {
  const file = join(folder, SETTINGS_FILE);
  if (!existsSync(file)) return undefined;
  const { federation } = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof labSettings>;
  const [anchor] = federation['trust-anchors'];
  const port = Number(new URL(anchor['entity-id']).port);
  return federationLab(folder, port);
}

/** For --config: what makes a server trust the lab. JSON is YAML. */
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
