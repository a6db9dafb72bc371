import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeringJson, getJson, outboundToPeers, startPeer } from '../testing/peer.ts';

/** Whatever is asked for leads to the inside. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'both.example.com': ['127.0.0.1', '::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'many.example.com': Array.from({ length: 500 }, (_, index) => `10.0.${index % 256}.1`),
};
const resolveInside = async (name: string) => ANSWERS[name] ?? ['127.0.0.1'];

const FORMS: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '2130706433',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fe80::1%25lo]',
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
  'localhost.localdomain',
  'metadata.google.internal',
  'kubernetes.default.svc.cluster.local',
  'intranet',
  'user@127.0.0.1',
  'example.com@127.0.0.1',
  'example.com\\@127.0.0.1',
  'example.com#@127.0.0.1',
  'loopback.example.com',
  'both.example.com',
  'mapped.example.com',
  'many.example.com',
];

for (const form of FORMS) {
  for (const scheme of ['http', 'https']) {
    test(`${scheme}://${form}/ is refused without a connection (H-044)`, async (t) => {
      const canary = await startPeer(t, answeringJson);
      const outbound = outboundToPeers({ allowNetworks: [] }, { resolve: resolveInside });
      const url = `${scheme}://${form}:${canary.port}/`;
      const fetched = await getJson(outbound, url);
      assert.equal(fetched.status, 'failed');
      const reason = fetched.status === 'failed' ? fetched.reason : '';
      assert.match(reason, /^(?:invalid-url|forbidden-host|forbidden-address)$/u);
      assert.equal(canary.connections, 0);
    });
  }
}

test('the canary is reached if its network is allowed, so its silence in the other tests is a proof', async (t) => {
  const canary = await startPeer(t, answeringJson);
  const outbound = outboundToPeers({}, { resolve: resolveInside });
  for (const host of ['127.0.0.1', 'localhost', 'loopback.example.com', 'both.example.com', 'intranet']) {
    const fetched = await getJson(outbound, `http://${host}:${canary.port}/`);
    assert.equal(fetched.status, 'ok', host);
  }
  assert.equal(canary.connections, 5);
});

test('urlProblem refuses private addresses and names, other schemes, other ports and the own origin without a look-up', () => {
  const outbound = outboundToPeers({
    allowHttp: false,
    allowNetworks: [],
    ports: [
      { first: 443, last: 443 },
      { first: 8000, last: 8999 },
    ],
    ownOrigins: new Set(['https://op.example.com']),
  });
  const reasonOf = (url: string) => outbound.urlProblem(url)?.reason;
  assert.equal(reasonOf('https://rp.example.com/jwks.json'), undefined);
  assert.equal(reasonOf('https://rp.example.com:8443/jwks.json?x=1'), undefined);
  assert.equal(reasonOf('https://8.8.8.8/'), undefined);
  assert.equal(reasonOf('https://[2606:4700::1111]/'), undefined);
  assert.equal(reasonOf('http://rp.example.com/'), 'forbidden-scheme');
  for (const scheme of ['file', 'ftp', 'data', 'javascript', 'gopher']) {
    assert.equal(reasonOf(`${scheme}://rp.example.com/`), 'forbidden-scheme', scheme);
  }
  for (const port of [22, 25, 80, 6379, 7999, 9000]) {
    assert.equal(reasonOf(`https://rp.example.com:${port}/`), 'forbidden-port', String(port));
  }
  assert.equal(reasonOf('https://op.example.com/jwks.json'), 'forbidden-host');
  assert.equal(reasonOf('https://OP.example.com:443/jwks.json'), 'forbidden-host');
  assert.equal(reasonOf('https://rp/'), 'forbidden-host');
  assert.equal(reasonOf('https://10.0.0.1/'), 'forbidden-address');
  assert.equal(reasonOf(`https://rp.example.com/${'a'.repeat(3000)}`), 'invalid-url');
  assert.equal(reasonOf('https://user:secret@rp.example.com/'), 'invalid-url');
});

test('an allowed network permits no other network and no other spelling of its addresses', () => {
  const outbound = outboundToPeers({ allowNetworks: ['10.1.0.0/16', 'fd00:1::/32'] });
  const reasonOf = (host: string) => outbound.urlProblem(`https://${host}/`)?.reason;
  assert.equal(reasonOf('10.1.2.3'), undefined);
  assert.equal(reasonOf('[fd00:1::5]'), undefined);
  assert.equal(reasonOf('rp.internal'), undefined);
  assert.equal(reasonOf('10.2.0.1'), 'forbidden-address');
  assert.equal(reasonOf('[::ffff:a01:203]'), 'forbidden-address');
  assert.equal(reasonOf('[fd00:2::5]'), 'forbidden-address');
  assert.equal(reasonOf('localhost'), 'forbidden-host');
  assert.equal(reasonOf('foo.localhost'), 'forbidden-host');
});
