import { signal } from '@preact/signals';
import type english from '../messages/en.json';

/** The key of a message. English has them all; a test holds the other languages to them. */
export type MessageKey = keyof typeof english;

/** The languages of the console, in their own words. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
};

const FALLBACK = 'en';
const KEPT_LANGUAGE = 'chancery-console-language';

/** The language that is shown. */
export const language = signal(FALLBACK);
const messages = signal<Readonly<Partial<Record<string, string>>>>({});

/** Returns a message in the language of the person. Each `{}` in it takes the next value. */
export function t(key: MessageKey, ...values: readonly (string | number)[]): string {
  return filled(messages.value[key] ?? key, values);
}

/** Returns the form of a message for a number: the key ends with `.one` or `.other` (Unicode plural rules). */
export function tCount(key: CountKey, count: number): string {
  const rule = new Intl.PluralRules(language.value).select(count);
  const text = messages.value[`${key}.${rule}`] ?? messages.value[`${key}.other`] ?? key;
  return filled(text, [number(count)]);
}

/** Keys that have a form for one and a form for several. */
export type CountKey = MessageKey extends infer Key
  ? Key extends `${infer Base}.other`
    ? Base
    : never
  : never;

/** Returns the message of a word that the server chose, such as a role; the word itself where there is none. */
export function tWord(group: string, word: string): string {
  return messages.value[`${group}.${word}`] ?? word;
}

export function number(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}

function filled(text: string, values: readonly (string | number)[]): string {
  let index = 0;
  return text.replaceAll('{}', () => String(values[index++] ?? ''));
}

/** Loads the messages of the language that the person chose before, or that the browser prefers. */
export async function loadMessages(files: Readonly<Record<string, string>>): Promise<void> {
  const kept = localStorage.getItem(KEPT_LANGUAGE);
  const wanted = [...(kept === null ? [] : [kept]), ...navigator.languages];
  await showLanguage(files, wanted.find((tag) => baseOf(tag) in files) ?? FALLBACK);
}

/** Changes the language, and remembers the choice in this browser. */
export async function chooseLanguage(files: Readonly<Record<string, string>>, tag: string): Promise<void> {
  localStorage.setItem(KEPT_LANGUAGE, tag);
  await showLanguage(files, tag);
}

async function showLanguage(files: Readonly<Record<string, string>>, tag: string): Promise<void> {
  const base = baseOf(tag);
  const response = await fetch(files[base] ?? '');
  messages.value = (await response.json()) as Readonly<Record<string, string>>;
  language.value = base;
  document.documentElement.lang = base;
}

const baseOf = (tag: string): string => tag.toLowerCase().split('-')[0] ?? FALLBACK;
