import type { VNode } from 'preact';
import { t } from '../../state/messages.ts';
import { div } from '../../view/elements.ts';
import { pageHead } from '../../view/page.ts';

export const overview = (): VNode => div(null, pageHead({ title: t('overview') }));
