/**
 * The morning brief of a session, as Markdown: what was reached, what it cost, what is to be
 * decided. It is made of what was recorded, without a model: the same facts give the same text.
 * Words of the model are quoted, and their numbers marked where no run has measured them.
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

/** A picture beside the report. */
export interface ReportChart {
  /** Relative to the report: `charts/loss.svg`. */
  readonly path: string;
  readonly text: string;
}

/** `charts`: those that stand beside it; without them it is complete as text. */
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

/** The write-up: the model's account of the work, around the measured tables. */
export function buildWriteup(
  facts: BriefFacts,
  notes: string,
  charts: readonly ReportChart[] = [],
): string {
  const night = nightOf(facts);
  const { mentions, pictures, champion, tried } = measuredParts(night, charts);
  const told = notes.trim();
  const account =
    told === ''
      ? ''
      : `## Account\n\nIn the words of ${plain(facts.session.model, 80)}:\n\n${quotation(told, night.known, 2_000)}`;
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

/**
 * What was tried comes first: it gives the experiments their places, which the champion then links
 * to.
 */
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
