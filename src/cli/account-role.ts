import { changeAccount } from '../sessions/manage-account.ts';
import { ADMIN_ROLES, type AdminRole, isAdminRole } from '../spec/admin-scopes.ts';
import { accountJson, actorOf, namedAccount } from './accounts.ts';
import { command } from './command.ts';
import { calledWrongly } from './failure.ts';
import { BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';

const NONE = 'none';

export const accountRole = command({
  words: ['accounts', 'role'],
  summary: 'Set the role of an account in the administration',
  description: [
    'The role limits the scope `admin:…` that tokens of this end-user can have. A viewer reads. An operator also changes clients, accounts, sessions, tokens, keys and federation. An administrator may do everything, also give roles. Without a role, which is the default, no token of the account has such scope.',
    'A role that permits less than the one before ends the sessions and grants of the account, with the access tokens of those grants. A role that permits more counts from the next sign-in at a client.',
  ],
  servers: BESIDE_SERVERS,
  operands: {
    name: { words: 'Names the account. Upper and lower case are equal (RFC 8265 §3.3).' },
    role: { words: `Names the role: ${ADMIN_ROLES.join(', ')} or ${NONE}.` },
  },
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, the account as one JSON object.',
  examples: ['chancery accounts role ada administrator', 'chancery accounts role ada none'],
  run: async (call) => {
    const { name, role } = call.operands;
    const admin_role = roleOf(role);
    await withRegistry(call, { create: false }, async (session) => {
      const account = await namedAccount(session, name);
      const { accounts } = session.tenant.endUsers;
      const changed = await changeAccount(accounts, account, { admin_role }, actorOf(session));
      const line = `the role of ${account.username} is ${admin_role ?? NONE}`;
      call.print(call.options.json ? JSON.stringify(accountJson(changed)) : line);
    });
  },
});

function roleOf(text: string): AdminRole | null {
  if (text === NONE) return null;
  if (isAdminRole(text)) return text;
  throw calledWrongly(`ROLE must be ${ADMIN_ROLES.join(', ')} or ${NONE}, found ${JSON.stringify(text)}`);
}
