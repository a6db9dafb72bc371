import { parseArgs } from 'node:util';
import { authorizeDirectly } from '../../grants/direct-authorization/authorize-directly.ts';
import { GRANT_TYPES } from '../../spec/grant-types.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { isRegistrationScope, privilegesOfScope } from '../../spec/registration-privileges.ts';
import { LOCATOR_LENGTH } from '../../tokens/token-identifier.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands, secondsOption } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, type RegistrySession, withRegistry } from '../registry-session.ts';
import { printFields, timeText } from '../table.ts';

/** Everything that a registration can ask for. */
const DEFAULT_SCOPE = ['client-reg'];

/** Makes a token that is good for one registration, and prints it with a command that uses it. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      scope: { type: 'string', multiple: true },
      label: { type: 'string' },
      lifetime: { type: 'string' },
      'redirect-host': { type: 'string', multiple: true },
    },
  });
  operands(positionals, []);
  const scope = registrationScope(values.scope);
  const request = {
    scope,
    ...(values.label === undefined ? {} : { label: values.label }),
    ...(values.lifetime === undefined ? {} : { lifetime: secondsOption('lifetime', values.lifetime) }),
    ...(values['redirect-host'] === undefined ? {} : { redirect_hosts: values['redirect-host'] }),
  };
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: true }, context, async (session) => {
    const { access_token, expires_in } = await authorize(session, request);
    const { clock, issuer } = session.needs;
    const id = access_token.slice(0, LOCATOR_LENGTH);
    const expires_at = clock.now() + expires_in;
    if (json) {
      context.print(JSON.stringify({ id, access_token, ...request, expires_at }));
      return 0;
    }
    printFields(context.print, [
      ['id', id],
      ['initial access token', access_token],
      ['label', values.label ?? '-'],
      ['scope', scope.join(' ')],
      ['expires', timeText(expires_at, '-')],
      ['redirect hosts', values['redirect-host']?.join(' ') ?? 'any'],
    ]);
    context.print('');
    context.print(curl(issuer, access_token, exampleRequest(scope, values['redirect-host'])));
    return 0;
  });
};

/** Each `--scope` may hold several values, as the parameter of the protocol does. */
function registrationScope(given: readonly string[] | undefined): readonly string[] {
  const scope = given?.flatMap((text) => text.split(' ').filter((value) => value !== '')) ?? DEFAULT_SCOPE;
  const stranger = scope.find((value) => !isRegistrationScope(value));
  if (stranger !== undefined) {
    throw calledWrongly(`--scope takes client-reg:… values, found ${JSON.stringify(stranger)}`);
  }
  if (scope.length === 0) throw calledWrongly('--scope is empty');
  // RFC 7591 §2: a client without `grant_types` has authorization_code, so every registration asks for a grant type.
  if (privilegesOfScope(scope).grant_types.length === 0) {
    throw calledWrongly(
      '--scope permits no grant type, so nothing could be registered: add client-reg:grant:…',
    );
  }
  return scope;
}

async function authorize(
  { needs, tenant, request_id }: RegistrySession,
  request: object,
): ReturnType<typeof authorizeDirectly> {
  return await authorizeDirectly(
    tenant.direct,
    parseJsonObject(Buffer.from(JSON.stringify(request)), needs.settings.json),
    { actor: ACTOR, request_id },
  );
}

/** A registration that the token permits. */
function exampleRequest(scope: readonly string[], hosts: readonly string[] = ['client.example']): object {
  const { grant_types } = privilegesOfScope(scope);
  const grants = grant_types === 'any' ? (['authorization_code'] as const) : grant_types;
  const redirects = grants.some((grant) => GRANT_TYPES[grant].redirects);
  return {
    grant_types: grants,
    ...(redirects ? { redirect_uris: [`https://${hosts[0]}/callback`] } : {}),
  };
}

function curl(issuer: string, token: string, request: object): string {
  return [
    `curl -s -H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json' -d '${JSON.stringify(request)}' ${issuer}/clients`,
  ].join(' ');
}
