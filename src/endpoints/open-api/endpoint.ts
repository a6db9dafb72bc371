import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';
import { openApiDocument } from './open-api-document.ts';

/**
 * Serves the API description of one issuer. Renders it at the first request: most servers are never asked.
 * @param endpoints all that stand below the issuer
 * @param maxAge seconds for which a cache may keep it
 */
export function openApi(issuer: string, endpoints: readonly Endpoint[], maxAge: number): Endpoint {
  let body: string | undefined;
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${maxAge}` };
  return {
    contract,
    handle() {
      body ??= JSON.stringify(
        openApiDocument([{ url: issuer, contracts: [...endpoints.map((each) => each.contract), contract] }]),
      );
      return { status: 200, headers, body };
    },
  };
}
