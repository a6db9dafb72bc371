import { readFileSync } from 'node:fs';
import { StorageUnavailable } from '../../ports/storage.ts';

export interface DatabaseHost {
  /** A name, an address without brackets, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** Where the database is, and how to get in. */
export interface DatabaseUrl {
  /** In the order in which they are tried. */
  readonly hosts: readonly DatabaseHost[];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** False: in the clear. `verify`: whether the server has to show who it is. */
  readonly tls: false | { readonly verify: boolean; readonly ca: string | undefined };
}

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#]*)\/([^?#]*)(?:\?([^#]*))?$/u;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::([0-9]{1,5}))?$/u;
const DEFAULT_PORT = 5432;
const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'host']);

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…&sslrootcert=…&host=/socket/folder`.
 * @throws StorageUnavailable that says what is wrong, without the password
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const match = SHAPE.exec(url);
  if (match === null) throw unusable('must be postgres://user:password@host:port,…/database');
  const [, user = '', password, authority = '', database = '', query] = match;
  const parameters = new URLSearchParams(query ?? '');
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) throw unusable(`does not know the parameter ${JSON.stringify(name)}`);
  }
  const socket = parameters.get('host');
  const hosts =
    socket === null
      ? authority.split(',').map(parseHost)
      : [{ host: socket, port: parseHost(authority).port }];
  if (user === '' || database === '') throw unusable('must name a user and a database');
  return {
    hosts,
    database: decoded(database),
    user: decoded(user),
    password: password === undefined ? undefined : decoded(password),
    tls: tlsOf(parameters, hosts),
  };
}

function parseHost(text: string): DatabaseHost {
  const match = HOST.exec(text);
  const port = Number(match?.[2] ?? DEFAULT_PORT);
  if (match === null || port > 65_535) throw unusable('has a host that cannot be read');
  const host = (match[1] ?? '').replaceAll(/[[\]]/gu, '');
  return { host: host === '' ? '127.0.0.1' : host, port };
}

/** Whoever can pretend to be the database can answer that every token is good: what leaves the machine is verified. */
function tlsOf(parameters: URLSearchParams, hosts: readonly DatabaseHost[]): DatabaseUrl['tls'] {
  const mode = parameters.get('sslmode') ?? (hosts.every(isOwnMachine) ? 'disable' : 'verify-full');
  const file = parameters.get('sslrootcert');
  switch (mode) {
    case 'disable':
      return false;
    case 'require':
      return { verify: false, ca: undefined };
    case 'verify-full':
      return { verify: true, ca: file === null ? undefined : authorities(file) };
    default:
      throw unusable('must have disable, require or verify-full as its sslmode');
  }
}

const isOwnMachine = ({ host }: DatabaseHost): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.');

function authorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw unusable('names an sslrootcert that cannot be read');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('has a bad escape');
  }
}

const unusable = (why: string): StorageUnavailable => new StorageUnavailable(`storage.url ${why}`);
