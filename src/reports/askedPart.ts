/**
 * Lists each part of the goal, and whether it is met or was checked. Contains only what the engine
 * compared or ran itself.
 */
import { code, plain } from '../base/markdown.ts';
import { formatValue } from '../base/text.ts';
import { resultValueText, type Ledger } from '../experiments/ledger.ts';
import {
  countedRows,
  judgeChampion,
  judgeRows,
  type ConditionResult,
  type GroupResult,
} from '../experiments/target/judgeTarget.ts';
import { readTrainingLimits } from '../experiments/target/trainingLimits.ts';
import { runsCheck } from '../experiments/target/requirements.ts';
import { neverRead, neverReadText } from '../experiments/target/neverRead.ts';
import {
  conditionText,
  isOpen,
  repeatsOfTarget,
  targetText,
  type Target,
} from '../experiments/target/target.ts';
import type { BriefFacts, CheckFacts } from './facts.ts';

const maxConditions = 6;
const maxDemands = 8;

type Verdict = 'Met' | 'Not met' | 'Checked' | 'Not checked';
const line = (verdict: Verdict, text: string): string => `- **${verdict}**: ${text}`;

export function askedPart(facts: BriefFacts): string {
  const { target } = facts;
  const lines = [
    ...(target === undefined ? ['- No target was understood.'] : targetLines(facts, target)),
    ...linesOf([
      ...fileDemands(facts),
      ...checkDemands(facts),
      ...launchDemands(facts),
      ...uncheckedDemands(facts),
    ]),
  ];
  return `## What you asked for\n\n${lines.join('\n')}`;
}

/** A demand of the goal besides its numbers. */
interface Demand {
  readonly verdict: Verdict;
  readonly text: string;
  readonly how: string;
}

/** Returns one line for all demands with the same verdict for the same reason. */
const linesOf = (demands: readonly Demand[]): string[] =>
  [...Map.groupBy(demands, ({ verdict, how }) => `${verdict}\n${how}`).values()].flatMap((group) =>
    group.slice(0, 1).map(({ verdict, how }) => {
      const rest = group.length > maxDemands ? ` and ${group.length - maxDemands} more` : '';
      const texts = group.slice(0, maxDemands).map(({ text }) => plain(text, 120));
      return line(
        verdict,
        `${texts.join('; ')}${rest}${how === '' ? '' : ` (${plain(how, 240)})`}`,
      );
    }),
  );

function targetLines(facts: BriefFacts, target: Target): string[] {
  const { ledger } = facts;
  const results = judgedSetting(target, ledger)?.conditions;
  if (isOpen(target)) return openLines(facts, target, results ?? []);
  const goal = code(targetText(target));
  const unread = neverRead(target, ledger);
  if (results === undefined) return [line('Not met', `${goal}: ${nothingText(unread)}.`)];
  const shown = results.slice(0, maxConditions).map((one) => conditionLine(one, unread));
  const rest = results.length - maxConditions;
  return rest > 0 ? [...shown, `- … and ${rest} more of ${goal}`] : shown;
}

/** Returns the champion or, if it does not meet the target, a setting that does. */
function judgedSetting(target: Target, ledger: Ledger): GroupResult | undefined {
  const champion = judgeChampion(target, ledger);
  if (champion === undefined || champion.isMet) return champion;
  const [best = champion] = judgeRows(target, ledger, countedRows(ledger));
  return best.isMet ? best : champion;
}

/** Returns why nothing can be compared. */
const nothingText = (unread: readonly string[]): string =>
  unread.length === 0 ? 'nothing was measured' : neverReadText(unread);

function conditionLine(
  { isMet, text, baseline, condition }: ConditionResult,
  unread: readonly string[],
): string {
  const { metric } = condition;
  if (unread.includes(metric))
    return line('Not met', plain(`${conditionText(condition)}: ${neverReadText([metric])}`, 240));
  const from =
    baseline === undefined
      ? ''
      : `; the baseline is ${formatValue(baseline)}, so the number to reach is ${formatValue(baseline * condition.value)}`;
  return line(isMet ? 'Met' : 'Not met', `${plain(text, 240)}${from}`);
}

/** Returns the lines of a goal that asks for the best value: what was reached, repeats, limits. */
function openLines(
  { ledger }: BriefFacts,
  target: Target,
  limits: readonly ConditionResult[],
): string[] {
  const { best } = ledger;
  const goal = code(targetText(target));
  const unread = neverRead(target, ledger);
  if (best === undefined) return [`- The best was asked for, ${goal}: ${nothingText(unread)}.`];
  const wanted = repeatsOfTarget(target);
  const lack = best.lack === undefined ? '' : `: ${plain(best.lack, 120)}`;
  return [
    `- The best was asked for, ${goal}: the best found is ${plain(resultValueText(best), 200)}.`,
    ...(wanted === undefined
      ? []
      : [line(lack === '' ? 'Met' : 'Not met', `measured over the seeds of the goal${lack}`)]),
    ...limits.slice(0, maxConditions).map((one) => conditionLine(one, unread)),
  ];
}

function fileDemands({ demands, ledger }: BriefFacts): Demand[] {
  const { unchanged = [], checked = [] } = demands ?? {};
  const wasLaunched = ledger.experiments.some(({ plan }) => plan !== undefined);
  return unchanged.map((path) => {
    const text = `${path} unchanged`;
    if (checked.includes(text)) return { verdict: 'Met', text, how: 'compared at the end' };
    return wasLaunched
      ? { verdict: 'Checked', text, how: 'compared at each launch, and not at the end' }
      : { verdict: 'Not checked', text, how: 'nothing was launched' };
  });
}

function checkDemands({ demands, target }: BriefFacts): Demand[] {
  const { checks = [], checked = [], tries = [], launches = [] } = demands ?? {};
  const passed = checks.map((check) => passedText(checked, check));
  const named = checks.map((check, index) => {
    const own = tries.filter(({ command }) => runsCheck(command, check));
    return checkDemand(check, passed[index], own);
  });
  const files = checked.filter((text) => / exists \(.*\)$/.test(text));
  if (target !== undefined)
    return [...named, ...files.map((text): Demand => ({ verdict: 'Checked', text, how: '' }))];
  const isLaunch = (text: string): boolean =>
    launches.some((one) => text === one.text || text === `${one.text}, not met`);
  // Without a target, the session ended on other evidence, such as a file or a command.
  const others = checked.filter(
    (text) => !passed.includes(text) && !text.endsWith(' unchanged') && !isLaunch(text),
  );
  return [...named, ...others.map((text): Demand => ({ verdict: 'Checked', text, how: '' }))];
}

const passedText = (checked: readonly string[], check: string): string | undefined =>
  checked.find((text) => {
    const end = text.indexOf(' passed');
    return end > 0 && runsCheck(text.slice(0, end), check);
  });

function checkDemand(check: string, how: string | undefined, tries: readonly CheckFacts[]): Demand {
  const text = check === 'tests' ? 'tests pass' : `${check} passes`;
  const last = tries.at(-1);
  if (how !== undefined) return { verdict: 'Met', text, how };
  if (last === undefined)
    return { verdict: 'Not checked', text, how: 'Helios runs it when the agent says it is done' };
  return { verdict: tryVerdicts[last.outcome], text, how: tryText(last, tries.length) };
}

const tryVerdicts: Readonly<Record<CheckFacts['outcome'], Verdict>> = {
  passed: 'Checked',
  failed: 'Not met',
  not_started: 'Not checked',
};

/** Returns how the last try of a check ended. */
function tryText({ command, machineId, experimentId, outcome, text }: CheckFacts, tries: number) {
  const where = `${experimentId === undefined ? '' : ` on the code of ${experimentId}`} on ${machineId}`;
  const times = tries === 1 ? '' : `, in the last of ${tries} tries`;
  const end =
    outcome === 'passed'
      ? `passed${where}${times}`
      : outcome === 'failed'
        ? `failed${where}${times}: ${text}`
        : `could not be started${where}${times}: ${text}`;
  return `${command} ${end}`;
}

const launchDemands = ({ demands }: BriefFacts): Demand[] =>
  (demands?.launches ?? []).map(({ isMet, text }) => ({
    verdict: isMet ? 'Met' : 'Not met',
    text,
    how: '',
  }));

function uncheckedDemands({ unchecked = [] }: BriefFacts): Demand[] {
  const how = unchecked.some((text) => readTrainingLimits(text).length > 0)
    ? 'Helios compares only epochs that runs print, and epochs and steps in the options of commands'
    : 'nothing that Helios can compare';
  return unchecked.map((text) => ({ verdict: 'Not checked', text, how }));
}
