import type { OptionValues } from './command.ts';

/** The options that stand for usual members of client metadata (RFC 7591 §2). */
export const MEMBER_OPTIONS = {
  name: { kind: 'text', value: 'NAME', words: 'Sets `client_name`, and takes the place of FILE.' },
  'redirect-uri': {
    kind: 'text',
    value: 'URI',
    repeated: true,
    words: 'Adds a value to `redirect_uris`.',
  },
  'post-logout-redirect-uri': {
    kind: 'text',
    value: 'URI',
    repeated: true,
    words: 'Adds a value to `post_logout_redirect_uris`.',
  },
  'grant-type': { kind: 'text', value: 'GRANT', repeated: true, words: 'Adds a value to `grant_types`.' },
  scope: {
    kind: 'text',
    value: 'SCOPE',
    repeated: true,
    words: 'Adds values to `scope`. Several may stand in one SCOPE, with spaces between them.',
  },
  'auth-method': { kind: 'text', value: 'METHOD', words: 'Sets `token_endpoint_auth_method`.' },
  'application-type': {
    kind: 'choice',
    values: ['web', 'native'],
    words: 'Sets `application_type`.',
  },
  id: {
    kind: 'text',
    value: 'ID',
    words: 'Sets the client_id instead of a random one (`preferred_client_id`).',
  },
} as const;

type MemberOptions = OptionValues<typeof MEMBER_OPTIONS>;

/** Says whether an option stands for a member. */
export function hasMembers(options: MemberOptions): boolean {
  return Object.values(membersOf(options)).some((value) => value !== undefined);
}

/** Returns a registration request as JSON. */
export function metadataOfOptions(options: MemberOptions): Uint8Array {
  const members = membersOf(options);
  const usual = members.redirect_uris === undefined ? ['client_credentials'] : undefined;
  return Buffer.from(JSON.stringify({ ...members, grant_types: members.grant_types ?? usual }));
}

function membersOf(options: MemberOptions) {
  return {
    client_name: options.name,
    redirect_uris: options['redirect-uri'],
    post_logout_redirect_uris: options['post-logout-redirect-uri'],
    grant_types: options['grant-type'],
    scope: options.scope?.join(' '),
    token_endpoint_auth_method: options['auth-method'],
    application_type: options['application-type'],
    preferred_client_id: options.id,
  };
}
