import { signal } from '@preact/signals';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_THEME = 'chancery-console-theme';

export const theme = signal<Theme>('auto');

/** Shows the console as the person chose before; without a choice as the system does. */
export function loadTheme(): void {
  const kept = localStorage.getItem(KEPT_THEME);
  show(THEMES.find((one) => one === kept) ?? 'auto');
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEPT_THEME, chosen);
  show(chosen);
}

function show(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}
