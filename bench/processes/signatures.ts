/** The limit of acts that sign or verify once: signatures in one loop on one thread, without HTTP, JSON or storage. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';

export interface SignatureOptions {
  readonly act: 'sign' | 'verify';
  readonly alg: 'RS256' | 'ES256';
}

export interface SignatureResult {
  readonly signatures: number;
  readonly seconds: number;
}

/** As many octets as the header and the claims of an ID token or a client assertion have. */
const MESSAGE_BYTES = 350;
/** Signatures between two readings of the clock. */
const AT_ONCE = 16;

const { act, alg } = JSON.parse(process.argv[2] ?? '') as SignatureOptions;
const { publicKey, privateKey } = pair();
const message = randomBytes(MESSAGE_BYTES);
const signature = signed();

function pair(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  // The server's own RSA keys have as many bits.
  return alg === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function signed(): Buffer {
  return sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

function isVerified(): boolean {
  return verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

function run(milliseconds: number): SignatureResult {
  const begun = performance.now();
  let signatures = 0;
  while (performance.now() - begun < milliseconds) {
    for (let count = 0; count < AT_ONCE; count += 1)
      if (act === 'sign') signed();
      else if (!isVerified()) throw new Error('the signature is not valid');
    signatures += AT_ONCE;
  }
  return { signatures, seconds: (performance.now() - begun) / 1000 };
}

process.on('message', (milliseconds: number) => process.send?.(run(milliseconds)));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
