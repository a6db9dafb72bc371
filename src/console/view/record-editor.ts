import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AdminPreview } from '../../client/client.ts';
import { isConflict, memberFaults, wordsOf } from '../state/api.ts';
import { setting } from '../state/into.ts';
import { type Difference, differences, isEmpty, type Members, patched } from '../state/merge-patch.ts';
import { t } from '../state/messages.ts';
import { toast } from '../state/toasts.ts';
import { confirmed, type Reason } from './confirm.ts';
import { conflict } from './conflict.ts';
import { action, notice } from './controls.ts';
import { diff } from './diff.ts';
import { component, div, li, p, ul } from './elements.ts';
import { areaField } from './fields.ts';
import { card } from './page.ts';

/** The members of a record that a person edits, as the server has them. */
export interface RecordVersion {
  readonly members: Members;
  readonly etag: string;
}

/** The record of an editor, as far as the server knows it. */
export interface EditedRecord {
  /** Returns the merge patch that makes `after` of `before`. */
  readonly patchBetween: (before: Members, after: Members) => Members;
  /** Where the members stand in the body of a request, such as `/metadata`. */
  readonly pointer: string;
  readonly preview: (on: RecordVersion, patch: Members) => Promise<AdminPreview>;
  /** Returns the record after the change. */
  readonly store: (on: RecordVersion, patch: Members, reason: Reason) => Promise<RecordVersion>;
  /** Reads the record again. */
  readonly now: () => Promise<RecordVersion>;
}

/** A form of one's own in place of JSON. */
interface FormProps {
  readonly members: Members;
  readonly faults: ReadonlyMap<string, string>;
  readonly readOnly: boolean;
  readonly change: (members: Members) => void;
}

interface EditorProps extends RecordVersion {
  readonly record: EditedRecord;
  readonly mayEdit: boolean;
  /** The words beside the JSON. */
  readonly label: string;
  readonly hint?: string;
  readonly rows?: number;
  readonly form?: (props: FormProps) => VNode;
  readonly words: { readonly title: string; readonly text: string; readonly saved: string };
  readonly reload: () => void;
}

/** The answer of the server to what the person has typed so far. */
interface Check {
  readonly changes: readonly Difference[];
  readonly warnings: readonly string[];
  /** By JSON pointer into the members. */
  readonly faults: ReadonlyMap<string, string>;
  readonly problem: string | undefined;
}

const UNCHANGED: Check = { changes: [], warnings: [], faults: new Map(), problem: undefined };
/** The server checks so long after the last key. */
const TYPING_MS = 350;

export const recordEditor = (props: EditorProps): VNode => component(RecordEditor, props);

/** The state of an edit: what the person typed, and what the server says to it. */
interface Edit {
  readonly props: EditorProps;
  readonly draft: Signal<Members>;
  readonly text: Signal<string>;
  readonly check: Check;
  readonly isSaving: Signal<boolean>;
  /** The version that another person made meanwhile. */
  readonly newer: Signal<RecordVersion | undefined>;
  readonly isChanged: boolean;
  /** Why the text is no JSON object. */
  readonly broken: string | undefined;
  readonly discard: () => void;
  readonly save: (reason: Reason, on?: RecordVersion) => Promise<void>;
}

function useEdit(props: EditorProps): Edit {
  const { members: base, etag, record, reload } = props;
  const draft = useSignal<Members>(base);
  const text = useSignal(pretty(base));
  const check = useSignal<Check>(UNCHANGED);
  const isSaving = useSignal(false);
  const newer = useSignal<RecordVersion | undefined>(undefined);
  const discard = (): void => {
    draft.value = base;
    text.value = pretty(base);
    check.value = UNCHANGED;
  };
  useEffect(discard, [etag]);
  const patch = record.patchBetween(base, draft.value);
  useDryRun(props, patch, check);
  const save = async (reason: Reason, on: RecordVersion = { members: base, etag }): Promise<void> => {
    // The members that the person changed, and no others.
    const own = record.patchBetween(on.members, patched(on.members, patch));
    try {
      await stored(props, on, own, reason);
      newer.value = undefined;
      reload();
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
      newer.value = await record.now();
    }
  };
  const broken = props.form === undefined ? jsonProblem(text.value) : undefined;
  const isChanged = !isEmpty(patch);
  return { props, draft, text, check: check.value, isSaving, newer, isChanged, broken, discard, save };
}

/**
 * Edits a record as a form or as JSON. A dry run checks each state of the text, so that mistakes and the differences are seen before
 * anything is stored. A change of another person meanwhile is shown beside one's own.
 */
function RecordEditor(props: EditorProps): VNode {
  const edit = useEdit(props);
  const { check, isChanged, isSaving, broken, newer, discard } = edit;
  const { mayEdit, form } = props;
  return div(
    { class: 'stack' },
    card(undefined, form === undefined ? jsonOf(edit) : formOf(edit, form)),
    outcome(check, !isChanged),
    mayEdit && isChanged
      ? div(
          { class: 'actions' },
          action({
            label: t('save'),
            kind: 'primary',
            icon: 'check',
            disabled: broken !== undefined || check.problem !== undefined,
            onClick: setting(isSaving, true),
          }),
          action({ label: t('discard'), onClick: discard }),
        )
      : null,
    isSaving.value ? saving(edit) : null,
    newer.value === undefined ? null : resolution(edit, newer.value),
  );
}

const formOf = ({ props, draft, check }: Edit, form: (props: FormProps) => VNode): VNode =>
  form({
    members: draft.value,
    faults: check.faults,
    readOnly: !props.mayEdit,
    change: (members) => {
      draft.value = patched(draft.value, members);
    },
  });

const jsonOf = ({ props, draft, text, broken }: Edit): VNode =>
  areaField({
    label: props.label,
    ...(props.hint === undefined ? {} : { hint: props.hint }),
    value: text.value,
    rows: props.rows ?? 22,
    code: true,
    wrong: broken,
    readOnly: !props.mayEdit,
    onInput: (given) => {
      text.value = given;
      if (jsonProblem(given) === undefined) draft.value = JSON.parse(given) as Members;
    },
  });

const saving = ({ props, draft, check, isSaving, save }: Edit): VNode =>
  confirmed({
    title: props.words.title,
    text: props.words.text,
    label: t('save'),
    harmless: true,
    more: diff(check.changes.length === 0 ? differences(props.members, draft.value) : check.changes),
    close: setting(isSaving, false),
    act: save,
  });

const resolution = ({ props, draft, newer, save }: Edit, theirs: RecordVersion): VNode =>
  conflict({
    base: props.members,
    mine: draft.value,
    theirs: theirs.members,
    close: setting(newer, undefined),
    takeTheirs: () => {
      newer.value = undefined;
      props.reload();
    },
    keepMine: async () => await save({}, theirs),
  });

const pretty = (members: Members): string => JSON.stringify(members, undefined, 2);

function jsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : t('json.object');
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

/** Asks the server what a change would do, once the person stops typing. */
function useDryRun({ record, members, etag }: EditorProps, patch: Members, check: Signal<Check>): void {
  const question = JSON.stringify(patch);
  useEffect(() => {
    if (isEmpty(patch)) {
      check.value = UNCHANGED;
      return undefined;
    }
    let isLatest = true;
    const timer = setTimeout(() => {
      examined(record, { members, etag }, patch).then(
        (found) => {
          if (isLatest) check.value = found;
          return undefined;
        },
        () => undefined,
      );
    }, TYPING_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [question, etag]);
}

async function examined(record: EditedRecord, on: RecordVersion, patch: Members): Promise<Check> {
  const { pointer } = record;
  const inside = (path: string): string => (path.startsWith(pointer) ? path.slice(pointer.length) : path);
  try {
    const preview = await record.preview(on, patch);
    const changes = preview.changes.map((change) => ({ ...change, path: inside(change.path) }));
    return { ...UNCHANGED, changes, warnings: preview.warnings };
  } catch (failure) {
    // The conflict is solved when the person saves.
    if (isConflict(failure)) return UNCHANGED;
    const faults = [...memberFaults(failure)].map(([path, words]) => [inside(path), words] as const);
    return { ...UNCHANGED, faults: new Map(faults), problem: wordsOf(failure) };
  }
}

function outcome({ changes, warnings, faults, problem }: Check, isUnchanged: boolean): VNode | null {
  if (problem !== undefined)
    return notice(
      'bad',
      p(null, problem),
      faults.size === 0
        ? null
        : ul(
            { class: 'plain-list' },
            [...faults].map(([at, words]) => li({ key: at }, `${at.slice(1)}: ${words}`)),
          ),
    );
  if (isUnchanged || changes.length === 0) return null;
  return card(t('client.changes'), [...warnings.map((words) => notice('warn', words)), diff(changes)]);
}

/** Stores a change, and offers the way back where there is one: a secret that was replaced does not come back. */
async function stored(
  { record, words, reload }: EditorProps,
  on: RecordVersion,
  patch: Members,
  reason: Reason,
): Promise<void> {
  const after = await record.store(on, patch, reason);
  const back = record.patchBetween(after.members, on.members);
  toast(
    words.saved,
    isEmpty(back)
      ? undefined
      : async () => {
          await record.store(after, back, {});
          reload();
        },
  );
}
