import type { JsonValue } from '../../spec/json.ts';

export type Members = { readonly [name: string]: JsonValue | undefined };

/** A client of another server, in the words of this one. */
export interface ForeignClient {
  readonly client_id: string;
  /** Client metadata (RFC 7591 §2), with `data`. Members without a value are left out. */
  readonly metadata: Members;
  readonly client_secret?: string;
  /** Seconds since the Unix epoch. */
  readonly issued_at?: number;
  /** Seconds since the Unix epoch; 0 = never. */
  readonly secret_expires_at?: number;
  readonly registration_access_token?: string;
  /** Sentences about values that changed on the way. */
  readonly changed: readonly string[];
  /** Sentences about everything that this server does not have. */
  readonly lost: readonly string[];
}

/** Returns the client with redirection URIs that its operator lists, because those of the export were patterns. */
export function withRedirectUris(foreign: ForeignClient, redirect_uris: readonly string[]): ForeignClient {
  return {
    ...foreign,
    metadata: { ...foreign.metadata, redirect_uris },
    changed: [...foreign.changed, 'redirect_uris: those of --redirect-uris'],
    lost: foreign.lost.filter((sentence) => !sentence.startsWith('redirectUris ')),
  };
}

/** A client that is not imported, and why. */
export interface SkippedClient {
  readonly client_id: string;
  readonly skipped: string;
}

/** The content of an export in the words of this server. */
export interface ForeignRegistry {
  readonly clients: readonly (ForeignClient | SkippedClient)[];
  /** Sentences about the parts of the export that are no clients. */
  readonly lost: readonly string[];
}

export const isObject = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the texts of a list; the empty list for any other value. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** Returns a text that is not empty. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Says whether a value of an export states nothing: a default that its server always writes. */
export const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);
