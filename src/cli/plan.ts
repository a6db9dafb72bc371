import { type Call, type Command, command } from './command.ts';
import type { Declarations } from './declarations.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { Plan, PlanNeeds } from './plan-make.ts';
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
      'Deletes the clients of each owner in the files that the files do not declare, too. A client of another owner, or of none, is never deleted.',
  },
  adopt: {
    kind: 'text',
    value: 'CLIENT_ID',
    repeated: true,
    words: 'Takes over a declared client that has another owner, or none.',
  },
  'adopt-unowned': { kind: 'flag', words: 'Takes over every declared client that has no owner.' },
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
    `The command compares declared clients with the registry and prints the difference: \`+\` for a client or member that comes, \`~\` for one that changes, \`-\` for one that goes, \`-/+\` for a client that ends and is registered again. ${TENANT_WORDS}`,
    'A client without client_secret in its file keeps its secret; a new one gets a secret from the server, which `chancery clients show --secrets` shows. With {file: NAME} or {env: NAME} it has that secret. No secret is printed or stored in a plan.',
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
      return made.steps.length === 0 ? 0 : 2;
    });
  },
});

const apply = command({
  words: ['apply'],
  summary: 'Change the registry so that it is as files declare it',
  description: [
    `The command takes the files of \`chancery plan\` with --yes, or a plan that \`chancery plan --out\` has written. ${TENANT_WORDS}`,
    'Up to 500 changes of one owner are one transaction: all of them happen, or none. More are several such batches, in the order of the plan. If a client is no longer as the plan has seen it, its batch changes nothing, the command names the client and ends. Run it again with the files, or with the same plan: what is done already is skipped.',
    'Secrets change only where a file names another one. The audit records each change with the owner.',
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
      const made = stored ?? (await planned(needs, declarations ?? { groups: [] }, call));
      if (!call.options.json) {
        const { printPlan } = await import('./plan-print.ts');
        printPlan(made, call);
      }
      if (stored === undefined && made.steps.length > 0 && !call.options.yes)
        throw calledWrongly('nothing was applied: give --yes, or a plan of `chancery plan --out`');
      return await applied(needs, made, call);
    });
  },
});

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
  const backend = new ServerBackend(url, (tenant) =>
    openServer(url, { ...call, complain: () => undefined, options: { ...call.options, tenant } }),
  );
  const { environment, complain } = call;
  const needs = { backend, environment, worldReadable: false, report: complain, warn: complain };
  return await act({ ...needs, now: () => systemClock.now() });
}

/** Makes a plan. Throws CommandFailure if a declaration has a mistake; each one is reported before. */
async function planned(needs: Needs, declarations: Declarations, call: PlanCall): Promise<Plan> {
  const { makePlan } = await import('./plan-make.ts');
  const { prune, adopt, replace, 'adopt-unowned': adoptUnowned } = call.options;
  const taking = { adopt: new Set(adopt), adoptUnowned, replace: new Set(replace) };
  let mistakes = 0;
  const report = (line: string): void => {
    mistakes += 1;
    call.complain(line);
  };
  const made = await makePlan({ ...needs, report }, declarations, { taking, prune });
  if (mistakes > 0) throw new CommandFailure(`nothing can be applied: mistakes: ${mistakes}`);
  return made;
}

const REASONS = {
  taken: 'was registered meanwhile',
  absent: 'was deleted meanwhile',
  changed_meanwhile: 'was changed meanwhile',
  other_owner: 'has another owner now',
} as const;

async function applied(needs: Needs, { steps }: Plan, call: PlanCall): Promise<number> {
  const { applySteps } = await import('./plan-apply.ts');
  const status = statusLine();
  const report = await applySteps(needs, steps, (done) =>
    status.show(`applying: ${done} of ${steps.length}`),
  );
  status.clear();
  for (const { client_id, reason } of report.conflicts)
    call.complain(`client ${JSON.stringify(client_id)} ${REASONS[reason]}`);
  if (call.options.json) call.print(JSON.stringify(report));
  else if (steps.length > 0)
    call.print(
      `${report.applied} changes applied${report.settled === 0 ? '' : `, ${report.settled} were there already`}`,
    );
  if (report.conflicts.length === 0) return 0;
  throw new CommandFailure(`${report.left} changes were not applied: plan again`);
}

export const PLAN_COMMANDS: readonly Command[] = [plan];
export const APPLY_COMMANDS: readonly Command[] = [apply];
