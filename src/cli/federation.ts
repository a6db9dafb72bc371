import { dirname } from 'node:path';
import { type Explained, explainedOfJson } from '../federation/explain/explained.ts';
import type { JsonMembers } from '../federation/json-value.ts';
import type { Resolution, TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import type { UnverifiedJwt } from '../ports/jwt-inspector.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { type Call, type Command, command, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { MEMBER_COMMANDS } from './federation-members.ts';
import { STATEMENT_COMMANDS } from './federation-statements.ts';
import { SERVER_OPTIONS } from './remote/options.ts';
import { serverOf } from './remote/server-option.ts';
import { CONFIG_OPTION, MODE_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';
import { TRUST_ANCHOR_COMMANDS } from './trust-anchors.ts';

const RESOLVE_OPTIONS = {
  anchor: {
    kind: 'text',
    value: 'ENTITY',
    words: 'Uses only this trust anchor of `federation.trust-anchors`.',
  },
  json: { kind: 'flag', words: 'Prints the resolution as one JSON document. Excludes --svg.' },
  svg: { kind: 'flag', words: 'Prints a picture of the chain as SVG. Excludes --json.' },
  verbose: {
    kind: 'flag',
    words: 'Prints the source of each statement, each check and each policy operator as text.',
  },
  ...SERVER_OPTIONS,
  ...CONFIG_OPTION,
  ...MODE_OPTION,
} as const;

const RESOLVE_OPERANDS = { entity: { words: 'Names the entity by its entity identifier, a URL.' } } as const;

type ResolveCall = Call<typeof RESOLVE_OPTIONS, typeof RESOLVE_OPERANDS>;

const resolve = command({
  words: ['federation', 'resolve'],
  summary: 'Search for a trust chain to an entity and explain the outcome',
  description: [
    'The command searches as the server does (OpenID Federation 1.0 §10): it fetches entity statements over the network, checks them, and applies the metadata policies. It opens the database only if a trust anchor signs with a key that the settings do not have: servers may have accepted it.',
    'Without a chain, the output gives the reason of a complete but invalid chain, otherwise the reason of the longest path.',
    'With --server, that server searches, with its own settings, cache and network. Its audit has an event.',
  ],
  servers: 'Servers may run on the same database meanwhile. The command only reads.',
  operands: RESOLVE_OPERANDS,
  options: RESOLVE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'The outcome, the resulting metadata with the policy operators that changed it, and a line for each statement.',
  exits: { 1: 'There is no trust chain, or the command failed.' },
  examples: [
    'chancery federation resolve https://rp.example.org --svg > chain.svg',
    'chancery federation resolve https://rp.example.org --server https://op.example.com --token-file admin.token',
    'chancery federation resolve http://127.0.0.1:8091/rp --mode development --config data/development-federation.yaml',
  ],
  run: async (call) => {
    const { json, svg, verbose } = call.options;
    if (json && svg) throw calledWrongly('--json and --svg exclude each other');
    const server = serverOf(call);
    const document = server === undefined ? await resolvedHere(call) : await resolvedOn(server, call);
    const explained = explainedOfJson(document);
    for (const line of await shown(document, explained, { json, svg, verbose })) call.print(line);
    return explained.chain === undefined ? 1 : 0;
  },
});

async function resolvedOn(url: string, call: ResolveCall): Promise<JsonValue> {
  const { openServer } = await import('./remote/server.ts');
  const body = { entity_id: call.operands.entity, trust_anchor: call.options.anchor };
  const { json } = await openServer(url, call).send('admin-federation-resolve', { body });
  return json as JsonValue;
}

async function resolvedHere(call: ResolveCall): Promise<JsonValue> {
  const { entity } = call.operands;
  const { resolveTrust } = await import('../federation/trust-chain/resolve-trust.ts');
  const { entityIdProblem } = await import('../federation/entity-id.ts');
  const { resolutionAsJson } = await import('../federation/explain/json.ts');
  const { commandTrust, storedAnchors } = await import('./federation-trust.ts');
  const trust = await commandTrust(call);
  const problem = entityIdProblem(entity, trust.allowHttp);
  if (problem !== undefined) throw calledWrongly(`ENTITY ${problem}`);
  const resolveWith = async (needs: TrustNeeds): Promise<Resolution> =>
    await resolveTrust(withAnchor(needs, call.options.anchor), {
      subject: { entity_id: entity },
      entityType: undefined,
    });
  let resolution = await resolveWith(trust);
  if (resolution.reason?.code === 'chain_anchor_key') {
    const stored = await storedAnchors(call);
    if (stored.length > 0) resolution = await resolveWith(await commandTrust(call, stored));
  }
  return resolutionAsJson(resolution);
}

function withAnchor(needs: TrustNeeds, wanted: string | undefined): TrustNeeds {
  if (needs.anchors.length === 0) throw new CommandFailure('federation.trust-anchors is empty');
  if (wanted === undefined) return needs;
  const anchors = needs.anchors.filter(({ entity_id }) => entity_id === wanted);
  if (anchors.length === 0) throw new CommandFailure(`federation.trust-anchors does not name ${wanted}`);
  return { ...needs, anchors };
}

async function shown(
  document: JsonValue,
  explained: Explained,
  { json, svg, verbose }: { readonly json: boolean; readonly svg: boolean; readonly verbose: boolean },
): Promise<readonly string[]> {
  if (json) return JSON.stringify(document, null, 2).split('\n');
  if (svg) {
    const { resolutionAsSvg } = await import('../federation/explain/svg.ts');
    return resolutionAsSvg(explained).trimEnd().split('\n');
  }
  const { resolutionAsText } = await import('../federation/explain/text.ts');
  return resolutionAsText(explained, { verbose });
}

const CONTENT_TYPES = {
  interface: 'application/jose',
  final: 'application/entity-statement+jwt',
} as const;

const LENGTH_MAX = 1_048_576;

const registerDemo = command({
  words: ['federation', 'register-demo'],
  summary: 'Register the relying party of `chancery dev --federation` at its server',
  description: [
    'The command shows explicit registration (OpenID Federation 1.0 §12.2) step by step. It runs beside `chancery dev --federation`, and finds the server and the federation in the data folder. If the server has another data folder, add the --config that the server printed.',
  ],
  servers: 'A server that was started with `chancery dev --federation` must run meanwhile.',
  options: {
    dialect: {
      kind: 'choice',
      values: ['interface', 'final'],
      default: 'interface',
      words:
        'Selects the content type of the request: application/jose (`interface`) or the type of the final specification, application/entity-statement+jwt (`final`).',
    },
    'second-anchor': {
      kind: 'flag',
      words:
        'Selects the second trust anchor of `chancery dev --second-anchor`: the relying party sends a trust chain to it, as application/trust-chain+json whatever --dialect says.',
    },
    ...CONFIG_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The request, the response, and the registered client.',
  exits: { 1: 'The server refused the registration, or the command failed.' },
  examples: ['chancery federation register-demo'],
  run: async (call) => {
    const { settings } = await settingsFor('development', call);
    const { dataFolder } = await import('./development.ts');
    const { startedLab } = await import('./federation-lab.ts');
    const { labChain, labRequest } = await import('./lab-statements.ts');
    const { config } = call.options;
    // The printed --config lies in the data folder, which a database on another machine does not name.
    const lab =
      (config === undefined ? undefined : startedLab(dirname(config))) ?? startedLab(dataFolder(settings));
    if (lab === undefined)
      throw new CommandFailure(
        `no federation has been started on the data in ${dataFolder(settings)}: start the server with npm start -- --federation (chancery dev --federation), or name the settings file that it printed with --config`,
      );
    const isSecond = call.options['second-anchor'];
    if (isSecond && !lab.secondAnchor)
      throw new CommandFailure('there is no second trust anchor: start the server with dev --second-anchor');
    const now = Math.floor(Date.now() / 1000);
    const request = await labRequest(lab, now);
    const sent = isSecond
      ? {
          contentType: 'application/trust-chain+json',
          body: JSON.stringify(await labChain(lab, request, 'second-anchor', now)),
        }
      : { contentType: CONTENT_TYPES[call.options.dialect], body: request };
    return await showRegistration(lab.issuer, { request, ...sent }, call);
  },
});

interface DemoRequest {
  /** The statement of the relying party. */
  readonly request: string;
  readonly contentType: string;
  readonly body: string;
}

async function showRegistration(
  issuer: string,
  { request, contentType, body }: DemoRequest,
  { print }: Surroundings,
): Promise<number> {
  const show = (title: string, value: unknown): void =>
    [title, ...JSON.stringify(value, null, 2).split('\n'), ''].forEach(print);
  const { claims: sent } = await read(request);
  show(`1. The relying party signs a statement about itself, for ${issuer} alone:`, sent);
  const address = `${issuer}/federation/clients`;
  const headers = { 'content-type': contentType };
  const response = await asked(address, { method: 'POST', headers, body });
  const text = await response.text();
  print(`2. POST ${address}, ${contentType}: ${response.status} ${response.headers.get('content-type')}`);
  print('');
  if (response.status !== 200) {
    print(text);
    return 1;
  }
  const answer = await verified(text, issuer);
  const { metadata, ...claims } = answer.claims;
  show('3. The answer, signed by the federation key of the server’s entity configuration:', {
    header: answer.header,
    claims,
  });
  const { openid_relying_party } = metadata as { readonly openid_relying_party: JsonMembers };
  show('4. The registered client:', openid_relying_party);
  return 0;
}

async function asked(address: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch {
    throw new CommandFailure(`no server answers at ${address}: start it with dev --federation`);
  }
}

async function verified(text: string, issuer: string): Promise<UnverifiedJwt> {
  const { joseJwtInspector } = await import('../jose/jwt-verifier.ts');
  const answer = await read(text);
  const keys = await federationKeysOf(issuer);
  const problem = await joseJwtInspector.signatureProblem(answer, keys, ['RS256']);
  if (problem === undefined) return answer;
  throw new CommandFailure(`the answer is not signed by the server: ${problem}`);
}

async function read(jwt: string): Promise<UnverifiedJwt> {
  const { joseJwtInspector } = await import('../jose/jwt-verifier.ts');
  const inspected = joseJwtInspector.inspect(jwt, LENGTH_MAX);
  if ('reason' in inspected) throw new CommandFailure('the answer is not a signed JWT');
  return inspected;
}

async function federationKeysOf(issuer: string): Promise<readonly JsonWebKey[]> {
  const response = await asked(`${issuer}/.well-known/openid-federation`);
  const { jwks } = (await read(await response.text())).claims;
  return (jwks as { readonly keys: readonly JsonWebKey[] }).keys;
}

export const FEDERATION_COMMANDS: readonly Command[] = [
  ...MEMBER_COMMANDS,
  ...STATEMENT_COMMANDS,
  resolve,
  registerDemo,
  ...TRUST_ANCHOR_COMMANDS,
];
