import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AdminClient, AdminPreview } from '../../../client/client.ts';
import { api, isConflict, memberFaults, wordsOf } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import {
  type Difference,
  differences,
  isEmpty,
  type Members,
  patchBetween,
  patched,
} from '../../state/merge-patch.ts';
import { t } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, notice } from '../../view/controls.ts';
import { diff } from '../../view/diff.ts';
import { component, div, li, p, ul } from '../../view/elements.ts';
import { areaField } from '../../view/fields.ts';
import { card } from '../../view/page.ts';
import { conflict } from './conflict.ts';
import { clientNow, type Versioned } from './describe.ts';
import { metadataForm } from './metadata-form.ts';

interface EditorProps extends Versioned {
  /** A form, or JSON. */
  readonly form: boolean;
  readonly reload: () => void;
}

/** The answer of the server to what the person has typed so far. */
interface Check {
  readonly changes: readonly Difference[];
  readonly warnings: readonly string[];
  /** By JSON pointer into the metadata. */
  readonly faults: ReadonlyMap<string, string>;
  readonly problem: string | undefined;
}

const UNCHANGED: Check = { changes: [], warnings: [], faults: new Map(), problem: undefined };
/** The server checks so long after the last key. */
const TYPING_MS = 350;

export const metadataEditor = (props: EditorProps): VNode => component(MetadataEditor, props);

/** The state of an edit: what the person typed, and what the server says to it. */
interface Edit {
  readonly base: Members;
  readonly draft: Signal<Members>;
  readonly text: Signal<string>;
  readonly check: Check;
  readonly isSaving: Signal<boolean>;
  /** The version that another person made meanwhile. */
  readonly newer: Signal<Versioned | undefined>;
  readonly isChanged: boolean;
  /** Why the text is no JSON object. */
  readonly broken: string | undefined;
  readonly discard: () => void;
  readonly save: (reason: Reason, on?: Versioned) => Promise<void>;
}

function useEdit({ client, etag, form, reload }: EditorProps): Edit {
  const base = client.metadata;
  const draft = useSignal<Members>(base);
  const text = useSignal(pretty(base));
  const check = useSignal<Check>(UNCHANGED);
  const isSaving = useSignal(false);
  const newer = useSignal<Versioned | undefined>(undefined);
  const discard = (): void => {
    draft.value = base;
    text.value = pretty(base);
    check.value = UNCHANGED;
  };
  useEffect(discard, [etag]);
  const patch = patchBetween(base, draft.value);
  useDryRun(client.client_id, etag, patch, check);
  const save = async (reason: Reason, on: Versioned = { client, etag }): Promise<void> => {
    try {
      await stored(on, patchFor(on, patch), reason, reload);
      newer.value = undefined;
      reload();
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
      newer.value = await clientNow(client.client_id);
    }
  };
  const broken = form ? undefined : jsonProblem(text.value);
  const isChanged = !isEmpty(patch);
  return { base, draft, text, check: check.value, isSaving, newer, isChanged, broken, discard, save };
}

/**
 * Edits the metadata of a client. A dry run checks each state of the text, so that mistakes and the differences are seen before
 * anything is stored.
 */
function MetadataEditor(props: EditorProps): VNode {
  const edit = useEdit(props);
  const { check, isChanged, isSaving, broken, newer, discard } = edit;
  const mayEdit = may('admin:clients:write');
  return div(
    { class: 'stack' },
    card(undefined, props.form ? formOf(edit, !mayEdit) : jsonOf(edit, !mayEdit)),
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
    newer.value === undefined ? null : resolution(edit, newer.value, props.reload),
  );
}

const formOf = ({ draft, check }: Edit, readOnly: boolean): VNode =>
  metadataForm({
    metadata: draft.value,
    faults: check.faults,
    readOnly,
    change: (members) => {
      draft.value = patched(draft.value, members);
    },
  });

const jsonOf = ({ draft, text, broken }: Edit, readOnly: boolean): VNode =>
  areaField({
    label: t('client.json'),
    value: text.value,
    rows: 22,
    code: true,
    wrong: broken,
    readOnly,
    onInput: (given) => {
      text.value = given;
      if (jsonProblem(given) === undefined) draft.value = JSON.parse(given) as Members;
    },
  });

const saving = ({ base, draft, check, isSaving, save }: Edit): VNode =>
  confirmed({
    title: t('client.save.title'),
    text: t('client.save.text'),
    label: t('save'),
    harmless: true,
    more: diff(check.changes.length === 0 ? differences(base, draft.value) : check.changes),
    close: setting(isSaving, false),
    act: save,
  });

const resolution = ({ base, draft, newer, save }: Edit, theirs: Versioned, reload: () => void): VNode =>
  conflict({
    base,
    mine: draft.value,
    theirs: theirs.client.metadata,
    close: setting(newer, undefined),
    takeTheirs: () => {
      newer.value = undefined;
      reload();
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
function useDryRun(client_id: string, etag: string, patch: Members, check: Signal<Check>): void {
  const question = JSON.stringify(patch);
  useEffect(() => {
    if (isEmpty(patch)) {
      check.value = UNCHANGED;
      return undefined;
    }
    let isLatest = true;
    const timer = setTimeout(() => {
      examined(client_id, etag, patch).then(
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

async function examined(client_id: string, etag: string, metadata: Members): Promise<Check> {
  try {
    const preview = (await api.adminClientPatch({
      client_id,
      'if-match': etag,
      query: { dry_run: true },
      body: { metadata },
    })) as AdminPreview;
    const changes = preview.changes.map((change) => ({
      ...change,
      path: change.path.replace('/metadata', ''),
    }));
    return { ...UNCHANGED, changes, warnings: preview.warnings };
  } catch (failure) {
    // The conflict is solved when the person saves.
    if (isConflict(failure)) return UNCHANGED;
    const faults = [...memberFaults(failure)].map(
      ([pointer, words]) => [pointer.replace(/^\/metadata/u, ''), words] as const,
    );
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

/** Returns the change for another version of the client: the members that the person changed, and no others. */
const patchFor = ({ client }: Versioned, patch: Members): Members =>
  patchBetween(client.metadata, patched(client.metadata, patch));

/** Stores a change, and offers the way back. */
async function stored(on: Versioned, metadata: Members, reason: Reason, reload: () => void): Promise<void> {
  const { client_id } = on.client;
  const { body, headers } = await api.call('adminClientPatch', {
    client_id,
    'if-match': on.etag,
    body: { metadata },
    ...reason,
  });
  const back = patchBetween((body as AdminClient).metadata, on.client.metadata);
  const etag = headers.get('etag') ?? '*';
  toast(t('client.saved'), async () => {
    await api.adminClientPatch({ client_id, 'if-match': etag, body: { metadata: back } });
    reload();
  });
}
