import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attackedProgram, encode, type HostileRequest } from './attacked-program.ts';
import { basic, formOf, introspect } from './introspection-requests.ts';
import { PLAIN, postClient, putClient, register } from './registry.ts';

/**
 * I9: a thousand repetitions of a hostile request leave no more than 10 MB behind. Memory goes up and down for many
 * reasons (caches that fill, a heap that is given room: three rounds in a row were seen); what leaks goes up every time,
 * so only growth in each of eight rounds counts.
 */
const GROWTH_MAX_BYTES = 10_000_000;
const REPETITIONS = 1_000;
const PIPELINED = 100;
const ROUNDS = 8;
const attacked = attackedProgram();

const deep = '{"a":'.repeat(9_000) + '1' + '}'.repeat(9_000);
const wide = `{${Array.from({ length: 5_000 }, (_, index) => `"m${index}":1`).join(',')}}`;
const unknown = { client_id: 'unknown', client_secret: 'x'.repeat(43) };

const REQUESTS: Readonly<Record<string, () => Promise<HostileRequest>>> = {
  'H-086 malformed JSON': async () => postClient(`${JSON.stringify(PLAIN)}x`, attacked.program.masterToken),
  'H-095 9,000 levels': async () => postClient(deep, attacked.program.masterToken),
  'H-098 5,000 members': async () => postClient(wide, attacked.program.masterToken),
  'H-102 a member of the wrong type': async () =>
    postClient({ ...PLAIN, contacts: 'x'.repeat(30_000) }, attacked.program.masterToken),
  'H-050 a redirect URI of 60 KB': async () =>
    postClient({ redirect_uris: [`https://a.example/${'a'.repeat(60_000)}`] }, attacked.program.masterToken),
  'H-115 an unknown token': async () => postClient(PLAIN, 'x'.repeat(100)),
  'H-127 an unknown client': async () => introspect(unknown, 'x'),
  'H-133 a bad escape': async () => ({ ...formOf('token=%zz'), authorization: basic(unknown) }),
  'C-19 updates': async () => {
    const { client_id } = await register(attacked);
    return putClient(client_id, { ...PLAIN, client_name: 'x'.repeat(200) }, attacked.program.masterToken);
  },
};

for (const [name, make] of Object.entries(REQUESTS)) {
  test(`I9 ${name}, a thousand times`, async (context) => {
    const request = await make();
    await repeat(request);
    const growths: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await attacked.metric('process_resident_memory_bytes');
      await repeat(request);
      growths.push((await attacked.metric('process_resident_memory_bytes')) - before);
      if ((growths.at(-1) ?? 0) < GROWTH_MAX_BYTES) break;
    }
    context.diagnostic(`grown by ${growths.join(', ')} bytes`);
    assert.ok(Math.min(...growths) < GROWTH_MAX_BYTES, `grown by ${growths.join(', ')} bytes`);
  });
}

async function repeat(request: HostileRequest): Promise<void> {
  const parts = Array.from({ length: PIPELINED }, () => encode(request)).flat();
  for (let sent = 0; sent < REPETITIONS; sent += PIPELINED) {
    const answers = await attacked.sendParts(parts, PIPELINED);
    assert.equal(answers.length, PIPELINED);
    assert.equal(new Set(answers.map(({ status }) => status)).size, 1);
  }
}
