import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Posted } from '../ports/outbound-http.ts';
import { answering, type Behaviour, outboundToPeers, startPeer, TEST_CAUSE } from '../testing/peer.ts';

const FORM = { logout_token: 'a.b.c', 'odd name': '&=+ü' };

const words = (posted: Posted): string =>
  posted.status === 'answered' ? String(posted.code) : posted.reason;

// proves openid-backchannel-logout-2.5-1
test('a form arrives once and unchanged, without headers that reveal more than necessary (OpenID Connect Back-Channel Logout 1.0 §2.5)', async (t) => {
  const peer = await startPeer(t, answering(['HTTP/1.1 200 OK'], ''));
  assert.equal(words(await outboundToPeers().postForm(`${peer.url}?a=1`, FORM, TEST_CAUSE)), '200');
  const body = 'logout_token=a.b.c&odd+name=%26%3D%2B%C3%BC';
  assert.deepEqual(peer.requests[0]?.split('\r\n'), [
    'POST /doc?a=1 HTTP/1.1',
    `host: 127.0.0.1:${peer.port}`,
    'accept: */*',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    'accept-encoding: identity',
    'connection: close',
    '',
    body,
  ]);
  assert.equal(peer.connections, 1);
});

const ANSWERS: readonly (readonly [head: string, outcome: string])[] = [
  ['HTTP/1.1 204 No Content', '204'],
  ['HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/', '302'],
  ['HTTP/1.1 400 Bad Request\r\nContent-Length: 99999999999', '400'],
  ['HTTP/1.1 503 Service Unavailable', '503'],
  ['HTTP/1.1 200 OK\r\nContent-Encoding: gzip', '200'],
  ['garbage', 'connection'],
  [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'too-large'],
];

for (const [head, outcome] of ANSWERS) {
  test(`an answer of ${head.slice(0, 60).replace('\r\n', ', ')}: ${outcome}; its body is not read, and no redirection followed`, async (t) => {
    const peer = await startPeer(t, answering([head], 'x'.repeat(100_000)));
    assert.equal(words(await outboundToPeers().postForm(peer.url, FORM, TEST_CAUSE)), outcome);
    assert.equal(peer.connections, 1);
  });
}

test('a peer that does not answer in time is given up', async (t) => {
  const silent: Behaviour = () => undefined;
  const peer = await startPeer(t, silent);
  assert.equal(
    words(await outboundToPeers({ timeoutMs: 200 }).postForm(peer.url, FORM, TEST_CAUSE)),
    'timeout',
  );
});

test('a form is never posted to an address that must not be fetched', async (t) => {
  const peer = await startPeer(t, answering(['HTTP/1.1 200 OK'], ''));
  const strict = outboundToPeers({ allowNetworks: [] });
  assert.equal(words(await strict.postForm(peer.url, FORM, TEST_CAUSE)), 'forbidden-address');
  const named = outboundToPeers({ allowNetworks: [] }, { resolve: async () => ['127.0.0.1'] });
  const inside = `http://rp.example:${peer.port}/`;
  assert.equal(words(await named.postForm(inside, FORM, TEST_CAUSE)), 'forbidden-address');
  const secure = outboundToPeers({ allowHttp: false });
  assert.equal(words(await secure.postForm(peer.url, FORM, TEST_CAUSE)), 'forbidden-scheme');
  assert.equal(words(await strict.postForm('https://rp.example@evil', FORM, TEST_CAUSE)), 'invalid-url');
  assert.equal(peer.connections, 0);
});

test('a failed post is not remembered: the caller decides when to retry', async (t) => {
  let calls = 0;
  const peer = await startPeer(t, (socket) => {
    calls += 1;
    socket.end(calls === 1 ? 'x' : 'HTTP/1.1 200 OK\r\n\r\n');
  });
  const outbound = outboundToPeers();
  assert.equal(words(await outbound.postForm(peer.url, FORM, TEST_CAUSE)), 'connection');
  assert.equal(words(await outbound.postForm(peer.url, FORM, TEST_CAUSE)), '200');
});

// proves openid-federation-8.4-1
test('the document that answers a form is read under the rules of fetches, and a failure is not remembered (OpenID Federation 1.0 §8.4)', async (t) => {
  const type = 'application/trust-mark-status-response+jwt';
  const head = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, 'Content-Length: 5'];
  const peer = await startPeer(t, answering(head, 'a.b.c'));
  const outbound = outboundToPeers({ negativeCacheMs: 60_000 });
  const ask = async (mediaType: string, url = peer.url) =>
    await outbound.askForm(url, { trust_mark: 'a.b.c' }, { mediaTypes: [mediaType] }, TEST_CAUSE);
  const other = await ask('application/json');
  assert.equal(other.status === 'failed' && other.reason, 'media-type');
  const answered = await ask(type);
  assert.equal(answered.status === 'ok' && Buffer.from(answered.body).toString(), 'a.b.c');
  assert.match(
    peer.requests[1] ?? '',
    /^POST \/doc HTTP\/1\.1\r\n[^]*accept: application\/trust-mark-status[^]*\r\n\r\ntrust_mark=a\.b\.c$/,
  );
  const moved = await startPeer(t, answering(['HTTP/1.1 302 Found', `Location: ${peer.url}`], ''));
  const redirected = await ask(type, moved.url);
  assert.equal(redirected.status === 'failed' && redirected.reason, 'redirected');
  assert.equal(peer.connections, 2);
});
