import { record, refusalCode } from '../../clients/audit-trail.ts';
import { logEvent, originOf, placeOf } from '../../clients/person-event.ts';
import type { Settings } from '../../config/settings.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { AuditAction } from '../../spec/audit-events.ts';
import type { JsonLimits, JsonValue } from '../../spec/json.ts';
import { jsonChanges } from '../../spec/json-changes.ts';
import type { FormLimits, Parameters } from '../../spec/parameters.ts';
import { percentDecode } from '../../spec/percent-encoding.ts';
import { notFound, Problem } from '../../spec/problems.ts';
import { shownText } from '../../spec/shown-text.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { type JsonMembers, readBody } from '../json-body.ts';
import { problemResponse } from '../problem-response.ts';
import { type AdminAuthenticationNeeds, type AdminCaller, adminCaller } from './authenticate.ts';
import { answeredOnce, type IdempotencyNeeds, repeatableOf } from './idempotency.ts';
import { type Page, type Position, pageOf, rendersList, selectFields } from './list.ts';
import {
  type ActionForm,
  type ChangeForm,
  type CreationForm,
  type ItemForm,
  isRepeatable,
  isWrite,
  type ListForm,
  needsIfMatch,
  type OperationContract,
  type OperationForm,
  type RemovalForm,
  type StreamForm,
} from './operation-contract.ts';
import { readQuery } from './parameters.ts';
import { etagOf, type Precondition, readIfMatch, versionOf } from './version.ts';

/** Every operation takes these from its tenant. */
export interface AdminNeeds extends AdminAuthenticationNeeds, IdempotencyNeeds {
  readonly settings: Settings;
  readonly json: JsonLimits;
  readonly form: FormLimits;
  readonly storage: Pick<TenantStorage, 'audit' | 'replays' | 'interactions'>;
}

/** The author of a change, as acts of the domain take it. */
export type AdminAuthor = Pick<AuditEvent, 'actor' | 'request_id'> &
  Partial<Pick<AuditEvent, 'reason' | 'address' | 'user_agent'>>;

/** A request that is authenticated and read. */
export interface AdminCall {
  readonly caller: AdminCaller;
  readonly by: AdminAuthor;
  /** The segments of the path, decoded once. */
  readonly segments: Readonly<Record<string, string>>;
  /** The parameters of the query, checked against their schemas. */
  readonly query: Parameters;
  /** Names in lower case. */
  readonly headers: EndpointRequest['headers'];
  /** Where the request came from. */
  readonly remoteAddress: string;
}

export interface ListCall extends AdminCall {
  readonly page: Page;
}

export interface WriteCall extends AdminCall {
  /** The members of the body, checked against its schema; empty for an operation without a body. */
  readonly body: JsonMembers;
  /** Makes the audit event of the change. Store it in the same write. Without members: the action of the contract. */
  event(members?: Partial<Pick<AuditEvent, 'action' | 'client_id' | 'sub' | 'detail'>>): AuditEvent;
  /** Drops events of changes that did not happen: they are not logged. */
  forget(events: ReadonlySet<AuditEvent>): void;
}

export interface ChangeCall extends WriteCall {
  /** Call `require(version)` with the version that is stored. */
  readonly ifMatch: Precondition;
}

export type Item = Readonly<Record<string, unknown>>;

/** One page. `next` is where the following one begins: the values of the last item that the order is by. */
export interface Listed {
  readonly items: readonly Item[];
  readonly next?: Position | undefined;
  readonly estimated_total?: number | undefined;
}

/** An item. Without a version, its content is its version. */
export interface Read {
  readonly item: Item;
  readonly version?: string | undefined;
}

/** The outcome of a change that happened. */
export interface Done {
  /** Absent for a removal, and for an action without a result. */
  readonly item?: Item;
  readonly version?: string | undefined;
  /** For a creation: the path of the item below `/admin/v1`, such as `/clients/abc`. */
  readonly location?: string;
}

/**
 * A change that is permitted and has not happened. A dry run shows the difference between `before` and `after`; otherwise
 * `commit` runs, so that both refuse the same.
 */
export interface Plan {
  /** The item as readers see it; null for a creation. */
  readonly before: Item | null;
  /** The item as readers would see it; null for a removal. Never a secret. */
  readonly after: Item | null;
  readonly warnings?: readonly string[];
  /** Makes the change, in one write with its audit event. Refuses if it lost a race. */
  readonly commit: () => Promise<Done>;
}

/** Opens an operation with its needs. */
export interface OpenOperation<Needs> {
  (needs: Needs & AdminNeeds): Endpoint;
  readonly contract: OperationContract;
}

/** Makes an operation that lists items. */
export const listing = <Needs>(
  contract: OperationContract<ListForm>,
  act: (needs: Needs, call: ListCall) => Promise<Listed>,
): OpenOperation<Needs> =>
  opened(contract, async (needs, call) => {
    const page = pageOf(contract.form, call.query);
    return rendersList(contract.form, call.query, await act(needs, { ...call, page }));
  });

/** Makes an operation that reads one item. */
export const reading = <Needs>(
  contract: OperationContract<ItemForm>,
  act: (needs: Needs, call: AdminCall) => Promise<Read>,
): OpenOperation<Needs> =>
  opened(contract, async (needs, call) => {
    const { item, version } = await act(needs, call);
    const etag = etagOf(version ?? versionOf(item));
    return answered(200, selectFields(contract.form.item, call.query, item), { etag });
  });

/** An answer that is no JSON, or has no end. */
export interface Streamed {
  /** Default: 200. */
  readonly status?: 200 | 206;
  /** With its `content-type`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its `return()` is called when the caller has gone. */
  readonly body: NonNullable<EndpointResponse['body']>;
}

/** Makes an operation that answers with a file, or with events as they come. */
export const streaming = <Needs>(
  contract: OperationContract<StreamForm>,
  act: (needs: Needs, call: AdminCall) => Promise<Streamed>,
): OpenOperation<Needs> =>
  opened(contract, async (needs, call) => {
    const { status = 200, headers, body } = await act(needs, call);
    return { status, headers: { ...UNCACHED, ...headers }, body };
  });

/** Makes an operation that makes an item. */
export const creating = <Needs>(
  contract: OperationContract<CreationForm>,
  plan: (needs: Needs, call: WriteCall) => Promise<Plan>,
): OpenOperation<Needs> => opened(contract, writing(contract, plan));

/** Makes an operation that changes an item. */
export const changing = <Needs>(
  contract: OperationContract<ChangeForm>,
  plan: (needs: Needs, call: ChangeCall) => Promise<Plan>,
): OpenOperation<Needs> => opened(contract, writing(contract, plan));

/** Makes an operation that removes an item. */
export const removing = <Needs>(
  contract: OperationContract<RemovalForm>,
  plan: (needs: Needs, call: ChangeCall) => Promise<Plan>,
): OpenOperation<Needs> => opened(contract, writing(contract, plan));

/** Makes an operation for a verb. */
export const acting = <Needs>(
  contract: OperationContract<ActionForm>,
  plan: (needs: Needs, call: WriteCall) => Promise<Plan>,
): OpenOperation<Needs> => opened(contract, writing(contract, plan));

type Answering<Needs> = (
  needs: Needs & AdminNeeds,
  call: AdminCall,
  request: EndpointRequest,
) => Promise<EndpointResponse>;

/** Authenticates, reads the request and answers: the part that all operations share. */
function opened<Needs>(contract: OperationContract, answering: Answering<Needs>): OpenOperation<Needs> {
  const { form } = contract;
  const open = (needs: Needs & AdminNeeds): Endpoint => ({
    contract,
    async handle(request) {
      const caller = await adminCaller(needs, contract, request);
      try {
        const call: AdminCall = {
          caller,
          by: authorOf(needs, { caller, request }),
          segments: decodedSegments(request.segments),
          query: readQuery(form, request.query, needs.form),
          headers: request.headers,
          remoteAddress: request.remoteAddress,
        };
        return await answering(needs, call, request);
      } catch (failure) {
        noteRefusal(needs, form, { caller, request }, failure);
        throw failure;
      }
    },
  });
  return Object.assign(open, { contract });
}

function decodedSegments(segments: EndpointRequest['segments']): AdminCall['segments'] {
  return Object.fromEntries(
    Object.entries(segments).map(([name, segment]) => {
      const decoded = percentDecode(segment);
      if (decoded === undefined) throw notFound('resource');
      return [name, decoded];
    }),
  );
}

const REASON_MAX = 200;

type Planning<Needs> = (needs: Needs, call: ChangeCall) => Promise<Plan>;

function writing<Needs>(contract: OperationContract, plan: Planning<Needs>): Answering<Needs> {
  const { form } = contract;
  return async (needs, call, request) => {
    requireReason(request.headers['audit-reason']);
    const ifMatch = readIfMatch(request.headers['if-match'], needsIfMatch(form));
    const body =
      'body' in form && form.body !== undefined ? readBody(contract, form.body, request, needs.json) : {};
    const isDryRun = call.query['dry_run'] === 'true';
    const made: AuditEvent[] = [];
    const event: WriteCall['event'] = (members = {}) => {
      const one = eventOf(needs, form, { caller: call.caller, request }, members);
      made.push(one);
      return one;
    };
    const forgotten = new Set<AuditEvent>();
    const forget: WriteCall['forget'] = (events) => {
      for (const one of events) forgotten.add(one);
    };
    const act = async (): Promise<EndpointResponse> => {
      const planned = await plan(needs, { ...call, ifMatch, body, event, forget });
      if (isDryRun) return previewOf(planned);
      const done = await planned.commit();
      for (const one of made) if (!forgotten.has(one)) logEvent(needs, one);
      return doneResponse(form, done);
    };
    const repeatable = isRepeatable(form) ? repeatableOf(contract, request, call.caller.actor) : undefined;
    if (repeatable === undefined || isDryRun) return await act();
    return await answeredOnce(needs, repeatable, act, (failure) =>
      codeOf(failure) === undefined ? undefined : problemResponse(contract, request, failure),
    );
  };
}

function requireReason(reason: string | undefined): void {
  if (reason === undefined || reason.length <= REASON_MAX) return;
  const detail = `must have at most ${REASON_MAX} characters`;
  throw new Problem('invalid_parameter', `Audit-Reason ${detail}`, {
    errors: [{ pointer: 'Audit-Reason', detail }],
  });
}

interface Acting {
  readonly caller: AdminCaller;
  readonly request: EndpointRequest;
}

function eventOf(
  needs: AdminNeeds,
  form: OperationForm,
  acting: Acting,
  members: Partial<Pick<AuditEvent, 'action' | 'client_id' | 'sub' | 'detail' | 'outcome'>>,
): AuditEvent {
  return {
    at: needs.clock.now(),
    action: actionOf(form),
    outcome: 'done',
    client_id: null,
    detail: null,
    ...authorOf(needs, acting),
    ...members,
  };
}

function authorOf({ settings }: Pick<AdminNeeds, 'settings'>, { caller, request }: Acting): AdminAuthor {
  const reason = request.headers['audit-reason'];
  return {
    actor: caller.actor,
    request_id: request.id,
    ...placeOf(settings, originOf(request)),
    ...(reason === undefined ? {} : { reason: shownText(reason, REASON_MAX) }),
  };
}

function actionOf(form: OperationForm): AuditAction {
  if ('action' in form) return form.action;
  throw new Error(`${form.name} changes nothing, so it has no audit event`);
}

/** Returns the code of a refusal; undefined for a fault of the server. */
const codeOf = (failure: unknown): string | undefined =>
  failure instanceof Problem ? failure.code : refusalCode(failure);

/** Records that the server refused a change to an authenticated caller. Refused readers are in the log only. */
function noteRefusal(needs: AdminNeeds, form: OperationForm, acting: Acting, failure: unknown): void {
  const detail = codeOf(failure);
  if (!isWrite(form) || detail === undefined) return;
  record(
    { ...needs, audit: needs.storage.audit },
    eventOf(needs, form, acting, { outcome: 'refused', detail }),
  );
}

function previewOf({ before, after, warnings = [] }: Plan): EndpointResponse {
  const changes = jsonChanges(before as JsonValue, after as JsonValue);
  return answered(200, { dry_run: true, changes, warnings, result: after });
}

function doneResponse(form: OperationForm, { item, version, location }: Done): EndpointResponse {
  if (item === undefined) return { status: 204, headers: UNCACHED };
  const isAction = form.kind === 'action';
  return answered(STATUS_OF_ITEM[form.kind] ?? 200, item, {
    ...(isAction && version === undefined ? {} : { etag: etagOf(version ?? versionOf(item)) }),
    ...(location === undefined ? {} : { location: relativeTo(form.path, location) }),
  });
}

/** An answer with an item has 200, but for these. */
const STATUS_OF_ITEM: Readonly<Partial<Record<OperationForm['kind'], number>>> = {
  creation: 201,
  removal: 202,
};

/**
 * Returns the address of an item, relative to that of the request: the API stands on the management listener, below an
 * issuer, and behind proxies with a path of their own.
 */
function relativeTo(path: string, location: string): string {
  const depth = path.split('/').length - PREFIX_SEGMENTS - 1;
  return '../'.repeat(depth) + location.replace(/^\//u, '');
}

/** `''`, `admin` and `v1`. */
const PREFIX_SEGMENTS = 3;

function answered(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...UNCACHED, ...headers },
    body: JSON.stringify(body),
  };
}
