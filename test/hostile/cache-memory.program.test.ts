import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attackedProgram } from './attacked-program.ts';
import { getClient, PLAIN, postClient, type RegisteredClient } from './registry.ts';

/** 37 % of this are for records of clients. */
const CACHE_MIB = 16;
const LARGE = { ...PLAIN, data: { text: 'x'.repeat(60_000) } };
const CLIENTS = 150;

const attacked = attackedProgram({ environment: { CHANCERY_CACHE_MEMORY: String(CACHE_MIB) } });

const ofClients = async (figure: string): Promise<number> =>
  await attacked.metric(`chancery_cache_${figure}\\{cache="clients"\\}`);

test('H-310 more large clients than the memory of the cache holds: it stays within its bytes, evicts, and every client is read', async () => {
  const { masterToken } = attacked.program;
  const ids: string[] = [];
  for (let count = 0; count < CLIENTS; count += 10) {
    const answers = await attacked.sendAtOnce(
      Array.from({ length: 10 }, () => postClient(LARGE, masterToken)),
    );
    for (const { status, json } of answers) {
      assert.equal(status, 200);
      ids.push((json as unknown as RegisteredClient).client_id);
    }
  }
  for (let count = 0; count < CLIENTS; count += 10) {
    const asked = ids.slice(count, count + 10).map((id) => getClient(id, masterToken));
    for (const answer of await attacked.sendAtOnce(asked)) assert.equal(answer.status, 200);
    assert.ok((await ofClients('bytes')) <= (await ofClients('bytes_max')));
  }
  assert.equal(await ofClients('bytes_max'), Math.floor(CACHE_MIB * 1024 * 1024 * 0.37));
  assert.ok((await ofClients('bytes')) > 2_000_000);
  assert.ok((await ofClients('entries')) < CLIENTS);
  assert.ok((await ofClients('evictions_total')) > 0);
  const [hits, misses] = [await ofClients('hits_total'), await ofClients('misses_total')];
  assert.ok(misses >= CLIENTS);
  assert.equal((await attacked.send(getClient(ids.at(-1) ?? '', masterToken))).status, 200);
  assert.ok((await ofClients('hits_total')) > hits);
  assert.equal(await ofClients('misses_total'), misses);
});
