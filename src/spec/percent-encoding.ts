import { isAscii } from 'node:buffer';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes `%XX` once, as strict UTF-8 (RFC 3986 §2.1).
 * @returns undefined for a bad escape, invalid UTF-8 or U+0000.
 */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text.includes('\u0000') ? undefined : text;
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    return undefined;
  }
  return decoded.includes('\u0000') ? undefined : decoded;
}

/** Decodes `application/x-www-form-urlencoded`, where `+` is a space (WHATWG URL §5.1). */
export function formDecode(text: string): string | undefined {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Returns the bytes as text if they are US-ASCII, like every correctly encoded form. */
export function asciiText(bytes: Uint8Array): string | undefined {
  if (!isAscii(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Decodes strict UTF-8. @returns undefined for other bytes */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const ascii = asciiText(bytes);
  if (ascii !== undefined) return ascii;
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}
