import type { AdminScope } from '../../spec/admin-scopes.ts';
import type { AuditAction } from '../../spec/audit-events.ts';
import { closed, FLAG, OBJECT, type Schema, said, TEXT } from '../../spec/json-schema.ts';
import type { ProblemCode } from '../../spec/problems.ts';
import { named } from '../../spec/schemas.ts';
import type { AnswerContract, Content, Contract, InputContract, Method } from '../contract.ts';

/** A parameter of the query that one operation reads. Its schema is a text, a number or a boolean. */
export interface QueryParameter {
  readonly words: string;
  /** Default: any text. */
  readonly schema?: Schema;
}

/** The members of every form of an operation. */
interface AnyForm {
  /** `admin-` and the resource, then what the operation does: `admin-key-revoke`. */
  readonly name: string;
  /** Below the issuer or the management listener; `{name}` stands for one path segment. */
  readonly path: `/admin/v1/${string}`;
  /** One sentence that begins with a verb. */
  readonly purpose: string;
  readonly scope: AdminScope;
  /** The meaning of each `{name}` in the path. */
  readonly segments?: Readonly<Record<string, string>>;
  /** Parameters of the query, beside those of every operation of this kind. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Headers that the operation reads, beside those of every operation of this kind. */
  readonly headers?: Readonly<Record<string, QueryParameter>>;
  /** Refusals beside those of every operation of this kind. */
  readonly problems?: readonly ProblemCode[];
}

/** `GET`: a page of items, with `limit`, `cursor`, `sort` and `fields`. */
export interface ListForm extends AnyForm {
  readonly kind: 'list';
  readonly item: Schema;
  /** Members to sort by, the default first; `-` in front means descending. Absent: one order only. */
  readonly sort?: readonly [string, ...string[]];
}

/** `GET`: one item, with its `ETag` and `fields`. */
export interface ItemForm extends AnyForm {
  readonly kind: 'item';
  readonly item: Schema;
}

/** `POST`: makes an item. */
export interface CreationForm extends AnyForm {
  readonly kind: 'creation';
  readonly action: AuditAction;
  /** Absent: the operation takes no body. */
  readonly body?: Schema;
  /** The item, with the secrets that it has in this answer only. */
  readonly item: Schema;
}

/** `PUT` or `PATCH` (RFC 7396): changes an item that `If-Match` names. */
export interface ChangeForm extends AnyForm {
  readonly kind: 'change';
  readonly method: 'PUT' | 'PATCH';
  readonly action: AuditAction;
  readonly body: Schema;
  readonly item: Schema;
}

/** `DELETE`: removes an item that `If-Match` names. */
export interface RemovalForm extends AnyForm {
  readonly kind: 'removal';
  readonly action: AuditAction;
  /** The item while it goes: the answer is 202. Absent: 204. */
  readonly result?: Schema;
}

/** `POST …/{id}/verb`. */
export interface ActionForm extends AnyForm {
  readonly kind: 'action';
  readonly action: AuditAction;
  /** Absent: the operation takes no body. */
  readonly body?: Schema;
  /** Absent: 204. */
  readonly result?: Schema;
}

/** `GET`: something that is no JSON, or has no end: a file, events as they come. */
export interface StreamForm extends AnyForm {
  readonly kind: 'stream';
  /** By media type. */
  readonly content: Content;
  /** One sentence about the answer. */
  readonly words: string;
  /** Whether the caller may ask for a range of it (RFC 9110 §14). */
  readonly ranges?: true;
}

export type OperationForm =
  | ListForm
  | ItemForm
  | CreationForm
  | ChangeForm
  | RemovalForm
  | ActionForm
  | StreamForm;

/** The contract of an operation, with what was said to make it. */
export type OperationContract<Form extends OperationForm = OperationForm> = Contract & {
  readonly form: Form;
  readonly scope: AdminScope;
};

const LIMIT = { default: 50, max: 200 } as const;
export const PAGE_LIMIT = LIMIT;

const FIELDS: QueryParameter = {
  words: 'The members of each item that the answer has, separated by commas. Default: all.',
};
const DRY_RUN: QueryParameter = {
  words: '`true`: the server refuses what it would refuse, says what would change, and changes nothing.',
  schema: FLAG,
};

/** Parameters that every operation of a kind has. */
function ownQuery(form: OperationForm): Readonly<Record<string, QueryParameter>> {
  if (form.kind === 'item') return { fields: FIELDS };
  if (form.kind === 'stream') return {};
  if (form.kind !== 'list') return { dry_run: DRY_RUN };
  return {
    limit: {
      words: `The number of items of a page. Default: ${LIMIT.default}.`,
      schema: { type: 'integer', minimum: 1, maximum: LIMIT.max },
    },
    cursor: { words: 'The place where the page begins: `next` of the page before it.' },
    fields: FIELDS,
    ...(form.sort === undefined
      ? {}
      : {
          sort: {
            words: `The order of the items; \`-\` in front: descending. Default: \`${form.sort[0]}\`.`,
            schema: { enum: form.sort },
          },
        }),
  };
}

/** Every parameter of the query that an operation knows. */
export const queryOfOperation = (form: OperationForm): Readonly<Record<string, QueryParameter>> => ({
  ...form.query,
  ...ownQuery(form),
});

const REASON: InputContract = {
  name: 'Audit-Reason',
  in: 'header',
  words: 'Why the caller does this: at most 200 characters, for the audit.',
  schema: { type: 'string', maxLength: 200 },
};
const IF_MATCH: InputContract = {
  name: 'If-Match',
  in: 'header',
  words: 'The `ETag` of the version that the caller has read, or `*` for any version.',
  schema: TEXT,
  required: true,
};

const KEY: InputContract = {
  name: 'Idempotency-Key',
  in: 'header',
  words:
    'At most 255 visible ASCII characters that the caller chooses. The same request with the same key has the same answer for 24 hours, and happens once.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const READS: ReadonlySet<OperationForm['kind']> = new Set(['list', 'item', 'stream']);

export const needsIfMatch = ({ kind }: OperationForm): boolean => kind === 'change' || kind === 'removal';
/** Repeating a `POST` does not have the effect of one (RFC 9110 §9.2.2). */
export const isRepeatable = ({ kind }: OperationForm): boolean => kind === 'creation' || kind === 'action';
export const isWrite = ({ kind }: OperationForm): boolean => !READS.has(kind);

function inputsOf(form: OperationForm): readonly InputContract[] {
  const query = Object.entries(queryOfOperation(form)).map(
    ([name, { words, schema = TEXT }]): InputContract => ({ name, in: 'query', words, schema }),
  );
  const headers = Object.entries(form.headers ?? {}).map(
    ([name, { words, schema = TEXT }]): InputContract => ({ name, in: 'header', words, schema }),
  );
  return [
    ...query,
    ...headers,
    ...(needsIfMatch(form) ? [IF_MATCH] : []),
    ...(isRepeatable(form) ? [KEY] : []),
    ...(isWrite(form) ? [REASON] : []),
  ];
}

const METHODS: Readonly<Record<Exclude<OperationForm['kind'], 'change'>, Method>> = {
  list: 'GET',
  item: 'GET',
  stream: 'GET',
  creation: 'POST',
  removal: 'DELETE',
  action: 'POST',
};

const JSON_TYPE = 'application/json';
const PREVIEW: AnswerContract = {
  words: 'A dry run: what would change.',
  content: { [JSON_TYPE]: named('AdminPreview') },
};

function listOf(item: Schema): Schema {
  return closed(
    {
      items: { type: 'array', items: withFields(item) },
      next: said('The `cursor` of the next page. Absent on the last page.', TEXT),
      estimated_total: said('About how many items there are, where that is cheap to know.', {
        type: 'integer',
        minimum: 0,
      }),
    },
    ['items'],
  );
}

/** With `fields`, an item has a part of its members. */
const withFields = (item: Schema): Schema => ({ anyOf: [item, said('With `fields`.', OBJECT)] });

function answersOf(form: OperationForm): Readonly<Record<number, AnswerContract>> {
  const with_ = (words: string, schema: Schema): AnswerContract => ({
    words,
    content: { [JSON_TYPE]: schema },
  });
  switch (form.kind) {
    case 'list':
      return { 200: with_('A page of items.', listOf(form.item)) };
    case 'item':
      return { 200: with_('The item. `ETag` is its version.', withFields(form.item)) };
    case 'stream':
      return {
        200: { words: form.words, content: form.content },
        ...(form.ranges === undefined
          ? {}
          : { 206: { words: 'The range that `Range` asks for.', content: form.content } }),
      };
    case 'creation':
      return { 200: PREVIEW, 201: with_('The new item. `Location` is its address.', form.item) };
    case 'change':
      return {
        200: with_('The changed item, or a preview.', { anyOf: [form.item, named('AdminPreview')] }),
      };
    case 'removal':
      return form.result === undefined
        ? { 200: PREVIEW, 204: { words: 'The item is deleted.' } }
        : {
            200: PREVIEW,
            202: with_('The deletion has begun. `ETag` is the version of the item.', form.result),
          };
    case 'action':
      return form.result === undefined
        ? { 200: PREVIEW, 204: { words: 'Done.' } }
        : { 200: with_('The result, or a preview.', { anyOf: [form.result, named('AdminPreview')] }) };
  }
}

const STATUSES: Readonly<Partial<Record<ProblemCode, number>>> = {
  conflict: 409,
  range_not_satisfiable: 416,
  insufficient_storage: 507,
  request_rejected: 422,
  not_found: 404,
  too_many_requests: 429,
};

function statusesOf(form: OperationForm): readonly number[] {
  return [
    ...Object.keys(answersOf(form)).map(Number),
    400,
    401,
    403,
    ...(form.path.includes('{') ? [404] : []),
    ...(needsIfMatch(form) ? [412, 428] : []),
    ...(isRepeatable(form) ? [409, 422] : []),
    500,
    503,
    ...(form.problems ?? []).flatMap((code) => STATUSES[code] ?? []),
  ].toSorted((one, other) => one - other);
}

/** Makes the contract of an operation of the administration API: everything that its kind implies, and what it says itself. */
export function operationContract<const Form extends OperationForm>(form: Form): OperationContract<Form> {
  const body = 'body' in form ? form.body : undefined;
  const type = form.kind === 'change' && form.method === 'PATCH' ? 'application/merge-patch+json' : JSON_TYPE;
  return {
    name: form.name,
    method: form.kind === 'change' ? form.method : METHODS[form.kind],
    path: form.path,
    purpose: form.purpose,
    ...(form.segments === undefined ? {} : { segments: form.segments }),
    credentials: ['admin-token'],
    scope: form.scope,
    inputs: inputsOf(form),
    ...(body === undefined ? {} : { content: { [type]: body } }),
    answers: answersOf(form),
    specifications: ['docs/operate/administration.md'],
    statuses: [...new Set(statusesOf(form))],
    errors: 'problem',
    // RFC 9449 §7.1: a resource server answers 401.
    errorStatuses: { invalid_dpop_proof: 401, use_dpop_nonce: 401 },
    cors: 'none',
    body: body === undefined ? 'none' : 'json',
    form,
  };
}
