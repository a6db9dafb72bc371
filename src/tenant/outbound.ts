import type { Settings } from '../config/settings.ts';
import { openOutboundHttp, type ProcessOutbound } from '../outbound/outbound-http.ts';
import { parsePortRange } from '../spec/port-range.ts';
import { systemClock } from '../system/clock.ts';

/** @param ownOrigins of every issuer here: the server does not fetch from itself */
export function openOutbound(settings: Settings, ownOrigins: ReadonlySet<string>): ProcessOutbound {
  return openOutboundHttp(
    {
      allowHttp: settings['outbound.allow-http'],
      ports: settings['outbound.ports'].flatMap((ports) => parsePortRange(ports) ?? []),
      allowNetworks: settings['outbound.allow-networks'],
      ownOrigins,
      timeoutMs: settings['outbound.timeout'] * 1000,
      bodyMax: settings['outbound.body-limit'],
      fetchesPerHost: settings['outbound.fetches-per-host'],
      fetches: settings['outbound.fetches'],
      negativeCacheMs: settings['outbound.negative-cache'] * 1000,
    },
    { clock: systemClock },
  );
}
