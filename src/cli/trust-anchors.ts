import { areCompared, offeredThumbprints } from '../federation/trust-anchors/anchor-rollover.ts';
import { shownKeys } from '../federation/trust-anchors/shown-keys.ts';
import type { AnchorView } from '../federation/trust-anchors/trust-anchors.ts';
import type { TenantFederation } from '../tenant/tenant.ts';
import { command } from './command.ts';
import { CommandFailure } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { ACTOR, BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { printFields, table, timeText } from './table.ts';

const ANCHOR = { entity: { words: 'Names a trust anchor of `federation.trust-anchors`.' } } as const;

const OFFLINE_OPTION = {
  offline: {
    kind: 'flag',
    words: 'Uses what servers have seen, and does not fetch the configuration of the trust anchor.',
  },
} as const;

const THUMBPRINT_OPTION = {
  thumbprint: {
    kind: 'text',
    value: 'THUMBPRINT',
    repeated: true,
    words:
      'Names a key that you have compared with the operator of the trust anchor. If it announces other keys, the command accepts none. With --server, each announced key must be named.',
  },
} as const;

const HEADS = ['KID', 'STATE', 'SEEN SINCE', 'MISSING SINCE', 'THUMBPRINT'];

const show = command({
  words: ['federation', 'trust-anchors', 'show'],
  summary: 'Show the keys of the trust anchors: trusted, announced, missing',
  description: [
    'A trust anchor announces new keys in its entity configuration, which a trusted key signs (OpenID Federation 1.0 §11.2). The command fetches the configuration of each trust anchor and shows its keys beside those of the settings.',
    '`pinned` keys are in `federation.trust-anchors`, `accepted` and `followed` keys were announced and are trusted, `announced` keys are not trusted yet, and `withdrawn` keys are no longer trusted.',
  ],
  servers: BESIDE_SERVERS,
  options: { ...OFFLINE_OPTION, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output:
    'For each trust anchor its identifier, the expiry of its newest configuration, and a table of keys. With --json, one JSON object per line; its `trusted` has the keys in the form of the settings.',
  examples: [
    'chancery federation trust-anchors show',
    'chancery federation trust-anchors show --json --offline',
  ],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const federation = federationOf(session);
      const { trust, trustAnchors } = federation;
      const problems = new Map<string, string>();
      for (const { entity_id } of call.options.offline ? [] : trust.anchors) {
        const problem = await look(federation, entity_id);
        if (problem !== undefined) problems.set(entity_id, problem);
      }
      for (const anchor of await trustAnchors.view())
        print(anchor, problems.get(anchor.entity_id), call.options.json, call.print);
    });
  },
});

const accept = command({
  words: ['federation', 'trust-anchors', 'accept'],
  summary: 'Trust the keys that a trust anchor announces',
  description: [
    'The command trusts the keys of the newest entity configuration that a trusted key has signed, and ends the trust in keys that this configuration lacks. Compare the thumbprints with those that the operator of the trust anchor tells you.',
    'The database keeps the decision. Put the keys into `federation.trust-anchors` when you next edit the settings. An accepted key counts as long as the settings have the key that vouched for it.',
  ],
  servers: BESIDE_SERVERS,
  operands: ANCHOR,
  options: { ...THUMBPRINT_OPTION, ...OFFLINE_OPTION, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output: 'One line for each key that is trusted from now on, or no longer.',
  exits: {
    1: 'The trust anchor is not configured, its configuration is not signed with a trusted key, or the command failed.',
  },
  examples: [
    'chancery federation trust-anchors accept https://anchor.example.org',
    'chancery federation trust-anchors accept https://anchor.example.org --thumbprint 0TfG4…Qk --server https://op.example.com --token-file admin.token',
  ],
  run: async (call) => {
    const { entity } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      const federation = federationOf(session);
      requireAnchor(federation, entity);
      const problem = call.options.offline ? undefined : await look(federation, entity);
      if (call.options.thumbprint !== undefined)
        await requireCompared(session, entity, call.options.thumbprint);
      const by = { actor: ACTOR, request_id: session.request_id };
      const events = await federation.trustAnchors.accept(entity, by);
      if (events === undefined)
        throw new CommandFailure('the keys changed meanwhile: look at them again with show');
      for (const { kind, key } of events)
        call.print(
          `${String(key.jwk['kid'])} ${key.thumbprint} ${kind === 'accepted' ? 'is trusted' : 'is no longer trusted'}`,
        );
      if (events.length > 0) return;
      if (problem !== undefined) throw new CommandFailure(problem);
      call.print(`${entity} announces no new keys`);
    });
  },
});

const reset = command({
  words: ['federation', 'trust-anchors', 'reset'],
  summary: 'Forget accepted keys: trust the keys of the settings only',
  description: [
    'The command deletes what servers have seen of the keys of a trust anchor, and every decision about them. Use it after you have put other keys into `federation.trust-anchors`.',
  ],
  servers: BESIDE_SERVERS,
  operands: ANCHOR,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line.',
  examples: ['chancery federation trust-anchors reset https://anchor.example.org'],
  run: async (call) => {
    const { entity } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      const { trustAnchors } = federationOf(session);
      const by = { actor: ACTOR, request_id: session.request_id };
      const isReset = await trustAnchors.reset(entity, by);
      call.print(isReset ? `${entity} has the keys of the settings` : `nothing is stored about ${entity}`);
    });
  },
});

function federationOf({ tenant }: RegistrySession): TenantFederation {
  if (tenant.federation === undefined) throw new CommandFailure('federation.enabled is false');
  return tenant.federation;
}

function requireAnchor({ trust }: TenantFederation, entityId: string): void {
  if (trust.anchors.some(({ entity_id }) => entity_id === entityId)) return;
  throw new CommandFailure(`federation.trust-anchors does not name ${entityId}`);
}

async function requireCompared(
  session: RegistrySession,
  entityId: string,
  compared: readonly string[],
): Promise<void> {
  const anchors = await federationOf(session).trustAnchors.view();
  const anchor = anchors.find(({ entity_id }) => entity_id === entityId);
  if (anchor === undefined) return;
  const offered = offeredThumbprints(anchor.pins, anchor.record, session.needs.clock.now());
  if (areCompared(offered, compared)) return;
  throw new CommandFailure(`the trust anchor announces other keys: ${offered.join(', ') || 'none'}`);
}

/** Observes the configuration of an anchor. Returns why its keys are not known better now. */
async function look({ trust }: TenantFederation, entityId: string): Promise<string | undefined> {
  const { lookAtAnchor } = await import('../federation/trust-anchors/look-at-anchor.ts');
  const outcome = await lookAtAnchor(trust, entityId);
  if (outcome === 'trusted') return undefined;
  if (outcome === 'untrusted')
    return `the configuration of ${entityId} is not signed with a trusted key: ask its operator for the keys`;
  return `the configuration of ${entityId} is not known now: ${outcome.words}${outcome.detail === undefined ? '' : ` (${outcome.detail})`}`;
}

function print(
  anchor: AnchorView,
  problem: string | undefined,
  json: boolean,
  line: (text: string) => void,
): void {
  const { entity_id, record, trusted } = anchor;
  const keys = shownKeys(anchor);
  if (json) {
    const expires_at = record.exp === 0 ? null : record.exp;
    const shown = {
      entity_id,
      expires_at,
      problem: problem ?? null,
      keys,
      trusted: { keys: trusted.map(({ jwk }) => jwk) },
    };
    line(JSON.stringify(shown));
    return;
  }
  printFields(line, [
    ['trust anchor', entity_id],
    ['configuration expires', timeText(record.exp, 'never seen')],
    ...(problem === undefined ? [] : [['problem', problem] as const]),
  ]);
  table(line, HEADS).print(
    keys.map(({ kid, state, since, missing_since, thumbprint }) => [
      kid,
      state,
      timeText(since, '-'),
      timeText(missing_since, '-'),
      thumbprint,
    ]),
  );
  line('');
}

export const TRUST_ANCHOR_COMMANDS = [show, accept, reset];
