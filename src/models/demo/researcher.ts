/**
 * Computes the demo model's reply from the conversation alone. Without state between two calls, the
 * demo continues after a restart, an interruption or a shortened conversation.
 */
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { ModelRequest } from '../model.ts';
import {
  asksToStop,
  goalTextOf,
  meets,
  readGoal,
  requestedValues,
  saidByUser,
  type DemoGoal,
} from './goal.ts';
import { firstNotes, noteFindings, type DemoCall, type DemoReply } from './notes.ts';
import { bring, local, machineOf, readCall, reading, remoteFolder, script } from './place.ts';
import { bestOf, propose, type Proposal } from './search.ts';
import { commandFor, pointText, readSpace } from './space.ts';
import {
  callsOf,
  fieldsOf,
  isInterrupted,
  readTranscript,
  succeeded,
  type PastCall,
  type Transcript,
} from './transcript.ts';
import { isMeasured, isRunning, readTrials, type Trial } from './trials.ts';
import { failedLaunches, justReviewed, newlySaid, type View } from './view.ts';
import { waitFor } from './wait.ts';
import * as words from './phrases.ts';

const sideBySide = 2;
const maxFailedLaunches = 3;

export function demoReply(request: ModelRequest): DemoReply {
  const offered = new Set(request.tools.map(({ name }) => name));
  if (!offered.has('remote_exec_background') || !offered.has('finish'))
    return {
      text: offered.size === 0 && isAccount(request) ? words.account : words.withoutTools,
      calls: [],
    };
  const { text, calls } = decide(readTranscript(request), request);
  return { text, calls: calls.filter(({ name }) => offered.has(name)) };
}

/** Returns whether Helios asks for the account of a session. */
const isAccount = ({ system }: ModelRequest): boolean =>
  system.some(({ text }) => text.includes('write the account'));

function decide(transcript: Transcript, request: ModelRequest): DemoReply {
  const goalText = goalTextOf(transcript);
  const goal = readGoal(goalText);
  if (goal === undefined)
    return blocked(
      `This is the scripted offline demo, which only understands goals such as "val_loss below 1.94". A model provider with a key takes any goal.`,
    );
  const read = readCall(transcript, script);
  if (read === undefined) return readScript(transcript, goal);
  const space = succeeded(read) ? readSpace(scriptText(read)) : undefined;
  if (space === undefined)
    return blocked(
      `The scripted offline demo needs a train.py in the folder of the session, with an option --lr that has a default. Add such a script, or choose a provider with a key for a real model.`,
    );
  const machine = machineOf(goalText, request);
  const brought = bring(transcript, machine);
  if (brought === 'refused') return blocked(words.notWritten(machine, remoteFolder));
  if (brought !== undefined) return brought;
  const trials = readTrials(transcript, space, goal);
  const view: View = { transcript, goal, machine, space, trials, best: bestOf(trials, goal) };
  const reply = work(view);
  const answer = answerToUser(view);
  return { ...reply, text: [answer, reply.text].filter((part) => part !== '').join('\n\n') };
}

function work(view: View): DemoReply {
  const { transcript, trials } = view;
  if (newlySaid(transcript).some(asksToStop))
    return blocked('Stopped because the user asked for it.', view);
  const failed = failedLaunches(transcript);
  if (failed.length >= maxFailedLaunches)
    return blocked(`Runs could not be started: ${failed.at(-1)?.result?.text ?? ''}`, view);
  const running = trials.filter(isRunning);
  if (running.length > 0) return waitFor(running, view);
  const fresh = trials.filter((trial) => !trial.isReviewed);
  return fresh.length > 0 ? review(fresh, view) : goOn(view);
}

function readScript(transcript: Transcript, goal: DemoGoal): DemoReply {
  const briefing = transcript.told.find(({ text }) =>
    text.startsWith('The conversation so far was shortened'),
  )?.text;
  return {
    text:
      briefing === undefined
        ? words.introduction(goal)
        : words.recovered([...briefing.matchAll(/^- run \d+ /gm)].length),
    calls: [reading(script), { name: 'memory_ls', input: { path: '/' } }],
  };
}

/**
 * Fetches the metrics of the runs that just ended, and compares each with the best run before them.
 */
function review(fresh: readonly Trial[], view: View): DemoReply {
  const before = bestOf(
    view.trials.filter((trial) => trial.isReviewed),
    view.goal,
  );
  const { metric } = view.goal;
  const shows = fresh.flatMap((trial) => show(trial, metric));
  const compares = fresh.flatMap((trial) =>
    before?.handle === undefined || trial.handle === undefined || !isMeasured(trial)
      ? []
      : [
          {
            name: 'compare_runs',
            input: { task_a: before.handle, task_b: trial.handle, metric_names: [metric] },
          },
        ],
  );
  // Without task ids, the metrics of these runs cannot be fetched. The values are then those in the
  // messages about the end of each run.
  if (shows.length === 0) return goOn(view, fresh);
  return { text: '', calls: [...shows, ...compares] };
}

const show = ({ handle, runId }: Trial, metric: string): DemoCall[] => {
  const task = handle ?? runId;
  return task === undefined
    ? []
    : [{ name: 'show_metrics', input: { metric_names: [metric], task_id: task } }];
};

/** Notes the findings, then ends the work or launches the next runs. */
function goOn(view: View, unseen: readonly Trial[] = []): DemoReply {
  const { transcript, trials, goal, best } = view;
  const fresh = unseen.length > 0 ? unseen : justReviewed(view);
  const before = bestOf(
    trials.filter((trial) => !fresh.includes(trial)),
    goal,
  );
  const found = words.findings(fresh, before, goal);
  const findings = found.map(({ text }) => text).join('\n');
  const notes = found.length === 0 ? [] : noteFindings(found, view);
  const isRefused = callsOf(transcript, 'finish').some(
    (call) => !succeeded(call) && !isInterrupted(call),
  );
  if (best !== undefined && meets(best.value, goal) && !isRefused)
    return finishMet(best, findings, notes, view);
  const proposals = nextProposals(view);
  if (proposals.length === 0) {
    const summary = words.exhaustedPhrases(best, trials.length, goal);
    return {
      text: joined(findings, summary),
      calls: [...notes, finishCall('blocked', summary, best, goal)],
    };
  }
  const launches = proposals.map(({ point }) => ({
    name: 'remote_exec_background',
    input: {
      machine_id: view.machine,
      command: commandFor(point),
      ...(view.machine !== local && { cwd: remoteFolder }),
      metric_names: metricNames(goal),
      label: pointText(point),
      // A session never repeats a point, but another session may have tried the same point. Without
      // `retest`, the tool would refuse such a run.
      retest: 'the demo repeats the whole search',
    },
  }));
  const isFirst = trials.length === 0;
  const text = isFirst
    ? words.plan(goal, view.space.base)
    : joined(findings, words.nextPhrases(proposals));
  return { text, calls: [...notes, ...(isFirst ? firstNotes(view) : []), ...launches] };
}

function finishMet(
  best: Trial & { value: number },
  findings: string,
  notes: readonly DemoCall[],
  view: View,
): DemoReply {
  const { space, trials, goal } = view;
  const baseline = trials.find(({ point }) => pointText(point) === pointText(space.base));
  const summary = words.metPhrases(best, baseline, trials.length, goal);
  return {
    text: joined(findings, summary),
    calls: [...notes, finishCall('goal_met', summary, best, goal)],
  };
}

/**
 * Returns the points to try next: the point of the user's latest request if it was not tried yet,
 * otherwise the points that the search proposes.
 */
function nextProposals({ transcript, space, trials, goal, best }: View): Proposal[] {
  const tried = new Set(trials.map(({ point }) => pointText(point)));
  const requested = saidByUser(transcript)
    .map(({ text }) => requestedValues(text, Object.keys(space.base)))
    .filter((values) => Object.keys(values).length > 0)
    .map((values) => ({
      point: { ...(best?.point ?? space.base), ...values },
      why: 'as the user asked',
    }))
    .filter(({ point }) => !tried.has(pointText(point)))
    .slice(-1);
  return requested.length > 0 ? requested : propose(space, trials, goal, sideBySide);
}

function blocked(summary: string, view?: View): DemoReply {
  return { text: summary, calls: [finishCall('blocked', summary, view?.best, view?.goal)] };
}

function finishCall(
  outcome: 'goal_met' | 'blocked',
  summary: string,
  best: Trial | undefined,
  goal: DemoGoal | undefined,
): DemoCall {
  const run =
    best?.runId ?? best?.handle ?? (best?.number === undefined ? undefined : `run ${best.number}`);
  const evidence = run === undefined || goal === undefined ? [] : [{ run, metric: goal.metric }];
  return { name: 'finish', input: { outcome, summary, evidence } };
}

/**
 * Returns a sentence that answers the user's messages since the last reply; empty if there are
 * none.
 */
function answerToUser({ transcript, space }: View): string {
  const messages = newlySaid(transcript).filter((text) => !asksToStop(text));
  if (messages.length === 0) return '';
  const values = messages.flatMap((text) =>
    Object.entries(requestedValues(text, Object.keys(space.base))),
  );
  return values.length > 0
    ? `Noted: ${values.map(([name, value]) => `${name}=${value}`).join(' ')} is what I try next.`
    : `Noted. I am a script and understand only requests such as "use ${space.rate} 0.1" and "stop"; I continue the search.`;
}

const scriptText = ({ result }: PastCall): string => {
  const { content } = fieldsOf(result?.text ?? '');
  return withoutUntrustedMarks(typeof content === 'string' ? content : (result?.text ?? ''));
};

const metricNames = ({ metric }: DemoGoal): string[] => [
  ...new Set([metric, 'loss', 'val_loss', 'acc']),
];
const joined = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');
