export interface Task {
  /** Whether it waits most of its time: it then takes no lane from others. */
  readonly waits: boolean;
  readonly run: (lane: number) => Promise<void>;
}

export interface Lanes {
  readonly working: number;
  /** For tasks that wait. When there are none left, these lanes stay empty. */
  readonly waiting: number;
}

/** Runs the tasks in their order, each lane one at a time. Lanes are numbered from 0; those of waiting tasks come last. */
export async function runInLanes(tasks: readonly Task[], { working, waiting }: Lanes): Promise<void> {
  const queues = {
    working: tasks.filter(({ waits }) => !waits),
    waiting: tasks.filter(({ waits }) => waits),
  };
  const walk = async (queue: Task[], lane: number): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next.run(lane);
  };
  await Promise.all([
    ...Array.from({ length: working }, (_, lane) => walk(queues.working, lane)),
    ...Array.from({ length: waiting }, (_, lane) => walk(queues.waiting, working + lane)),
  ]);
}
