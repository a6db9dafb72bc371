import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import type { RevocationClaims, RevocationEvent } from '../spec/revocation-feed.ts';
import { EventReader, type SentEvent } from './event-reader.ts';
import type { TestRequest } from './exchange.ts';
import { INTROSPECTION_SCOPE, SERVICE, type TestTenant } from './tenant.ts';

/** Registers a resource server, and returns how it authenticates. */
export async function aResourceServer(tenant: TestTenant): Promise<readonly [id: string, secret: string]> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
  return [client_id, client_secret];
}

/** Reads the revocation feed of a tenant, while its clock goes on. */
export class FeedReader {
  readonly tenant: TestTenant;
  readonly #events: EventReader;

  private constructor(tenant: TestTenant, events: EventReader) {
    this.tenant = tenant;
    this.#events = events;
  }

  static async open(tenant: TestTenant, request: TestRequest): Promise<FeedReader> {
    return new FeedReader(tenant, await EventReader.open(tenant, 'revocation-feed', request));
  }

  /** Returns the next event as it was sent. */
  async sent(): Promise<SentEvent> {
    const [event] = await this.#events.events(1);
    return event ?? assert.fail();
  }

  /** Returns the next event that tells a change, as it was sent. The clock goes on, so a repeated place may come before it. */
  async sentChange(): Promise<SentEvent> {
    while (true) {
      const sent = await this.sent();
      if (claimsOf(sent).events.length > 0) return sent;
    }
  }

  /** Returns the claims of the next JWT. */
  async claims(): Promise<RevocationClaims> {
    return claimsOf(await this.sent());
  }

  /** Returns every change up to the newest one. */
  async changes(): Promise<readonly RevocationEvent[]> {
    const head = await this.tenant.unwatched.journal.head();
    const found: RevocationEvent[] = [];
    while (true) {
      const { cursor, events } = await this.claims();
      found.push(...events);
      if (Number.parseInt(cursor, 10) === head) return found;
    }
  }

  /** Reads to the end; returns its reason. */
  async end(): Promise<unknown> {
    while (true) {
      const { event, data } = await this.sent();
      if (event === 'end') return data['reason'];
    }
  }

  async leave(): Promise<void> {
    await this.#events.leave();
  }
}

function claimsOf({ event, text }: SentEvent): RevocationClaims {
  assert.equal(event, 'revocations', text);
  return decodeJwt(text) as unknown as RevocationClaims;
}
