import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';
import { component, div, input, label, option, p, select, span, textarea } from './elements.ts';
import { icon } from './icon.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The fault of the value. */
  readonly wrong?: string | undefined;
  readonly control: (attributes: ControlAttributes) => VNode;
}

interface ControlAttributes {
  readonly id: string;
  readonly class: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

function Field({ label: words, hint, wrong, control }: FieldProps): VNode {
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(wrong === undefined ? [] : [`${id}-wrong`]),
  ].join(' ');
  return div(
    { class: 'field' },
    label({ for: id }, words),
    control({
      id,
      class: 'control',
      ...(described === '' ? {} : { 'aria-describedby': described }),
      ...(wrong === undefined ? {} : { 'aria-invalid': true }),
    }),
    wrong === undefined ? null : p({ class: 'wrong', id: `${id}-wrong` }, wrong),
    hint === undefined ? null : p({ class: 'hint', id: `${id}-hint` }, hint),
  );
}

interface Common {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly wrong?: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly readOnly?: boolean;
}

export interface TextFieldProps extends Common {
  readonly placeholder?: string;
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'datetime-local';
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly autocomplete?: string;
}

const valueOf = (event: Event): string => (event.target as HTMLInputElement).value;

export function textField(props: TextFieldProps): VNode {
  const { value, onInput, type = 'text', placeholder, required, autofocus, autocomplete, readOnly } = props;
  return component(Field, {
    ...props,
    control: (attributes) =>
      input({
        ...attributes,
        type,
        value,
        placeholder: placeholder ?? '',
        required: required ?? false,
        readOnly: readOnly ?? false,
        autocomplete: autocomplete ?? 'off',
        spellcheck: false,
        ...(autofocus === true ? { autofocus: true } : {}),
        onInput: (event: Event) => onInput(valueOf(event)),
      }),
  });
}

export function areaField(props: Common & { readonly rows?: number; readonly code?: boolean }): VNode {
  const { value, onInput, rows = 4, code = false, readOnly } = props;
  return component(Field, {
    ...props,
    control: (attributes) =>
      textarea({
        ...attributes,
        class: code ? 'control code' : 'control',
        rows,
        value,
        readOnly: readOnly ?? false,
        spellcheck: false,
        onInput: (event: Event) => onInput(valueOf(event)),
      }),
  });
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function selectField(props: Common & { readonly choices: readonly Choice[] }): VNode {
  const { value, onInput, choices, readOnly } = props;
  return component(Field, {
    ...props,
    control: (attributes) =>
      select(
        {
          ...attributes,
          value,
          disabled: readOnly ?? false,
          onChange: (event: Event) => onInput(valueOf(event)),
        },
        choices.map((choice) =>
          option({ key: choice.value, value: choice.value, selected: choice.value === value }, choice.label),
        ),
      ),
  });
}

export interface CheckProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function check({ label: words, hint, checked, disabled, onChange }: CheckProps): VNode {
  return label(
    { class: 'check' },
    input({
      type: 'checkbox',
      checked,
      disabled: disabled ?? false,
      onChange: (event: Event) => onChange((event.target as HTMLInputElement).checked),
    }),
    span(null, words, hint === undefined ? null : span({ class: 'muted small' }, ` ${hint}`)),
  );
}

/** A field that filters as one types. It has a visible name only where there is room: screen readers hear it. */
export function searchField(words: string, value: string, onInput: (value: string) => void): VNode {
  return div(
    { class: 'search' },
    icon('search'),
    input({
      class: 'control',
      type: 'search',
      'aria-label': words,
      placeholder: words,
      value,
      spellcheck: false,
      autocomplete: 'off',
      onInput: (event: Event) => onInput(valueOf(event)),
    }),
  );
}

/** A choice in a toolbar; its first entry stands for no filter. */
export function filterField(
  words: string,
  value: string,
  choices: readonly Choice[],
  onInput: (value: string) => void,
): VNode {
  return select(
    { class: 'control', 'aria-label': words, value, onChange: (event: Event) => onInput(valueOf(event)) },
    option({ value: '' }, words),
    choices.map((choice) =>
      option({ key: choice.value, value: choice.value, selected: choice.value === value }, choice.label),
    ),
  );
}
