import type { Peer } from './peer.ts';

/** Says what was measured, for the readers of the figures. */
export interface Description {
  readonly name: string;
  /** As the program or its package tells it. */
  readonly version: string;
  readonly storage: string;
  /** The choices that change the figures, each with its reason if it is not the default. */
  readonly settings: readonly string[];
}

/** One of the servers that `--peers` compares: ours, or a peer. */
export interface Compared extends Peer {
  readonly paths: {
    readonly introspection: string;
    readonly token: string;
    /** Undefined: it has no open registration. */
    readonly registration?: string;
  };
  /**
   * The grant at which a client that has just registered proves its secret; by default `authorization_code`. Glewlwyd
   * answers a wrong code with 403, whatever the secret is.
   */
  readonly provingGrant?: string;
  /** How many registrations at once it answers rightly, if that is fewer than the connections of the load. */
  readonly registeringConnections?: number;
  readonly described: Description;
}

/** A peer that is not on this machine. */
export interface Missing {
  readonly name: string;
  /** The command that installs it. */
  readonly install: string;
}

export interface ComparedServers {
  /** Ours first. */
  readonly servers: readonly Compared[];
  readonly missing: readonly Missing[];
}

/** Returns the lines that describe the subjects of a run. */
export function descriptionLines(subjects: readonly Description[], missing: readonly Missing[]): string[] {
  return [
    ...subjects.flatMap(({ name, version, storage, settings }) => [
      name,
      `  version   ${version}`,
      `  storage   ${storage}`,
      ...settings.map((setting, index) => `  ${index === 0 ? 'settings' : '        '}  ${setting}`),
    ]),
    ...missing.map(({ name, install }) => `${name} is missing. To measure it: ${install}`),
  ];
}
