import { integer, seconds } from './setting.ts';

/** Settings for devices without a browser (RFC 8628). `authorization.grant-types` switches the grant off. */
export const DEVICE_SETTINGS = {
  'device.code-lifetime': seconds({
    tenants: 'inherited',
    default: 600,
    min: 60,
    max: 3600,
    description:
      'How long a person has to enter the code of a device. Shorter leaves less time to guess a code, or to talk a person into entering a foreign one (RFC 8628 §5.1, §5.4).',
  }),
  'device.interval': seconds({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 60,
    description:
      'How long a device waits between two requests for its tokens. A device that comes sooner is told `slow_down`, and has to wait 5 seconds longer from then on (RFC 8628 §3.5).',
  }),
  'device.wrong-code-rate-per-network': integer({
    tenants: 'inherited',
    default: 10,
    min: 0,
    max: 1_000_000,
    unit: 'codes per minute',
    description:
      'How many wrong codes one network (an IPv4 address or an IPv6 /64) may enter. A right code does not count. The server answers 429 beyond it. 0 = no limit. Behind a proxy, set `listen.trusted-proxies` first.',
  }),
  'device.wrong-code-rate': integer({
    tenants: 'inherited',
    default: 1000,
    min: 0,
    max: 1_000_000,
    unit: 'codes per minute',
    description:
      'How many wrong codes all networks together may enter. With 1,000 a minute and 1,000 waiting devices, guessers find one code in about 18 days. 0 = no limit.',
  }),
} as const;
