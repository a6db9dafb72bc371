import { generateKeyPairSync } from 'node:crypto';
import {
  type AuthoritySubject,
  type CertificateAuthority,
  CLIENT_AUTHENTICATION,
  certificateAuthority,
  type Extension,
  type KeyPair,
  type Subject,
  selfSigned,
  type TlsIdentity,
} from '../tls/certificate.ts';
import { element, objectIdentifier, sequence } from '../tls/der-writer.ts';

/** A certificate, the list that comes with it, and whether it authenticates the client `client.example`. */
export interface CertificateRow {
  readonly what: string;
  readonly identity: TlsIdentity;
  /** PEM, sent in the handshake behind the certificate, and as `Client-Cert-Chain`. */
  readonly chain: readonly string[];
  readonly status: 200 | 401;
}

const NAME = 'client.example';
const GOOD: Subject = { names: [NAME], purposes: [CLIENT_AUTHENTICATION], keyUsage: 0x80 };
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const ANY_PURPOSE = '2.5.29.37.0';
const HOUR_MS = 3_600_000;

const rsa = (bits: number): KeyPair => generateKeyPairSync('rsa', { modulusLength: bits });
const RSA_2048 = rsa(2048);
const RSA_1024 = rsa(1024);
const onCurve = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve });

/** RFC 5280 §4.2.1.10: the permitted names end in `dept.example`, or the one excluded name is `other.example`. */
const constraints = (critical: boolean): Extension => [
  '2.5.29.30',
  critical,
  sequence(element(0xa0, sequence(element(0x82, Buffer.from('dept.example'))))),
];
const excluded: Extension = [
  '2.5.29.30',
  true,
  sequence(element(0xa1, sequence(element(0x82, Buffer.from('other.example'))))),
];
const unknown = (critical: boolean): Extension => ['1.2.3.4', critical, sequence()];
const policies = (critical: boolean): Extension => [
  '2.5.29.32',
  critical,
  sequence(sequence(objectIdentifier('2.5.29.32.0'))),
];
/** RFC 5280 §4.2.1.11: requireExplicitPolicy 0. */
const policyConstraints: Extension = ['2.5.29.36', true, sequence(element(0x80, Buffer.from([0])))];
const netscape = (octet: number): Extension => [
  '2.16.840.1.113730.1.1',
  false,
  element(0x03, Buffer.from([0, octet])),
];

const past = (): Date => new Date(Date.now() - HOUR_MS);
const future = (): Date => new Date(Date.now() + HOUR_MS);

const ROOT = certificateAuthority('Root');
const far = undefined;
const rooted = (name: string, more: Omit<AuthoritySubject, 'name'>): CertificateAuthority =>
  certificateAuthority(name, more.notAfter ?? far, more);
const CONSTRAINED = rooted('Constrained root', { extensions: [constraints(false)] });
const CONSTRAINED_CRITICALLY = rooted('Critically constrained root', { extensions: [constraints(true)] });
const PERMITTING = rooted('Root that excludes another name', { extensions: [excluded] });
const FOR_EMAIL = rooted('Root for email', { purposes: [EMAIL_PROTECTION] });
const FOR_CLIENTS = rooted('Root for clients', { purposes: [CLIENT_AUTHENTICATION], keyUsage: 0x04 });
const EXPIRED = rooted('Expired root', { notAfter: past() });
const SHORT = rooted('Root with path length 0', { pathLength: 0 });
const STRANGE = rooted('Root with an unknown extension', { extensions: [unknown(true)] });
const WEAK = rooted('Weak root', { keys: RSA_1024, signature: 'rsa-sha256' });
const RSA_ROOT = rooted('RSA root', { keys: RSA_2048, signature: 'rsa-sha256' });
const ABOVE = certificateAuthority('Root that is not configured');
const BELOW = ABOVE.intermediate({ name: 'Configured authority below another' });
const BELOW_CONSTRAINED = ABOVE.intermediate({
  name: 'Constrained authority below another',
  extensions: [constraints(true)],
});
const [TWIN, OTHER_TWIN] = [certificateAuthority('Twin'), certificateAuthority('Twin')];
const SAME_NAME = certificateAuthority('Root');
const STRANGER = certificateAuthority('Stranger');

/** Four have name constraints; one each is for email, expired, strange, weak. */
export const UNFIT_AUTHORITIES = 8;

/** PEM for `listen.tls-client-ca`. */
export const AUTHORITIES = [
  ROOT,
  CONSTRAINED,
  CONSTRAINED_CRITICALLY,
  PERMITTING,
  FOR_EMAIL,
  FOR_CLIENTS,
  EXPIRED,
  SHORT,
  STRANGE,
  WEAK,
  RSA_ROOT,
  BELOW,
  BELOW_CONSTRAINED,
  TWIN,
  OTHER_TWIN,
]
  .map(({ certificate }) => certificate)
  .join('');

const row = (what: string, status: 200 | 401, identity: TlsIdentity, ...chain: string[]): CertificateRow => ({
  what,
  status,
  identity,
  chain,
});

/** The issuer signed it itself. */
const direct = (what: string, status: 200 | 401, subject: Subject, issuer = ROOT): CertificateRow =>
  row(what, status, issuer.issue({ ...GOOD, ...subject }));

/** Over one intermediate. */
function over(
  what: string,
  status: 200 | 401,
  more: Omit<AuthoritySubject, 'name'>,
  issuer = ROOT,
): CertificateRow {
  const between = issuer.intermediate({ name: `Intermediate ${what}`, ...more });
  return row(what, status, between.issue({ ...GOOD }), between.certificate);
}

function overMany(what: string, status: 200 | 401, count: number): CertificateRow {
  let lowest = ROOT;
  const chain: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    lowest = lowest.intermediate({ name: `${what} ${number}` });
    chain.unshift(lowest.certificate);
  }
  return row(what, status, lowest.issue(GOOD), ...chain);
}

function twins(): readonly CertificateRow[] {
  const [first, second] = [TWIN, OTHER_TWIN].map((twin) => row('', 200, twin.issue(GOOD)));
  const [one, other] = [1, 2].map(() => ROOT.intermediate({ name: 'Same-named intermediate' }));
  if (first === undefined || second === undefined || one === undefined || other === undefined) return [];
  return [
    { ...first, what: 'of the first of two same-named authorities' },
    { ...second, what: 'of the second of two same-named authorities', status: 401 },
    row(
      'behind same-named intermediates, its own first',
      200,
      one.issue(GOOD),
      one.certificate,
      other.certificate,
    ),
    row(
      'behind same-named intermediates, its own last',
      401,
      one.issue(GOOD),
      other.certificate,
      one.certificate,
    ),
  ];
}

function paths(): readonly CertificateRow[] {
  const upper = ROOT.intermediate({ name: 'Upper' });
  const lower = upper.intermediate({ name: 'Lower' });
  const limited = ROOT.intermediate({ name: 'Limited', pathLength: 0 });
  const beyond = limited.intermediate({ name: 'Beyond' });
  const [leaf, chain] = [lower.issue(GOOD), [lower.certificate, upper.certificate]];
  const sibling = ROOT.issue({ subject: [[['2.5.4.3', 'Sibling']]], keys: onCurve('P-256') });
  return [
    row('over two intermediates', 200, leaf, ...chain),
    row('over two intermediates in the wrong order', 200, leaf, ...chain.toReversed()),
    row('over two intermediates, with the root', 200, leaf, ...chain, ROOT.certificate),
    row('over two intermediates, one missing', 401, leaf, lower.certificate),
    row('with a certificate that is no issuer', 200, ROOT.issue(GOOD), sibling.cert),
    row(
      'over a path that is too long for its authority',
      401,
      beyond.issue(GOOD),
      beyond.certificate,
      limited.certificate,
    ),
    over('over a path that is too long for the root', 401, {}, SHORT),
    overMany('over eight intermediates', 200, 8),
    overMany('over ten intermediates', 200, 10),
    overMany('over eleven intermediates', 401, 11),
  ];
}

const many = Array.from({ length: 899 }, (_, number) => `n${number}.example`);

/** The 33 certificates of the finding, and more. */
export const CERTIFICATE_ROWS: readonly CertificateRow[] = [
  direct('as it should be', 200, {}),
  row('as it should be, without a purpose or a usage', 200, ROOT.issue({ names: [NAME] })),
  direct('expired', 401, { notAfter: past() }),
  direct('not valid yet', 401, { notBefore: future() }),
  direct('for servers', 401, { purposes: [SERVER_AUTHENTICATION] }),
  direct('for any purpose', 401, { purposes: [ANY_PURPOSE] }),
  direct('for servers and clients', 200, { purposes: [SERVER_AUTHENTICATION, CLIENT_AUTHENTICATION] }),
  direct('whose key encrypts only', 401, { keyUsage: 0x20 }),
  direct('whose key agrees on keys', 200, { keyUsage: 0x08 }),
  direct('with Netscape’s type for servers', 401, { extensions: [netscape(0x40)] }),
  direct('with Netscape’s type for clients', 200, { extensions: [netscape(0x80)] }),
  row('of an authority that is not configured', 401, STRANGER.issue(GOOD), STRANGER.certificate),
  row('of another authority of the same name', 401, SAME_NAME.issue(GOOD), SAME_NAME.certificate),
  row('self-signed', 401, selfSigned(GOOD)),
  direct('signed with SHA-1', 401, { signature: 'ecdsa-sha1' }),
  direct('with an RSA key of 2048 bits', 200, { keys: RSA_2048 }),
  direct('with an RSA key of 1024 bits', 401, { keys: RSA_1024 }),
  direct('with a key on P-384', 200, { keys: onCurve('P-384') }),
  direct('with a key on secp256k1', 401, { keys: onCurve('secp256k1') }),
  direct('with a key on brainpoolP256r1', 200, { keys: onCurve('brainpoolP256r1') }),
  direct('with an Ed25519 key', 200, { keys: generateKeyPairSync('ed25519') }),
  direct('with an RSASSA-PSS key', 200, { keys: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }) }),
  direct('signed with RSA', 200, { signature: 'rsa-sha256' }, RSA_ROOT),
  direct('signed with RSASSA-PSS', 200, { signature: 'rsa-pss-sha256' }, RSA_ROOT),
  direct('signed with RSASSA-PSS and SHA-1', 401, { signature: 'rsa-pss-sha1' }, RSA_ROOT),
  direct('of an authority with an RSA key of 1024 bits', 401, { signature: 'rsa-sha256' }, WEAK),
  over('of an intermediate with an RSA key of 1024 bits', 401, { keys: RSA_1024 }),
  over('of an intermediate with a curve of 192 bits', 401, { keys: onCurve('prime192v1') }),
  direct('with an unknown critical extension', 401, { extensions: [unknown(true)] }),
  direct('with an unknown extension', 200, { extensions: [unknown(false)] }),
  direct('with critical policies', 200, { extensions: [policies(true)] }),
  direct('with policies', 200, { extensions: [policies(false)] }),
  direct('with 900 names', 200, { names: [NAME, ...many] }),
  direct('with a wildcard above the name', 401, { names: ['*.example'] }),
  row(
    'with the name as its common name alone',
    401,
    ROOT.issue({ ...GOOD, names: [], subject: [[['2.5.4.3', NAME]]] }),
  ),
  row('with the name as a URI alone', 401, ROOT.issue({ ...GOOD, names: [], uris: [`https://${NAME}/`] })),
  row(
    'with the name as an email address alone',
    401,
    ROOT.issue({ ...GOOD, names: [], emails: [`a@${NAME}`] }),
  ),
  direct('with all kinds of names', 200, {
    uris: ['urn:a'],
    emails: ['a@b.example'],
    addresses: ['192.0.2.1'],
  }),
  ...paths(),
  ...twins(),
  over('over an intermediate', 200, {}),
  over('over an intermediate that is no authority', 401, { isAuthority: false }),
  over('over an intermediate that signs no certificates', 401, { keyUsage: 0x80 }),
  over('over an intermediate that signs certificates', 200, { keyUsage: 0x04 }),
  over('over an expired intermediate', 401, { notAfter: past() }),
  over('over an intermediate that is signed with SHA-1', 401, { signature: 'ecdsa-sha1' }),
  over('over an intermediate with an unknown critical extension', 401, { extensions: [unknown(true)] }),
  over('over an intermediate with critical constraints on policies', 401, {
    extensions: [policyConstraints],
  }),
  over('over an intermediate for email', 401, { purposes: [EMAIL_PROTECTION] }),
  over('over an intermediate for any purpose', 401, { purposes: [ANY_PURPOSE] }),
  over('over an intermediate for clients', 200, { purposes: [CLIENT_AUTHENTICATION] }),
  over('over an intermediate with name constraints', 401, { extensions: [constraints(false)] }),
  over('over an intermediate with critical name constraints', 401, { extensions: [constraints(true)] }),
  over('over an intermediate that excludes another name', 401, { extensions: [excluded] }),
  direct('of an authority with name constraints', 401, {}, CONSTRAINED),
  direct('of an authority with critical name constraints', 401, {}, CONSTRAINED_CRITICALLY),
  direct('of an authority that excludes another name', 401, {}, PERMITTING),
  direct('of an authority for email', 401, {}, FOR_EMAIL),
  direct('of an authority for clients', 200, {}, FOR_CLIENTS),
  direct('of an expired authority', 401, {}, EXPIRED),
  direct('of an authority with an unknown critical extension', 401, {}, STRANGE),
  direct('of a configured authority below another', 200, {}, BELOW),
  direct('of a configured authority below another, with name constraints', 401, {}, BELOW_CONSTRAINED),
  direct('with name constraints of its own', 401, { extensions: [constraints(false)] }),
];
