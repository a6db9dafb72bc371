import { flag, text } from './setting.ts';

/** Settings for the console of the operator (docs/operate/console.md). */
export const CONSOLE_SETTINGS = {
  'console.enabled': flag({
    tenants: 'own',
    default: false,
    defaultWords: '`false`; `true` in development',
    description:
      'Whether the management listener serves the console at `/console/`, and whether people can sign in to it. With `admin.listeners: both` it also stands below the issuer. An account needs an administration role for that. Set `console.url` too.',
  }),
  'console.url': text({
    tenants: 'own',
    default: 'auto',
    pattern: /^(?:auto|https?:\/\/[^\s?#]+\/)$/u,
    rule: 'must be auto, or an http or https URL that ends with a slash, without query and fragment',
    description:
      'The address at which browsers open the console, such as `https://ops.example.com/console/`. The sign-in returns to it and to no other address. `auto`: the address of the management listener, for a browser on the same machine. Set it where a proxy stands before the management listener.',
  }),
};
