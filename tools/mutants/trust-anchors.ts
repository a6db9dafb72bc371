import type { Mutant } from './mutant.ts';

/** Faults of the keys of trust anchors and of the status of trust marks. */
export const TRUST_ANCHORS: readonly Mutant[] = [
  {
    name: 'federation-anchor-older-configuration',
    fault: 'An older configuration of a trust anchor announces its keys again.',
    edits: [
      {
        file: 'src/federation/trust-anchors/anchor-rollover.ts',
        find: 'if (seen.iat < before.iat)',
        replace: 'if (seen.iat < 0)',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-anchors/anchor-rollover.test.ts',
        test: 'a configuration older than the newest announces nothing and brings no key back (H-441)',
      },
    ],
  },
  {
    name: 'federation-anchor-unrooted-key',
    fault: 'A key that a stolen key announced stays trusted after the operator has replaced the stolen key.',
    edits: [
      {
        file: 'src/federation/trust-anchors/anchor-record.ts',
        find: 'key.accepted !== null && rooted.has(key.thumbprint)',
        replace: 'key.accepted !== null',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-anchors/anchor-rollover.test.ts',
        test: 'an accepted key counts as long as the settings have the key that vouched for it, directly or over others (ADR 64)',
      },
    ],
  },
  {
    name: 'federation-mark-status-of-another-mark',
    fault: 'The status of one trust mark counts for another.',
    edits: [
      {
        file: 'src/federation/trust-marks/trust-mark-status.ts',
        find: "claims['trust_mark'] === mark.compact",
        replace: "claims['trust_mark'] !== ''",
      },
    ],
    killers: [
      {
        file: 'test/hostile/trust-mark-status.program.test.ts',
        test: 'an issuer that is away, hangs, or answers with the words of another leads to no client: 503 without an answer, 400 with a wrong one (H-445)',
      },
    ],
  },
];
