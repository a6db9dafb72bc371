import { isKnownAdminScope } from '../../spec/admin-scopes.ts';
import { type ClientMetadata, SECRET_METHODS } from '../../spec/client-metadata.ts';
import { preferredSecret } from '../../spec/client-metadata-checks.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { isGrantType } from '../../spec/grant-types.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../spec/json.ts';
import { refuseMistakes } from '../../spec/metadata-mistake.ts';
import { OWNER_NAME } from '../../spec/owner-name.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { isScopeToken } from '../../spec/scope.ts';
import { examineMetadata, type ValidatedMetadata } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { EXPORT_VERSION } from './export-clients.ts';

export interface ImportedSecret {
  readonly client_secret: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A valid line of an export: a registration that this server could have made. */
export interface ImportedClient {
  readonly client_id: ClientId;
  readonly issued_at: number;
  readonly registered_via: string;
  readonly shared: boolean;
  /** Newest first. */
  readonly secrets: readonly ImportedSecret[];
  readonly registration_access_token: string;
  readonly privileges: RegistrationPrivileges;
  readonly metadata: ClientMetadata;
  readonly data: string | null;
  /** Null in an export of a version that knew no owners, too. */
  readonly owner: string | null;
  /** Everything in the metadata that this server does not take. */
  readonly dropped: ValidatedMetadata['dropped'];
  /** `secret`: its index in `secrets`; null for uses without a secret. */
  readonly last_used: readonly { readonly secret: number | null; readonly at: number }[];
}

/** Levels of the line around what is the outermost object of a request. */
const DEPTH_AROUND = 2;
/** Members that stand beside the metadata while it is validated: `preferred_client_id` and `data`. */
const MEMBERS_BESIDE = 2;

/** RFC 6749 Appendix A.1, VSCHAR. The rule of `preferred_client_id` decides which ids are valid. */
const CLIENT_ID = /^[\x20-\x7e]{1,512}$/;
const REGISTERED_VIA = /^(?:open|cli|(?:master|initial|statement):[^\p{Cc}]{0,512})$/u;
const REGISTRATION_TOKEN = /^[\x21-\x7e]{43,256}$/;
const SECRETS_MAX = 100;
const LISTED_MAX = 1000;

/**
 * Reads the first line of an export.
 * @throws OAuthError invalid_request if it is malformed or has another version
 */
export function readExportHeader(needs: RegistryNeeds, line: Uint8Array): { readonly issuer: string } {
  const { chancery_export, issuer } = parseJsonObject(line, needs.json).members;
  if (chancery_export === undefined || typeof issuer !== 'string')
    throw refused(
      'this is not an export of clients, as `chancery clients export` makes it: the first line must have the members chancery_export and issuer',
    );
  if (chancery_export === EXPORT_VERSION) return { issuer };
  {
    const version = quotedValue(JSON.stringify(chancery_export));
    throw refused(`the export has the format version ${version}; this program reads ${EXPORT_VERSION}`);
  }
}

/**
 * Reads and validates one line of an export.
 * @param named called with the client id before anything else is checked
 * @throws OAuthError invalid_request, invalid_client_metadata, invalid_redirect_uri
 */
export function readImportedClient(
  needs: RegistryNeeds,
  line: Uint8Array,
  named: (client_id: ClientId) => void = () => undefined,
): ImportedClient {
  const { json } = needs;
  const record = parseJsonObject(line, { depth: json.depth + DEPTH_AROUND, members: json.members });
  const { members } = record;
  const client_id = textOf(members['client_id'], 'client_id', CLIENT_ID) as ClientId;
  named(client_id);
  const { metadata, data, dropped } = checkedMetadata(needs, record);
  const secrets = listOf(members['secrets'], 'secrets', SECRETS_MAX).map((secret, index) =>
    secretOf(needs, secret, `secrets[${index}]`),
  );
  if (secrets.length > 0 !== SECRET_METHODS.has(metadata.token_endpoint_auth_method)) {
    const method = metadata.token_endpoint_auth_method;
    throw refused(
      `secrets must ${secrets.length > 0 ? 'be empty' : 'not be empty'} for token_endpoint_auth_method ${method}`,
    );
  }
  return {
    client_id,
    issued_at: timeOf(members['issued_at'], 'issued_at'),
    registered_via: textOf(members['registered_via'], 'registered_via', REGISTERED_VIA),
    shared: booleanOf(members['shared'], 'shared'),
    secrets,
    registration_access_token: textOf(
      members['registration_access_token'],
      'registration_access_token',
      REGISTRATION_TOKEN,
    ),
    privileges: privilegesOf(members['privileges']),
    metadata,
    data,
    owner: ownerOf(members['owner']),
    dropped,
    last_used: listOf(members['last_used'] ?? [], 'last_used', SECRETS_MAX + 1).map((use, index) =>
      useOf(use, secrets.length, `last_used[${index}]`),
    ),
  };
}

/** Validates metadata, `data` and the identifier as a registration request would be. */
function checkedMetadata(needs: RegistryNeeds, record: JsonObject): ValidatedMetadata {
  objectOf(record.members['metadata'], 'metadata');
  const metadata = record.source('metadata')?.slice(1, -1).trim() ?? '';
  const data = record.source('data');
  const members = [
    `"preferred_client_id":${record.source('client_id') ?? 'null'}`,
    ...(data === undefined ? [] : [`"data":${data}`]),
    ...(metadata === '' ? [] : [metadata]),
  ];
  const { depth, members: membersMax } = needs.json;
  const request = parseJsonObject(Buffer.from(`{${members.join(',')}}`), {
    depth,
    members: membersMax + MEMBERS_BESIDE,
  });
  const { validated, mistakes } = examineMetadata(request, needs.metadataLimits, (value) => value !== null);
  refuseMistakes(mistakes, validated.dropped);
  return validated;
}

function ownerOf(value: JsonValue | undefined): string | null {
  return value === undefined || value === null ? null : textOf(value, 'owner', OWNER_NAME);
}

function secretOf(needs: RegistryNeeds, value: JsonValue, name: string): ImportedSecret {
  const { client_secret, created_at, expires_at } = objectOf(value, name);
  if (typeof client_secret !== 'string') throw refused(`${name}.client_secret must be a string`);
  const checked = preferredSecret(client_secret, needs.metadataLimits);
  if ('problems' in checked) throw refused(`${name}.client_secret ${checked.problems[0]?.rule ?? ''}`);
  return {
    client_secret,
    created_at: timeOf(created_at, `${name}.created_at`),
    expires_at: timeOf(expires_at, `${name}.expires_at`),
  };
}

function useOf(value: JsonValue, secrets: number, name: string): ImportedClient['last_used'][number] {
  const { secret, at } = objectOf(value, name);
  const place = secret ?? null;
  if (
    place !== null &&
    !(typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < secrets)
  ) {
    throw refused(`${name}.secret must be null or the index of one of the ${secrets} secrets`);
  }
  return { secret: place, at: timeOf(at, `${name}.at`) };
}

function privilegesOf(value: JsonValue | undefined): RegistrationPrivileges {
  const { grant_types, scope, data, set_id, set_secret, redirect_hosts, admin_scope } = objectOf(
    value,
    'privileges',
  );
  return {
    grant_types: anyOrList(grant_types, 'privileges.grant_types', isGrantType),
    scope: anyOrList(scope, 'privileges.scope', (text): text is string => isScopeToken(text)),
    data: booleanOf(data, 'privileges.data'),
    set_id: booleanOf(set_id, 'privileges.set_id'),
    set_secret: booleanOf(set_secret, 'privileges.set_secret'),
    redirect_hosts: anyOrList(
      redirect_hosts,
      'privileges.redirect_hosts',
      (text): text is string => text !== '',
    ),
    ...(admin_scope === undefined
      ? {}
      : { admin_scope: anyOrList(admin_scope, 'privileges.admin_scope', isKnownAdminScope) }),
  };
}

function anyOrList<Text extends string>(
  value: JsonValue | undefined,
  name: string,
  fits: (text: string) => text is Text,
): 'any' | readonly Text[] {
  if (value === 'any') return value;
  return listOf(value, name, LISTED_MAX).map((text, index) => {
    if (typeof text === 'string' && fits(text)) return text;
    throw refused(`${name}[${index}] ${quotedValue(JSON.stringify(text))} is not a known value`);
  });
}

function objectOf(value: JsonValue | undefined, name: string): Readonly<Record<string, JsonValue>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, JsonValue>>;
  }
  throw refused(`${name} must be an object`);
}

function listOf(value: JsonValue | undefined, name: string, countMax: number): readonly JsonValue[] {
  if (Array.isArray(value) && value.length <= countMax) return value as readonly JsonValue[];
  throw refused(`${name} must be an array of at most ${countMax} values`);
}

function textOf(value: JsonValue | undefined, name: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw refused(`${name} is missing or malformed`);
}

function booleanOf(value: JsonValue | undefined, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw refused(`${name} must be true or false`);
}

function timeOf(value: JsonValue | undefined, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused(`${name} must be a time in whole seconds since 1970`);
}

function refused(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}
