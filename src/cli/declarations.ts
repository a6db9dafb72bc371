import { plainDocuments } from '../config/plain-yaml.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { JsonValue } from '../spec/json.ts';
import { suggestion } from '../spec/nearest.ts';
import { OWNER_NAME } from '../spec/owner-name.ts';
import {
  isMap,
  type Members,
  type PlacedTenant,
  referenceOf,
  type SecretReference,
  type TenantGroup,
  tenantDeclarationOf,
} from './tenant-declarations.ts';

/** A client as a file has it, before the registry has seen it. */
export interface ClientDeclaration {
  readonly client_id: string;
  /** The metadata as the text of a JSON object. */
  readonly metadata: string;
  readonly secret?: SecretReference;
  /** The file and the line, for messages. */
  readonly place: string;
}

/** The clients of one owner in one tenant. */
export interface ClientGroup {
  readonly tenant: string;
  readonly owner: string;
  /** In code-unit order of their ids. */
  readonly clients: readonly ClientDeclaration[];
}

export interface Declarations {
  /** In the order of their owners. */
  readonly tenants: readonly TenantGroup[];
  /** In the order of tenant and owner. */
  readonly groups: readonly ClientGroup[];
}

/** The format version of the files. */
export const DECLARATIONS_VERSION = 1;

const MEMBERS = ['chancery', 'owner', 'tenants', 'tenant', 'defaults', 'clients', '$schema'];

/** Members of a client information response that say nothing about the metadata. A pasted response has them. */
const IGNORED: ReadonlySet<string> = new Set([
  'client_id_issued_at',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** A file of declarations, with a name for messages. */
export interface DeclarationFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Reads files of declarations, and reports every mistake.
 * @param tenant that of documents without `tenant`
 */
export function readDeclarations(
  files: readonly DeclarationFile[],
  tenant: string | undefined,
  report: (line: string) => void,
): Declarations {
  const reading = new Reading(tenant ?? DEFAULT_TENANT, report);
  for (const file of files) reading.file(file);
  return reading.result();
}

class Reading {
  readonly #tenant: string;
  readonly #report: (line: string) => void;
  readonly #groups = new Map<string, ClientGroup & { readonly clients: ClientDeclaration[] }>();
  readonly #tenants = new Map<string, PlacedTenant[]>();
  /** The place of each client, by tenant and client_id, and of each tenant, by its id. */
  readonly #places = new Map<string, string>();
  #name = '';
  #lineOf: (value: unknown) => number | undefined = () => undefined;

  constructor(tenant: string, report: (line: string) => void) {
    this.#tenant = tenant;
    this.#report = report;
  }

  file({ name, content }: DeclarationFile): void {
    const { documents, problems, lineOf } = plainDocuments(content);
    this.#name = name;
    this.#lineOf = lineOf;
    for (const { line, words } of problems) this.#report(`${name}:${line}: ${words}`);
    for (const document of documents) if (document !== null) this.#document(document);
  }

  result(): Declarations {
    const groups = [...this.#groups.values()].map((group) => ({
      ...group,
      clients: group.clients.toSorted((a, b) => order(a.client_id, b.client_id)),
    }));
    const tenants = [...this.#tenants].map(([owner, list]) => ({
      owner,
      tenants: list.toSorted((a, b) => order(a.id, b.id)),
    }));
    return {
      tenants: tenants.toSorted((a, b) => order(a.owner, b.owner)),
      groups: groups.toSorted((a, b) => order(a.tenant, b.tenant) || order(a.owner, b.owner)),
    };
  }

  #document(document: JsonValue): void {
    if (!isMap(document)) return this.#refuse(document, 'a document must be a map of declarations');
    if (document['chancery'] !== DECLARATIONS_VERSION)
      return this.#refuse(document, `a document must have \`chancery: ${DECLARATIONS_VERSION}\``);
    this.#requireKnown(document, MEMBERS, 'a document');
    const { clients, tenants, owner, tenant = this.#tenant } = document;
    if (typeof tenant !== 'string') return this.#refuse(document, 'tenant must be the id of a tenant');
    if (clients === undefined && tenants === undefined) return undefined;
    if (typeof owner !== 'string' || !OWNER_NAME.test(owner))
      return this.#refuse(
        document,
        'owner must name who declares the clients and tenants: 1 to 64 lower-case letters, digits, dots, hyphens and underscores',
      );
    if (tenants !== undefined) this.#declareTenants(document, tenants, owner);
    if (clients !== undefined) this.#clients(document, clients, { tenant, owner });
    return undefined;
  }

  #declareTenants(document: Members, tenants: JsonValue, owner: string): void {
    if (!isMap(tenants ?? {})) return this.#refuse(document, 'tenants must be a map from id to tenant');
    const group = this.#tenants.get(owner) ?? [];
    this.#tenants.set(owner, group);
    for (const [id, value] of Object.entries((tenants ?? {}) as Members)) {
      const place = this.#place(value, document);
      const key = JSON.stringify([id]);
      const earlier = this.#places.get(key);
      this.#places.set(key, earlier ?? place);
      const found =
        earlier === undefined ? tenantDeclarationOf(id, value) : [`is declared in ${earlier} already`];
      if ('issuer' in found) group.push({ ...found, place });
      else for (const words of found) this.#report(`${place}: tenant ${shown(id)} ${words}`);
    }
    return undefined;
  }

  #clients(
    document: Members,
    clients: JsonValue,
    { tenant, owner }: Pick<ClientGroup, 'tenant' | 'owner'>,
  ): void {
    const { defaults = {} } = document;
    if (!isMap(clients ?? {}))
      return this.#refuse(document, 'clients must be a map from client_id to metadata');
    if (!isMap(defaults)) return this.#refuse(document, 'defaults must be a map of client metadata');
    const key = JSON.stringify([tenant, owner]);
    const group = this.#groups.get(key) ?? { tenant, owner, clients: [] };
    this.#groups.set(key, group);
    for (const [client_id, value] of Object.entries((clients ?? {}) as Members)) {
      const declared = this.#client({ client_id, value, defaults, document, tenant });
      if (declared !== undefined) group.clients.push(declared);
    }
    return undefined;
  }

  #client({ client_id, value, defaults, document, tenant }: GivenClient): ClientDeclaration | undefined {
    const place = this.#place(value, document);
    const refuse = (words: string): undefined => {
      this.#report(`${place}: client ${shown(client_id)} ${words}`);
    };
    if (value !== null && !isMap(value)) return refuse('must be a map of client metadata');
    const key = JSON.stringify([tenant, client_id]);
    const earlier = this.#places.get(key);
    if (earlier !== undefined) return refuse(`is declared in ${earlier} already`);
    this.#places.set(key, place);
    const given = { ...defaults, ...value };
    const { client_secret } = given;
    if (given['client_id'] !== undefined && given['client_id'] !== client_id)
      return refuse('must have no other client_id than its key');
    const preferred = Object.keys(given).find((name) => name.startsWith('preferred_client_'));
    if (preferred !== undefined)
      return refuse(
        `must not have ${preferred}: its key is its client_id, and client_secret names its secret`,
      );
    const secret = client_secret === undefined ? undefined : referenceOf(client_secret);
    if (client_secret !== undefined && secret === undefined)
      return refuse(
        'has a client_secret that is neither {file: NAME} nor {env: NAME}: declarations hold no secrets',
      );
    const metadata = Object.entries(given).filter(
      ([name]) => name !== 'client_id' && name !== 'client_secret' && !IGNORED.has(name),
    );
    // `fromEntries` defines members, so a member `__proto__` stays one.
    const text = JSON.stringify(Object.fromEntries(metadata));
    return { client_id, metadata: text, place, ...(secret === undefined ? {} : { secret }) };
  }

  #requireKnown(value: Members, known: readonly string[], what: string): void {
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      const meant = suggestion(name, known);
      this.#refuse(
        value,
        `${what} has the unknown member ${shown(name)}${meant}; members: ${known.join(', ')}`,
      );
    }
  }

  #refuse(value: JsonValue, words: string): void {
    this.#report(`${this.#place(value, value)}: ${words}`);
  }

  /** A client without metadata has no line of its own. */
  #place(value: JsonValue, around: JsonValue): string {
    const line = this.#lineOf(value) ?? this.#lineOf(around);
    return line === undefined ? this.#name : `${this.#name}:${line}`;
  }
}

interface GivenClient {
  readonly client_id: string;
  readonly value: JsonValue;
  readonly defaults: Members;
  readonly document: Members;
  readonly tenant: string;
}

const SHOWN_MAX = 100;

const shown = (text: string): string => JSON.stringify(text.slice(0, SHOWN_MAX));

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
