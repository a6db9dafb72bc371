import { type Fields, VERIFIER } from '../../test/program/code-request.ts';
import type { Settings } from '../config/settings.ts';
import type { Expectation, Fetched, OutboundHttp } from '../ports/outbound-http.ts';
import type { Answer } from './exchange.ts';
import { answeredTo, aPerson, type TestPerson } from './person.ts';
import { CALLBACK, type ClientInformation, type TestTenant, testTenant } from './tenant.ts';

export const CLIENT_URL = 'https://client.example/oauth/metadata.json';

/** A Client ID Metadata Document of a public client; members that are undefined are left out. */
export function aDocument(changes: object = {}, client_id = CLIENT_URL): object {
  return {
    client_id,
    client_name: 'Paper Clips',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...changes,
  };
}

/** The answer of a URL: a document, a text as it stands, or a failure of the fetch. */
export type Published = object | string | Extract<Fetched, { readonly status: 'failed' }>;

/** A web of documents that a test changes. */
export interface DocumentHost {
  readonly outbound: Partial<OutboundHttp>;
  readonly documents: Map<string, Published>;
  /** Sent with each document. */
  caching: Readonly<Record<string, string>>;
  readonly fetches: { readonly url: string; readonly etag: string | undefined }[];
}

export const TIMEOUT: Published = { status: 'failed', reason: 'timeout', detail: 'hangs', retryAfter: 60 };
export const GONE: Published = { status: 'failed', reason: 'status', detail: 'status 404' };

export function documentHost(documents: Readonly<Record<string, Published>> = {}): DocumentHost {
  const host: DocumentHost = {
    documents: new Map(Object.entries(documents)),
    caching: {},
    fetches: [],
    outbound: {
      get: async (url, expectation) => {
        host.fetches.push({ url, etag: expectation.etag });
        await Promise.resolve();
        return answerOf(host, url, expectation);
      },
    },
  };
  return host;
}

function answerOf(host: DocumentHost, url: string, { etag }: Expectation): Fetched {
  const published = host.documents.get(url) ?? GONE;
  if (typeof published === 'object' && 'status' in published) return published;
  const caching = host.caching;
  if (etag !== undefined && etag === caching['etag'])
    return { status: 'ok', body: new Uint8Array(), mediaType: '', caching, unchanged: true };
  const body = Buffer.from(typeof published === 'string' ? published : JSON.stringify(published));
  return { status: 'ok', body, mediaType: 'application/json', caching };
}

/** A tenant whose clients may be documents of this host. */
export function documentTenant(host: DocumentHost, settings: Partial<Settings> = {}): TestTenant {
  return testTenant({
    outbound: host.outbound,
    settings: { 'registration.client-id-metadata-documents': true, ...settings },
  });
}

/** The client of a document, as helpers for registered clients take it. */
export function clientAt(client_id = CLIENT_URL): ClientInformation {
  return { client_id, client_secret: '', registration_access_token: '', members: {} };
}

/** A host with one document, a tenant that accepts it, and an end-user. */
export async function documentWorld(
  document: object = aDocument(),
  settings: Partial<Settings> = {},
): Promise<{ readonly host: DocumentHost; readonly tenant: TestTenant; readonly ada: TestPerson }> {
  const host = documentHost({ [CLIENT_URL]: document });
  const tenant = documentTenant(host, settings);
  return { host, tenant, ada: await aPerson(tenant) };
}

/** A code for the client of the document, after signing in and agreeing wherever a page asks for that. */
export const codeFor = async (ada: TestPerson, change: Fields = {}): Promise<string> =>
  answeredTo(await ada.grant(clientAt(), change))['code'] ?? '';

export async function redeem(tenant: TestTenant, code: string, more: object = {}): Promise<Answer> {
  const form = {
    grant_type: 'authorization_code',
    client_id: CLIENT_URL,
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...more,
  };
  return await tenant.send('token', { form });
}

export const refresh = async (tenant: TestTenant, refresh_token: unknown): Promise<Answer> =>
  await tenant.send('token', {
    form: { grant_type: 'refresh_token', client_id: CLIENT_URL, refresh_token: String(refresh_token) },
  });

/** The audit events about clients: action, actor and detail. */
export const documentEvents = async (tenant: TestTenant): Promise<readonly (readonly (string | null)[])[]> =>
  (await tenant.storage.audit.page(0, 100))
    .filter(({ action }) => action.startsWith('client.'))
    .filter(({ client_id }) => client_id === CLIENT_URL)
    .map(({ action, actor, detail }) => [action, actor, detail]);
