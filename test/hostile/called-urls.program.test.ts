import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import type { Attacked } from './attacked-program.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { assertAnswer, getClient, PLAIN, postClient, putClient, register } from './registry.ts';

/** H-044 and H-049: what the server itself would call is never an address of the inside, with every credential. */
const environment = { CHANCERY_OUTBOUND_PORTS: 'any' };
const attacked = attackedProgram({ environment });
const allowing = attackedProgram({
  environment: { ...environment, CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8' },
});

const CALLED = ['jwks_uri', 'sector_identifier_uri', 'backchannel_logout_uri'];

let canary: Server;
let connections = 0;
let port = 0;

before(async () => {
  canary = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end();
  }).listen(0, '::');
  port = await listeningPort(canary);
});

after(() => canary.close());

const HOSTS: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '2130706433',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'foo.localhost',
  'ip6-localhost',
  'metadata.google.internal',
  'intranet',
  'user@127.0.0.1',
  'rp.example.com@127.0.0.1',
];

/** Asserts that POST and PUT refuse the value, that the client stays as it is, and that no connection is made. */
async function refusedEverywhere(member: string, url: string): Promise<void> {
  const { masterToken } = attacked.program;
  const client = await register(attacked);
  const seen = connections;
  const metadata = { ...PLAIN, [member]: url };
  for (const request of [
    postClient(metadata, masterToken),
    putClient(client.client_id, metadata, masterToken),
    putClient(client.client_id, metadata, client.registration_access_token),
  ]) {
    const answer = await attacked.send(request);
    assertAnswer(answer, 'invalid_client_metadata');
    assert.match(String(answer.json['error_description']), new RegExp(`^${member} `));
  }
  assert.equal(connections, seen, 'a connection was made');
  const read = await attacked.send(getClient(client.client_id, client.registration_access_token));
  assert.equal(read.json[member], undefined);
}

for (const member of CALLED) {
  test(`H-044 ${member} in every spelling of an address of the inside`, async () => {
    for (const host of HOSTS) await refusedEverywhere(member, `https://${host}:${port}/doc`);
  });

  test(`H-044 ${member} at the server’s own name, H-049 with another scheme`, async () => {
    await refusedEverywhere(member, `${attacked.program.issuer}/jwks.json`);
    await refusedEverywhere(member, 'https://OP.example.com:443/');
    for (const scheme of ['http', 'ftp', 'file', 'gopher', 'ws', 'javascript']) {
      await refusedEverywhere(member, `${scheme}://rp.example.com/doc`);
    }
  });
}

async function askOf(server: Attacked, url: string): Promise<void> {
  const metadata = { ...PLAIN, sector_identifier_uri: url };
  assertAnswer(
    await server.send(postClient(metadata, server.program.masterToken)),
    'invalid_client_metadata',
  );
}

test('H-044 the canary is called where a setting names its network, so that its silence means something', async () => {
  await askOf(attacked, `https://127.0.0.1:${port}/other`);
  const seen = connections;
  await askOf(allowing, `https://127.0.0.1:${port}/other`);
  assert.equal(connections, seen + 1);
});

test('H-044 allowing one network allows neither another one nor another spelling of it', async () => {
  const seen = connections;
  for (const host of ['[::1]', '10.0.0.1', '[::ffff:127.0.0.1]']) {
    await askOf(allowing, `https://${host}:${port}/third`);
  }
  assert.equal(connections, seen);
});

testInvariantsAtTheEnd(attacked);
