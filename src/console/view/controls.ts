import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../state/messages.ts';
import { toast } from '../state/toasts.ts';
import { a, button, code, component, div, span } from './elements.ts';
import { type IconName, icon } from './icon.ts';

export interface ButtonOptions {
  readonly label: string;
  readonly icon?: IconName;
  readonly kind?: 'primary' | 'danger' | 'danger-quiet' | 'plain';
  readonly size?: 'tiny';
  /** Shows the picture alone; the label is for screen readers and as a hint. */
  readonly iconOnly?: boolean;
  readonly disabled?: boolean;
  readonly submit?: boolean;
  readonly pressed?: boolean;
  readonly onClick?: () => void;
}

const classOf = ({ kind, size, iconOnly }: ButtonOptions): string =>
  ['button', kind, size, iconOnly === true ? 'square' : undefined].filter(Boolean).join(' ');

const faceOf = ({ icon: picture, iconOnly, label }: ButtonOptions): ComponentChildren => [
  picture === undefined ? null : icon(picture),
  iconOnly === true ? null : label,
];

export function action(options: ButtonOptions): VNode {
  const { label, iconOnly, disabled, submit, pressed, onClick } = options;
  return button(
    {
      type: submit === true ? 'submit' : 'button',
      class: classOf(options),
      disabled: disabled ?? false,
      ...(iconOnly === true ? { 'aria-label': label, title: label } : {}),
      ...(pressed === undefined ? {} : { 'aria-pressed': pressed }),
      ...(onClick === undefined ? {} : { onClick }),
    },
    faceOf(options),
  );
}

/** A link that looks like a button: it leads somewhere. */
export function actionLink({ to, ...options }: ButtonOptions & { readonly to: string }): VNode {
  const { label, iconOnly } = options;
  return a(
    {
      href: to,
      class: classOf(options),
      ...(iconOnly === true ? { 'aria-label': label, title: label } : {}),
    },
    faceOf(options),
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'quiet';

export function badge(text: string, tone: Tone = 'quiet'): VNode {
  return span({ class: `badge ${tone}` }, text);
}

export function badges(...all: (VNode | null)[]): VNode {
  return span({ class: 'badges' }, ...all);
}

/** Copies a text, and says so to eyes and ears. */
export function copyButton(text: string, label = t('copy')): VNode {
  return action({
    label,
    icon: 'copy',
    size: 'tiny',
    kind: 'plain',
    iconOnly: true,
    onClick: () => {
      navigator.clipboard.writeText(text).then(
        () => toast(t('copied')),
        () => toast(t('copy.failed')),
      );
    },
  });
}

/** Shows an identifier with a button that copies it. */
export function copyable(text: string): VNode {
  return span({ class: 'actions' }, code(null, text), copyButton(text));
}

export type NoticeTone = 'info' | 'good' | 'warn' | 'bad';

export function notice(tone: NoticeTone, ...content: ComponentChildren[]): VNode {
  const picture: IconName = tone === 'good' ? 'check' : 'warning';
  return div(
    { class: `notice ${tone}`, role: tone === 'bad' ? 'alert' : 'status' },
    icon(picture),
    div({ class: 'grow' }, ...content),
  );
}

interface MenuProps {
  readonly label: string;
  /** The content of the button; three dots without it. */
  readonly face?: ComponentChildren;
  readonly faceClass?: string;
  readonly above?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a list of actions below it. Escape, a click elsewhere and a choice close it. */
function Menu({ label, face, faceClass, above = false, children }: MenuProps): VNode {
  const open = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open.value) return undefined;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && place.current?.contains(event.target) !== true) open.value = false;
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
    };
  }, [open.value]);
  const close = (): void => {
    open.value = false;
    place.current?.querySelector('button')?.focus();
  };
  return div(
    {
      class: 'menu',
      ref: place,
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Escape' && open.value) {
          event.stopPropagation();
          close();
        }
      },
    },
    button(
      {
        type: 'button',
        class: faceClass ?? 'button square plain',
        'aria-expanded': open.value,
        ...(face === undefined ? { 'aria-label': label, title: label } : {}),
        onClick: () => {
          open.value = !open.value;
        },
      },
      face ?? icon('more'),
    ),
    open.value
      ? div(
          { class: `menu-list${above ? ' above' : ''}`, role: 'group', 'aria-label': label },
          children(close),
        )
      : null,
  );
}

export const menu = (props: MenuProps): VNode => component(Menu, props);
