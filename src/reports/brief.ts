/**
 * Writes the brief of a session as Markdown: results, cost, open decisions. Uses only recorded
 * facts, without a model call, so the same facts give the same text. Quotes text that a model
 * wrote, and marks the numbers in this text that no run has measured.
 */
import { exactTime } from '../base/localTime.ts';
import { plain } from '../base/markdown.ts';
import { formatDuration } from '../base/text.ts';
import { accountText } from './account.ts';
import { askedPart } from './askedPart.ts';
import { championPart } from './championPart.ts';
import { quotation } from './claims.ts';
import { costPart } from './costPart.ts';
import { editsPart } from './editsPart.ts';
import type { BriefFacts } from './facts.ts';
import { importedPart } from './importedPart.ts';
import { Mentions } from './mentions.ts';
import { nightOf, type Night } from './night.ts';
import { runsPart } from './runsPart.ts';
import { settingCount, settingsTable, unnamedOption } from './settingsTable.ts';
import { decidePart, triedPart } from './triedPart.ts';
import { alarmsPart, failuresPart, happenedPart, questionsPart } from './troublePart.ts';

/** A chart file next to the report. */
export interface ReportChart {
  /** Path relative to the report, for example `charts/loss.svg`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the brief. `charts` are chart files next to the report; without charts, the brief states
 * the same facts as text only. `writeup` is the file with the model's account next to it, if any.
 */
export function buildBrief(
  facts: BriefFacts,
  charts: readonly ReportChart[] = [],
  writeup?: string,
): string {
  const night = nightOf(facts);
  const { tried, champion, ...rest } = measuredParts(night, charts);
  const mentions = rest.mentions;
  const parts = [
    headPart(night),
    writeup === undefined
      ? ''
      : `The account of the model, with its tables: [${writeup}](${writeup})`,
    decidePart(night, mentions),
    askedPart(facts),
    champion,
    resultsPart(night),
    rest.pictures,
    tried,
    importedPart(facts),
    failuresPart(facts, mentions),
    alarmsPart(facts, mentions),
    questionsPart(facts),
    costPart(facts),
    editsPart(facts),
    happenedPart(facts),
  ];
  return assembled(parts);
}

/** Returns the list of all runs, to which the brief and the write-up link. */
export function buildRuns(facts: BriefFacts): string {
  return assembled([`# Runs of “${plain(facts.session.goal, 200)}”`, runsPart(nightOf(facts))]);
}

const maxSettings = 5;

/**
 * Builds the table of settings; empty if there is only one setting, because the part about the
 * champion describes it.
 */
function resultsPart({ facts: { ledger, session, target } }: Night): string {
  const count = settingCount(ledger);
  if (count < 2) return '';
  const table = settingsTable(ledger, 'md', { target, max: maxSettings });
  const more = count - (table.trimEnd().split('\n').length - 2);
  const rest = more === 0 ? '' : `\n${more} more: \`helios report ${session.id} --table md\`\n`;
  // Code that differs may have other defaults.
  const defaults = table.startsWith('| experiment |')
    ? '; defaults may differ between experiments, as their code does'
    : '';
  const unnamed = table.includes(`| ${unnamedOption} |`)
    ? `\n${unnamedOption}: the command does not name the option${defaults}.\n`
    : '';
  return `## Results\n\n${table}${unnamed}${rest}`.trimEnd();
}

/**
 * Returns the write-up: the text that the model wrote about its work, and the tables of measured
 * values.
 */
export function buildWriteup(
  facts: BriefFacts,
  notes: string,
  charts: readonly ReportChart[] = [],
): string {
  const night = nightOf(facts);
  const { pictures, champion, tried } = measuredParts(night, charts);
  const text = notes.trim();
  const account =
    text === ''
      ? ''
      : `## Account\n\nIn the words of ${plain(facts.session.model, 80)}:\n\n${accountText(text, night.known)}`;
  return assembled([
    headPart(night),
    account,
    askedPart(facts),
    champion,
    resultsPart(night),
    pictures,
    tried,
    importedPart(facts),
    costPart(facts),
  ]);
}

/**
 * Builds the parts with measured values. The list of experiments is built first, because it creates
 * the anchors that the part about the champion links to.
 */
function measuredParts(night: Night, charts: readonly ReportChart[]) {
  const mentions = new Mentions();
  const tried = triedPart(night, mentions);
  const pictures = charts.map(({ path, text }) => `![${plain(text, 120)}](${path})`).join(' ');
  return { mentions, tried, champion: championPart(night, mentions), pictures };
}

function headPart({ facts, known }: Night): string {
  const { session } = facts;
  const took = formatDuration(session.workedMs);
  const about = `${exactTime(session.startedMs)} to ${exactTime(session.lastEventMs)} (${took}) · ${plain(session.model, 120)} · session \`${session.id}\``;
  return assembled([
    `# ${plain(session.goal, 200)}`,
    `**${outcomeText(session.outcome)}** · ${about}`,
    session.cause === undefined ? '' : plain(session.cause, 400),
    session.summary === undefined || session.summary.trim() === ''
      ? ''
      : `The model says:\n${quotation(session.summary, known, 8)}`,
  ]).trimEnd();
}

const maxOutcomeChars = 600;

/**
 * Shortens the outcome, but only between two conditions, because a part of a condition could be
 * misread.
 */
function outcomeText(outcome: string): string {
  const conditions = outcome.split('; ').map((text) => plain(text, 300));
  let shown = 0;
  for (let chars = 0; shown < conditions.length; shown += 1) {
    chars += (conditions[shown] ?? '').length + 2;
    if (shown > 0 && chars > maxOutcomeChars) break;
  }
  const rest = conditions.length - shown;
  return [...conditions.slice(0, shown), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** Joins the parts. Removes empty lines below headings, so that a brief fits on a page. */
const assembled = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`.replace(/^(#{1,3} .*)\n\n/gm, '$1\n');
