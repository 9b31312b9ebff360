/**
 * Writes the morning brief of a session as Markdown: results, cost, open decisions. Built from
 * recorded facts, without a model: the same facts give the same text. Text of the model is quoted,
 * and its numbers are marked where no run has measured them.
 */
import { exactTime } from '../base/localTime.ts';
import { plain } from '../base/markdown.ts';
import { formatDuration } from '../base/text.ts';
import { championPart } from './championPart.ts';
import { quotation } from './claims.ts';
import { costPart } from './costPart.ts';
import type { BriefFacts } from './facts.ts';
import { Mentions } from './mentions.ts';
import { nightOf, type Night } from './night.ts';
import { runsPart } from './runsPart.ts';
import { decidePart, triedPart } from './triedPart.ts';
import { alarmsPart, failuresPart, happenedPart, questionsPart } from './troublePart.ts';

/** A chart file next to the report. */
export interface ReportChart {
  /** Path relative to the report: `charts/loss.svg`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the brief. `charts` are the files next to it; without them, the brief is complete as
 * text.
 */
export function buildBrief(facts: BriefFacts, charts: readonly ReportChart[] = []): string {
  const night = nightOf(facts);
  const { tried, champion, ...rest } = measuredParts(night, charts);
  const mentions = rest.mentions;
  const parts = [
    headPart(night),
    decidePart(night, mentions),
    champion,
    rest.pictures,
    tried,
    failuresPart(facts, mentions),
    alarmsPart(facts, mentions),
    questionsPart(facts),
    costPart(facts),
    happenedPart(facts),
    runsPart(night, mentions),
  ];
  return assembled(parts);
}

/** Returns the write-up: the model's account of the work, around the measured tables. */
export function buildWriteup(
  facts: BriefFacts,
  notes: string,
  charts: readonly ReportChart[] = [],
): string {
  const night = nightOf(facts);
  const { mentions, pictures, champion, tried } = measuredParts(night, charts);
  const text = notes.trim();
  const account =
    text === ''
      ? ''
      : `## Account\n\nIn the words of ${plain(facts.session.model, 80)}:\n\n${quotation(text, night.known, 2_000)}`;
  return assembled([
    headPart(night),
    account,
    champion,
    pictures,
    tried,
    costPart(facts),
    runsPart(night, mentions),
  ]);
}

/** Builds the table of experiments first: it creates the anchors that the champion links to. */
function measuredParts(night: Night, charts: readonly ReportChart[]) {
  const mentions = new Mentions();
  const tried = triedPart(night, mentions);
  const pictures = charts.map(({ path, text }) => `![${plain(text, 120)}](${path})`).join('\n\n');
  return { mentions, tried, champion: championPart(night, mentions), pictures };
}

function headPart({ facts, known }: Night): string {
  const { session } = facts;
  const took = formatDuration(session.lastEventMs - session.startedMs);
  const about = `${exactTime(session.startedMs)} to ${exactTime(session.lastEventMs)} (${took}) · ${plain(session.model, 120)} · session \`${session.id}\``;
  const said =
    session.summary === undefined || session.summary.trim() === ''
      ? ''
      : `\n\nThe model says:\n\n${quotation(session.summary, known, 30)}`;
  return `# ${plain(session.goal, 200)}\n\n**${plain(session.outcome, 200)}**\n\n${about}${said}`;
}

const assembled = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`;
