import type { ConfiguredTrustAnchor } from '../config/federation-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError, type SettingsProblem } from '../config/settings-error.ts';
import { entityIdProblem } from '../federation/entity-id.ts';
import { federationKeysProblem } from '../federation/statement-checks/key-checks.ts';
import type { TrustLimits, TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import { statementSource } from '../federation/trust-chain/statement-source.ts';
import type { TrustAnchor } from '../federation/trust-chain/trust-anchor.ts';
import { joseJwtInspector } from '../jose/jwt-inspector.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { JsonValue } from '../spec/json.ts';

const PATH = 'federation.trust-anchors';

/** Hints of one entity, followed or not; an entity with more superiors is one that wants something. */
const AUTHORITY_HINTS_MAX = 50;

/** Ways upwards that one resolution looks at: of few statements a net of superiors makes many ways. */
const PATHS_MAX = 100;

/**
 * What trust chains are resolved with.
 * @throws SettingsError for anchors that could never be used: better at start than at the first relying party
 */
export function openTrust(settings: Settings, outbound: OutboundHttp, clock: Clock): TrustNeeds {
  const allowHttp = settings['outbound.allow-http'];
  const configured = settings[PATH];
  const problems = configured.flatMap((anchor, index) =>
    anchorProblems(anchor, `${PATH}[${index}]`, settings['federation.statement-keys'], allowHttp),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  const keptMs = settings['federation.statement-cache'] * 1000;
  return {
    inspector: joseJwtInspector,
    source: statementSource({ outbound, clock, keptMs }),
    clock,
    outbound,
    anchors: configured.map(trustAnchor),
    limits: trustLimits(settings),
    allowHttp,
    requiredTrustMarks: settings['federation.required-trust-marks'],
  };
}

function trustAnchor({ 'entity-id': entity_id, jwks: { keys } }: ConfiguredTrustAnchor): TrustAnchor {
  return { entity_id, keys };
}

function anchorProblems(
  { 'entity-id': entityId, jwks }: ConfiguredTrustAnchor,
  path: string,
  keysMax: number,
  allowHttp: boolean,
): readonly SettingsProblem[] {
  const refused = (at: string, rule: string | undefined): readonly SettingsProblem[] =>
    rule === undefined ? [] : [{ path: path + at, source: 'at start', rule }];
  return [
    ...refused('.entity-id', entityIdProblem(entityId, allowHttp)),
    // Without kids, the one in the header of a statement would name none of them.
    ...refused('.jwks', federationKeysProblem(jwks as JsonValue, keysMax, true)),
  ];
}

function trustLimits(settings: Settings): TrustLimits {
  return {
    statement: {
      length: settings['federation.statement-length'],
      keys: settings['federation.statement-keys'],
      authorityHints: AUTHORITY_HINTS_MAX,
    },
    search: { hints: settings['federation.hints'], depth: settings['federation.depth'], paths: PATHS_MAX },
    budget: {
      fetches: settings['federation.fetches'],
      bytes: settings['federation.bytes'],
      timeMs: settings['federation.timeout'] * 1000,
    },
  };
}
