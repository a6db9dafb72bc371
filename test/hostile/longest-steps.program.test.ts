import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask } from '../../bench/longest-steps/ask.ts';
import { HOSTILE_STEPS } from '../../bench/longest-steps/rows.ts';
import { openWorld, type World } from '../../bench/longest-steps/world.ts';
import { readEndpointFolders } from '../../tools/contracts.ts';

/** `npm run steps` measures these rows. Here each shows that its input reaches the code that it is made for. */
let world: World;
before(async () => {
  world = await openWorld();
});
after(async () => await world.close());

for (const row of HOSTILE_STEPS) {
  test(`H-253 ${row.endpoint}: ${row.what}: ${row.status}`, async () => {
    const { status, body } = await ask(world, await row.request(world));
    assert.equal(status, row.status, body);
  });
}

test('H-253 every endpoint that strangers reach has a row in the table of longest steps', async () => {
  const contracts = (await readEndpointFolders()).flatMap((folder) => folder.contracts);
  const addresses = contracts
    .map(({ method, path }) => `${method} ${path}`)
    // On the management listener.
    .filter((address) => !/ \/(?:health\/|metrics$|admin\/|console)/.test(address))
    // The button of a development server.
    .filter((address) => address !== 'POST /');
  assert.ok(addresses.length > 30);
  const rows = new Set(HOSTILE_STEPS.map(({ endpoint }) => endpoint));
  assert.deepEqual(
    [...new Set(addresses)].filter((address) => !rows.has(address)),
    [],
  );
});
