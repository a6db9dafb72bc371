import type { Mutant } from './mutant.ts';

const BOUNDED = 'src/spec/bounded-map.ts';
const DIGESTS = 'src/spec/digest-map.ts';
const SIGNATURES = 'src/jose/signatures.ts';
const SIGNERS_TEST = 'src/jose/signers.test.ts';
const LIST_THREAD = 'src/process/client-list-thread.ts';
const LISTS_TEST = 'test/journeys/long-lists.test.ts';

/** A fault of one file, which one test sees. */
const fault = (
  name: string,
  words: string,
  [file, find, replace]: readonly [string, string, string],
  [killer, test]: readonly [string, string],
): Mutant => ({
  name,
  fault: words,
  edits: [{ file, find, replace }],
  killers: [{ file: killer, test }],
});

/** Faults of what saves time: caches, kept keys, threads that list clients, and connections that end at a stop. */
export const SAVINGS: readonly Mutant[] = [
  fault(
    'signatures-without-turns',
    'On one core, all signatures that wait are verified at once, so that every other request waits for them.',
    [SIGNATURES, 'waiting.splice(0, most)', 'waiting.splice(0)'],
    [
      'src/jose/signatures.test.ts',
      'on one core, at most eight signatures are verified in one turn of the event loop, and each gets its own verdict',
    ],
  ),
  fault(
    'map-takes-a-neighbour',
    'The record of one token is given for another one whose digest begins alike.',
    [
      DIGESTS,
      'return found !== undefined && this.#keyOf(found) === key ? found : undefined;',
      'return found;',
    ],
    [
      'src/spec/digest-map.test.ts',
      'a key that shares its slot with another one is not taken for it, and does not delete it',
    ],
  ),
  fault(
    'map-admits-what-is-asked-once',
    'Each token that is asked about once displaces one that is in use.',
    [DIGESTS, 'if (!this.#entries.isFull || this.#wasLeftOut(slot)) this', 'this'],
    [
      'src/spec/digest-map.test.ts',
      'what is asked about once leaves a full map as it is, and what is asked about again enters it',
    ],
  ),
  fault(
    'map-keeps-a-deleted-old-entry',
    'A deleted record comes back from the older generation of a cache.',
    [BOUNDED, 'if (!this.#young.delete(key)) this.#old.delete(key);', 'this.#young.delete(key);'],
    ['src/spec/bounded-map.test.ts', 'a deleted key does not come back from the older generation'],
  ),
  fault(
    'map-exceeds-its-bound',
    'A cache grows without a bound.',
    [BOUNDED, 'while (this.#bytes + bytes > this.bytesMax) if (!this.#evict()) return false;', ''],
    ['src/spec/bounded-map.test.ts', 'it never holds more than its bound, whatever is set'],
  ),
  fault(
    'map-evicts-without-counting',
    'Bytes of evicted entries stay counted, so that a cache becomes useless.',
    [
      BOUNDED,
      '    this.#evictions += 1;\n    this.#gone(this.#weigh(value, key));',
      '    this.#evictions += 1;\n    void value;',
    ],
    [
      'src/spec/bounded-map.test.ts',
      'whatever is set, found, deleted, cleared and closed, the bytes are those of the entries, and never too many',
    ],
  ),
  fault(
    'signature-short-rsa-key',
    'RSA keys of any length sign and verify.',
    [
      SIGNATURES,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
      'if (modulusLength < RSA_BITS_MIN) throw new Error(`an RSA key has ${modulusLength} bits`);',
      'void modulusLength;',
    ],
    [SIGNERS_TEST, 'an RSA key of less than 2048 bits verifies nothing and signs nothing (RFC 7518 §3.3)'],
  ),
  fault(
    'signature-any-salt',
    'A signature of RSASSA-PSS is accepted with a salt of any length.',
    [
      SIGNATURES,
      'saltLength: constants.RSA_PSS_SALTLEN_DIGEST',
      'saltLength: constants.RSA_PSS_SALTLEN_AUTO',
    ],
    [SIGNERS_TEST, 'a signature of RSASSA-PSS has a salt as long as its hash, and no other (RFC 7518 §3.5)'],
  ),
  fault(
    'signature-by-an-unfit-key',
    'A key signs with an algorithm that it is not for.',
    [
      SIGNATURES,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
      "if (!suits(jwk, alg, 'sign')) throw new Error(`the key does not fit ${alg}`);",
      '',
    ],
    ['src/jose/jwt-signer.test.ts', 'sign refuses a key that does not fit the algorithm'],
  ),
  fault(
    'list-of-another-tenant',
    'A thread lists the clients of another tenant.',
    [LIST_THREAD, 'reader.page(tenant, after, limit)', "reader.page('other' as TenantId, after, limit)"],
    [LISTS_TEST, 'a long list has the same bytes from the threads as from the main thread'],
  ),
  fault(
    'list-passes-over-what-fails',
    'A thread that cannot open a record passes over it, and no operator is told.',
    [
      LIST_THREAD,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
      'for (const client of clients) entries += `,${clientInformation(needs, client)}`;',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
      'for (const client of clients) try { entries += `,${clientInformation(needs, client)}`; } catch { }',
    ],
    [LISTS_TEST, 'a record that a thread cannot open is left out, logged and counted'],
  ),
  fault(
    'stop-waits-for-a-stream',
    'A connection whose answer began before a stop stays open until the deadline.',
    [
      'src/http/stopping.ts',
      'setInterval(() => server.closeIdleConnections(), GRACE_MS)',
      'setInterval(() => undefined, GRACE_MS)',
    ],
    [
      'src/http/host.test.ts',
      'close ends the connection of a stream that began before, when the stream ends (H-248)',
    ],
  ),
  fault(
    'thumbprint-taken-for-an-option',
    'A command refuses one key ID of 64.',
    ['src/cli/parse.ts', 'DASHED_THUMBPRINT.test(word) ? NOT_AN_OPTION + word : word', 'word'],
    ['src/cli/parse.test.ts', 'the thumbprint is the value'],
  ),
];
