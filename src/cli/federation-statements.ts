import type { Examination } from '../federation/examine-statement.ts';
import type { JsonMembers } from '../federation/json-value.ts';
import type { StatementRules } from '../federation/statement-checks/statement-check.ts';
import type { UnverifiedJwt } from '../ports/jwt-inspector.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { type Call, command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { readInput } from './input.ts';
import { READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import {
  CONFIG_OPTION,
  JSON_OPTION,
  MODE_OPTION,
  modeOf,
  REGISTRY_OPTIONS,
  SETTINGS_VARIABLES,
  settingsFor,
} from './settings.ts';
import { printFields, timeText } from './table.ts';

const entityConfiguration = command({
  words: ['federation', 'entity-configuration'],
  summary: 'Print the entity configuration of this server',
  description: [
    'The command signs the entity configuration (OpenID Federation 1.0 §9) as a server does at /.well-known/openid-federation. A superior that enrols this server needs its entity identifier and its keys (`jwks`).',
    'The command connects to no server. It shows what the settings of this call say, so that a change can be looked at before a server uses it.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    jwt: { kind: 'flag', words: 'Prints the signed statement, as superiors fetch it. Excludes --json.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The claims, one line for each member. With --json, one JSON object.',
  exits: { 1: 'The federation is not enabled, or the command failed.' },
  examples: [
    'chancery federation entity-configuration',
    'chancery federation entity-configuration --json | jq .jwks',
  ],
  run: async (call) => {
    const { json, jwt } = call.options;
    if (json && jwt) throw calledWrongly('--json and --jwt exclude each other');
    await withRegistry(call, { create: false }, async ({ tenant, settings }) => {
      const statement = await tenant.entityStatement();
      if (statement === undefined)
        throw new CommandFailure('federation.enabled is false: this server has no entity configuration');
      if (jwt) {
        call.print(statement);
        return;
      }
      const { claims } = await inspected(statement, settings['federation.statement-length']);
      if (json) call.print(JSON.stringify(claims));
      else printFields(call.print, fieldsOf(claims));
    });
  },
});

/** Returns the claims for people: times as times, keys by their `kid`, metadata by entity type. */
function fieldsOf(claims: JsonMembers): readonly (readonly [string, string])[] {
  const { jwks, metadata, iat, exp, ...others } = claims as JsonMembers & {
    readonly jwks: { readonly keys: readonly JsonWebKey[] };
    readonly metadata?: Readonly<Record<string, JsonMembers>>;
  };
  const words = (value: unknown): string => {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return typeof value === 'string' ? value : isList ? value.join(' ') : JSON.stringify(value);
  };
  return [
    ...Object.entries(others).map(([name, value]) => [name, words(value)] as const),
    ['iat', timeText(Number(iat), '-')],
    ['exp', timeText(Number(exp), '-')],
    ['keys', jwks.keys.map(({ kid, kty, crv }) => `${words(kid)} (${words(crv ?? kty)})`).join(' ')],
    ...Object.entries(metadata ?? {}).flatMap(([type, members]) =>
      Object.entries(members).map(([name, value]) => [`${type}.${name}`, words(value)] as const),
    ),
  ];
}

const KINDS = ['configuration', 'subordinate', 'request'] as const;
const LENGTH_MAX = 1_048_576;

const VALIDATE_OPTIONS = {
  kind: {
    kind: 'choice',
    values: KINDS,
    words:
      'Says what the statement is: an entity configuration, a subordinate statement, or a request for explicit registration at this server. Without it, `iss` and `aud` decide.',
  },
  'issuer-jwks': {
    kind: 'text',
    value: 'FILE',
    words:
      'Names the file with the federation keys of the issuer of a subordinate statement, as a JWK set. Without it, the issuer must be a configured trust anchor.',
  },
  ...JSON_OPTION,
  ...CONFIG_OPTION,
  ...MODE_OPTION,
} as const;

const validate = command({
  words: ['federation', 'validate'],
  summary: 'Check an entity statement from a file against every rule',
  description: [
    'The command checks the statement as the server does (OpenID Federation 1.0 §3.2), its signature included, up to the first rule that fails. It connects to no server and opens no database.',
    'A valid statement is not a trusted one: `chancery federation resolve` searches for the trust chain.',
  ],
  servers: 'The command uses no data of a server. Servers may run meanwhile.',
  operands: {
    file: { words: 'Names the file with the statement, a JWT in compact form; `-` reads standard input.' },
  },
  options: VALIDATE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A line for each check, and the reason if one failed. With --json, one JSON object.',
  exits: { 1: 'The statement breaks a rule, or the command failed.' },
  examples: [
    'curl -s https://rp.example.org/.well-known/openid-federation | chancery federation validate -',
    'chancery federation validate statement.jwt --issuer-jwks superior.json',
  ],
  run: async (call) => {
    const text = Buffer.from(await readInput(call.operands.file, LENGTH_MAX)).toString('utf8');
    const { examineStatement } = await import('../federation/examine-statement.ts');
    const { joseJwtInspector } = await import('../jose/jwt-verifier.ts');
    const statement = text.trim();
    const rules = await rulesFor(call, await inspected(statement, LENGTH_MAX));
    const examination = await examineStatement(joseJwtInspector, statement, rules);
    await show(examination, rules, call);
    return 'reason' in examination.outcome ? 1 : 0;
  },
});

type ValidateCall = Pick<Call<typeof VALIDATE_OPTIONS>, 'options' | 'environment' | 'print' | 'complain'>;

async function inspected(statement: string, lengthMax: number): Promise<UnverifiedJwt> {
  const { joseJwtInspector } = await import('../jose/jwt-verifier.ts');
  const jwt = joseJwtInspector.inspect(statement, lengthMax);
  if ('reason' in jwt)
    throw new CommandFailure(`the statement is not a signed JWT in compact form (${jwt.reason})`);
  return jwt;
}

async function rulesFor(call: ValidateCall, { claims }: UnverifiedJwt): Promise<StatementRules> {
  const { commandTrust } = await import('./federation-trust.ts');
  const { systemClock } = await import('../system/clock.ts');
  const { settings } = await settingsFor(modeOf(call), call);
  const trust = await commandTrust(call);
  const { iss, sub, aud } = claims;
  const kind =
    call.options.kind ?? (iss !== sub ? 'subordinate' : aud === undefined ? 'configuration' : 'request');
  const rules = {
    kind,
    now: systemClock.now(),
    limits: trust.limits.statement,
    allowHttp: trust.allowHttp,
    addressProblem: () => undefined,
  };
  if (kind === 'request') {
    const request = {
      dialect: 'final',
      audience: settings.issuer,
      audienceRequired: true,
      ageMax: settings['federation.request-age'],
      lifetimeMax: settings['federation.request-lifetime'],
    } as const;
    return { ...rules, request };
  }
  if (kind === 'configuration') return rules;
  const keys = await issuerKeys(call, trust.anchors.find(({ entity_id }) => entity_id === iss)?.keys);
  return { ...rules, issuer: { entity_id: typeof iss === 'string' ? iss : '', keys } };
}

/** Returns the keys of the issuer of a subordinate statement. Rejects with CommandFailure without such keys. */
async function issuerKeys(
  { options: { 'issuer-jwks': file } }: ValidateCall,
  configured: readonly JsonWebKey[] | undefined,
): Promise<readonly JsonWebKey[]> {
  if (file === undefined) {
    if (configured !== undefined) return configured;
    throw calledWrongly(
      '--issuer-jwks must name the keys of the issuer, which is no configured trust anchor',
    );
  }
  const { federationKeysProblem } = await import('../federation/statement-checks/key-checks.ts');
  const { parseJsonObject } = await import('../spec/json.ts');
  const { members } = parseJsonObject(await readInput(file, LENGTH_MAX), { depth: 16, members: 1000 });
  const problem = federationKeysProblem(members, KEYS_MAX, true);
  if (problem !== undefined) throw new CommandFailure(`${file} ${problem}`);
  return (members as { readonly keys: readonly JsonWebKey[] }).keys;
}

const KEYS_MAX = 100;

async function show(
  { checks, outcome }: Examination,
  { kind }: StatementRules,
  { options: { json }, print }: ValidateCall,
): Promise<void> {
  const { checkLine, counted, plain, reasonWords } = await import('../federation/explain/words.ts');
  if (json) {
    const told =
      'reason' in outcome
        ? { valid: false, reason: outcome.reason }
        : { valid: true, iss: outcome.statement.iss, sub: outcome.statement.sub, exp: outcome.statement.exp };
    print(JSON.stringify({ kind, ...told, checks }));
    return;
  }
  for (const check of checks) print(plain(checkLine(check)));
  const verdict =
    'reason' in outcome
      ? `not valid as a ${kind}: ${reasonWords(outcome.reason)}`
      : `valid as a ${kind}: ${counted(checks.length, 'check')} passed, expires ${timeText(outcome.statement.exp, '-')}`;
  print(plain(verdict));
}

export const STATEMENT_COMMANDS = [entityConfiguration, validate];
