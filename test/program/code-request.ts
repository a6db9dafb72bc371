/** A code verifier and its S256 challenge (RFC 7636, appendix B). */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Parameters of a request; one that is undefined is not sent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** As a query, or as the body of a form. */
export function formText(fields: Fields): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(given).toString();
}

/** The address of an authorisation request of the code flow with PKCE, with what the caller wants otherwise. */
export function codeRequest(
  issuer: string,
  client: { readonly client_id: string; readonly redirect_uri: string },
  change: Fields = {},
): string {
  const fields: Fields = {
    response_type: 'code',
    ...client,
    scope: 'openid',
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
    ...change,
  };
  return `${issuer}/authorize?${formText(fields)}`;
}
