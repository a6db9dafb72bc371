import type { ClientId } from '../spec/identifiers.ts';

/** A part of the list of clients. */
export interface ClientPage {
  /** The entries in the order of their identifiers, each with a comma before it. */
  readonly entries: string;
  /** The identifier of the last client in it. */
  readonly last: ClientId;
}

/** Renders the list of the clients of a tenant beside the main thread. */
export interface ClientPages {
  /**
   * Reads the clients with an identifier greater than `after`, no page before it is asked for and all of what was stored when it is. Ends
   * after the last client, and before wherever it cannot go on: the caller reads what is left, and finds out why.
   */
  render(issuer: string, after: ClientId | undefined): AsyncIterable<ClientPage>;
}
