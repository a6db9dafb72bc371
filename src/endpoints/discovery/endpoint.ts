import type { Contract, Endpoint } from '../contract.ts';

/**
 * Provider metadata (OpenID Connect Discovery 1.0 §3, RFC 8414 §2) at one of its addresses. The document is made once,
 * from what is switched on; "claims with zero elements MUST be omitted" (RFC 8414 §3.2).
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
