/**
 * Reads from a goal how many runs there may be (`at most 15 runs`) and on which machines (`train on
 * gpu1 only`). What is not certain is left out.
 */
import { patternText } from '../../base/patternText.ts';
import { counted } from '../../base/text.ts';
import { readableGoal } from './wordings.ts';

export interface LaunchLimits {
  /** The most runs of the session. Omitted if the goal names no number. */
  readonly maxRuns?: number;
  /** Ids of the only machines on which runs may be launched. Omitted if the goal names none. */
  readonly machines?: readonly string[];
}

const most = String.raw`at\s+most|(?:no|not|never)\s+more\s+than|(?:do\s+not|don't|never)\s+(?:use|launch|start|make|do)\s+more\s+than|up\s+to|(?:a\s+)?maximum\s+of|max\.?|höchstens|maximal|nicht\s+mehr\s+als|bis\s+zu`;
const fewer = String.raw`fewer\s+than|less\s+than|weniger\s+als`;
const runs = String.raw`(?:training\s+)?(?:runs?|(?:trainings)?läufen?)(?!\p{L})`;
const total = String.raw`(?:\s+(?:in\s+total|overall|altogether|insgesamt))?`;
// After other words, the number is not one for the session: `at most 2 runs at a time`.
const end = String.raw`(?=\s*(?:$|[.,;:!?)]|\s(?:and|but|und|aber)\s))`;
const countBehind = new RegExp(
  String.raw`(?<![\p{L}\d])(?:${most}|(?<fewer>${fewer}))\s+(?<number>\d{1,5})\s+${runs}${total}${end}`,
  'giu',
);
const countBefore = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<number>\d{1,5})\s+${runs}\s+(?:at\s+most|maximum|max\.?|höchstens|maximal)${total}${end}`,
  'giu',
);
const anyCount = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<number>\d+)\s+(?:more\s+|weitere\s+)?${runs}`,
  'giu',
);
/** Words of the same clause that make the meaning of a number of runs uncertain. */
const uncertainCount =
  /(?<!\p{L})(?:if|when|after|every|each|per|parallel|concurren\p{L}*|wenn|falls|nach|jede\p{L}*|pro|je|gleichzeitig)(?!\p{L})/iu;

/** Words that a clause about all runs has, and words of a clause about something else. */
const running =
  /(?<!\p{L})(?:train\p{L}*|runs?|running|launch\p{L}*|work\p{L}*|use|using|everything|comput\p{L}*|starte?\p{L}*|läuf\p{L}*|laufen|rechne\p{L}*|alles|nutze|verwende\p{L}*)(?!\p{L})/iu;
const other =
  /(?<!\p{L})(?:not|never|if|when|evaluat\p{L}*|tests?|testing|plots?|checks?|measur\p{L}*|report\p{L}*|fine-?tun\p{L}*|nicht|nie|wenn|falls|prüf\p{L}*|teste?\p{L}*)(?!\p{L})/iu;
const clauseBreak = /[.;,:\n]|(?<!\p{L})(?:and|but|while|und|aber|wobei)\s/iu;
const clauseBehind = /^(?:(?!\s(?:and|but|und|aber)\s)[^.;,:\n]){0,30}/iu;

interface Found {
  readonly limits: LaunchLimits;
  /** The goal without the words that were read. */
  readonly rest: string;
}

/** Returns the limits that the goal certainly states; `ids`: the machines that there are. */
export function readLaunchLimits(goal: string, ids: readonly string[]): Found {
  const text = readableGoal(goal);
  const counts = countsIn(text);
  const places = machinesIn(text, ids);
  const all = [...text.matchAll(anyCount)].map(({ groups = {} }) => groups['number']);
  const numbers = new Set(all);
  const lists = new Set(places.map(({ value }) => value.toSorted().join(' ')));
  // With two different numbers or lists, neither is certain.
  const [count] = numbers.size === 1 ? counts : [];
  const [place] = lists.size === 1 ? places : [];
  const read = [...(count ? counts : []), ...(place ? places : [])];
  const rest = read
    .toSorted((a, b) => b.start - a.start)
    .reduce((so, { start, end: stop }) => `${so.slice(0, start)}${so.slice(stop)}`, text);
  return {
    limits: { ...(count && { maxRuns: count.value }), ...(place && { machines: place.value }) },
    rest,
  };
}

interface Place<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

function countsIn(text: string): readonly Place<number>[] {
  return [...text.matchAll(countBehind), ...text.matchAll(countBefore)].flatMap((match) => {
    const before = clauseBefore(text, match.index);
    const value = Number(match.groups?.['number']) - (match.groups?.['fewer'] ? 1 : 0);
    if (uncertainCount.test(before) || value < 1) return [];
    return [{ value, start: match.index, end: match.index + match[0].length }];
  });
}

function machinesIn(text: string, ids: readonly string[]): readonly Place<readonly string[]>[] {
  if (ids.length === 0) return [];
  const id = String.raw`(?<![\p{L}\d_.-])(?:${ids.map((one) => patternText(one)).join('|')})(?![\p{L}\d_-]|\.\w)`;
  const list = String.raw`(?<list>${id}(?:\s*(?:,|and|or|und|oder|,\s*and)\s*${id})*)`;
  const verb = String.raw`(?:(?<!\p{L})(?:train|run|launch|trainiere|starte)\s+(?:everything\s+|it\s+|all\s+runs\s+|alles\s+)?)?`;
  const forms = [
    String.raw`${verb}(?<!\p{L})(?:(?:only|exclusively)\s+on|(?:nur|ausschließlich)\s+auf|use\s+only)\s+(?:the\s+)?(?:machine\s+|host\s+)?${list}`,
    String.raw`${verb}(?<!\p{L})(?:on|auf|use)\s+(?:the\s+)?(?:machine\s+|host\s+)?${list}\s+(?:only|alone|exclusively|allein)(?!\p{L})`,
  ];
  return forms.flatMap((form) =>
    [...text.matchAll(new RegExp(form, 'giu'))].flatMap((match) => {
      const stop = match.index + match[0].length;
      const before = clauseBefore(text, match.index);
      const clause = `${before}${match[0]}${clauseBehind.exec(text.slice(stop))?.[0] ?? ''}`;
      const isWhole = clause.trim() === match[0];
      if (other.test(clause) || !(isWhole || running.test(clause))) return [];
      const named = [...(match.groups?.['list'] ?? '').matchAll(new RegExp(id, 'giu'))];
      const value = named.map(([name]) => ids.find((one) => isSame(one, name)) ?? name);
      return [{ value: [...new Set(value)], start: match.index, end: stop }];
    }),
  );
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const clauseBefore = (text: string, at: number): string =>
  text
    .slice(Math.max(0, at - 100), at)
    .split(clauseBreak)
    .at(-1) ?? '';

/** Formats the limits: `at most 15 runs`, `runs on gpu1 only`. */
export const launchLimitTexts = ({ maxRuns, machines }: LaunchLimits): string[] => [
  ...(maxRuns === undefined ? [] : [`at most ${counted(maxRuns, 'run')}`]),
  ...(machines === undefined ? [] : [`runs on ${machines.join(' and ')} only`]),
];

/** Number and machines of the launched runs. */
export interface LaunchedRuns {
  readonly count: number;
  readonly machines: readonly string[];
}

/** A limit on launches, compared with what was launched: `15 of at most 15 runs`. */
export interface JudgedLimit {
  readonly isMet: boolean;
  readonly text: string;
}

export function judgeLaunches(
  { maxRuns, machines }: LaunchLimits,
  launched: LaunchedRuns,
): readonly JudgedLimit[] {
  const others = launched.machines.filter((id) => machines?.includes(id) === false);
  return [
    ...(maxRuns === undefined
      ? []
      : [
          {
            isMet: launched.count <= maxRuns,
            text: `${launched.count} of at most ${counted(maxRuns, 'run')}`,
          },
        ]),
    ...(machines === undefined
      ? []
      : [
          {
            isMet: others.length === 0,
            text:
              others.length === 0
                ? `all runs on ${machines.join(' and ')}`
                : `runs on ${machines.join(' and ')} only: there were runs on ${others.join(' and ')}`,
          },
        ]),
  ];
}
