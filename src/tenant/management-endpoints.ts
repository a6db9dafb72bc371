import { type ConsoleNeeds, consoleEndpoints } from '../endpoints/console/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { healthLive, healthReady, type Readiness } from '../endpoints/health/endpoint.ts';
import { metrics } from '../endpoints/metrics/endpoint.ts';
import type { Metrics } from '../ports/metrics.ts';

interface Managed {
  readonly metrics: Metrics;
  readonly state: () => Readiness | Promise<Readiness>;
  /** Absent where it is switched off. */
  readonly console?: ConsoleNeeds;
}

/** Returns the endpoints for the operator, on the management listener. The supervisor of workers loads them without all others. */
export const managementEndpoints = (managed: Managed): readonly Endpoint[] => [
  healthLive(),
  healthReady(managed.state),
  metrics(managed.metrics),
  ...(managed.console === undefined ? [] : consoleEndpoints(managed.console)),
];
