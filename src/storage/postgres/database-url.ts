import { readFileSync } from 'node:fs';
import { StorageUnavailable } from '../../ports/storage.ts';

export interface DatabaseHost {
  /** A host name, an address without brackets, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** The place of the database and the credentials. */
export interface DatabaseUrl {
  /** In the order of preference. */
  readonly hosts: readonly DatabaseHost[];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** False for a connection without TLS. */
  readonly tls: false | DatabaseTls;
}

/** TLS options. Certificates and keys are PEM. */
export interface DatabaseTls {
  /** The certificate that the database must present: one for its host, any one of the authorities, or none. */
  readonly verify: 'host' | 'authority' | 'nothing';
  /** The authorities; undefined for those that the runtime trusts. */
  readonly ca: string | undefined;
  /** The client certificate, for a database that requests one. */
  readonly client: { readonly cert: string; readonly key: string } | undefined;
}

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#]*)\/([^?#]*)(?:\?([^#]*))?$/u;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::([0-9]{1,5}))?$/u;
const DEFAULT_PORT = 5432;
const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host']);

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…&sslrootcert=…&host=/socket/folder`; parameters have
 * the names and meanings that libpq gives them (PostgreSQL documentation, "Parameter Key Words").
 * @throws StorageUnavailable whose message names the fault, without the password
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const match = SHAPE.exec(url);
  if (match === null) throw unusable('must be postgres://user:password@host:port,…/database');
  const [, user = '', password, authority = '', database = '', query] = match;
  const parameters = new URLSearchParams(query ?? '');
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) throw unusable(`does not know the parameter ${JSON.stringify(name)}`);
    if (parameters.getAll(name).length > 1) throw unusable(`has the parameter ${JSON.stringify(name)} twice`);
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

/** Returns the TLS options. An impostor could declare every token valid, so a connection that leaves the machine is verified. */
function tlsOf(parameters: URLSearchParams, hosts: readonly DatabaseHost[]): DatabaseUrl['tls'] {
  const mode = parameters.get('sslmode') ?? (hosts.every(isOwnMachine) ? 'disable' : 'verify-full');
  const ca = pemFile(parameters, 'sslrootcert');
  const client = clientCertificate(parameters);
  switch (mode) {
    case 'disable':
      if (ca !== undefined || client !== undefined) throw unusable('has certificates, but no TLS (sslmode)');
      return false;
    case 'require':
      // As in libpq: a named authority is checked.
      return { verify: ca === undefined ? 'nothing' : 'authority', ca, client };
    case 'verify-ca':
      if (ca === undefined)
        throw unusable('must name an sslrootcert with sslmode=verify-ca: anybody has a certificate');
      return { verify: 'authority', ca, client };
    case 'verify-full':
      return { verify: 'host', ca, client };
    case 'allow':
    case 'prefer':
      throw unusable(
        `must not have ${mode} as its sslmode: an attacker on the network could turn encryption off; use disable, require, verify-ca or verify-full`,
      );
    default:
      throw unusable('must have disable, require, verify-ca or verify-full as its sslmode');
  }
}

function clientCertificate(parameters: URLSearchParams): DatabaseTls['client'] {
  const cert = pemFile(parameters, 'sslcert');
  const key = pemFile(parameters, 'sslkey');
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw unusable('must name both an sslcert and an sslkey, or neither');
  return { cert, key };
}

/** Whether a host is this machine: a socket or a loopback address. */
export const isOwnMachine = ({ host }: DatabaseHost): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(host);

function pemFile(parameters: URLSearchParams, name: string): string | undefined {
  const file = parameters.get(name);
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw unusable(`names an ${name} that cannot be read`);
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
