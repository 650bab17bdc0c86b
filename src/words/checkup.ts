import { readFileSync } from 'node:fs';
import { once } from '../lazily.ts';
import { packageFile } from '../package-files.ts';
import { readArb } from './arb.ts';
import { type Breakage, type Finding, readMessages } from './check.ts';
import type { Parsed, Tree } from './message.ts';
import { namesIn } from './names.ts';
import { columns, widthOf } from './wrap.ts';

/** Findings for translators; the messages can be used. */
type Advice =
  | 'missing'
  | 'untranslated'
  | 'missing_value'
  | 'category'
  | 'white_space'
  | 'too_long'
  | 'address'
  | 'subject'
  | 'text_message'
  | 'state';

/** Why a message of a language cannot be used, or not well. */
export type Rule = Breakage | 'locale' | Advice;

/** Without these a page or a message would break. */
const breaking: readonly Rule[] = [
  ...(['file', 'syntax', 'unknown_id', 'unknown_value', 'unknown_tag', 'locale', 'missing_tag'] as const),
];

/** The findings in a file of messages. */
export interface Checkup {
  tag: string;
  /** `reviewed` where a native speaker has read it, else `draft`. */
  state: 'draft' | 'reviewed';
  /** How many of the messages it has, and not as in English, in per cent. */
  coverage: number;
  /** Those that break come first, and messages that are still to be translated last. */
  findings: (Finding<Rule> & { breaks: boolean })[];
}

/** Returns the file of the language that every message is written in first. */
const englishFile = once(() => readArb(readFileSync(packageFile('locales/en.arb'), 'utf8')));

/** Returns the file of a new language, in which every message is as in English. */
export function newLanguage(tag: string): string {
  const content = JSON.parse(readFileSync(packageFile('locales/en.arb'), 'utf8'));
  return `${JSON.stringify({ ...content, '@@locale': tag, '@@x-state': 'draft' }, null, 2)}\n`;
}

/**
 * Returns what is wrong with a file of a language, and how much of the catalogue it has.
 * @param isPartial whether it replaces single messages of another file, so that none is missing
 */
export function checkLanguage(tag: string, text: string, { isPartial = false } = {}): Checkup {
  const english = englishFile();
  const ids = Object.keys(english.sources);
  const findings: Finding<Rule>[] = [];
  const { file, broken } = readMessages(text);
  findings.push(...broken);
  const add = (rule: Rule, id: string | null, message: string, column = 1) =>
    findings.push({ rule, id, column, message });
  if (!file) return resultOf(tag, 'draft', 0, findings);

  if (file.locale !== tag) add('locale', null, `"@@locale" must be "${tag}", the name of the file`);
  if (!['draft', 'reviewed'].includes(`${file.state}`))
    add('state', null, '"@@x-state" must be draft or reviewed');
  const present = ids.filter(id => Object.hasOwn(file.sources, id));
  if (!isPartial)
    for (const id of ids) if (!Object.hasOwn(file.sources, id)) add('missing', id, 'is missing');
  for (const id of present) {
    const message = file.messages[id];
    const [source, original] = [file.sources[id]!, english.sources[id]!];
    if (message === undefined) continue;
    const isEnglish = tag === 'en' || tag.startsWith('en-');
    if (!isEnglish && source === original && /\p{L}{2}/u.test(literalsOf(message)))
      add('untranslated', id, 'is as in English');
    const [own, known] = [namesIn(message), namesIn(english.messages[id]!)];
    for (const name of known.values.keys())
      if (!own.values.has(name)) add('missing_value', id, `does not say {${name}}`);
    for (const problem of pluralProblems(message, tag)) add('category', id, problem);
    const space = uneven.exec(source);
    if (space && !uneven.test(original))
      add('white_space', id, 'has white space at its begin or end, or twice', space.index + 1);
    const address = addressed.exec(source);
    if (address && !addressed.test(original))
      add('address', id, 'has an address, which a translation must not bring', address.index + 1);
    const width = widest(message);
    const longest = english.notes[id]?.longest;
    if (longest !== undefined && width > longest)
      add('too_long', id, `takes ${width} columns; ${longest} have room`);
    if (id.endsWith('_subject') && width > columns)
      add('subject', id, `takes ${width} columns with an app_name of 20; a subject has ${columns}`);
    if (id.startsWith('sms_'))
      for (const problem of textMessageProblems(message)) add('text_message', id, problem);
  }
  const same = findings.filter(({ rule }) => rule === 'untranslated').length;
  const coverage = Math.round((100 * (present.length - same)) / ids.length);
  return resultOf(tag, file.state === 'reviewed' ? 'reviewed' : 'draft', coverage, findings);
}

const resultOf = (
  tag: string,
  state: Checkup['state'],
  coverage: number,
  findings: Finding<Rule>[],
): Checkup => ({
  ...{ tag, state, coverage },
  findings: findings
    .map(finding => ({ ...finding, breaks: breaking.includes(finding.rule) }))
    .toSorted((a, b) => rankOf(a.rule) - rankOf(b.rule)),
});

/** Returns the place of a finding: what breaks is first, and what is still to be done last. */
const rankOf = (rule: Rule): number =>
  breaking.includes(rule) ? 0 : rule === 'missing' || rule === 'untranslated' ? 2 : 1;

const uneven = /^[ \t\n]|[ \t\n]$|[ \t\n]{2}/;
const addressed = /https?:\/\/|\bwww\.|[\w.+-]+@[\w-]+\.\w/i;

/** The parser's numbers of what a message is made of. */
const [literal, plural, pound] = [0, 6, 7];

/** Calls a function with each part of a message, those in choices and tags among them. */
function visit(message: Parsed, look: (element: Tree[number]) => void): void {
  if (typeof message === 'string') {
    look({ type: literal, value: message } as Tree[number]);
    return;
  }
  for (const element of message) {
    look(element);
    if ('children' in element) visit(element.children, look);
    if ('options' in element) for (const { value } of Object.values(element.options)) visit(value, look);
  }
}

/** Returns the text of a message without its values. */
function literalsOf(message: Parsed): string {
  const texts: string[] = [];
  visit(message, element => {
    if (element.type === literal && 'value' in element) texts.push(element.value);
  });
  return texts.join(' ');
}

/** Returns which plurals lack a category that a count of 0 to 200 has in a language. */
function pluralProblems(message: Parsed, tag: string): string[] {
  const problems: string[] = [];
  visit(message, element => {
    if (element.type !== plural || !('pluralType' in element)) return;
    const { value: name, options, offset, pluralType: type } = element;
    const rules = new Intl.PluralRules(tag, { type: type ?? 'cardinal' });
    const reached = new Set<string>();
    for (let n = 0; n <= 200; n++) if (!options[`=${n}`]) reached.add(rules.select(n - offset));
    const missing = [...reached].filter(category => !options[category]);
    const known: readonly string[] = rules.resolvedOptions().pluralCategories;
    const unused = Object.keys(options).filter(key => !/^=\d+$/.test(key) && !known.includes(key));
    if (missing.length > 0) problems.push(`{${name}} needs ${missing.join(', ')} in this language`);
    if (unused.length > 0)
      problems.push(`{${name}} has ${unused.join(', ')}, which this language does not have`);
  });
  return problems;
}

/** How many columns values take: an `app_name` of 20, a code of 10, a count of three digits. */
const columnsOf = (name: string): number => (name === 'app_name' ? 20 : name === 'code' ? 10 : 8);

/** Returns the most columns that a message takes. */
function widest(message: Parsed): number {
  if (typeof message === 'string') return widthOf(message);
  const widthOfElement = (element: Tree[number]): number => {
    if (element.type === pound) return 3;
    if ('children' in element) return widest(element.children);
    if ('options' in element)
      return Math.max(...Object.values(element.options).map(({ value }) => widest(value)));
    if (element.type === literal && 'value' in element) return widthOf(element.value);
    return columnsOf('value' in element ? element.value : '');
  };
  return message.reduce((sum, element) => sum + widthOfElement(element), 0);
}

/** GSM 03.38: the characters of a text message of 160, and those that take two places. */
const gsm = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà\f^{}\\[~\]|€]*$/;
const double = /[\f^{}\\[~\]|€]/g;

function textMessageProblems(message: Parsed): string[] {
  const text = literalsOf(message);
  const problems: string[] = [];
  if (/\p{Nd}/u.test(text)) problems.push('has a number beside its code');
  const isGsm = gsm.test(text);
  const room = isGsm ? 160 : 70;
  const taken = lengthOf(message) + (isGsm ? (text.match(double)?.length ?? 0) : 0);
  if (taken > room)
    problems.push(`takes ${taken} of the ${room} characters of one text message with an app_name of 20`);
  return problems;
}

/** Returns how many UTF-16 units a message has, with an `app_name` of 20 and a code of 10. */
function lengthOf(message: Parsed): number {
  if (typeof message === 'string') return message.length;
  return message.reduce((sum, element) => {
    if (element.type === literal && 'value' in element) return sum + element.value.length;
    return sum + columnsOf('value' in element ? element.value : '');
  }, 0);
}
