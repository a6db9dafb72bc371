import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLIENT_AUTHENTICATION,
  certificateAuthority,
  derOf,
  type Extension,
  type Subject,
  selfSigned,
} from '../../test/tls/certificate.ts';
import { sequence } from '../../test/tls/der-writer.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { certificatePathProblem, clientCertificateProblem } from './certificate-path.ts';

const NOW = Math.floor(Date.now() / 1000);
const HOUR_MS = 3_600_000;
const authority = certificateAuthority();

function read(pem: { readonly cert: string }): Certificate {
  const certificate = readCertificate(derOf(pem));
  assert.ok(certificate !== undefined);
  return certificate;
}

const trusted = [read({ cert: authority.certificate })];

function pathProblem(cert: string, intermediates: readonly string[] = [], now = NOW): string | undefined {
  const ders = intermediates.map((pem) => derOf({ cert: pem }));
  return certificatePathProblem(read({ cert }), ders, trusted, now);
}

test('names, times and purposes come from the DER (RFC 5280 §4.1)', () => {
  const notBefore = new Date('2026-01-02T03:04:05Z');
  const notAfter = new Date('2051-01-02T03:04:05Z');
  const { names, ...rest } = read(
    authority.issue({
      names: ['a.example', '*.b.example'],
      uris: ['urn:a,DNS:evil.example'],
      emails: ['a@b.example'],
      addresses: ['192.0.2.1', Buffer.alloc(16, 1)],
      purposes: [CLIENT_AUTHENTICATION],
      keyUsage: 0x80,
      notBefore,
      notAfter,
    }),
  );
  assert.deepEqual(names.dns, ['a.example', '*.b.example']);
  assert.deepEqual(names.uri, ['urn:a,DNS:evil.example'], 'CVE-2021-44532: a comma ends no name');
  assert.deepEqual(names.email, ['a@b.example']);
  assert.deepEqual(
    names.ip.map((octets) => Buffer.from(octets).toString('hex')),
    ['c0000201', '01'.repeat(16)],
  );
  assert.deepEqual([rest.notBefore, rest.notAfter], [notBefore.getTime() / 1000, notAfter.getTime() / 1000]);
  assert.deepEqual(rest.extendedKeyUsage, [CLIENT_AUTHENTICATION]);
  assert.deepEqual(rest.keyUsage, new Set(['digitalSignature']));
});

test('readCertificate returns undefined for everything but one certificate, and never throws (RFC 5280 §4.1)', () => {
  const der = derOf(authority.issue({}));
  for (const bad of [
    Buffer.alloc(0),
    Buffer.from('a certificate'),
    der.subarray(0, -1),
    Buffer.concat([der, Buffer.of(0)]),
    Buffer.concat([der, der]),
    sequence(),
    sequence(sequence(), sequence(), sequence()),
    Buffer.concat([der, Buffer.alloc(20_000)]),
  ]) {
    assert.equal(readCertificate(bad), undefined);
  }
});

// proves rfc8705-7.4-1
test('a certificate with any changed octet is read or refused, and never throws (RFC 5280 §4.1)', () => {
  const der = derOf(
    authority.issue({ names: ['a.example'], purposes: [CLIENT_AUTHENTICATION], keyUsage: 0x80 }),
  );
  let refused = 0;
  for (let at = 0; at < der.length; at += 1) {
    for (const flip of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] ?? 0) ^ flip;
      if (readCertificate(changed) === undefined) refused += 1;
    }
  }
  assert.ok(refused > der.length / 4, `${refused} of ${der.length * 3}`);
});

// proves rfc8705-7.4-1
test('a name with a NUL, a control character or a space makes the certificate unreadable (CVE-2021-44533, RFC 5280 §4.2.1.6)', () => {
  for (const name of ['a.example\0.evil.example', 'a.example ', 'a\n', '', 'é.example']) {
    assert.equal(readCertificate(derOf(authority.issue({ names: [name] }))), undefined, JSON.stringify(name));
    assert.equal(readCertificate(derOf(authority.issue({ uris: [name] }))), undefined);
  }
});

test('a repeated extension makes the certificate unreadable (RFC 5280 §4.2)', () => {
  const names: Extension = ['2.5.29.17', false, sequence(Buffer.from('8201', 'hex'), Buffer.from('a'))];
  assert.equal(readCertificate(derOf(authority.issue({ names: ['a'], extensions: [names] }))), undefined);
});

test('a certificate may authenticate a client while it is valid, unless it is for something else (RFC 5280 §4.2.1.12)', () => {
  const problem = (subject: Subject, now = NOW): string | undefined =>
    clientCertificateProblem(read(authority.issue(subject)), now);
  assert.equal(problem({}), undefined);
  assert.equal(
    problem({ purposes: ['1.3.6.1.5.5.7.3.1', CLIENT_AUTHENTICATION], keyUsage: 0x80 }),
    undefined,
  );
  assert.match(problem({ purposes: ['1.3.6.1.5.5.7.3.1'] }) ?? '', /not for the authentication of clients/);
  assert.match(problem({ purposes: ['2.5.29.37.0'] }) ?? '', /not for the authentication of clients/);
  assert.match(problem({ keyUsage: 0x20 }) ?? '', /not for signatures/);
  const notAfter = new Date((NOW + 10) * 1000);
  assert.equal(problem({ notAfter }, NOW + 10), undefined);
  assert.match(problem({ notAfter }, NOW + 11) ?? '', /expired/);
  const notBefore = new Date((NOW + 10) * 1000);
  assert.match(problem({ notBefore, notAfter: new Date(NOW * 1000 + HOUR_MS) }) ?? '', /not valid yet/);
});

// proves rfc8705-2.1-1
test('a path to a trusted authority holds, directly and over intermediates in any order (RFC 5280 §6.1)', () => {
  const upper = authority.intermediate({ name: 'Upper' });
  const lower = upper.intermediate({ name: 'Lower', pathLength: 0 });
  assert.equal(pathProblem(authority.issue({}).cert), undefined);
  assert.equal(pathProblem(lower.issue({}).cert, [lower.certificate, upper.certificate]), undefined);
  assert.equal(pathProblem(lower.issue({}).cert, [upper.certificate, lower.certificate]), undefined);
  const withRoot = [lower.certificate, upper.certificate, authority.certificate];
  assert.equal(pathProblem(lower.issue({}).cert, withRoot), undefined);
});

const NO_PATH = /no path from it to a trusted authority/;

// proves rfc8705-2.1-1
test('there is no path to itself, to a foreign authority, to one of the same name, or over a missing certificate (RFC 5280 §6.1)', () => {
  const stranger = certificateAuthority('A stranger');
  const upper = authority.intermediate({ name: 'Upper' });
  assert.match(pathProblem(selfSigned().cert) ?? '', NO_PATH);
  assert.match(pathProblem(stranger.issue({}).cert, [stranger.certificate]) ?? '', NO_PATH);
  assert.match(pathProblem(certificateAuthority().issue({}).cert) ?? '', NO_PATH);
  assert.match(pathProblem(upper.issue({}).cert) ?? '', NO_PATH);
});

// proves rfc8705-2.1-1
test('there is no path over a certificate that is not an authority’s or exceeds its path length (RFC 5280 §4.2.1.9)', () => {
  const limited = authority.intermediate({ name: 'Limited', pathLength: 0 });
  const below = limited.intermediate({ name: 'Below' });
  assert.match(pathProblem(below.issue({}).cert, [below.certificate, limited.certificate]) ?? '', NO_PATH);
  const none = authority.intermediate({ name: 'None', isAuthority: false });
  assert.match(pathProblem(none.issue({}).cert, [none.certificate]) ?? '', NO_PATH);
});

test('there is no path over an expired authority or an unknown critical extension (RFC 5280 §4.2, §6.1.3)', () => {
  const expired = authority.intermediate({ name: 'Expired', notAfter: new Date(NOW * 1000 - HOUR_MS) });
  assert.match(pathProblem(expired.issue({}).cert, [expired.certificate]) ?? '', NO_PATH);
  const nameConstraints: Extension = ['2.5.29.30', true, sequence()];
  const constrained = authority.intermediate({ name: 'Constrained', extensions: [nameConstraints] });
  assert.match(pathProblem(constrained.issue({}).cert, [constrained.certificate]) ?? '', NO_PATH);
  assert.match(
    pathProblem(authority.issue({ extensions: [['1.2.3.4', true, sequence()]] }).cert) ?? '',
    NO_PATH,
  );
});

test('an expired authority is no longer trusted (RFC 5280 §6.1.3)', () => {
  const short = certificateAuthority('Short', new Date(NOW * 1000 + HOUR_MS));
  const anchors = [read({ cert: short.certificate })];
  const leaf = read(short.issue({}));
  assert.equal(certificatePathProblem(leaf, [], anchors, NOW), undefined);
  assert.match(certificatePathProblem(leaf, [], anchors, NOW + 3601) ?? '', NO_PATH);
});
