import { computed, signal } from '@preact/signals';
import { ChanceryError, createClient } from '../../client/client.ts';
import { apiBase } from './configuration.ts';
import { t } from './messages.ts';
import { route } from './route.ts';
import { accessToken, expire } from './session.ts';

/** The tenant that the console administers; undefined is the tenant that the person signed in to. */
export const tenant = computed(() => route.value.tenant);

/** Whether the latest request reached the server. */
export const online = signal(true);

async function authorised(
  of: string | undefined,
  url: RequestInfo | URL,
  options: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set('authorization', `Bearer ${await accessToken()}`);
  if (of !== undefined) headers.set('tenant-id', of);
  try {
    // No cookie goes along, so no other site can make the browser send a request that counts.
    const response = await fetch(url, { ...options, headers, credentials: 'omit', cache: 'no-store' });
    online.value = true;
    if (response.status === 401) expire();
    return response;
  } catch (failure) {
    if (!isAborted(failure)) online.value = false;
    throw failure;
  }
}

/** Sends a request to the administration API, for answers that come bit by bit. @param path below the address of the API */
export const requested = async (path: string, options: RequestInit): Promise<Response> =>
  await authorised(tenant.value, apiBase + path, options);

/** Sends a request about the whole server, for a file. @param path below the address of the API */
export const requestedOfServer = async (path: string, options: RequestInit): Promise<Response> =>
  await authorised(undefined, apiBase + path, options);

/** The administration API, through the typed client of the package. */
const apiWith = (tenantNow: () => string | undefined) =>
  createClient({
    issuer: apiBase,
    administration: apiBase,
    fetch: async (url, options) => await authorised(tenantNow(), url, options),
  });

/** The administration of the tenant that the console administers. */
export const api = apiWith(() => tenant.value);

/** The operations about all tenants: they stand at the tenant that the person signed in to, and at no other. */
export const serverApi = apiWith(() => undefined);

/** The administration of one tenant, whichever the console administers. */
export const apiOf = (id: string): ReturnType<typeof apiWith> => apiWith(() => id);

const isAborted = (failure: unknown): boolean =>
  failure instanceof DOMException && failure.name === 'AbortError';

/** Another person changed the record meanwhile (RFC 9110 §13.1.1). */
export const isConflict = (failure: unknown): boolean =>
  failure instanceof ChanceryError && failure.status === 412;

/** The server cannot do this as it is set up: it has no federation, or another storage (409). */
export const isUnsupported = (failure: unknown): boolean =>
  failure instanceof ChanceryError && failure.status === 409;

export const isAbsent = (failure: unknown): boolean =>
  failure instanceof ChanceryError && failure.status === 404;

/** Problem details (RFC 9457), as far as the console shows them. */
interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer?: string; readonly detail?: string }[];
}

/** Returns why a request failed, in words for a person. */
export function wordsOf(failure: unknown): string {
  if (!(failure instanceof ChanceryError)) return t('failed.connection');
  if (failure.status === 403) return t('failed.scope');
  if (failure.status === 401) return t('failed.expired');
  const { title, detail } = (failure.body ?? {}) as Problem;
  return detail ?? title ?? failure.error_description ?? `${failure.status}`;
}

/** Returns what is wrong with single members, by JSON pointer. */
export function memberFaults(failure: unknown): ReadonlyMap<string, string> {
  if (!(failure instanceof ChanceryError)) return new Map();
  const { errors = [], detail: words = '' } = (failure.body ?? {}) as Problem;
  if (errors.length > 0) return new Map(errors.map(({ pointer = '', detail = '' }) => [pointer, detail]));
  // A single fault of metadata has no list: its words begin with the member, and perhaps an index.
  const [, member, index] = NAMED_MEMBER.exec(words) ?? [];
  if (member === undefined) return new Map();
  return new Map([[`/metadata/${member}${index === undefined ? '' : `/${index}`}`, words]]);
}

const NAMED_MEMBER = /^([a-z][a-z_]*_[a-z_]+|scope|contacts|jwks)(?:#\S+)?(?:\[(\d+)\])? /u;
