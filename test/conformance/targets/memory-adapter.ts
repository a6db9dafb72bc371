type Payload = Record<string, unknown>;

/** Everything that oidc-provider keeps: one map for all its models and instances. */
const records = new Map<string, Payload>();

/** Keeps the records of oidc-provider in memory, with the look-ups that sessions and grants need. */
export class MemoryAdapter {
  readonly model: string;

  constructor(model: string) {
    this.model = model;
  }

  async upsert(id: string, payload: Payload): Promise<void> {
    records.set(`${this.model}:${id}`, payload);
  }

  async find(id: string): Promise<Payload | undefined> {
    return records.get(`${this.model}:${id}`);
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return this.#own().find(([, payload]) => payload['uid'] === uid)?.[1];
  }

  async consume(id: string): Promise<void> {
    const record = records.get(`${this.model}:${id}`);
    if (record !== undefined) record['consumed'] = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    records.delete(`${this.model}:${id}`);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of this.#own()) if (payload['grantId'] === grantId) records.delete(key);
  }

  #own(): readonly [string, Payload][] {
    return [...records].filter(([key]) => key.startsWith(`${this.model}:`));
  }
}
