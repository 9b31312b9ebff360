/** Commands by which the user edits the tags and the note of a run of any session. */
import { window } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { RunPlace } from '../../agent/contract/sessions.ts';
import type { RunState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import { runTitle, tagChange } from '../../presentation/runs/runText.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { runIdOf } from '../ui/commandTarget.ts';
import { openRuns, pickOne, runChoice } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

export const annotateCommands = (deps: WindowDeps) =>
  ({
    'helios.editRunTags': (argument) =>
      annotate(deps, argument, async ({ spec, annotation: { tags } = { tags: [], note: '' } }) => {
        const text = await window.showInputBox({
          title: `Tags of ${runTitle(spec.number)}`,
          prompt: 'Words such as good or baseline. The metrics panel filters by tag:good.',
          value: tags.join(' '),
        });
        return text === undefined ? undefined : tagChange(tags, text);
      }),
    'helios.editRunNote': (argument) =>
      annotate(deps, argument, async ({ spec, annotation }) => {
        const note = await window.showInputBox({
          title: `Note of ${runTitle(spec.number)}`,
          prompt: 'The metrics panel and show_metrics of the agent show it as your words.',
          value: annotation?.note ?? '',
        });
        return note === undefined ? undefined : { note };
      }),
  }) satisfies Handlers;

async function annotate(
  { host, sessions }: WindowDeps,
  argument: unknown,
  ask: (run: RunState) => Promise<AnnotationChange | undefined>,
): Promise<void> {
  const engine = await host.get();
  const runId = runIdOf(argument) ?? (await pickRun(sessions));
  const place = runId && (await engine.sessions.findRun(runId));
  const run = place && (await stateOf(engine, place));
  const change = run && (await ask(run));
  if (place === undefined || change === undefined) return;
  const { sessionId } = place;
  await engine.requests.send(sessionId, { kind: 'annotate', runIds: [place.runId], ...change });
}

const pickRun = async (sessions: WindowDeps['sessions']): Promise<RunId | undefined> =>
  (await pickOne(openRuns(sessions).map(runChoice), 'Select a run to annotate'))?.row.runId;

async function stateOf(
  { sessions }: Engine,
  { sessionId, runId }: RunPlace,
): Promise<RunState | undefined> {
  const open = sessions.open().find(({ id }) => id === sessionId);
  return (open ?? (await sessions.read(sessionId))).state.runs.get(runId);
}
