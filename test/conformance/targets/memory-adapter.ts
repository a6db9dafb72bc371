import { MapAdapter, type Payload, records } from '../../../bench/processes/oidc-provider-parts.ts';

/** Keeps the records of oidc-provider in memory, with the look-ups that sessions and grants need. They read every record. */
export class MemoryAdapter extends MapAdapter {
  async findByUid(uid: string): Promise<Payload | undefined> {
    return this.#own().find(([, payload]) => payload['uid'] === uid)?.[1];
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of this.#own()) if (payload['grantId'] === grantId) records.delete(key);
  }

  #own(): readonly [string, Payload][] {
    return [...records].filter(([key]) => key.startsWith(`${this.model}:`));
  }
}
