/**
 * Renders notes about experiments for the model. Each note appears once, after the event that
 * caused it.
 */
import type { RunId } from '../../base/ids.ts';
import { oneLine } from '../../base/text.ts';
import { hasCrashed } from '../../experiments/decisionsInForce.ts';
import type { Verdict } from '../../runs/run.ts';
import { importedLine } from '../experiments/experimentLabels.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

interface Going {
  readonly hypothesis: string;
  readonly runs: Set<RunId>;
  readonly sweeps: Set<string>;
  readonly ended: { readonly verdict: Verdict }[];
  isDecided: boolean;
  /** True if the last decision is a provisional `keep`, which further seeds may reverse. */
  isProvisional: boolean;
  /** Whether runs were added after the last decision. */
  hasMore: boolean;
}

interface News {
  readonly experiments: Map<string, Going>;
  /** Id of a run or a sweep → id of its experiment. */
  readonly owners: Map<string, string>;
  /** Number of imports so far. */
  imports: number;
  /** Event id → note for the model. */
  readonly texts: Map<string, string>;
  /** Experiment id → id of the event with a note that no request contained yet. */
  readonly unsent: Map<string, string>;
}

/** Returns the notes for the model, by the id of the event that they follow. */
export const experimentNews = (events: readonly JournalEvent[]): ReadonlyMap<string, string> =>
  newsOf(events).texts;

const newsOf = growingFold<JournalEvent, News>(
  () => ({
    experiments: new Map(),
    owners: new Map(),
    imports: 0,
    texts: new Map(),
    unsent: new Map(),
  }),
  (news, event) => {
    switch (event.type) {
      case 'model.requested':
        return news.unsent.clear();
      case 'experiment.planned': {
        const { id, hypothesis } = event.plan;
        news.experiments.set(id, {
          hypothesis,
          runs: new Set(),
          sweeps: new Set(),
          ended: [],
          isDecided: false,
          isProvisional: false,
          hasMore: false,
        });
        return;
      }
      case 'run.planned':
        // A reproduction checks the result, and is no part of it.
        if (event.spec.isReproduction) return;
        return begun(news, event.spec.id, event.spec.experimentId, (one) =>
          one.runs.add(event.spec.id),
        );
      case 'sweep.started':
        return begun(news, event.plan.id, event.plan.experimentId, (one) =>
          one.sweeps.add(event.plan.id),
        );
      case 'run.ended':
        return over(news, event, event.runId, (one) => one.ended.push({ verdict: event.verdict }));
      case 'run.not_started':
        return over(news, event, event.runId);
      case 'sweep.ended':
        return over(news, event, event.sweepId);
      case 'experiment.decided':
        return decided(news, event);
      case 'results.imported':
        news.imports += 1;
        if (event.by !== 'agent') news.texts.set(event.id, importedText(event, news.imports));
        return;
      default:
    }
  },
);

function begun(
  news: News,
  id: string,
  experimentId: string | undefined,
  add: (one: Going) => unknown,
): void {
  const experiment = experimentId === undefined ? undefined : news.experiments.get(experimentId);
  if (experimentId === undefined || experiment === undefined) return;
  news.owners.set(id, experimentId);
  experiment.hasMore = experiment.isDecided;
  add(experiment);
}

function over(news: News, event: JournalEvent, id: string, add?: (one: Going) => unknown): void {
  const experimentId = news.owners.get(id);
  const experiment = experimentId === undefined ? undefined : news.experiments.get(experimentId);
  if (experimentId === undefined || experiment === undefined) return;
  experiment.runs.delete(id as RunId);
  experiment.sweeps.delete(id);
  add?.(experiment);
  const { runs, sweeps, ended, hypothesis } = experiment;
  // The engine itself decides an experiment whose runs all crashed.
  if (runs.size + sweeps.size > 0 || ended.length === 0 || hasCrashed(ended)) return;
  const words = openText(experiment);
  if (words === undefined) return;
  experiment.hasMore = false;
  const name = `${experimentId} (${oneLine(hypothesis, 120)})`;
  news.texts.set(event.id, `[Experiment ${name} ${words}: call exp_decide.]`);
  news.unsent.set(experimentId, event.id);
}

/** Returns what remains to be decided on an experiment whose runs have ended. */
function openText({ isDecided, isProvisional, hasMore }: Going): string | undefined {
  if (!isDecided) return 'has ended and is not decided';
  return isProvisional && hasMore ? 'has more runs than its provisional keep rests on' : undefined;
}

function decided(news: News, event: Extract<JournalEvent, { type: 'experiment.decided' }>): void {
  const { id, experimentId, decision, why, by } = event;
  const experiment = news.experiments.get(experimentId);
  if (experiment !== undefined) {
    experiment.isDecided = true;
    experiment.isProvisional = event.isProvisional === true;
    experiment.hasMore = false;
  }
  // The decision settles a note that the model has not read.
  news.texts.delete(news.unsent.get(experimentId) ?? '');
  if (by === 'agent') return;
  const who = by === 'person' ? 'The user decided' : 'Decided for you';
  news.texts.set(id, `[${who}: experiment ${experimentId} is ${decision}, ${oneLine(why, 400)}.]`);
}

const maxImported = 30;

/**
 * Formats the note about imported results. Lists results with status `keep` first, because later
 * work was built on them.
 */
function importedText(
  { source, results }: Extract<JournalEvent, { type: 'results.imported' }>,
  number: number,
): string {
  const named = results.map((result, index) => ({ ...result, id: `i${number}#${index + 1}` }));
  const ranked = named.toSorted(
    (a, b) => Number(b.status === 'keep') - Number(a.status === 'keep'),
  );
  const lines = ranked.slice(0, maxImported).map(importedLine);
  const omittedCount = results.length - lines.length;
  return [
    `[The user imported ${results.length} earlier results from ${oneLine(source, 100)}. They were measured outside Helios: they are no evidence, and do not retry without a reason what they discarded.]`,
    ...lines,
    ...(omittedCount > 0 ? [`… and ${omittedCount} more`] : []),
  ].join('\n');
}
