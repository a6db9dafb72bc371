import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyMetadataPolicy } from '../../src/federation/metadata-policy/apply-policy.ts';
import { resolveChainPolicy } from '../../src/federation/metadata-policy/chain-policy.ts';
import type { JsonValue } from '../../src/spec/json.ts';
import { type TestEntity, TestFederation, testEntity } from '../../src/testing/federation.ts';
import { signedJwt } from '../../src/testing/jwt.ts';
import { type Entity, startAuthorities } from '../../test/federation/authorities.ts';
import { type Program, startProgram } from '../../test/program/start.ts';
import type { Benchmark, Subject } from '../subject.ts';

/** Registrations under way at once. */
const PARALLEL = 8;
const VECTORS = join(import.meta.dirname, '../../test/vectors/metadata-policy-test-vectors-2025-02-13.json');

/** Explicit registrations, each with a statement of its own, which this process signs; so it is no measure of the server alone. */
const registrations: Benchmark = {
  name: 'federation',
  title: 'Explicit registration over an intermediate (OpenID Federation 1.0 §12.2)',
  unit: 'per second',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open({ scale }) {
    const authorities = await startAuthorities();
    const [anchor, organisation, rp] = [
      authorities.entity('anchor'),
      authorities.entity('organisation'),
      authorities.entity('rp'),
    ];
    anchor.publish([]);
    anchor.vouch(organisation);
    organisation.publish([anchor]);
    organisation.vouch(rp);
    const kept = [3600, 0].map(async (seconds) => await federated(anchor, seconds));
    const [warm, cold] = await Promise.all(kept);
    assert.ok(warm !== undefined && cold !== undefined);
    const entities = { organisation, rp };
    return [
      registering('statements of superiors kept', warm, entities, scale.round_ms),
      {
        ...registering('nothing kept: four fetches each', cold, entities, scale.round_ms),
        close: async () => {
          await cold.stop();
          await authorities.close();
        },
      },
    ];
  },
};

async function federated(anchor: Entity, cacheSeconds: number): Promise<Program> {
  return await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_STATEMENT_CACHE: String(cacheSeconds),
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
}

let statements = 0;

function registering(
  name: string,
  program: Program,
  { organisation, rp }: { readonly organisation: Entity; readonly rp: Entity },
  round_ms: number,
): Subject {
  const registerOne = async (): Promise<void> => {
    statements += 1;
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      iss: rp.id,
      sub: rp.id,
      aud: program.issuer,
      iat,
      exp: iat + 3600,
      jti: `${statements}`,
      jwks: { keys: [rp.key.jwk] },
      authority_hints: [organisation.id],
      metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
    };
    const response = await fetch(`${program.url}/federation/clients`, {
      method: 'POST',
      headers: { 'content-type': 'application/jose' },
      body: signedJwt(rp.key, claims, { typ: 'entity-statement+jwt' }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
  };
  return {
    name,
    async measure() {
      const start = performance.now();
      let done = 0;
      const again = async (): Promise<void> => {
        while (performance.now() - start < round_ms) {
          await registerOne();
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, again));
      return { value: (done / (performance.now() - start)) * 1000 };
    },
    close: async () => await program.stop(),
  };
}

/** In this process, over a network that answers at once: what is left is signatures and rules. */
const resolution: Benchmark = {
  name: 'federation',
  title: 'Resolution of one trust chain, by its superiors',
  unit: 'milliseconds',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  open: async () => [1, 2, 3, 4, 5].map(resolving),
};

const RESOLUTIONS = 20;

function resolving(superiors: number): Subject {
  const federation = new TestFederation();
  const entities = Array.from({ length: superiors + 1 }, (_, index) =>
    testEntity(`https://entity-${index}.example`),
  );
  entities.forEach((entity, index) => federation.join(entity, entities.slice(index + 1, index + 2)));
  const [leaf] = entities;
  const anchor = entities.at(-1);
  assert.ok(leaf !== undefined && anchor !== undefined);
  return {
    name: `${superiors} superiors`,
    async measure() {
      const start = performance.now();
      for (let count = 0; count < RESOLUTIONS; count += 1) await resolveOne(federation, leaf, anchor);
      return { value: (performance.now() - start) / RESOLUTIONS };
    },
    close: async () => undefined,
  };
}

async function resolveOne(federation: TestFederation, leaf: TestEntity, anchor: TestEntity): Promise<void> {
  const { chain, reason } = await federation.resolve(leaf, [anchor]);
  assert.ok(chain !== undefined, reason?.words ?? 'no chain');
}

interface Vector {
  readonly TA: JsonValue;
  readonly INT: JsonValue;
  readonly metadata: Readonly<Record<string, JsonValue>>;
}

const policies: Benchmark = {
  name: 'federation',
  title: 'Public vectors of metadata policies, merged and applied (§6.1)',
  unit: 'per second',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open({ scale }) {
    const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as readonly Vector[];
    return [
      {
        name: 'two levels',
        async measure() {
          const start = performance.now();
          let done = 0;
          while (performance.now() - start < scale.round_ms) {
            for (const vector of vectors) judge(vector);
            done += vectors.length;
          }
          return { value: (done / (performance.now() - start)) * 1000 };
        },
        close: async () => undefined,
      },
    ];
  },
};

function judge({ TA, INT, metadata }: Vector): void {
  const chain = resolveChainPolicy(
    [TA, INT].map((policy, index) => ({
      issuer: `https://superior-${index}.example`,
      metadata_policy: { openid_relying_party: policy },
      metadata_policy_crit: undefined,
    })),
  );
  if (!chain.ok) return;
  applyMetadataPolicy(chain.policy, new Map([['openid_relying_party', new Map(Object.entries(metadata))]]));
}

export const federation: readonly Benchmark[] = [registrations, resolution, policies];
