import { integer } from './setting.ts';

/** Settings for the network addresses that the log and the audit hold: personal data in many countries. */
export const ADDRESS_SETTINGS = {
  'log.address-bits-ipv4': integer({
    default: 32,
    min: 0,
    max: 32,
    unit: 'bits',
    description:
      'How much of an IPv4 address the log and the audit hold. The default keeps it whole, which incident work and fail2ban need. 24 keeps `192.0.2.0/24` of 192.0.2.7, where your rules for personal data ask for it. Limits always use the whole address.',
  }),
  'log.address-bits-ipv6': integer({
    default: 128,
    min: 0,
    max: 128,
    unit: 'bits',
    description: 'The same for IPv6. 48 keeps `2001:db8:1::/48`, the usual share of one customer.',
  }),
};
