import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { LIMITS } from '../../testing/federation.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { examineStatement } from '../examine-statement.ts';
import { resolveMetadata } from './resolve-metadata.ts';
import { validateChain } from './validate-chain.ts';

const FILE = join(import.meta.dirname, '../../../test/vectors/openid-federation-1_0-fig4-trust-chain.json');
const ISSUED = 1_767_710_984;
const EXPIRES = 1_768_010_984;

interface Figure {
  readonly trust_chain: readonly string[];
}

const keysOf = (jwt: string): readonly JsonWebKey[] => {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  return claims.jwks.keys;
};

/** Examines each statement with the keys of its issuer, which the next statement holds (§3.2). */
async function statements(now: number): Promise<readonly SoundStatement[] | string> {
  const { trust_chain: chain } = JSON.parse(readFileSync(FILE, 'utf8')) as Figure;
  const sound: SoundStatement[] = [];
  for (const [index, jwt] of chain.entries()) {
    const isConfiguration = index === 0 || index === chain.length - 1;
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    const { checks, outcome } = await examineStatement(joseJwtInspector, jwt, {
      kind: isConfiguration ? 'configuration' : 'subordinate',
      subject: claims.sub,
      ...(isConfiguration ? {} : { issuer: { entity_id: claims.iss, keys: keysOf(chain[index + 1] ?? '') } }),
      now,
      limits: LIMITS.statement,
      allowHttp: false,
      addressProblem: () => undefined,
    });
    if ('reason' in outcome) return outcome.reason.code;
    assert.ok(checks.length > 25);
    sound.push(outcome.statement);
  }
  return sound;
}

async function verdict(now: number): Promise<string> {
  const chain = await statements(now);
  if (typeof chain === 'string') return chain;
  const last = chain.at(-1);
  const anchor = { entity_id: 'https://trust-anchor.example.org', keys: last?.keys ?? [] };
  const { reason } = await validateChain({ statements: chain, anchor, now, inspector: joseJwtInspector });
  return reason?.code ?? 'valid';
}

// proves openid-federation-4-1
test('the trust chain of Figure 4 is valid from its iat until its exp (§4.3)', async () => {
  assert.equal(await verdict(ISSUED), 'valid');
  assert.equal(await verdict(EXPIRES - 1), 'valid');
  assert.equal(await verdict(ISSUED - 61), 'statement_not_yet_valid');
  assert.equal(await verdict(EXPIRES), 'chain_expired');
  assert.equal(await verdict(EXPIRES + 60), 'statement_expired');
});

test('the trust chain of Figure 4 resolves to the metadata that its subject states (§6.1.4.2)', async () => {
  const chain = await statements(ISSUED);
  assert.ok(typeof chain !== 'string');
  const { metadata, reason } = resolveMetadata(chain);
  assert.equal(reason, undefined);
  assert.deepEqual([...metadata.keys()], ['openid_credential_issuer', 'federation_entity']);
});

// proves openid-federation-4-1
test('the trust chain of Figure 4 is invalid without one of its statements or with another anchor (§10.2)', async () => {
  const chain = await statements(ISSUED);
  assert.ok(typeof chain !== 'string');
  const keys = chain.at(-1)?.keys ?? [];
  const judged = async (some: readonly SoundStatement[], entity_id: string): Promise<string | undefined> => {
    const candidate = {
      statements: some,
      anchor: { entity_id, keys },
      now: ISSUED,
      inspector: joseJwtInspector,
    };
    return (await validateChain(candidate)).reason?.code;
  };
  const name = 'https://trust-anchor.example.org';
  assert.equal(await judged(chain, name), undefined);
  assert.equal(await judged(chain.toSpliced(1, 1), name), 'chain_links');
  assert.equal(await judged(chain.toSpliced(2, 1), name), 'chain_links');
  assert.equal(await judged(chain.slice(0, 3), name), 'chain_anchor');
  assert.equal(await judged(chain, `${name}/`), 'chain_anchor');
  assert.equal(await judged(chain.slice(1), name), 'chain_subject');
});
