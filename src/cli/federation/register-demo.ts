import { parseArgs } from 'node:util';
import type { JsonMembers } from '../../federation/entity-statement.ts';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import type { UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import type { Run } from '../commands.ts';
import { dataFolder } from '../dev/development-settings.ts';
import { startedLab } from '../federation-lab/lab-data.ts';
import { labRequest } from '../federation-lab/lab-statements.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';

const TYPES: Readonly<Record<string, string>> = {
  interface: 'application/jose',
  final: 'application/entity-statement+jwt',
};

const LENGTH_MAX = 1_048_576;

/** Explicit registration as a relying party does it, step by step on the screen (OpenID Federation 1.0 §12.2). */
export const run: Run = async (parameters, context) => {
  const { values } = parseArgs({
    args: [...parameters],
    options: { ...CONFIG_OPTION, dialect: { type: 'string', default: 'interface' } },
  });
  const contentType = TYPES[values.dialect];
  if (contentType === undefined) throw calledWrongly('--dialect must be interface or final');
  const resolved = settingsFor('development', values.config, context);
  if (resolved === undefined) return 1;
  const { issuer } = resolved.settings;
  const lab = startedLab(dataFolder(resolved.settings));
  if (lab === undefined) throw new CommandFailure('start the server with dev --federation first');
  const show = (title: string, value: unknown): void => {
    context.print(`${title}\n${JSON.stringify(value, null, 2)}\n`);
  };
  const request = await labRequest(lab, issuer, Math.floor(Date.now() / 1000));
  show(`1. The relying party signs a statement about itself, for ${issuer} alone:`, read(request).claims);
  const address = `${issuer}/federation/clients`;
  const response = await asked(address, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: request,
  });
  const text = await response.text();
  context.print(
    `2. POST ${address}, ${contentType}: ${response.status} ${response.headers.get('content-type')}\n`,
  );
  if (response.status !== 200) {
    context.print(text);
    return 1;
  }
  const answer = read(text);
  const keys = await federationKeysOf(issuer);
  const problem = await joseJwtInspector.signatureProblem(answer, keys, ['RS256']);
  if (problem !== undefined) throw new CommandFailure(`the answer is not signed by the server: ${problem}`);
  const { metadata, ...claims } = answer.claims;
  show('3. The answer, signed by the federation key of the server’s entity configuration:', {
    header: answer.header,
    claims,
  });
  const { openid_relying_party } = metadata as { readonly openid_relying_party: JsonMembers };
  show('4. The registered client:', openid_relying_party);
  return 0;
};

async function asked(address: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch {
    throw new CommandFailure(`no server answers at ${address}: start it with dev --federation`);
  }
}

function read(jwt: string): UnverifiedJwt {
  const inspected = joseJwtInspector.inspect(jwt, LENGTH_MAX);
  if ('reason' in inspected) throw new CommandFailure('the answer is no signed JWT');
  return inspected;
}

async function federationKeysOf(issuer: string): Promise<readonly JsonWebKey[]> {
  const response = await asked(`${issuer}/.well-known/openid-federation`);
  const { jwks } = read(await response.text()).claims;
  return (jwks as { readonly keys: readonly JsonWebKey[] }).keys;
}
