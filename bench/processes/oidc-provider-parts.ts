import { generateKeyPairSync } from 'node:crypto';

export type Payload = Record<string, unknown>;

/** Everything that oidc-provider keeps: one map for all its models and instances. */
export const records = new Map<string, Payload>();

/** Keeps everything in memory. The package's own memory adapter keeps only 1,000 records. */
export class MapAdapter {
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

  async consume(id: string): Promise<void> {
    const record = records.get(`${this.model}:${id}`);
    if (record !== undefined) record['consumed'] = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    records.delete(`${this.model}:${id}`);
  }
}

/** Makes the same kinds of keys as our server at its first start, so that the key sets have one size. */
export function makeKeys(): object[] {
  const rsa = (): object =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const ec = (namedCurve: string): object =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' });
  const signing = [rsa(), ec('P-256'), ec('P-384'), ec('P-521')];
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return [
    ...[...signing, ed25519].map((jwk) => ({ ...jwk, use: 'sig' })),
    ...[rsa(), ec('P-256')].map((jwk) => ({ ...jwk, use: 'enc' })),
  ];
}
