import { integer, text } from './setting.ts';

/** Settings for traces (W3C Trace Context, OpenTelemetry). */
export const TRACING_SETTINGS = {
  'tracing.endpoint': text({
    default: 'none',
    pattern: /^(?:none|https?:\/\/[^\s@#]+)$/u,
    rule: 'must be none, or the URL of a collector such as http://127.0.0.1:4318/v1/traces',
    description:
      'Where the server sends traces: OTLP over HTTP with JSON, for example to an OpenTelemetry Collector on this machine. Each recorded request has spans for itself, authentication, storage, signing and requests to other servers. `none` records nothing and costs nothing; `traceparent` is passed on either way.',
  }),
  'tracing.sample-percent': integer({
    default: 10,
    min: 0,
    max: 100,
    unit: 'percent',
    description:
      'How many of 100 requests are recorded. A trusted proxy (`listen.trusted-proxies`) that sends `traceparent` decides for its requests instead. Raise it where there is little traffic.',
  }),
};
