import type { InitialAccessTokenLabel, StoredAccessToken } from '../../ports/access-token-store.ts';
import type {
  ChangeOutcome,
  CreateConditions,
  CreateOutcome,
  StoredClient,
} from '../../ports/client-store.ts';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { ClientId, KeyId, Sealed, TenantId } from '../../spec/identifiers.ts';

interface OfTenant {
  readonly tenant: TenantId;
}

/** Every act that changes the database, as plain data that can be sent to a thread. */
export interface WriteArguments {
  issueAccessToken: OfTenant & { readonly token: StoredAccessToken };
  issueInitialAccessToken: OfTenant & {
    readonly token: StoredAccessToken;
    readonly label: InitialAccessTokenLabel;
  };
  sweepExpired: OfTenant & { readonly now: number; readonly limit: number };
  createClient: OfTenant & { readonly client: StoredClient; readonly conditions: CreateConditions };
  replaceClient: OfTenant & { readonly client: StoredClient; readonly expectedVersion: number };
  deleteClient: OfTenant & {
    readonly client_id: ClientId;
    readonly expectedVersion: number;
    readonly now: number;
  };
  addFirstServerKeys: OfTenant & { readonly keys: readonly StoredServerKey[] };
  resealServerKey: OfTenant & { readonly kid: KeyId; readonly sealed: Sealed };
  sealCanary: { readonly sealed: Sealed };
  replaceSealCanary: { readonly sealed: Sealed };
  beat: object;
}

export interface WriteResults {
  issueAccessToken: undefined;
  issueInitialAccessToken: undefined;
  sweepExpired: number;
  createClient: CreateOutcome;
  replaceClient: ChangeOutcome;
  deleteClient: ChangeOutcome;
  addFirstServerKeys: readonly StoredServerKey[];
  resealServerKey: undefined;
  sealCanary: Sealed;
  replaceSealCanary: undefined;
  beat: undefined;
}

export type WriteName = keyof WriteArguments;
export type WriteOf<Name extends WriteName> = { readonly name: Name } & WriteArguments[Name];
export type Write = { [Name in WriteName]: WriteOf<Name> }[WriteName];

/** What one connection does for each act, inside a transaction that somebody else began. */
export type WriteHandlers = {
  readonly [Name in WriteName]: (write: WriteArguments[Name]) => WriteResults[Name];
};

/** `refused`: this act alone did not happen, and why; the others of its batch did. */
export type Answer = { readonly value: unknown } | { readonly refused: string };

/** Carries batches to the one connection that writes. */
export interface WriteChannel {
  /** Resolves when all of `writes` are durable; rejects when none of them is known to be. */
  send(writes: readonly Write[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}
