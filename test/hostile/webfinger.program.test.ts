import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administration } from '../program/administration.ts';
import { attackedProgram, type HostileRequest } from './attacked-program.ts';

/** H-670…H-673: questions about issuers and about accounts. */
const DOMAIN = 'people.example';
const attacked = attackedProgram({ environment: { CHANCERY_WEBFINGER_DOMAINS: DOMAIN } });

const about = (query: string): HostileRequest => ({
  method: 'GET',
  path: `/.well-known/webfinger?${query}`,
});

const RESOURCES: Readonly<Record<string, number>> = {
  [`acct:joe@${DOMAIN}.evil.example`]: 404,
  [`acct:joe@${DOMAIN}:1`]: 404,
  [`https://${DOMAIN}@evil.example/`]: 404,
  [`https://evil.example/joe@${DOMAIN}`]: 404,
  [`acct:joe@evil.example@${DOMAIN}`]: 400,
  [`https://${DOMAIN}\\@evil.example/`]: 400,
  [`javascript:alert('@${DOMAIN}')`]: 400,
  [`joe@${DOMAIN}`]: 400,
};

for (const [resource, expected] of Object.entries(RESOURCES))
  test(`H-670 and H-671 the resource ${resource} is ${expected}, and names no issuer`, async () => {
    const { status, body } = await attacked.send(about(`resource=${encodeURIComponent(resource)}`));
    assert.deepEqual([status, body.includes(attacked.program.issuer)], [expected, false]);
  });

test('H-672 an account that exists has the same answer as one that does not', async () => {
  const { program } = attacked;
  const created = await administration(program, 'POST', '/accounts', {
    headers: { issuer: program.issuer },
    body: { username: 'known', password: 'a long pass phrase' },
  });
  assert.equal(created.status, 201, await created.text());
  const [known, unknown] = await Promise.all(
    ['known', 'stranger'].map(async (name) => {
      const answer = await attacked.send(about(`resource=acct:${name}@${DOMAIN}`));
      return [answer.status, answer.body.replaceAll(name, 'someone')];
    }),
  );
  assert.deepEqual(known, unknown);
  assert.equal(known?.[0], 200);
});

test('H-673 markup in a name stands in JSON that no browser reads as a page', async () => {
  const { status, headers, body } = await attacked.send(
    about(`resource=${encodeURIComponent(`acct:<script>alert(1)<!--@${DOMAIN}`)}`),
  );
  assert.deepEqual(
    [status, headers['content-type'], headers['x-content-type-options']],
    [200, 'application/jrd+json', 'nosniff'],
  );
  assert.equal((JSON.parse(body) as { readonly links: readonly object[] }).links.length, 1);
});
