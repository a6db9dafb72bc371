import type { Clock } from '../ports/clock.ts';
import type { RememberedTime, Sighting } from '../ports/time-memory.ts';
import { type Elapsed, patientClock } from './clock.ts';

export interface ClockLimits {
  /** Seconds that the clock may be ahead of the remembered time. */
  readonly aheadMax: number;
  /** Seconds that the clock may be behind the remembered time. */
  readonly behindMax: number;
  /** Seconds for which a doubtful clock is not believed. */
  readonly patience: number;
}

/** How far the clock of the machine differs from the remembered time, in seconds, and for how long it is not believed yet. */
export interface ClockDoubt {
  readonly direction: 'ahead' | 'behind';
  readonly seconds: number;
  /** Undefined: a witness contradicts, so waiting does not end the doubt. */
  readonly secondsLeft: number | undefined;
}

/** The clock of the machine, compared with the time that the database remembers (ADR 43). */
export interface GuardedClock {
  /**
   * The time for requests: the machine's clock. While that is behind the remembered time, the remembered time goes on instead,
   * so that nothing expired or used becomes good again.
   */
  readonly serving: Clock;
  /** The time by which records may be deleted. It follows a jump ahead only after the patience, and never passes a witness. */
  readonly deleting: Clock;
  /** Returns why nothing may be deleted; undefined for a clock that is believed. */
  doubt(): ClockDoubt | undefined;
  /** Returns what the database should remember. */
  sighting(): Sighting;
  /** Takes up what the database remembers. The first call and a new confirmation set the remembered time anew. */
  learn(remembered: RememberedTime): void;
  /** Whether the wait of a clock that is behind is over: the remembered time must be set back (`TimeMemory.confirm`). */
  isAccepted(): boolean;
}

export function guardedClock(clock: Clock, elapsed: Elapsed, limits: ClockLimits): GuardedClock {
  return new Guard(clock, elapsed, limits);
}

class Guard implements GuardedClock {
  readonly #clock: Clock;
  readonly #elapsed: Elapsed;
  readonly #limits: ClockLimits;
  readonly #patient: ReturnType<typeof patientClock>;
  #confirmation: number | undefined;
  /** The remembered time on the monotonic clock: it was `latest` when that showed `elapsed`. */
  #floor = { latest: Number.NEGATIVE_INFINITY, elapsed: 0 };
  /** The monotonic time since which the clock has been behind. */
  #behindSince: number | undefined;
  /** How far the clock of the database server is ahead of the monotonic one. */
  #databaseOffset: number | undefined;

  readonly serving: Clock = {
    now: () => Math.floor(this.#serving() / 1000),
    milliseconds: () => this.#serving(),
  };

  readonly deleting: Clock = {
    now: () => Math.floor(this.#deleting()),
    milliseconds: () => Math.round(this.#deleting() * 1000),
  };

  constructor(clock: Clock, elapsed: Elapsed, limits: ClockLimits) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#limits = limits;
    this.#patient = patientClock(clock, elapsed, limits.patience);
  }

  doubt(): ClockDoubt | undefined {
    const { aheadMax, behindMax, patience } = this.#limits;
    const wall = this.#wall();
    const behind = this.#remembered() - wall;
    if (behind > behindMax) {
      this.#behindSince ??= this.#elapsed.seconds();
      const left = patience - (this.#elapsed.seconds() - this.#behindSince);
      return {
        direction: 'behind',
        seconds: Math.round(behind),
        secondsLeft: this.#isContradicted() ? undefined : Math.max(0, Math.round(left)),
      };
    }
    this.#behindSince = undefined;
    const ahead = wall - this.#deleting();
    if (ahead <= aheadMax) return undefined;
    return {
      direction: 'ahead',
      seconds: Math.round(ahead),
      secondsLeft: this.#isContradicted()
        ? undefined
        : Math.max(0, Math.round(patience - this.#patient.waited())),
    };
  }

  sighting(): Sighting {
    const confirmation = this.#confirmation ?? 0;
    const doubt = this.doubt();
    if (doubt?.direction === 'behind') {
      const waited = this.#elapsed.seconds() - (this.#behindSince ?? this.#elapsed.seconds());
      return { at: Math.floor(this.#remembered()), waited: Math.floor(waited), confirmation };
    }
    // The deleting clock is the wall clock, less everything that is not believed yet.
    const latest = this.#deleting();
    this.#floor = { latest, elapsed: this.#elapsed.seconds() };
    return { at: Math.floor(latest), waited: Math.floor(this.#patient.waited()), confirmation };
  }

  learn({ latest, waited, confirmation, database }: RememberedTime): void {
    const elapsed = this.#elapsed.seconds();
    this.#databaseOffset = database === undefined ? undefined : database.now - elapsed;
    if (confirmation !== this.#confirmation) {
      this.#confirmation = confirmation;
      this.#floor = { latest, elapsed };
      this.#behindSince = undefined;
      this.#patient.restart(latest, waited);
      if (this.doubt()?.direction === 'behind') this.#behindSince = elapsed - waited;
    } else if (latest > this.#remembered()) this.#floor = { latest, elapsed };
    // Another machine agrees, so this one was merely stopped for a while.
    if (database?.independent === true && !this.#isContradicted()) this.#patient.restart(this.#wall(), 0);
  }

  isAccepted(): boolean {
    const doubt = this.doubt();
    return doubt?.direction === 'behind' && doubt.secondsLeft === 0;
  }

  #wall(): number {
    return this.#clock.milliseconds() / 1000;
  }

  #remembered(): number {
    return this.#floor.latest + this.#elapsed.seconds() - this.#floor.elapsed;
  }

  #databaseTime(): number {
    return this.#databaseOffset === undefined
      ? Number.POSITIVE_INFINITY
      : this.#databaseOffset + this.#elapsed.seconds();
  }

  #isContradicted(): boolean {
    return (
      this.#databaseOffset !== undefined &&
      Math.abs(this.#wall() - this.#databaseTime()) > this.#limits.behindMax
    );
  }

  #deleting(): number {
    return Math.min(this.#patient.milliseconds() / 1000, this.#databaseTime());
  }

  /** Requests ask this often: the remembered time is computed only where the machine's clock is before it. */
  #serving(): number {
    const wall = this.#clock.milliseconds();
    if (wall / 1000 >= this.#floor.latest - this.#limits.behindMax) return wall;
    return Math.round(Math.max(wall, this.#remembered() * 1000));
  }
}
