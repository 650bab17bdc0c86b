import { type Assurance, isFailing, type Judged, judge } from '../assurance/judge.ts';
import { type Level, levelNames } from '../assurance/needs.ts';
import { reasonOf } from '../assurance/requirements/index.ts';
import type { Config } from '../config/schema.ts';
import { CommandError } from './errors.ts';

/** @throws {CommandError} when there is no such level */
export function toLevel(text: string): Level {
  const level = levelNames.find(name => name === text);
  if (!level)
    throw new CommandError(
      `--assurance: There is no level ${text}. The levels are ${levelNames.join(', ')}.`,
    );
  return level;
}

/** Prints which requirements a configuration meets. The exit code is 1 when the level was named and a setting is missing. */
export function printAssurance(config: Config, level: Level | null, asJson: boolean): void {
  const assurance = judge(config);
  console.log(asJson ? JSON.stringify(assurance, null, 2) : textOf(assurance, level).join('\n'));
  if (level && assurance.levels[level].failing > 0) process.exitCode = 1;
}

function textOf({ levels, requirements }: Assurance, only: Level | null): string[] {
  const shown = only ? [only] : levelNames;
  const isAsked = (each: Judged) => each.levels.some(level => shown.includes(level));
  const unmet = requirements.filter(each => each.state === 'unmet' && isAsked(each));
  const failing = unmet.filter(isFailing);
  const byChoice = unmet.filter(each => !isFailing(each));
  return [
    ...shown.map(level => {
      const { applicable, met, not_arising, host } = levels[level];
      return `${level}  ${met} of ${applicable} met, ${arising(not_arising)}, ${falling(host)} on your pages`;
    }),
    ...chapter('A setting is missing for:', failing, ({ fix }) =>
      fix.map(({ key, write }) => `set ${key} = ${JSON.stringify(write)}`),
    ),
    ...chapter('No configuration meets:', byChoice, ({ id }) => [`not met: ${reasonOf(id)}`]),
  ];
}

const arising = (count: number) => (count === 1 ? '1 does not arise' : `${count} do not arise`);
const falling = (count: number) => (count === 1 ? '1 falls' : `${count} fall`);

const chapter = (title: string, entries: readonly Judged[], below: (each: Judged) => string[]) =>
  entries.length === 0
    ? []
    : [
        '',
        title,
        ...entries.flatMap(each => [
          `  ${each.id}  ${each.words}`,
          ...below(each).map(line => `    ${line}`),
        ]),
      ];
