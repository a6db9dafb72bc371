import type { Mutant } from './mutant.ts';

/** Faults of DPoP proofs and of tokens that are bound to a key. */
export const DPOP: readonly Mutant[] = [
  {
    name: 'dpop-signature-not-verified',
    fault: 'A proof with any signature is good.',
    edits: [
      {
        file: 'src/tokens/dpop-proof.ts',
        find: '  if (problem === undefined) return;\n  const unreadable',
        replace: "  if (problem !== 'malformed') return;\n  const unreadable",
      },
    ],
    killers: [
      {
        file: 'test/hostile/dpop.program.test.ts',
        test: 'H-580…H-584 every malformed, foreign, unsigned, unfit or old proof',
      },
    ],
  },
  {
    name: 'dpop-proof-good-twice',
    fault: 'A proof is good for any number of requests.',
    edits: [
      {
        file: 'src/tokens/dpop-proof.ts',
        find: "  throw invalidProof('was used before', { jti });",
        replace: "  if (jti === '') throw invalidProof('was used before', { jti });",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/dpop.test.ts',
        test: 'a proof is good for one request, at whichever client',
      },
    ],
  },
  {
    name: 'dpop-fractions-fail',
    fault: 'A proof whose iat has a fraction is answered with 500.',
    edits: [
      {
        file: 'src/tokens/dpop-proof.ts',
        find: 'Math.ceil(iat) +',
        replace: 'iat +',
      },
    ],
    killers: [{ file: 'test/hostile/dpop.program.test.ts', test: 'H-722 a proof whose iat has a fraction' }],
  },
  {
    name: 'dpop-ath-not-compared',
    fault: 'A proof for one access token opens userinfo with another.',
    edits: [
      {
        file: 'src/tokens/dpop-proof.ts',
        find: '  if (accessToken !== undefined && ath !== digestOf(accessToken))',
        replace: '  if (accessToken !== undefined && ath === undefined)',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/userinfo/dpop.test.ts',
        test: 'a proof without ath, for another token, by another key or for another method is 401',
      },
    ],
  },
  {
    name: 'dpop-bound-token-as-bearer',
    fault: 'A bound token works with the scheme Bearer.',
    edits: [
      {
        file: 'src/tokens/presented-token.ts',
        find: "  if ((confirmation?.jkt !== undefined) !== (scheme === 'DPoP')) throw otherScheme(dpop, scheme, client);",
        replace:
          "  if (confirmation?.jkt === undefined && scheme === 'DPoP') throw otherScheme(dpop, scheme, client);\n  if (scheme === 'Bearer') return;",
      },
    ],
    killers: [{ file: 'src/endpoints/userinfo/dpop.test.ts', test: 'a bound token is no bearer token' }],
  },
  {
    name: 'dpop-code-not-bound',
    fault: 'A code with dpop_jkt is good with any key.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  if (dpop_jkt === undefined || dpop_jkt === proof?.jkt) return;',
        replace: "  if (dpop_jkt === undefined || dpop_jkt !== '') return;",
      },
    ],
    killers: [
      { file: 'src/endpoints/token/dpop.test.ts', test: 'a code with dpop_jkt is good with this key only' },
    ],
  },
  {
    name: 'dpop-proof-of-strangers-stored',
    fault: 'A proof is remembered before the grant is found.',
    edits: [
      {
        file: 'src/endpoints/token/endpoint.ts',
        find: '      if (proof !== undefined) await verifyDpopProof(needs.dpop, proof);',
        replace:
          "      if (proof !== undefined) await verifyDpopProof(needs.dpop, proof);\n      if (proof !== undefined) await needs.dpop.replays.rememberOnce('dpop-proof', 'all', proof.jti, 0);",
      },
    ],
    killers: [{ file: 'src/endpoints/token/dpop.test.ts', test: 'a stranger’s proofs are not stored' }],
  },
];
