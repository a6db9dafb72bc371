import { formDecode, utf8Text } from './percent-encoding.ts';

/** The content of an `Authorization` header. `unusable`: the header is malformed or names an unknown scheme. */
export type Credentials =
  | { readonly scheme: 'none' }
  | { readonly scheme: 'bearer'; readonly token: string }
  /** An empty secret stands for none. */
  | { readonly scheme: 'basic'; readonly id: string; readonly secret: string }
  | { readonly scheme: 'unusable'; readonly tried: 'bearer' | 'basic' | 'other' };

const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;
const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;
const SCHEME = /^(bearer|basic)(?=\s|$)/i;

/**
 * Reads an `Authorization` header: RFC 6750 §2.1 (b64token) or RFC 6749 §2.3.1 (Basic with both halves form-encoded).
 * Base64 must be canonical, because a lenient decoder accepts values that another reader refuses. `limits.header` bounds the
 * header, and `limits.bearer-token` the token.
 */
export function parseAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { scheme: 'none' };
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return { scheme: 'bearer', token };
  const encoded = BASIC.exec(header)?.[1];
  if (encoded !== undefined) return parseBasic(encoded);
  const tried = SCHEME.exec(header)?.[1]?.toLowerCase();
  return { scheme: 'unusable', tried: tried === 'bearer' || tried === 'basic' ? tried : 'other' };
}

function parseBasic(encoded: string): Credentials {
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('base64') === encoded ? utf8Text(bytes) : undefined;
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1) return { scheme: 'unusable', tried: 'basic' };
  const id = formDecode(text.slice(0, colon));
  const secret = formDecode(text.slice(colon + 1));
  if (id === undefined || secret === undefined || id === '') return { scheme: 'unusable', tried: 'basic' };
  return { scheme: 'basic', id, secret };
}
