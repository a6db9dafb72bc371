import type { Mutant } from './mutant.ts';

const EXCHANGES = 'src/endpoints/token/token-exchange.test.ts';
const ACTORS = 'src/endpoints/token/token-exchange-actors.test.ts';
const ISSUERS = 'src/endpoints/token/token-exchange-issuers.test.ts';
const GRANTS = 'src/endpoints/token/id-jag.test.ts';
const STORAGE = 'src/storage/sqlite/storage.test.ts';
const FOLDER = 'src/grants/token-exchange';

/** A fault of one file, which one test sees. */
const fault = (
  name: string,
  words: string,
  [file, find, replace]: readonly [string, string, string],
  [killer, test]: readonly [string, string],
): Mutant => ({
  name: `exchange-${name}`,
  fault: words,
  edits: [{ file, find, replace }],
  killers: [{ file: killer, test }],
});

/** Faults of the exchange of tokens (RFC 8693). */
export const TOKEN_EXCHANGE: readonly Mutant[] = [
  fault(
    'of-any-token',
    'A client exchanges tokens that are for others.',
    [
      `${FOLDER}/token-exchange.ts`,
      'if (client_id !== client.stored.client_id && !isMeant)',
      "if (client_id === '' && !isMeant)",
    ],
    [EXCHANGES, 'a token may be exchanged by its own client and by one that it is for'],
  ),
  fault(
    'scope-widens',
    'An exchange gives all scope of the policy.',
    [
      `${FOLDER}/exchange-policy.ts`,
      'const grantable = held.filter((value) => isAllowed(value)',
      'const grantable = policy.scope.filter((value) => isAllowed(value)',
    ],
    [EXCHANGES, 'scope never widens'],
  ),
  fault(
    'any-audience',
    'A policy limits no audience.',
    [
      `${FOLDER}/exchange-policy.ts`,
      'const isAllowed = memberOf(audiences);',
      "const isAllowed = (value: string): boolean => value !== '';",
    ],
    [EXCHANGES, 'audience and resource must be in the policy'],
  ),
  fault(
    'lives-longer',
    'An exchanged token outlives the token that it comes from.',
    ['src/grants/issue-token.ts', '    endsAt - now,\n', ''],
    [EXCHANGES, 'the new token expires no later than the subject token'],
  ),
  fault(
    'public-client',
    'A client without a policy exchanges for its own scope.',
    [
      `${FOLDER}/exchange-policy.ts`,
      '  if (configured === undefined)\n    throw unauthorized(',
      "  if (configured === undefined && stored.client_id === '')\n    throw unauthorized(",
    ],
    [EXCHANGES, 'a client without a policy, a public client'],
  ),
  fault(
    'without-actor',
    'A token of an exchange names no actor.',
    [
      `${FOLDER}/acting-party.ts`,
      '  if (!isDelegation) return subject.act;',
      '  if (!isDelegation || sub !== iss) return subject.act;',
    ],
    [ACTORS, 'the new token names the actor'],
  ),
  fault(
    'any-actor',
    'A client names any actor whose token it has.',
    [`${FOLDER}/acting-party.ts`, '  if (!isAllowed)', "  if (!isAllowed && actor.sub === '')"],
    [ACTORS, 'a policy names the actors'],
  ),
  fault(
    'without-key',
    'A bound token is exchanged without its key.',
    [
      `${FOLDER}/exchanged-token.ts`,
      'if (cnf === undefined || confirms(',
      'if (cnf !== undefined || confirms(',
    ],
    [ACTORS, 'a token that is bound to a key is exchanged with a proof by that key alone'],
  ),
  fault(
    'outlives-sqlite',
    'A revocation leaves what was exchanged from the token (SQLite).',
    [
      'src/storage/sqlite/access-tokens.ts',
      '    for (const row of removeExchanged.all(tenant, end.key)) journal(tenant, tokenEnd(row));\n',
      '    if (removeExchanged === undefined) journal(tenant, end);\n',
    ],
    ['src/storage/sqlite/storage.test.ts', 'the revocation of a token ends the whole chain'],
  ),
  fault(
    'outlives-grant-postgres',
    'The end of a grant leaves what was exchanged from its tokens (PostgreSQL).',
    [
      'src/storage/postgres/grants.ts',
      'origin.origin_key = ANY(:keys::text[])',
      "origin.origin_key = ANY(:keys::text[]) AND origin.key = ''",
    ],
    ['src/storage/postgres/storage.test.ts', 'it ends with the grant of its origin'],
  ),
  fault(
    'outlives-client',
    'A token stays good when a client before it is deleted.',
    [
      'src/storage/record-cache.ts',
      "return via?.split(' ').some((instance) => ended.has(instance as ClientInstance)) === true;",
      "return via === '' && ended.size > 0;",
    ],
    [
      'src/storage/record-cache.test.ts',
      'an exchanged token is not found any more once a client before it has ended, though the journal names the client alone',
    ],
  ),
  fault(
    'beside-revocation-postgres',
    'An exchange does not wait for a revocation beside it (PostgreSQL).',
    [
      'src/storage/postgres/access-tokens.ts',
      '      // Without the lock it could be committed beside the end of a token that it was exchanged from, and neither would see the other.\n      locksTenant: true,',
      '      locksTenant: false,',
    ],
    ['src/storage/postgres/storage.test.ts', 'of exchanges and a revocation at once, over two views'],
  ),
  fault(
    'foreign-without-policy',
    'A client exchanges tokens of every trusted issuer.',
    [
      `${FOLDER}/token-exchange.ts`,
      '    if (!subjectIssuers.includes(iss))',
      "    if (!subjectIssuers.includes(iss) && iss === '')",
    ],
    [ISSUERS, 'a policy names the other issuers'],
  ),
  fault(
    'may-act-ignored',
    'Any party exchanges a token with may_act.',
    [`${FOLDER}/acting-party.ts`, '  if (!isMet)', "  if (!isMet && party.sub === '')"],
    [ISSUERS, 'a JWT with may_act is exchanged by the party that it names alone'],
  ),
  fault(
    'foreign-actor-looks-local',
    'An actor in a JWT of another issuer names itself one of this server.',
    [
      `${FOLDER}/foreign-token.ts`,
      "  return { ...stated, sub: stated['sub'], iss };",
      "  return { iss, ...stated, sub: stated['sub'] };",
    ],
    [ISSUERS, 'an actor in a JWT stays nested'],
  ),
  fault(
    'id-jag-of-another-client',
    'An identity assertion grant is given for the ID token of another client.',
    [
      `${FOLDER}/id-jag.ts`,
      '  if (idToken.client_id !== stored.client_id)',
      "  if (idToken.client_id !== stored.client_id && idToken.client_id === '')",
    ],
    [GRANTS, 'the ID token was issued to this client'],
  ),
  fault(
    'id-jag-after-logout',
    'A person who has signed out gets identity assertion grants.',
    [
      `${FOLDER}/id-jag.ts`,
      '  return session?.sub === sub && clock.now() < session.expires_at;',
      '  return session?.sub !== sid && clock.now() > 0;',
    ],
    [GRANTS, 'an ID token that has expired, of a session that has ended'],
  ),
  fault(
    'id-jag-lives-long',
    'An identity assertion grant outlives its ID token.',
    [
      `${FOLDER}/id-jag.ts`,
      "Math.min(now + needs.settings['token-exchange.id-jag-lifetime'], idToken.expires_at)",
      "Math.max(now + needs.settings['token-exchange.id-jag-lifetime'], 0)",
    ],
    [GRANTS, 'a grant expires no later than its ID token'],
  ),
  fault(
    'id-jag-for-any-client',
    'Any client presents an identity assertion grant.',
    ['src/grants/jwt-bearer.ts', '  if (client_id !== client.stored.client_id)', "  if (client_id === '')"],
    [GRANTS, 'a grant names the client that presents it'],
  ),
  fault(
    'id-jag-widens',
    'A token for an identity assertion grant has all scope of its issuer.',
    [
      'src/grants/jwt-bearer.ts',
      'issuer.scope.filter((value) => limit.includes(value))',
      "issuer.scope.filter((value) => limit.includes(value) || value !== '')",
    ],
    [GRANTS, 'a request may narrow scope and resource of the grant'],
  ),
  fault(
    'id-jag-of-itself',
    'A server takes identity assertion grants that it issued itself.',
    ['src/grants/jwt-bearer.ts', '  if (iss === ownIssuer)', "  if (iss === ownIssuer && jti === '')"],
    [GRANTS, 'a public client may present no grant'],
  ),
  fault(
    'uses-ignored',
    'A JWT of an issuer is good for every use.',
    [
      'src/grants/trusted-jwt.ts',
      'issuer.uses.flatMap((one) => use.types[one] ?? [])',
      'Object.values(use.types).flat()',
    ],
    [GRANTS, 'a grant has its own type'],
  ),
  fault(
    'after-a-deletion',
    'A token is exchanged after its client was deleted, and no reader of the feed learns that it has ended.',
    [
      'src/storage/sqlite/access-tokens.ts',
      'SELECT 1 FROM access_token AS token WHERE tenant = ?1 AND key = ?2 AND',
      'SELECT 1 FROM access_token AS token WHERE tenant = ?1 AND key = ?2 OR 0 AND',
    ],
    [STORAGE, 'H-725 nothing is stored for a token whose client, or one before it, is deleted meanwhile'],
  ),
  {
    name: 'exchange-outlives-a-deleted-client',
    fault: 'A resource server with the feed accepts a token that was exchanged from one of a deleted client.',
    edits: [
      {
        file: 'src/storage/sqlite/client-life.ts',
        find: 'journal(tenant, tokenEnd(row));',
        replace: 'void row;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/revocation-feed/every-path.test.ts',
        test: 'the feed tells the token of another client that was exchanged from a token of a deleted client',
      },
    ],
  },
];
