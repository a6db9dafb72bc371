import type { Mutant } from './mutant.ts';

/** Faults of codes, refresh tokens, revocation, introspection and UserInfo. */
export const TOKENS: readonly Mutant[] = [
  {
    name: 'code-pkce-not-compared',
    fault: 'Any code_verifier of the right form is good.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '    sameDigest(digestOf(verifier), code_challenge as Digest);',
        replace: "    sameDigest(digestOf(verifier), digestOf(verifier)) && code_challenge !== '';",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'and the code is still good for its client (RFC 6749 §4.1.3, RFC 7636 §4.6)',
      },
    ],
  },
  {
    name: 'code-pkce-may-be-missing',
    fault: 'A code with a challenge is good without its verifier.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  if (code_challenge === undefined && verifier === undefined) return;',
        replace: '  if (verifier === undefined) return;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'and the code is still good for its client (RFC 6749 §4.1.3, RFC 7636 §4.6)',
      },
    ],
  },
  {
    name: 'code-redirect-uri-not-compared',
    fault: 'A code is good with another redirect_uri.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: "  if (presented !== redirect_uri)\n    throw invalidGrant('code-redirect-uri',",
        replace:
          "  if (presented === '' && redirect_uri === '')\n    throw invalidGrant('code-redirect-uri',",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'and the code is still good for its client (RFC 6749 §4.1.3, RFC 7636 §4.6)',
      },
    ],
  },
  {
    name: 'code-of-another-client',
    fault: 'A code of another client is good.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  if (code.client_id === client_id && code.client_instance === instance) return;',
        replace: "  if (code.client_id !== '' && client_id !== instance) return;",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'a code of another client: invalid_grant, and it is not used up (RFC 6749 §4.1.3)',
      },
    ],
  },
  {
    name: 'code-never-expires',
    fault: 'An expired code is good.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  if (clock.now() < expires_at) return;',
        replace: '  if (clock.now() < expires_at || expires_at > 0) return;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'a code that has expired: invalid_grant, and it is used up (RFC 6749 §4.1.2)',
      },
    ],
  },
  {
    name: 'code-of-an-ended-session',
    fault: 'A code is good after the end-user has signed out.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '    sid: endUser.sid,\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'a code of a session that has ended gives no offline_access, at any time and for any cause of the end',
      },
    ],
  },
  {
    name: 'code-of-a-disabled-account',
    fault: 'A code is good after its account was disabled.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  const account = await accountInUse(endUsers, content.sub);',
        replace: '  const account = await endUsers.directory.find(content.sub);',
      },
    ],
    killers: [{ file: 'src/endpoints/token/account-in-use.test.ts', test: 'a code of a disabled account' }],
  },
  {
    name: 'code-of-another-issuer-name',
    fault: 'A code that was issued under another name of the tenant is good.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: "  if (content.issuer !== endUsers.idTokens.issuer)\n    throw invalidGrant('unknown-code', 'issued under another name');\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'a code that was issued under another name of the tenant',
      },
    ],
  },
  {
    name: 'refresh-of-another-client',
    fault: 'A refresh token of another client is good.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '  if (grant.client_id !== client_id || grant.client_instance !== instance)\n',
        replace: '  if ((client_id as string) === instance)\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/refresh-token.test.ts',
        test: 'the refresh token of another client: 400 invalid_grant, and its owner still has it (RFC 6749 §6)',
      },
    ],
  },
  {
    name: 'refresh-reuse-ends-nothing',
    fault: 'The second use of a refresh token is refused, and the grant goes on.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '  if (await needs.grants.end(grant.grant_id, event)) tellOfReuse(needs, event, presented);',
        replace: '  tellOfReuse(needs, event, presented);',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/certificate-bound-tokens.test.ts',
        test: 'refresh tokens of a public client with bound tokens are good with its certificate only, and without it end nothing (RFC 8705 §4)',
      },
    ],
  },
  {
    name: 'refresh-widens-scope',
    fault: 'A refresh may ask for more scope than was granted.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '  const excess = values.find((value) => !isGranted(value));',
        replace: "  const excess = values.find((value) => !isGranted(value) && value === '');",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/refresh-token.test.ts',
        test: 'a wider or malformed scope: 400 invalid_scope, and the refresh token is not used up',
      },
    ],
  },
  {
    name: 'refresh-without-certificate',
    fault: 'A bound refresh token is good without its certificate.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '  if (confirmation !== undefined && !confirms({ certificate, jkt: proof?.jkt }, confirmation))\n',
        replace:
          '  if (confirmation !== undefined && !confirms({ certificate, jkt: proof?.jkt }, confirmation) && grant.sub === null)\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/certificate-bound-tokens.test.ts',
        test: 'refresh tokens of a public client with bound tokens are good with its certificate only, and without it end nothing (RFC 8705 §4)',
      },
    ],
  },
  {
    name: 'refresh-for-an-account-not-in-use',
    fault: 'A refresh token is good although its account is disabled.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '  const account = endUsers === undefined ? undefined : await accountInUse(endUsers, sub);',
        replace:
          "  const account = endUsers === undefined ? undefined : await endUsers.directory.find(sub as Account['sub']);",
      },
    ],
    killers: [
      { file: 'src/endpoints/token/account-in-use.test.ts', test: 'a refresh token of a disabled account' },
    ],
  },
  {
    name: 'refresh-never-rotated',
    fault: 'A refresh token that should be replaced is given again.',
    edits: [
      {
        file: 'src/grants/refresh-token.ts',
        find: '    const rotated = isRotated(needs.settings, client.metadata, refreshable)',
        replace:
          '    const rotated = isRotated(needs.settings, client.metadata, refreshable) && scope === undefined',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/authorization-code.test.ts',
        test: 'a public client redeems with its verifier, and its refresh tokens are rotated (RFC 7636 §1, RFC 9700 §2.2.2)',
      },
    ],
  },
  {
    name: 'revocation-of-others-tokens',
    fault: 'A client revokes tokens of another client.',
    edits: [
      {
        file: 'src/grants/revoke-token.ts',
        find: '  if (client_id === stored.client_id && client_instance === stored.instance) return;',
        replace: "  if (client_id !== '' || client_instance === stored.instance) return;",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/revocation/revocation.test.ts',
        test: 'a live token of another client: 400 invalid_grant, and the token lives (RFC 7009 §2.1)',
      },
    ],
  },
  {
    name: 'revocation-of-a-refresh-token-does-nothing',
    fault: 'The revocation of a refresh token leaves its grant.',
    edits: [
      {
        file: 'src/grants/revoke-token.ts',
        find: '    if (await needs.grants.end(grant.grant_id, event)) logEvent(needs, event);\n',
        replace: '    void event;\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/refresh-token.test.ts',
        test: 'ends the grant with its access tokens (RFC 7009 §2.1)',
      },
    ],
  },
  {
    name: 'introspection-without-scope',
    fault: 'Any client may introspect.',
    edits: [
      {
        file: 'src/endpoints/introspection/endpoint.ts',
        find: '        if (!caller.scope.includes(introspectionScope))\n',
        replace: '        if (caller.scope.length > 99)\n',
      },
    ],
    killers: [
      { file: 'src/endpoints/introspection/callers.test.ts', test: '403 access_denied (decision 21)' },
    ],
  },
  {
    name: 'introspection-ignores-audience',
    fault: 'introspection.audience match tells a token to any caller.',
    edits: [
      {
        file: 'src/endpoints/introspection/endpoint.ts',
        find: '  return aud === undefined || namesClient(aud, caller, metadata);',
        replace: "  return aud === undefined || caller !== '' || namesClient(aud, caller, metadata);",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/introspection/callers.test.ts',
        test: 'introspection.audience match: aud names the caller’s client_id or one of its resources, or the token is inactive (decision 26; RFC 7662 §4)',
      },
    ],
  },
  {
    name: 'introspection-of-expired-tokens',
    fault: 'An expired token is active.',
    edits: [
      {
        file: 'src/tokens/access-token.ts',
        find: '    stored !== undefined && clock.now() < stored.expires_at ? stored : undefined,',
        replace: '    stored !== undefined && clock.now() < stored.expires_at + 60 ? stored : undefined,',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/introspection/callers.test.ts',
        test: 'an unknown, malformed, expired or revoked bearer token: 401 invalid_client with a Bearer challenge (decision 6)',
      },
    ],
  },
  {
    name: 'userinfo-without-openid',
    fault: 'UserInfo answers a token without the scope openid.',
    edits: [
      {
        file: 'src/endpoints/userinfo/endpoint.ts',
        find: "  if (!scopeOf(token).includes('openid')) throw insufficientScope(['openid'], client);\n",
        replace: '  void [scopeOf, insufficientScope];\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/userinfo/userinfo.test.ts',
        test: 'GET /userinfo with a token without openid: 403 insufficient_scope that says so (RFC 6750 §3.1)',
      },
    ],
  },
  {
    name: 'userinfo-of-a-disabled-account',
    fault: 'UserInfo answers about a disabled account.',
    edits: [
      {
        file: 'src/grants/userinfo.ts',
        find: '  if (account?.disabled === true) return undefined;\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/account-in-use.test.ts',
        test: 'UserInfo with a token that the operator issued for a disabled account',
      },
    ],
  },
];
