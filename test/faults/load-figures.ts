export type Phase = 'before' | 'during' | 'after';
export type Kind = 'write' | 'read' | 'introspection';

/** In milliseconds. */
export interface Times {
  readonly answered: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Request {
  readonly phase: Phase;
  readonly kind: Kind;
  readonly milliseconds: number;
  readonly outcome: 'answered' | 'failed';
}

/** Statuses and times that clients saw, by the phase of the experiment in which a request began. */
export class LoadFigures {
  phase: Phase = 'before';
  readonly #requests: Request[] = [];
  readonly #failures = new Map<string, number>();
  #lastAck = performance.now();
  #faultEnded: number | undefined;
  /** The longest time without an acknowledged write. */
  writeGap_ms = 0;
  /** From the end of the fault to the first acknowledged write. */
  firstSuccess_ms: number | undefined;
  /** A request that failed where nothing was wrong. */
  readonly unexpected: string[] = [];

  /** How many requests have ended. */
  get requests(): number {
    return this.#requests.length;
  }

  /** The gap counts from here. */
  begin(): void {
    this.#lastAck = performance.now();
  }

  faultEnds(): void {
    this.#faultEnded = performance.now();
  }

  answered(phase: Phase, kind: Kind, started: number): void {
    const now = performance.now();
    this.#requests.push({ phase, kind, milliseconds: now - started, outcome: 'answered' });
    if (kind !== 'write') return;
    this.writeGap_ms = Math.max(this.writeGap_ms, now - this.#lastAck);
    this.#lastAck = now;
    if (this.#faultEnded !== undefined) this.firstSuccess_ms ??= now - this.#faultEnded;
  }

  /** A request that began before the fault and met it counts as one of the fault. */
  failed(began: Phase, kind: Kind, started: number, how: string): void {
    const milliseconds = performance.now() - started;
    const phase = began === 'before' ? this.phase : began;
    this.#requests.push({ phase, kind, milliseconds, outcome: 'failed' });
    this.#failures.set(how, (this.#failures.get(how) ?? 0) + 1);
    if (phase !== 'during') this.unexpected.push(`${kind} ${phase} the fault: ${how}`);
  }

  /** Such as `503 ×12, ECONNREFUSED ×3`. */
  failures(): string {
    return [...this.#failures].map(([how, times]) => `${how} ×${times}`).join(', ') || 'none';
  }

  /** Returns the times of whole requests. Failed and hanging ones count. */
  times(phase: Phase, kind?: Kind): Times {
    const chosen = this.#requests.filter(
      (request) => request.phase === phase && (kind === undefined || request.kind === kind),
    );
    const sorted = chosen.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
    const failed = chosen.filter(({ outcome }) => outcome === 'failed').length;
    return { answered: chosen.length - failed, failed, ...quantiles(sorted) };
  }
}

export function quantiles(sorted: readonly number[]): Pick<Times, 'p50' | 'p99' | 'max'> {
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
