import type { Settings } from '../config/settings.ts';
import { type Command, command, type Surroundings } from './command.ts';
import type { Finding } from './doctor/finding.ts';
import { SettingsUnusable } from './failure.ts';
import {
  CONFIG_OPTION,
  JSON_OPTION,
  MODE_OPTION,
  modeOf,
  SETTINGS_VARIABLES,
  settingsFor,
} from './settings.ts';

const OPTIONS = {
  backups: {
    kind: 'text',
    value: 'FOLDER',
    words:
      'Reads the newest backup in this folder completely, and says how old it is. Without it, the folder is `backup.directory` if that has a backup.',
  },
  ...JSON_OPTION,
  ...CONFIG_OPTION,
  ...MODE_OPTION,
} as const;

const doctor = command({
  words: ['doctor'],
  summary: 'Examine an installation, or any issuer from outside',
  description: [
    'With ISSUER, the command examines that issuer as a client sees it: discovery and the answers of each announced endpoint, TLS, keys, clock, headers, CORS, cookies, caching, and paths that should not answer. It works for any OpenID Provider and sends nothing that a server would keep.',
    'Without ISSUER, it examines the settings, the database, the disk, the clock and the backups of this installation, and then its issuer from outside if a server answers there.',
    'Each finding has a reason and a remedy.',
  ],
  servers: 'Servers may run meanwhile. The command changes nothing.',
  operands: { issuer: { optional: true, words: 'Names an issuer, for example https://op.example.com.' } },
  options: OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each finding, with its reason and remedy below. With --json, one JSON object with `findings`; their members are `about`, `level` (good, warning, problem), `says`, `reason` and `remedy`.',
  exits: { 1: 'There is at least one problem, or the command failed. Warnings alone end with 0.' },
  examples: [
    'chancery doctor https://op.example.com',
    'chancery doctor --config /etc/chancery/chancery.yaml --backups /backup',
    'chancery doctor https://op.example.com --json',
  ],
  run: async (call) => {
    const { issuerOf } = await import('./doctor/issuer-url.ts');
    const { issuer } = call.operands;
    const findings =
      issuer === undefined ? await installationFindings(call) : await fromOutside(issuerOf(issuer));
    if (call.options.json) call.print(JSON.stringify({ findings }));
    else printFindings(findings, call);
    return findings.some(({ level }) => level === 'problem') ? 1 : 0;
  },
});

async function fromOutside(issuer: string): Promise<readonly Finding[]> {
  const { outsideFindings } = await import('./doctor/outside.ts');
  const { visit } = await import('./doctor/visit.ts');
  const { systemClock } = await import('../system/clock.ts');
  return await outsideFindings(issuer, { visit, now: () => systemClock.now() });
}

type DoctorCall = Surroundings & {
  readonly options: {
    readonly backups: string | undefined;
    readonly config: string | undefined;
    readonly mode: 'development' | 'production' | undefined;
  };
};

async function installationFindings(call: DoctorCall): Promise<readonly Finding[]> {
  const mode = modeOf(call);
  const { good, problem } = await import('./doctor/finding.ts');
  let settings: Settings;
  try {
    settings = await settingsOf(mode, call);
  } catch (failure) {
    if (!(failure instanceof SettingsUnusable)) throw failure;
    return failure.lines.map((says) =>
      problem('settings', says, {
        reason: 'No server starts with these settings.',
        remedy: 'Correct the setting. docs/reference/configuration.md describes it.',
      }),
    );
  }
  const { settingsFindings } = await import('./doctor/settings-checks.ts');
  const { backupFindings, dataFindings } = await import('./doctor/data-checks.ts');
  const { planMemory } = await import('../process/memory.ts');
  const { tlsKeyProblem } = await import('../process/tls.ts');
  const { systemClock } = await import('../system/clock.ts');
  const key = tlsKeyProblem(settings);
  const { concerns } = planMemory(settings);
  const { serverBackups } = await import('./folder-backups.ts');
  const backups = call.options.backups ?? (await serverBackups(settings));
  const inside = [
    ...settingsFindings(settings, mode, [
      ...concerns,
      ...(key === undefined ? [] : [`listen.tls-key ${key}`]),
    ]),
    ...(await dataFindings(settings, mode)),
    ...(backups === undefined ? [] : await backupFindings(backups, systemClock.now())),
  ];
  const served = await isServed(settings.issuer);
  return served
    ? [...inside, ...(await fromOutside(settings.issuer))]
    : [
        ...inside,
        good('outside', `no server answers at ${settings.issuer}: it was not examined from outside`),
      ];
}

async function settingsOf(mode: 'development' | 'production', call: DoctorCall): Promise<Settings> {
  const resolved = await settingsFor(mode, call);
  if (mode === 'production') return resolved.settings;
  const { developmentDataSettings } = await import('./development.ts');
  return developmentDataSettings(resolved);
}

async function isServed(issuer: string): Promise<boolean> {
  const { isAnswer, visit } = await import('./doctor/visit.ts');
  return isAnswer(await visit(issuer));
}

const MARKS = { good: '✓', warning: '!', problem: '✗' } as const;

function printFindings(findings: readonly Finding[], { print }: Surroundings): void {
  for (const { about, level, says, reason, remedy } of findings) {
    print(`${MARKS[level]} ${about}: ${says}`);
    if (reason !== undefined) print(`    Why: ${reason}`);
    if (remedy !== undefined) print(`    Remedy: ${remedy}`);
  }
  const counted = (level: Finding['level']): number =>
    findings.filter((finding) => finding.level === level).length;
  print(`good: ${counted('good')}, warnings: ${counted('warning')}, problems: ${counted('problem')}`);
}

export const DOCTOR_COMMANDS: readonly Command[] = [doctor];
