import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../ports/metrics.ts';

/** Upper bounds in seconds; the interesting answers take well below a millisecond. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export function prometheusMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'chancery_http_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'chancery_http_request_duration_seconds',
    help: 'Time from the whole request to the answer, by endpoint.',
    labelNames: ['endpoint'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // Looking labels up for each request would cost more than counting does.
  const counters = new Map<string, { inc(): void }>();
  const timers = new Map<string, { observe(seconds: number): void }>();
  return {
    contentType: registry.contentType,
    text: async () => await registry.metrics(),
    observeRequest(endpoint, status, seconds) {
      const name = `${endpoint} ${status}`;
      let counter = counters.get(name);
      if (counter === undefined) {
        counter = requests.labels({ endpoint, status: String(status) });
        counters.set(name, counter);
      }
      counter.inc();
      let timer = timers.get(endpoint);
      if (timer === undefined) {
        timer = durations.labels({ endpoint });
        timers.set(endpoint, timer);
      }
      timer.observe(seconds);
    },
  };
}
