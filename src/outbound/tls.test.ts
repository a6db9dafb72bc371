import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateAuthority } from '../../test/tls/certificate.ts';
import { answeringJson, outboundToPeers, outcomeOf, startPeer } from '../testing/peer.ts';

const trusted = certificateAuthority();
const stranger = certificateAuthority();
const needs = {
  certificateAuthorities: [trusted.certificate],
  resolve: async () => ['127.0.0.1'],
};
const outbound = () => outboundToPeers({ allowHttp: false }, needs);

// proves rfc8935-5.1-1
test('a peer with a certificate for its address is fetched from', async (t) => {
  const peer = await startPeer(t, answeringJson, trusted.issue({ addresses: ['127.0.0.1'] }));
  assert.equal(await outcomeOf(outbound(), peer.url), 'ok');
});

test('a peer with a certificate for its name is fetched from, and the name is in Host', async (t) => {
  const peer = await startPeer(t, answeringJson, trusted.issue({ names: ['rp.example.com'] }));
  assert.equal(await outcomeOf(outbound(), `https://rp.example.com:${peer.port}/doc`), 'ok');
  assert.match(peer.requests[0] ?? '', new RegExp(`\r\nhost: rp\\.example\\.com:${peer.port}\r\n`, 'u'));
});

const BAD = [
  ['of an unknown authority', stranger.issue({ names: ['rp.example.com'] })],
  ['of another name', trusted.issue({ names: ['other.example.com'] })],
  ['of its address instead of its name', trusted.issue({ addresses: ['127.0.0.1'] })],
  ['that expired', trusted.issue({ names: ['rp.example.com'], notAfter: new Date(Date.now() - 1000) })],
] as const;

for (const [words, identity] of BAD) {
  test(`a peer with a certificate ${words} is refused before a request is sent (H-049)`, async (t) => {
    const peer = await startPeer(t, answeringJson, identity);
    assert.equal(await outcomeOf(outbound(), `https://rp.example.com:${peer.port}/doc`), 'tls');
    assert.deepEqual([peer.connections, peer.requests.length], [1, 0]);
  });
}

test('NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing (H-049)', async (t) => {
  const peer = await startPeer(t, answeringJson, stranger.issue({ names: ['rp.example.com'] }));
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
  assert.equal(await outcomeOf(outbound(), `https://rp.example.com:${peer.port}/doc`), 'tls');
  assert.equal(peer.requests.length, 0);
});

test('a peer that speaks TLS 1.1 at most is refused (H-049)', async (t) => {
  const identity = trusted.issue({ addresses: ['127.0.0.1'] });
  const old = {
    ...identity,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
  } as const;
  const peer = await startPeer(t, answeringJson, old);
  assert.equal(await outcomeOf(outbound(), peer.url), 'tls');
  assert.equal(peer.requests.length, 0);
});

test('https to a peer without TLS is refused, and to one that hangs in the handshake ends at the deadline', async (t) => {
  const plain = await startPeer(t, answeringJson);
  const hanging = outboundToPeers({ allowHttp: false, timeoutMs: 200 }, needs);
  // It waits for the end of a request head, which a ClientHello does not have.
  assert.equal(await outcomeOf(hanging, `https://127.0.0.1:${plain.port}/`), 'timeout');
  assert.equal(plain.requests.length, 0);
});
