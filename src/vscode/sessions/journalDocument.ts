/**
 * The journal of a session as a Markdown document. Its preview loads no image and runs no command:
 * text of a model, a run or a file is escaped.
 */
import { isWordOfUser } from '../../presentation/events.ts';
import { budgetText } from '../../presentation/limits.ts';
import type { SessionReading } from '../../agent/contract/sessions.ts';
import { applyEvent, initialState } from '../../compose/foldJournal.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { cleanText } from '../../base/text.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import { bestText, statusLine } from '../../presentation/sessions/sessionText.ts';
import { ledgerTable } from '../experiments/ledgerTable.ts';
import type { ChatPart } from './chatPart.ts';
import { Transcript } from './transcript.ts';
import { exactTime } from '../../base/localTime.ts';
import { plain, plainLines } from '../../base/markdown.ts';

/**
 * Maximum number of entries to show, because a session can have thousands. Earlier entries can only
 * be read in `journal.jsonl`.
 */
const maxEntries = 3_000;

export function journalDocument(
  { state, events, ledger, damage }: SessionReading,
  nowMs: number,
): string {
  const entries = journalEntries(events);
  const omitted = entries.length - maxEntries;
  const table = ledgerTable(ledger);
  const best = bestText(ledger);
  const glance = { state, ...(best !== undefined && { best }) };
  return [
    `# ${plain(state.goal, 500)}`,
    plain(statusLine(glance, nowMs), 400),
    `Started ${exactTime(state.startedMs)} · ${plain(`${state.provider}/${state.model}`)} · budget ${plain(budgetText(state.budget))} · in ${plain(state.workFolder, 300)}`,
    ...damage.map((problem) => `**The journal is damaged:** ${plain(problem, 400)}`),
    ...(table === '' ? [] : ['## Runs', table]),
    '## Journal',
    ...(omitted > 0 ? [`${omitted} earlier entries are in journal.jsonl.`] : []),
    ...entries.slice(-maxEntries),
    '',
  ].join('\n\n');
}

/**
 * Returns the events as Markdown entries. A heading with the time precedes the first entry of each
 * minute.
 */
function journalEntries(events: readonly JournalEvent[]): string[] {
  const transcript = new Transcript();
  const entries: string[] = [];
  let state: SessionState | undefined;
  let lastTime = '';
  for (const event of events) {
    if (event.type === 'session.started') state = initialState(event);
    else if (state !== undefined) state = applyEvent(state, event);
    if (state === undefined) continue;
    const texts = [...messageText(event), ...transcript.event(event, state).flatMap(partText)];
    if (texts.length === 0) continue;
    const time = exactTime(event.at).slice(0, 16);
    if (time !== lastTime) entries.push(`### ${time}`);
    lastTime = time;
    entries.push(...texts);
  }
  return entries;
}

const origins = { person: 'You', wake: 'Woken', monitor: 'Monitor' } as const;

function messageText(event: JournalEvent): string[] {
  if (event.type === 'model.replied' && event.failure !== undefined)
    return [`- ${plain(`Model call failed: ${event.failure.message}`, 600)}`];
  if (event.type !== 'message.added') return [];
  const { origin, isUnsaid } = event;
  if (isUnsaid === true) return ['**Continued by you**'];
  if (origin === 'person' && !isWordOfUser(event)) return [];
  if (origin !== 'person' && origin !== 'wake' && origin !== 'monitor') return [];
  return [`**${origins[origin]}**`, quoted(event.text)];
}

const quoted = (text: string): string =>
  cleanText(withoutUntrustedMarks(text))
    .slice(0, 4_000)
    .split('\n')
    .map((line) => `> ${plain(line, 1_000)}`.trimEnd())
    .join('\n');

function partText(part: ChatPart): string[] {
  switch (part.kind) {
    case 'text':
      return [plainLines(part.markdown)];
    case 'block':
      return [part.markdown.trim()];
    case 'line':
      return [
        `- ${part.markdown}${(part.files ?? []).map((file) => ` · ${plain(file, 300)}`).join('')}`,
      ];
    case 'links':
    case 'progress':
    case 'retry':
      return [];
  }
}
