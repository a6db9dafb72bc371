import type { Settings } from '../config/settings.ts';
import type { RememberedTime } from '../ports/time-memory.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { ClockDoubt } from '../system/guarded-clock.ts';
import { command } from './command.ts';
import { CommandFailure } from './failure.ts';
import { BESIDE_SERVERS, commandEvent, READS_BESIDE_SERVERS, withStorage } from './session.ts';
import { SETTINGS_VARIABLES, STORAGE_OPTIONS } from './settings.ts';
import { printFields, timeText } from './table.ts';

interface ClockReport {
  /** Times are seconds since the epoch. */
  readonly machine: number;
  readonly remembered: number | null;
  readonly database: number | null;
  readonly doubt: ClockDoubt | null;
}

const HELD =
  'sweeps of everything expired, the end of idle and expired clients, rotation and removal of server keys';

/** Compares the clock of this machine with the remembered time, as a server that starts now would. */
async function reportOf(settings: Settings, remembered: RememberedTime | undefined): Promise<ClockReport> {
  const { systemClock } = await import('../system/clock.ts');
  const { comparedClock } = await import('../process/clock.ts');
  return {
    machine: systemClock.now(),
    remembered: remembered?.latest ?? null,
    database: remembered?.database?.now ?? null,
    doubt: comparedClock(settings, remembered).doubt() ?? null,
  };
}

const stateText = ({ doubt, remembered }: ClockReport): string => {
  if (remembered === null) return 'no server has remembered a time yet';
  if (doubt === null) return 'the clock is believed';
  const { seconds, direction, secondsLeft } = doubt;
  const wait =
    secondsLeft === undefined
      ? 'until it agrees with the database server'
      : `for ${secondsLeft} s in which servers run`;
  return `in doubt: ${seconds} s ${direction === 'ahead' ? 'ahead of' : 'behind'} the remembered time, ${wait}`;
};

const show = command({
  words: ['clock', 'show'],
  summary: 'Compare the clock of this machine with the time that the database remembers',
  description: [
    'Servers write the time into the database. A server whose clock is far from it serves, deletes nothing, and says so in its log and in `/health/ready`.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'The clock of this machine, the remembered time, the clock of the PostgreSQL server, whether the clock is in doubt, and what is held meanwhile. With --json, one JSON object; its times are seconds since the epoch.',
  exits: { 1: 'The clock is in doubt, or the command failed.' },
  examples: ['chancery clock show --config /etc/chancery/chancery.yaml'],
  run: async (call) =>
    await withStorage(call, { create: false }, async ({ settings, storage }) => {
      const report = await reportOf(settings, await storage.time.remembered());
      if (call.options.json) call.print(JSON.stringify(report));
      else {
        printFields(call.print, [
          ['machine', timeText(report.machine, '-')],
          ['remembered', timeText(report.remembered, '-')],
          ['database server', timeText(report.database, '-')],
          ['state', stateText(report)],
          ['held', report.doubt === null ? 'nothing' : HELD],
        ]);
      }
      return report.doubt === null ? 0 : 1;
    }),
});

const confirm = command({
  words: ['clock', 'confirm'],
  summary: 'Confirm that the clock of this machine is right',
  description: [
    'Sets the remembered time to the clock of this machine. Servers follow within 10 seconds: those whose clocks agree delete and rotate again. Look at `chancery clock show` and at another clock first: what has expired by a wrong clock is lost.',
    'The command refuses if the clock of a PostgreSQL server differs by more than `clock.behind-max`.',
  ],
  servers: BESIDE_SERVERS,
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line with the confirmed time. With --json, one JSON object with `confirmed` and `remembered`.',
  examples: ['chancery clock confirm --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    await withStorage(call, { create: false }, async ({ settings, storage }) => {
      const { machine, remembered, database } = await reportOf(settings, await storage.time.remembered());
      if (database !== null && Math.abs(machine - database) > settings['clock.behind-max']) {
        throw new CommandFailure(
          `the clock of this machine shows ${timeText(machine, '-')} and that of the database server ${timeText(database, '-')}: set them right first`,
        );
      }
      await storage.time.confirm(machine);
      const event = commandEvent(machine, 'clock.confirm', `before: ${remembered ?? 'none'}`);
      await storage.forTenant(DEFAULT_TENANT).audit.append(event);
      if (call.options.json) call.print(JSON.stringify({ confirmed: machine, remembered }));
      else call.print(`confirmed ${timeText(machine, '-')}; it was ${timeText(remembered, 'not known')}`);
    });
  },
});

export const CLOCK_COMMANDS = [show, confirm];
