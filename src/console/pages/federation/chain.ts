import type { ComponentChildren, VNode } from 'preact';
import type {
  AdminFederationCheck,
  AdminFederationEntity,
  AdminFederationPath,
  AdminFederationReason,
  AdminFederationStatement,
  AdminResolution,
} from '../../../client/client.ts';
import { t, tCount } from '../../state/messages.ts';
import { badge, notice } from '../../view/controls.ts';
import { code, details, div, h3, li, ol, p, pre, span, strong, summary, ul } from '../../view/elements.ts';
import { type Fact, facts } from '../../view/facts.ts';
import { icon } from '../../view/icon.ts';
import { dateText } from '../../view/time.ts';
import { isBroken, shownPath, triedBeside, vouches } from './path.ts';

/**
 * Draws a trust chain: a box for each entity, from the subject to its trust anchor, with keys, validity and checks. The boxes are
 * a list of words, so that readers of screens have the whole picture.
 */
export function chainPicture(resolution: AdminResolution): VNode {
  const path = shownPath(resolution);
  const beside = triedBeside(path);
  return div(
    { class: 'stack' },
    verdict(resolution),
    ol(
      { class: 'chain', 'aria-label': t('federation.chain') },
      path.map((entity, index) => {
        const next = path[index + 1];
        return li(
          { key: entity.entity_id, class: isBroken(entity) ? 'bad' : 'good' },
          box(entity, path[index - 1]?.entity_id),
          next === undefined ? null : link(vouches(next)),
        );
      }),
    ),
    beside.length === 0 ? null : besides(beside),
    resolution.chain === null
      ? null
      : details(
          null,
          summary(null, t('federation.metadata')),
          pre({ class: 'json' }, JSON.stringify(resolution.chain.metadata, undefined, 2)),
        ),
  );
}

const link = (isVouched: boolean): VNode =>
  p(
    { class: `chain-link${isVouched ? '' : ' broken'}` },
    icon('down'),
    t(isVouched ? 'federation.vouched' : 'federation.named'),
  );

function verdict({ chain, reason, fetches }: AdminResolution): VNode {
  const fetched = span({ class: 'small' }, ` ${tCount('federation.fetches', fetches)}`);
  if (chain !== null)
    return notice(
      'good',
      t('federation.trusted', chain.trust_anchor, dateText(chain.expires_at * 1000)),
      fetched,
    );
  return notice(
    'bad',
    strong(null, t('federation.untrusted')),
    fetched,
    reason === undefined ? null : p(null, reasonWords(reason)),
  );
}

const reasonWords = ({ code: name, words, detail }: AdminFederationReason): string =>
  `${words} (${detail === undefined ? name : `${name}: ${detail}`})`;

/** @param below the entity that this one vouches for; undefined for the subject */
function box(entity: AdminFederationEntity, below: string | undefined): VNode {
  const { entity_id, is_trust_anchor, configuration, statement, chain, reason } = entity;
  const isBad = isBroken(entity);
  const told = [configuration?.reason, statement?.reason, chain?.reason];
  return div(
    { class: 'chain-box' },
    div(
      { class: 'chain-head' },
      span(
        { class: 'muted small' },
        t(
          below === undefined
            ? 'federation.role.subject'
            : is_trust_anchor
              ? 'federation.role.anchor'
              : 'federation.role.intermediate',
        ),
      ),
      badge(t(isBad ? 'federation.fails' : 'federation.holds'), isBad ? 'bad' : 'good'),
    ),
    h3(null, code(null, entity_id)),
    configuration === undefined ? null : facts(factsOf(configuration)),
    configuration === undefined
      ? null
      : examined(t('federation.configuration'), configuration, statementFacts(configuration)),
    statement === undefined
      ? null
      : examined(t('federation.statement', below ?? ''), statement, statementFacts(statement)),
    chain === undefined
      ? null
      : examined(
          t('federation.whole', tCount('federation.policy', chain.policy.length)),
          chain,
          [],
          policy(chain),
        ),
    reason === undefined || told.some((one) => one?.words === reason.words)
      ? null
      : p({ class: isBad ? 'chain-reason' : 'muted small' }, reasonWords(reason)),
  );
}

/** The keys and the validity of an entity, as its own configuration states them. */
function factsOf({ key_ids, issued_at, expires_at }: AdminFederationStatement): readonly Fact[] {
  return [
    ...(key_ids === undefined
      ? []
      : [
          [
            t('federation.keys'),
            ul(
              { class: 'plain-list' },
              key_ids.map((kid) => li({ key: kid }, code(null, kid))),
            ),
          ] as const,
        ]),
    ...(issued_at === undefined || expires_at === undefined
      ? []
      : [
          [
            t('federation.valid'),
            t('federation.valid.span', dateText(issued_at * 1000), dateText(expires_at * 1000)),
          ] as const,
        ]),
  ];
}

function statementFacts({ source, kid, expires_at }: AdminFederationStatement): readonly Fact[] {
  return [
    [t('federation.source'), code(null, source)],
    ...(kid === undefined ? [] : [[t('federation.kid'), code(null, kid)] as const]),
    ...(expires_at === undefined ? [] : [[t('client.expires_at'), dateText(expires_at * 1000)] as const]),
  ];
}

interface Examined {
  readonly checks: readonly AdminFederationCheck[];
  readonly reason?: AdminFederationReason;
}

/** The checks of one document, folded away; the one that failed stands before the fold. */
function examined(
  title: string,
  { checks, reason }: Examined,
  more: readonly Fact[],
  ...rest: readonly ComponentChildren[]
): VNode {
  const failed = checks.find((check) => check.reason !== undefined);
  const held = checks.filter((check) => check.reason === undefined).length;
  return div(
    { class: 'chain-part' },
    reason === undefined
      ? null
      : p(
          { class: 'chain-reason' },
          failed === undefined ? null : strong(null, `${checkName(failed)}: `),
          reasonWords(reason),
        ),
    details(
      { open: reason !== undefined },
      summary(null, title, span({ class: 'muted small' }, ` · ${tCount('federation.checks', held)}`)),
      more.length === 0 ? null : facts(more),
      ul({ class: 'checks' }, checks.map(checkLine)),
      ...rest,
    ),
  );
}

const checkName = ({ section, number, name }: AdminFederationCheck): string => `${section} ${number} ${name}`;

function checkLine(check: AdminFederationCheck): VNode {
  const isHeld = check.reason === undefined;
  return li(
    { key: checkName(check), class: isHeld ? 'good' : 'bad' },
    icon(isHeld ? 'check' : 'close'),
    span({ class: 'only-read' }, `${t(isHeld ? 'federation.holds' : 'federation.fails')}: `),
    checkName(check),
  );
}

/** The policy operators of superiors, and what each made of the metadata. */
function policy({ policy: steps, ignored_operators }: AdminFederationPath): ComponentChildren {
  if (steps.length + ignored_operators.length === 0) return null;
  return ul(
    { class: 'checks' },
    steps.map(({ entity_type, parameter, operator, configured, before, after, problem }, index) =>
      li(
        { key: index, class: problem === undefined ? 'good' : 'bad' },
        icon(problem === undefined ? 'check' : 'close'),
        span(
          null,
          code(null, `${entity_type}.${parameter} ${operator} ${valueText(configured)}`),
          problem === undefined ? `: ${valueText(before)} → ${valueText(after)}` : `: ${problem}`,
        ),
      ),
    ),
    ignored_operators.map(({ entity_type, parameter, operator }, index) =>
      li(
        { key: `ignored ${index}` },
        icon('close'),
        span(null, code(null, `${entity_type}.${parameter} ${operator}`), `: ${t('federation.ignored')}`),
      ),
    ),
  );
}

const valueText = (value: unknown): string => (value === undefined ? '–' : JSON.stringify(value));

function besides(tried: readonly AdminFederationEntity[]): VNode {
  return details(
    null,
    summary(null, t('federation.beside'), span({ class: 'muted small' }, ` ${tried.length}`)),
    ul(
      { class: 'checks' },
      tried.map((entity, index) => {
        const why = [entity.chain, entity.statement, entity.configuration, entity].find(
          (part) => part?.reason !== undefined,
        )?.reason;
        return li(
          { key: index, class: why === undefined ? 'good' : 'bad' },
          icon(why === undefined ? 'check' : 'close'),
          span(null, code(null, entity.entity_id), why === undefined ? null : `: ${reasonWords(why)}`),
        );
      }),
    ),
  );
}
