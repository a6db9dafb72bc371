import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import type { FapiProfile } from '../../spec/fapi-profiles.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { type Mistake, sentenceOf } from '../../spec/metadata-mistake.ts';
import { metadataOf } from '../registered-client.ts';
import { unacceptedValues } from '../registration/accepted-values.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

/** One thing that a client lacks for a profile. */
export interface Lack {
  readonly member: string;
  readonly index?: number;
  readonly value?: string;
  readonly allowed?: readonly string[];
  /** The mistake, as a sentence without a full stop. */
  readonly words: string;
  /** How to change it, as a sentence without a full stop. */
  readonly remedy: string;
}

/** A client, and what it lacks for a profile. */
export interface FapiClientReport {
  readonly client_id: ClientId;
  readonly client_name: string | null;
  readonly registered_via: string;
  readonly fits: boolean;
  readonly lacks: readonly Lack[];
  /** A merge patch of the metadata that mends what needs no decision of the client's owner (RFC 7396). */
  readonly change: Readonly<Record<string, JsonValue>>;
}

export interface FapiReportPage {
  readonly reports: readonly FapiClientReport[];
  /** The client to go on after; undefined at the end. */
  readonly next: ClientId | undefined;
}

/** Reports on a page of the clients, in the order of their identifiers. */
export async function fapiReport(
  { clients, limitsUnder }: Pick<RegistryNeeds, 'clients' | 'limitsUnder'>,
  profile: FapiProfile,
  { after, limit }: { readonly after: ClientId | undefined; readonly limit: number },
): Promise<FapiReportPage> {
  const limits = limitsUnder(profile);
  const page = await clients.page(after, limit + 1);
  const shown = page.slice(0, limit);
  return {
    reports: shown.map((client) => reportOn(client, limits)),
    next: page.length > limit ? shown.at(-1)?.client_id : undefined,
  };
}

/** Reports on one client; undefined for an unknown one. */
export async function fapiReportOn(
  { clients, limitsUnder }: Pick<RegistryNeeds, 'clients' | 'limitsUnder'>,
  profile: FapiProfile,
  client_id: ClientId,
): Promise<FapiClientReport | undefined> {
  const client = await clients.find(client_id);
  return client === undefined ? undefined : reportOn(client, limitsUnder(profile));
}

function reportOn(client: StoredClient, limits: MetadataLimits): FapiClientReport {
  const metadata = metadataOf(client);
  const mistakes = unacceptedValues(metadata, limits);
  const { client_name } = metadata;
  const changes = mistakes.map((mistake) => changeFor(mistake, metadata, limits));
  return {
    client_id: client.client_id,
    client_name: typeof client_name === 'string' ? client_name : null,
    registered_via: client.registered_via,
    fits: mistakes.length === 0,
    lacks: mistakes.map((mistake, index) => lackOf(mistake, changes[index] ?? {})),
    change: Object.assign({}, ...changes) as Readonly<Record<string, JsonValue>>,
  };
}

function lackOf(mistake: Mistake, change: Readonly<Record<string, JsonValue>>): Lack {
  const { member, index, value, allowed } = mistake;
  const patch = Object.entries(change).map(([name, to]) =>
    to === null ? `remove ${name}` : `set ${name} to ${JSON.stringify(to)}`,
  );
  return {
    member,
    ...(index === undefined ? {} : { index }),
    ...(value === undefined ? {} : { value }),
    ...(allowed === undefined ? {} : { allowed }),
    words: sentenceOf(mistake),
    remedy: patch[0] ?? BY_OWNER[member] ?? 'ask the owner of the client for another value',
  };
}

/** Changes that need something which only the owner of the client has. */
const BY_OWNER: Readonly<Record<string, string>> = {
  token_endpoint_auth_method:
    'register the public key of the client in jwks or jwks_uri, and set token_endpoint_auth_method to "private_key_jwt"',
  jwks: 'register the public key of the client in jwks or jwks_uri',
  redirect_uris: 'replace the address by one with https',
};

const LISTS: ReadonlySet<string> = new Set(['grant_types', 'response_types', 'response_modes']);

/** Returns the change that mends a lack; empty where only the owner of the client can decide. */
function changeFor(
  { member, allowed = [] }: Mistake,
  metadata: ClientMetadata,
  limits: MetadataLimits,
): Readonly<Record<string, JsonValue>> {
  if (LISTS.has(member)) {
    const left = ((metadata[member] ?? []) as readonly string[]).filter((value) => allowed.includes(value));
    return left.length === 0 && member === 'grant_types' ? {} : { [member]: left };
  }
  if (member === 'dpop_bound_access_tokens') return limits.dpop ? { [member]: true } : {};
  if (member === 'token_endpoint_auth_method') {
    const hasKeys = ['jwks', 'jwks_uri', 'signed_jwks_uri'].some((name) => metadata[name] !== undefined);
    return hasKeys && allowed.includes('private_key_jwt') ? { [member]: 'private_key_jwt' } : {};
  }
  const [first] = allowed;
  if (member.endsWith('_signed_response_alg') && first !== undefined) return { [member]: first };
  // Without the member, the client may sign with every algorithm that is accepted.
  return member.endsWith('_signing_alg') ? { [member]: null } : {};
}
