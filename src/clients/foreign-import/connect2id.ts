import type { JsonValue } from '../../spec/json.ts';
import { type ForeignClient, type ForeignRegistry, isObject, textOf } from './foreign-client.ts';

/** Members of a client information response that are no metadata. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** A registration token that a client information response can have here. */
const REGISTRATION_TOKEN = /^[\x21-\x7e]{43,256}$/u;

/** Reads the answer of `GET /clients` of Connect2id: a list of client information responses. */
export function connect2idRegistry(content: JsonValue): ForeignRegistry | undefined {
  if (!Array.isArray(content)) return undefined;
  const clients = (content as readonly JsonValue[]).filter(isObject);
  if (
    clients.length !== content.length ||
    clients.some((client) => textOf(client['client_id']) === undefined)
  )
    return undefined;
  return { clients: clients.map(converted), lost: [] };
}

function converted(client: { readonly [name: string]: JsonValue }): ForeignClient {
  const token = textOf(client['registration_access_token']);
  const carries = token !== undefined && REGISTRATION_TOKEN.test(token);
  const { client_id_issued_at, client_secret_expires_at } = client;
  const client_secret = textOf(client['client_secret']);
  const changed = [
    ...(carries
      ? []
      : ['the client gets a new registration access token: the export has none of at least 43 characters']),
    'the client manages itself at another address: registration_client_uri',
  ];
  return {
    client_id: textOf(client['client_id']) ?? '',
    metadata: Object.fromEntries(Object.entries(client).filter(([name]) => !NOT_METADATA.has(name))),
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(typeof client_id_issued_at === 'number' ? { issued_at: client_id_issued_at } : {}),
    ...(typeof client_secret_expires_at === 'number' ? { secret_expires_at: client_secret_expires_at } : {}),
    ...(carries ? { registration_access_token: token } : {}),
    changed,
    lost: [],
  };
}
