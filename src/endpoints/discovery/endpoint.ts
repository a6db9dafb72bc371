import type { Contract, Endpoint } from '../contract.ts';

/**
 * Serves provider metadata (OpenID Connect Discovery 1.0 §3, RFC 8414 §2) at one of its addresses. Renders the document once,
 * without empty lists: "claims with zero elements MUST be omitted" (RFC 8414 §3.2).
 * @param maxAge seconds for which a cache may keep the document
 */
export function discovery(
  contract: Contract,
  metadata: Readonly<Record<string, unknown>>,
  maxAge: number,
): Endpoint {
  const body = JSON.stringify(
    Object.fromEntries(
      Object.entries(metadata).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
    ),
  );
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${maxAge}` };
  return { contract, handle: () => ({ status: 200, headers, body }) };
}
