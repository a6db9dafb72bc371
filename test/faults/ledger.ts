import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** A request to the registry. No other operation has the same `mark`. */
export type Operation =
  | { readonly kind: 'invite' }
  | { readonly kind: 'create'; readonly mark: string; readonly initialAccessToken?: string }
  | { readonly kind: 'update'; readonly mark: string; readonly client_id: string }
  | { readonly kind: 'delete'; readonly client_id: string }
  | { readonly kind: 'access-token'; readonly client_id: string }
  /** An administrator's grant with a refresh token that each use replaces. */
  | { readonly kind: 'grant'; readonly client_id: string }
  | { readonly kind: 'refresh'; readonly client_id: string; readonly refresh_token: string }
  /** Revokes an access token, or a refresh token with its whole grant. */
  | { readonly kind: 'revoke'; readonly client_id: string; readonly token: string };

/** A client information response (RFC 7592 §3); compared as a whole. */
export interface Registration {
  readonly client_id: string;
  readonly client_secret: string;
  readonly client_name: string;
  readonly registration_access_token: string;
  readonly token_endpoint_auth_method?: string;
}

/**
 * `sent` is in the file before the request leaves; `acked` after the whole answer was read; `found` says what
 * the verification after a restart saw of an operation whose answer never came.
 */
export type Entry =
  | { readonly op: number; readonly sent: Operation }
  | { readonly op: number; readonly acked: { readonly status: number; readonly body: unknown } }
  | { readonly op: number; readonly found: 'done' | 'not done'; readonly registration?: Registration };

/**
 * The client's own record of what the server promised it (docs/contract/hostile/faults.md): an append-only file of JSON lines.
 * Nothing is fsynced: neither this process nor the machine is part of the experiment, and a wait before each request would keep
 * the batches of the server small.
 */
export class Ledger {
  readonly #file: string;
  readonly #descriptor: number;
  #operations = 0;

  constructor(file: string) {
    this.#file = file;
    this.#descriptor = openSync(file, 'ax', 0o600);
  }

  /** @returns the number of the operation. */
  sent(operation: Operation): number {
    this.#operations += 1;
    this.#append({ op: this.#operations, sent: operation });
    return this.#operations;
  }

  acked(op: number, status: number, body: unknown): void {
    this.#append({ op, acked: { status, body } });
  }

  found(op: number, found: 'done' | 'not done', registration?: Registration): void {
    this.#append({ op, found, ...(registration === undefined ? {} : { registration }) });
  }

  entries(): readonly Entry[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #append(entry: Entry): void {
    writeSync(this.#descriptor, `${JSON.stringify(entry)}\n`);
  }
}
