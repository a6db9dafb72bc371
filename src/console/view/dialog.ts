import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../state/messages.ts';
import { action } from './controls.ts';
import { component, dialogElement, div, form, h2 } from './elements.ts';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
  /** The buttons at the foot, the main one last. */
  readonly foot?: ComponentChildren;
  /** Makes the dialog a form. */
  readonly onSubmit?: () => void;
}

/** The modal dialog of the browser: it keeps the focus, and Escape closes it. The focus returns to where it was. */
function Dialog({ title, close, wide = false, children, foot, onSubmit }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const content = [
    div(
      { class: 'dialog-head' },
      h2({ id }, title),
      action({ label: t('close'), icon: 'close', kind: 'plain', iconOnly: true, onClick: close }),
    ),
    div({ class: 'dialog-body' }, children),
    foot === undefined ? null : div({ class: 'dialog-foot' }, foot),
  ];
  return dialogElement(
    {
      ref: element,
      class: wide ? 'wide' : '',
      'aria-labelledby': id,
      onCancel: (event: Event) => {
        event.preventDefault();
        close();
      },
    },
    onSubmit === undefined
      ? content
      : form(
          {
            noValidate: true,
            onSubmit: (event: Event) => {
              event.preventDefault();
              onSubmit();
            },
          },
          content,
        ),
  );
}

export const dialog = (props: DialogProps): VNode => component(Dialog, props);
