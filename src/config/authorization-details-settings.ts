import * as z from 'zod/mini';
import { type DetailsSchema, detailsSchemaProblems } from '../spec/details-schema.ts';
import type { JsonValue } from '../spec/json.ts';
import { integer, maps, type Setting } from './setting.ts';
import { mapError, said } from './trusted-issuer.ts';

const TYPES_MAX = 100;
const TEMPLATE_LENGTH_MAX = 1000;

const TYPE = 'must be 1 to 128 ASCII characters without spaces, quotation marks and backslashes';
const MEMBER = 'must be the name of a member';
const TEMPLATE = `must be a text of at most ${TEMPLATE_LENGTH_MAX} characters with members in braces, such as {instructedAmount.amount}`;

/** A text in which `{a.b}` stands for a member of the details. */
const TEMPLATE_FORM = /^(?:[^{}\p{Cc}]|\{[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\})+$/u;

const schema = () =>
  z.record(z.string(), z.unknown(), said('must be a JSON Schema object')).check(
    z.check(({ value, issues }) => {
      for (const { pointer, detail } of detailsSchemaProblems(value as JsonValue))
        issues.push({ code: 'custom', message: detail, input: value, path: pointer.split('/').slice(1) });
    }),
  );

const consent = () =>
  z
    .record(
      z.string().check(z.regex(/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/u, said('must be a language tag'))),
      z
        .string(said(TEMPLATE))
        .check(z.maxLength(TEMPLATE_LENGTH_MAX, said(TEMPLATE)), z.regex(TEMPLATE_FORM, said(TEMPLATE))),
      said('must be a map of texts by language'),
    )
    .check(z.refine((texts) => texts['en'] !== undefined, said('must have a text in en')));

const members = () =>
  z.strictObject(
    {
      type: z.string(said(TYPE)).check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/u, said(TYPE))),
      schema: schema(),
      narrowable: z.optional(
        z.array(
          z.string(said(MEMBER)).check(z.regex(/^[^\p{Cc}]{1,128}$/u, said(MEMBER))),
          said('must be a list of members'),
        ),
      ),
      consent: z.optional(consent()),
    },
    mapError('must be a map with type and schema'),
  );

const type = () =>
  members().check(
    z.refine(
      (one) => unknownMember(one) === undefined,
      said('must name members in its texts that the properties of its schema have'),
    ),
  );

/** Returns a member that a text shows and the schema does not have: an end-user would not see what was meant. */
function unknownMember({
  schema: { properties },
  consent: texts = {},
}: z.infer<ReturnType<typeof members>>): string | undefined {
  if (typeof properties !== 'object' || properties === null) return undefined;
  const shown = Object.values(texts).flatMap((text) => [...text.matchAll(/\{([A-Za-z0-9_-]+)[.}]/gu)]);
  return shown.map(([, name = '']) => name).find((name) => !Object.hasOwn(properties, name));
}

const RULE = 'must be a list of maps with type and schema';

const types = () =>
  z.array(type(), said(RULE)).check(
    z.maxLength(TYPES_MAX, said(`must not hold more than ${TYPES_MAX} types`)),
    z.refine(
      (all) => new Set(all.map((one) => one.type)).size === all.length,
      said('must not name a type twice'),
    ),
  );

/** One entry of the setting, as `chancery.yaml` holds it. */
export type ConfiguredDetailsType = Omit<z.infer<ReturnType<typeof type>>, 'schema'> & {
  readonly schema: DetailsSchema;
};

/** Settings for Rich Authorization Requests (RFC 9396). */
export const AUTHORIZATION_DETAILS_SETTINGS = {
  'authorization-details.types': maps<ConfiguredDetailsType>({
    tenants: 'own',
    default: [],
    items: 'types',
    schema: () => types() as unknown as z.ZodMiniType<readonly ConfiguredDetailsType[]>,
    rule: RULE,
    description:
      'Types of `authorization_details` (RFC 9396) that clients may be registered for. `schema`: the JSON Schema (2020-12) of the whole object; a member that it does not name is refused. `narrowable`: members whose lists may have fewer values in a later request; every other member must stay as it was granted. `consent`: the words of the consent page by language, `en` at least, where `{member}` or `{member.member}` stands for what the client asks; without it the page shows all members. Discovery lists the types. In an environment variable the value is JSON.',
  }),
  'authorization-details.length': integer({
    tenants: 'inherited',
    default: 8192,
    min: 256,
    max: 65_536,
    unit: 'characters',
    description:
      'The maximum length of the parameter `authorization_details`. Depth and members follow `limits.json-depth` and `limits.json-members`. Self-contained tokens hold the details too, and have at most 8192 characters.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
