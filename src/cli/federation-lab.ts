import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonWebKey } from '../spec/jwk.ts';
import { readOrMake } from './development.ts';
import { writePrivately } from './private-file.ts';

const ROLES = ['anchor', 'second-anchor', 'organisation', 'rp', 'website'] as const;
export type LabRole = (typeof ROLES)[number];

/** The roles that authenticate as clients: one registers explicitly, the other one automatically. */
export type LabClient = Extract<LabRole, 'rp' | 'website'>;

/** Where a federation runs, and beside which server. */
interface Place {
  /** The port of all entities on the loopback address. */
  readonly port: number;
  /** The issuer of the development server. */
  readonly issuer: string;
  readonly secondAnchor: boolean;
}

/** The entities of a federation on one machine. Each has a path of its own on one loopback port. */
export interface FederationLab extends Place {
  /** Private federation keys. */
  readonly keys: Readonly<Record<LabRole, JsonWebKey>>;
  /** The keys with which the relying parties authenticate. Their superiors do not know these keys. */
  readonly clientKeys: Readonly<Record<LabClient, JsonWebKey>>;
}

const FILE = 'development-federation.json';

const baseOf = ({ port }: Pick<Place, 'port'>): string => `http://127.0.0.1:${port}`;

export const entityIdOf = (lab: Pick<Place, 'port'>, role: LabRole): string => `${baseOf(lab)}/${role}`;

/** The trust anchors of the federation, the first one first. */
export function anchorRoles({ secondAnchor }: Pick<Place, 'secondAnchor'>): readonly LabRole[] {
  return secondAnchor ? ['anchor', 'second-anchor'] : ['anchor'];
}

/** Returns the federation of a data folder. The first start creates its keys; later starts keep them. Commands find its place. */
export function federationLab(folder: string, place: Place): FederationLab {
  const made = readOrMake(folder, FILE, () => ({})) as Partial<FederationLab>;
  const lab = {
    ...place,
    keys: { ...newKeys(ROLES), ...made.keys },
    clientKeys: { ...newKeys(['rp', 'website'], '-client'), ...made.clientKeys },
  };
  writePrivately(join(folder, FILE), JSON.stringify(lab));
  return lab;
}

/** Returns the federation that was last started in this folder, or undefined. */
export function startedLab(folder: string): FederationLab | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  const lab = JSON.parse(readFileSync(file, 'utf8')) as Partial<FederationLab>;
  // A file of an earlier version has keys only.
  return lab.issuer === undefined ? undefined : (lab as FederationLab);
}

export function publicKey({ kty, crv, x, y, kid }: JsonWebKey): { [member: string]: unknown; kty: string } {
  return { kty: String(kty), crv, x, y, kid };
}

function newKeys<Role extends LabRole>(roles: readonly Role[], suffix = ''): Record<Role, JsonWebKey> {
  const keys = roles.map((role) => [role, privateKey(`${role}${suffix}-1`)]);
  return Object.fromEntries(keys) as Record<Role, JsonWebKey>;
}

function privateKey(kid: string): JsonWebKey {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...key.export({ format: 'jwk' }), kid };
}
