import type { VNode } from 'preact';
import { configuration } from '../state/configuration.ts';
import { t } from '../state/messages.ts';
import { beginSignIn, session, signOut } from '../state/session.ts';
import { action, notice } from './controls.ts';
import { component, div, h1, main, p, span } from './elements.ts';
import { icon } from './icon.ts';
import { skeleton } from './page.ts';
import { Shell } from './shell.ts';

/** Shows the console to a person who is signed in, and everyone else the way to it. */
export function Gate(): VNode {
  const now = session.value;
  switch (now.state) {
    case 'starting':
      return div({ class: 'gate' }, div({ class: 'gate-card' }, skeleton(3)));
    case 'signed-out':
      return signInCard(now.problem);
    case 'no-role':
      return noRoleCard(now.person.name);
    default:
      return component(Shell, { person: now.person });
  }
}

function signInCard(problem: string | undefined): VNode {
  document.title = 'Chancery';
  return gateCard(
    t('gate.title'),
    p({ class: 'muted' }, t('gate.text', new URL(configuration.issuer).host)),
    problem === undefined ? null : notice('bad', problem),
    action({ label: t('sign_in'), kind: 'primary', onClick: () => void beginSignIn(false) }),
  );
}

function noRoleCard(name: string): VNode {
  return gateCard(
    t('no_role.title'),
    p({ class: 'muted' }, t('no_role.text', name)),
    action({ label: t('sign_out'), onClick: () => void signOut() }),
  );
}

function gateCard(title: string, ...content: (VNode | null)[]): VNode {
  return main(
    { class: 'gate' },
    div({ class: 'gate-card' }, span({ class: 'mark' }, icon('key')), h1(null, title), ...content),
  );
}
