import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import { LIMITS, NOW, testEntity } from '../../testing/federation.ts';
import { examineStatement } from '../examine-statement.ts';
import type { StatementRules } from './statement-check.ts';

const RP = testEntity('https://rp.example');
const OP = 'https://op.example.com';
const RULES: StatementRules = {
  kind: 'request',
  now: NOW,
  limits: LIMITS.statement,
  allowHttp: false,
  addressProblem: () => undefined,
  request: { dialect: 'final', audience: OP, audienceRequired: true, ageMax: 600, lifetimeMax: 86_400 },
};

const signed = (claims: object, header: object = {}): string =>
  RP.configuration({ aud: OP, authority_hints: ['https://org.example'], ...claims }, header);

const WORDS: readonly (readonly [jwt: string, words: string])[] = [
  [signed({}, { typ: 'JWT' }), "the entity statement has the typ 'JWT'; it must be entity-statement+jwt"],
  [signed({ aud: undefined }), `the entity statement has no aud; it must be ${OP}`],
  [signed({ aud: ['"\\\u20AC'] }), `the entity statement has the aud '[???????]'; it must be ${OP}`],
  [
    signed({ sub: 'https://x.example' }),
    `the entity statement has the iss '${RP.id}' and the sub 'https://x.example'; they must be equal`,
  ],
];
for (const [jwt, expected] of WORDS) {
  test(`the reason names the member, its value and the allowed value: ${expected} (RFC 6749 §5.2)`, async () => {
    const { outcome } = await examineStatement(joseJwtInspector, jwt, RULES);
    assert.equal('reason' in outcome ? outcome.reason.words : undefined, expected);
  });
}
