import type { AdminClient } from '../../../client/client.ts';
import { api } from '../../state/api.ts';

/** The grant types that a client may be registered for. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'implicit',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
];

/** Returns the name of a client for people. */
export const nameOf = ({ client_id, metadata }: Pick<AdminClient, 'client_id' | 'metadata'>): string => {
  const name = metadata['client_name'];
  return typeof name === 'string' && name !== '' ? name : client_id;
};

/** Returns the origin without its label. */
export const originOf = ({ registered_via }: Pick<AdminClient, 'registered_via'>): string =>
  registered_via.split(':')[0] ?? registered_via;

export function grantsOf({ metadata }: Pick<AdminClient, 'metadata'>): readonly string[] {
  const grants = metadata['grant_types'];
  return Array.isArray(grants) ? grants.map(String) : [];
}

/** A client with the version that a change of it must name. */
export interface Versioned {
  readonly client: AdminClient;
  readonly etag: string;
}

export async function clientNow(client_id: string): Promise<Versioned> {
  const { body, headers } = await api.call('adminClientRead', { client_id });
  return { client: body as AdminClient, etag: headers.get('etag') ?? '*' };
}
