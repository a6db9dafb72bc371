import type { StepConflict } from '../clients/declared/apply-clients.ts';
import type { TenantStepConflict } from '../ports/declared-tenants.ts';
import { type Call, type Command, command } from './command.ts';
import type { Declarations } from './declarations.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { Plan, PlanNeeds } from './plan-make.ts';
import type { Server } from './remote/server.ts';
import { serverOf } from './remote/server-option.ts';
import { BESIDE_SERVERS, newRequestId, READS_BESIDE_SERVERS } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { statusLine } from './terminal.ts';

const FILES = {
  file: {
    words:
      'Names a file of declarations, or a folder with such files (.yaml, .yml, .json); `-` reads standard input. docs/guides/configuration-as-code.md describes them.',
    repeated: true,
  },
} as const;

const PLAN_OPTIONS = {
  prune: {
    kind: 'flag',
    words:
      'Deletes the clients and tenants of each owner in the files that the files do not declare, too. Those of another owner, or of none, are never deleted. The owner of a tenant counts where the files have `tenants`.',
  },
  'delete-tenant': {
    kind: 'text',
    value: 'ID',
    repeated: true,
    words:
      'Confirms by its id that `apply --prune` deletes this tenant with all its data. Each tenant that goes needs one.',
  },
  adopt: {
    kind: 'text',
    value: 'CLIENT_ID',
    repeated: true,
    words: 'Takes over a declared client that has another owner, or none.',
  },
  'adopt-tenant': {
    kind: 'text',
    value: 'ID',
    repeated: true,
    words: 'Takes over a declared tenant that has another owner, or none.',
  },
  'adopt-unowned': { kind: 'flag', words: 'Takes over every declared client and tenant that has no owner.' },
  replace: {
    kind: 'text',
    value: 'CLIENT_ID',
    repeated: true,
    words: 'Ends a declared client with its tokens and secrets, and registers it again.',
  },
  ...REGISTRY_OPTIONS,
} as const;

type PlanCall = Call<typeof PLAN_OPTIONS, typeof FILES>;

const TENANT_WORDS =
  'A document names its tenant with `tenant`; --tenant names that of documents without it.';

const plan = command({
  words: ['plan'],
  summary: 'Show what apply would change so that the registry is as files declare it',
  description: [
    `The command compares declared clients and tenants with the registry and prints the difference: \`+\` for one that comes, or a member that comes, \`~\` for one that changes, \`-\` for one that goes, \`-/+\` for a client that ends and is registered again. ${TENANT_WORDS}`,
    'A client without client_secret in its file keeps its secret; a new one gets a secret from the server, which `chancery clients show --secrets` shows. With {file: NAME} or {env: NAME} it has that secret. No secret is printed or stored in a plan.',
    'A tenant is declared with its issuer, its aliases and all its own settings, those of its federation included. Secret settings are {file: NAME} or {env: NAME}; one that the file does not mention stays. The default tenant is that of the configuration file, and cannot be declared.',
    'Values that the server fills in are no difference. The same files and the same registry make the same plan.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: { file: { ...FILES.file, unless: 'schema' } },
  options: {
    out: {
      kind: 'text',
      value: 'PLANFILE',
      words: 'Writes the plan to a file as well, for `chancery apply PLANFILE`.',
    },
    schema: {
      kind: 'flag',
      words: 'Prints the JSON Schema of the files, for the completion of an editor, and does nothing else.',
    },
    ...PLAN_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The differences and their numbers. With --json, one JSON object, which is also a plan file.',
  exits: {
    0: 'Nothing would change.',
    1: 'The files have a mistake, the command line is wrong, or the command failed.',
    2: 'Something would change.',
  },
  examples: [
    'chancery plan clients.yaml',
    'chancery plan registry/ --prune --out shop.plan',
    'chancery plan --schema > declarations.schema.json',
  ],
  run: async (call) => {
    const { out, json, schema } = call.options;
    if (schema) {
      const { declarationSchema } = await import('./declaration-schema.ts');
      (call.printData ?? call.print)(JSON.stringify(declarationSchema(), null, 2));
      return 0;
    }
    const { declarationsIn, planText, readFiles } = await import('./plan-file.ts');
    const files = await readFiles(call.operands.file);
    const declarations = declarationsIn(files, call.options.tenant, call.complain);
    return await withBackend(call, async (needs) => {
      const made = await planned(needs, declarations, call);
      const text = planText(made, needs.now());
      if (out !== undefined) {
        const { writePrivately } = await import('./private-file.ts');
        writePrivately(out, text);
      }
      if (json) call.print(text);
      else {
        const { printPlan } = await import('./plan-print.ts');
        printPlan(made, call);
      }
      return made.steps.length + made.tenants.length === 0 ? 0 : 2;
    });
  },
});

const apply = command({
  words: ['apply'],
  summary: 'Change the registry so that it is as files declare it',
  description: [
    `The command takes the files of \`chancery plan\` with --yes, or a plan that \`chancery plan --out\` has written. ${TENANT_WORDS}`,
    'Tenants come first, then clients, and deletions of tenants last. Up to 500 changes of clients of one owner are one transaction, and up to 100 of tenants: all of them happen, or none. More are several such batches, in the order of the plan. If one is no longer as the plan has seen it, its batch changes nothing, the command names it and ends. Run it again with the files, or with the same plan: what is done already is skipped.',
    'Secrets change only where a file names another one. The audit records each change with the owner.',
    'A tenant is deleted with all its data, also its audit, for good. It must be disabled, and --delete-tenant must repeat its id.',
  ],
  servers: BESIDE_SERVERS,
  operands: {
    file: { ...FILES.file, words: `${FILES.file.words} Or names one plan.` },
  },
  options: {
    yes: { kind: 'flag', words: 'Applies what `chancery plan` shows for the files.' },
    ...PLAN_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The differences, then the number of changes. With --json, one JSON object.',
  exits: { 1: 'The files have a mistake, a client changed meanwhile, or the command failed.' },
  examples: ['chancery apply shop.plan', 'chancery apply registry/ --prune --yes'],
  run: async (call) => {
    const { declarationsIn, planIn, readFiles } = await import('./plan-file.ts');
    const files = await readFiles(call.operands.file);
    const [first] = files;
    const stored = files.length === 1 && first !== undefined ? planIn(first) : undefined;
    const declarations =
      stored === undefined ? declarationsIn(files, call.options.tenant, call.complain) : undefined;
    return await withBackend(call, async (needs) => {
      if (stored !== undefined && stored.issuer !== needs.backend.issuer)
        throw new CommandFailure(`the plan is for ${stored.issuer}, and this is ${needs.backend.issuer}`);
      const made = stored ?? (await planned(needs, declarations ?? { tenants: [], groups: [] }, call));
      if (!call.options.json) {
        const { printPlan } = await import('./plan-print.ts');
        printPlan(made, call);
      }
      const isEmpty = made.steps.length + made.tenants.length === 0;
      if (stored === undefined && !isEmpty && !call.options.yes)
        throw calledWrongly('nothing was applied: give --yes, or a plan of `chancery plan --out`');
      requireConfirmations(made, call.options['delete-tenant'] ?? []);
      return await applied(needs, made, call);
    });
  },
});

/** Throws CommandFailure for a tenant that the plan deletes and no option confirms. */
function requireConfirmations({ tenants }: Plan, confirmed: readonly string[]): void {
  const asked = tenants.filter(({ action, id }) => action === 'delete' && !confirmed.includes(id));
  if (asked.length === 0) return;
  const options = asked.map(({ id }) => `--delete-tenant ${id}`).join(' ');
  throw new CommandFailure(
    `nothing was applied: the plan deletes tenants with all their data, for good. Confirm it with ${options}`,
  );
}

type Needs = PlanNeeds & { readonly now: () => number };

async function withBackend(
  call: Pick<PlanCall, 'options' | 'environment' | 'print' | 'complain'>,
  act: (needs: Needs) => Promise<number>,
): Promise<number> {
  const server = serverOf(call);
  if (server !== undefined) return await withServer(server, call, act);
  const { openedStorage } = await import('./registry-session.ts');
  const { DatabaseBackend } = await import('./plan-backend.ts');
  const { systemClock } = await import('../system/clock.ts');
  return await openedStorage(call, { create: false }, async (session) => {
    const backend = new DatabaseBackend(session, call, newRequestId());
    try {
      return await act({
        backend,
        environment: call.environment,
        worldReadable: session.mode === 'development' || session.settings['secret-files.world-readable'],
        report: call.complain,
        warn: call.complain,
        now: () => systemClock.now(),
      });
    } finally {
      await backend.close();
    }
  });
}

/** Plans on a server. A document of another tenant has a request of its own. */
async function withServer(
  url: string,
  call: Pick<PlanCall, 'options' | 'environment' | 'print' | 'complain'>,
  act: (needs: Needs) => Promise<number>,
): Promise<number> {
  const { openServer } = await import('./remote/server.ts');
  const { ServerBackend } = await import('./remote/plan-server.ts');
  const { systemClock } = await import('../system/clock.ts');
  const open = (tenant: string): Server =>
    openServer(url, { ...call, complain: () => undefined, options: { ...call.options, tenant } });
  const backend = new ServerBackend(url, open, call.complain);
  const { environment, complain } = call;
  const needs = { backend, environment, worldReadable: false, report: complain, warn: complain };
  return await act({ ...needs, now: () => systemClock.now() });
}

/** Makes a plan. Throws CommandFailure if a declaration has a mistake; each one is reported before. */
async function planned(needs: Needs, declarations: Declarations, call: PlanCall): Promise<Plan> {
  const { makePlan } = await import('./plan-make.ts');
  const { prune, adopt, replace, 'adopt-unowned': adoptUnowned, 'adopt-tenant': tenants } = call.options;
  const taking = {
    adopt: new Set(adopt),
    adoptTenants: new Set(tenants),
    adoptUnowned,
    replace: new Set(replace),
  };
  let mistakes = 0;
  const report = (line: string): void => {
    mistakes += 1;
    call.complain(line);
  };
  const made = await makePlan({ ...needs, report }, declarations, { taking, prune });
  if (mistakes > 0) throw new CommandFailure(`nothing can be applied: mistakes: ${mistakes}`);
  return made;
}

const REASONS: Readonly<Record<string, string>> = {
  taken: 'was registered meanwhile',
  absent: 'was deleted meanwhile',
  changed_meanwhile: 'was changed meanwhile',
  other_owner: 'has another owner now',
  name_taken: 'has an issuer or an alias of another tenant',
  in_service: 'is in service: disable it before its deletion',
  id_deleted: 'has the id of a tenant that was deleted, which is never used again',
} satisfies Readonly<Record<StepConflict['reason'] | TenantStepConflict['reason'], string>>;

async function applied(needs: Needs, plan: Plan, call: PlanCall): Promise<number> {
  const { applySteps } = await import('./plan-apply.ts');
  const status = statusLine();
  const all = plan.tenants.length + plan.steps.length;
  const report = await applySteps(needs, plan, (done) => status.show(`applying: ${done} of ${all}`));
  status.clear();
  for (const { client_id, tenant, reason } of report.conflicts) {
    const what = client_id === undefined ? 'tenant' : 'client';
    call.complain(`${what} ${JSON.stringify(client_id ?? tenant)} ${REASONS[reason] ?? reason}`);
  }
  if (call.options.json) call.print(JSON.stringify(report));
  else if (all > 0)
    call.print(
      `${report.applied} changes applied${report.settled === 0 ? '' : `, ${report.settled} were there already`}`,
    );
  if (report.conflicts.length === 0) return 0;
  throw new CommandFailure(`${report.left} changes were not applied: plan again`);
}

export const PLAN_COMMANDS: readonly Command[] = [plan];
export const APPLY_COMMANDS: readonly Command[] = [apply];
