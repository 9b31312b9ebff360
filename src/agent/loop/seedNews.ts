/** Tells the model, when the session wakes, of seeds that change nothing or fix nothing. */
import { idleSeedGroups, idleSeedText } from '../../experiments/idleSeeds.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { unsteadySeedTexts } from '../../experiments/unsteadySeeds.ts';
import type { JournalEvent } from '../journal/events.ts';
import { endedSinceWake } from './endedSinceWake.ts';

const maxNews = 3;

/** Returns a line for each setting of which it became clear since the last wake. */
export function seedNews(
  sleepId: string,
  events: readonly JournalEvent[],
  ledger: () => Ledger,
): string[] {
  const ended = endedSinceWake(sleepId, events);
  if (ended.size === 0) return [];
  const current = ledger();
  const { experiments } = current;
  const earlier = experiments.map(({ runs }) => ({
    runs: runs.filter(({ runId }) => !ended.has(runId)),
  }));
  const told = new Set(idleSeedGroups(earlier).flatMap((runs) => runs.map(({ runId }) => runId)));
  const idle = idleSeedGroups(experiments)
    .filter((runs) => !runs.some(({ runId }) => told.has(runId)))
    .map(idleSeedText);
  return [...idle.slice(0, maxNews), ...unsteadySeedTexts(current, ended).slice(0, maxNews)].map(
    (text) => `[${text}]`,
  );
}
