import type { JsonValue } from '../../spec/json.ts';
import { connect2idRegistry } from './connect2id.ts';
import type { ForeignRegistry } from './foreign-client.ts';
import { hydraRegistry } from './hydra.ts';
import { keycloakRegistry } from './keycloak.ts';

/** The servers whose exports are read, with the function that reads them; it returns undefined for another file. */
const FORMATS = {
  keycloak: keycloakRegistry,
  hydra: hydraRegistry,
  connect2id: connect2idRegistry,
} as const satisfies Readonly<Record<string, (content: JsonValue) => ForeignRegistry | undefined>>;

export type ForeignServer = keyof typeof FORMATS;

export const FOREIGN_SERVERS = Object.keys(FORMATS) as readonly ForeignServer[];

/** Returns the clients of an export of another server; undefined for a file that is none. */
export function foreignRegistry(server: ForeignServer, content: JsonValue): ForeignRegistry | undefined {
  return FORMATS[server](content);
}
