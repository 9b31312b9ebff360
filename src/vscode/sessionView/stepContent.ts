/** The complete texts and facts of a step in the session view. Callers limit the texts' length. */
import type { EventOf } from '../../agent/journal/describeEvent.ts';
import { describeEvent } from '../../presentation/events.ts';
import { decisionName } from '../../presentation/experiments/experimentText.ts';
import { argumentText } from '../../presentation/sessions/approvalText.ts';
import { callCostText, leftOutText, triggerText } from '../../presentation/sessions/sessionText.ts';
import { confinementText, runEndText, runName } from '../../presentation/runs/runText.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import {
  formatBytes,
  formatDuration,
  formatValue,
  oneLine,
  formatTokens,
} from '../../base/text.ts';
import type { RunSpec } from '../../runs/run.ts';
import type { CodeState } from '../../experiments/experiment.ts';
import type { Fact, TextSection } from '../../protocol/sessionView.ts';
import { exactTime } from '../../base/localTime.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { Step } from './timeline.ts';

export interface WholeSection extends Pick<TextSection, 'id' | 'title' | 'format' | 'isFolded'> {
  readonly text: string;
  /** Path of the file with the whole text; set if `text` is truncated. */
  readonly file?: string;
  /** Lower bound for the number of characters that `text` omits. Set together with `file`. */
  readonly fileChars?: number;
}

export interface StepContent {
  readonly facts: readonly Fact[];
  readonly sections: readonly WholeSection[];
}

interface StepContext {
  readonly events: readonly JournalEvent[];
  readonly step: Step;
  /** State of the session after the step. */
  readonly state: SessionState;
}

type ContentReader<Type extends JournalEvent['type']> = (
  event: EventOf<Type>,
  context: StepContext,
) => StepContent;

export function stepContent(
  events: readonly JournalEvent[],
  step: Step,
  state: SessionState,
): StepContent {
  const firstEvent = events[step.startedBy];
  if (firstEvent === undefined) return nothing;
  const readContent = contentReaders[firstEvent.type] as
    ContentReader<JournalEvent['type']> | undefined;
  return readContent === undefined
    ? descriptionContent(firstEvent, state)
    : readContent(firstEvent, { events, step, state });
}

function descriptionContent(event: JournalEvent, state: SessionState): StepContent {
  const { detail = '', facts: more = [] } = describeEvent(event, state) ?? {};
  return {
    facts: more.map((value) => fact('Note', value)),
    sections: only(section('detail', 'Details', detail)).sections,
  };
}

const nothing: StepContent = { facts: [], sections: [] };

const section = (
  id: string,
  title: string,
  text: string,
  format: TextSection['format'] = 'plain',
): WholeSection => ({
  id,
  title,
  text,
  format,
});
const fact = (name: string, value: string, tone?: Fact['tone']): Fact => ({
  name,
  value,
  ...(tone && { tone }),
});
const permissionFacts = ({ mode, note }: PermissionsInForce): readonly Fact[] => [
  fact('Permissions', note ?? mode),
];
const only = (...sections: readonly WholeSection[]): StepContent => ({
  facts: [],
  sections: sections.filter(({ text }) => text.trim() !== ''),
});
const facts = (...all: readonly Fact[]): StepContent => ({ facts: all, sections: [] });

/** By event type: the content of steps. Other types show only the description of the event. */
const contentReaders: { readonly [Type in JournalEvent['type']]?: ContentReader<Type> } = {
  'session.started': ({ goal, workFolder, helios, permissions, leftOut }) => ({
    facts: [
      fact('Folder', workFolder),
      fact('Helios', helios),
      ...(permissions === undefined ? [] : permissionFacts(permissions)),
      ...(leftOut === undefined ? [] : [fact('Project file', leftOutText(leftOut))]),
    ],
    sections: [section('goal', 'Goal', goal)],
  }),
  'session.ended': ({ summary, marked = summary, evidence, checked = [] }) => ({
    facts: [
      ...checked.map((text) => fact('Checked', text)),
      ...evidence.map((one) =>
        fact(
          `${one.run} ${one.metric}`,
          `last ${formatValue(one.last)}, best ${formatValue(one.best)}`,
        ),
      ),
    ],
    sections: [section('summary', 'Summary', marked, 'markdown')],
  }),
  'model.requested': ({ provider, model }, { events, step }) => {
    const reply = step.endedBy === undefined ? undefined : events[step.endedBy];
    return reply?.type === 'model.replied'
      ? replyContent(reply, step)
      : facts(fact('Model', `${provider}/${model}`));
  },
  'model.replied': (event, { step }) => replyContent(event, step),
  'model.consulted': ({ provider, model, cost }) =>
    facts(fact('Model', `${provider}/${model}`), fact('Cost', callCostText(cost))),
  'tool.started': toolContent,
  'run.started': ({ runId, process }, { state }) =>
    launchContent(state.runs.get(runId)?.spec, process.pid),
  'run.ended': ({ verdict, outputTail = '', runId }, { state }) => ({
    facts: [
      fact('Run', runName(state.runs.get(runId)?.spec.number ?? runId)),
      fact('Verdict', runEndText({ runId, verdict }, state)),
    ],
    sections: only(section('output', 'End of the output', outputTail, 'code')).sections,
  }),
  'run.alarmed': ({ runId, kind, action, detail }, { state }) => ({
    facts: [
      fact('Run', runName(state.runs.get(runId)?.spec.number ?? runId)),
      fact('Watchdog', kind.replace('_', ' ')),
      fact('Action', action),
    ],
    sections: [section('detail', 'Observation', detail)],
  }),
  'experiment.planned': ({ plan }) => ({
    facts: [
      fact('Machine', plan.machineId),
      fact('Code', codeText(plan.code)),
      ...(plan.seed === undefined ? [] : [fact('Seed', plan.seed)]),
      ...(plan.basedOn === undefined ? [] : [fact('Built on', plan.basedOn)]),
      ...(plan.retest === undefined
        ? []
        : [fact('Retest of', `${plan.retest.of}: ${plan.retest.why}`)]),
    ],
    sections: [
      section('hypothesis', 'Hypothesis', plan.hypothesis),
      section('command', 'Command', plan.command, 'code'),
    ],
  }),
  'experiment.decided': ({ by, why, ...decided }) => ({
    facts: [fact('Decision', decisionName(decided)), fact('By', by)],
    sections: [section('why', 'Why', why)],
  }),
  'question.asked': ({ questionId, text, options, fallback, deadlineMs }, { state }) => ({
    facts: [
      ...(options.length === 0 ? [] : [fact('Options', options.join(' · '))]),
      fact('Default', `${fallback}, if not answered by ${exactTime(deadlineMs)}`),
      fact('Answer', answerText(state.questions.get(questionId)?.answer)),
    ],
    sections: [section('question', 'Question', text)],
  }),
  'sweep.started': ({ plan }) => ({
    facts: [
      fact('Points', String(plan.points.length)),
      fact('Machines', plan.machineIds.join(', ')),
    ],
    sections: [
      section('points', 'Points', plan.points.map(({ label }) => label).join('\n'), 'code'),
    ],
  }),
  'sweep.ended': ({ text }) => only(section('text', 'Result', text)),
  'env.captured': ({ machineId, repo, gist, file }) =>
    facts(
      fact('Machine', machineId),
      fact('Folder', repo),
      fact('Environment', gist),
      fact('File', file),
    ),
  'sleep.started': ({ request }, { events, step }) => {
    const end = step.endedBy === undefined ? undefined : events[step.endedBy];
    return {
      facts: [
        fact(
          'Until',
          request.triggers.map(triggerText).join(request.logic === 'all' ? ' and ' : ' or ') ||
            'its deadline',
        ),
        ...(request.deadlineMs === undefined
          ? []
          : [fact('At the latest', exactTime(request.deadlineMs))]),
        ...(end?.type === 'sleep.ended'
          ? [fact('Woken by', `${end.why.replace('_', ' ')}: ${end.detail}`)]
          : []),
      ],
      sections: [section('reason', 'Why', request.reason)],
    };
  },
  'context.checkpointed': ({ briefing, tokensBefore }) => ({
    facts: [fact('Before', `${formatTokens(tokensBefore)} tokens`)],
    sections: [section('briefing', 'Briefing', briefing, 'markdown')],
  }),
};

function replyContent(event: EventOf<'model.replied'>, { row }: Step): StepContent {
  const { usage, content, failure, provider, model } = event;
  const cached =
    usage.cacheReadTokens === 0 ? '' : `, ${formatTokens(usage.cacheReadTokens)} from a cache`;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const texts = (type: 'text' | 'thinking'): string =>
    content.flatMap((block) => (block.type === type ? [block.text] : [])).join('\n\n');
  const calls = content.flatMap((block) => (block.type === 'tool_call' ? [block.name] : []));
  return {
    facts: [
      fact('Model', `${provider}/${model}`),
      fact('Tokens', `${formatTokens(input)} in${cached}, ${formatTokens(usage.outputTokens)} out`),
      fact('Cost', callCostText(event.cost)),
      ...(row.endMs === undefined ? [] : [fact('Took', formatDuration(row.endMs - row.atMs))]),
      ...(calls.length === 0 ? [] : [fact('Calls', calls.join(', '))]),
    ],
    sections: [
      ...only(section('failure', 'Failure', failure?.message ?? '')).sections,
      ...only(section('reply', 'Reply', texts('text'), 'markdown')).sections,
      ...only({ ...section('thinking', 'Thinking', texts('thinking')), isFolded: true }).sections,
    ],
  };
}

function toolContent(
  { callId, name, effect }: EventOf<'tool.started'>,
  { events, step }: StepContext,
): StepContent {
  const end = step.endedBy === undefined ? undefined : events[step.endedBy];
  const result = end?.type === 'tool.finished' ? end : undefined;
  const input = inputOf(events, step.startedBy, callId);
  const shown = result?.fullPath === undefined ? {} : { file: result.fullPath, fileChars: 1 };
  return {
    facts: [
      fact('Tool', name),
      fact('Effect', effect),
      ...(result === undefined ? [] : [fact('Took', formatDuration(result.durationMs))]),
      ...(result?.isError === true ? [fact('Result', 'failed', 'bad')] : []),
      ...(result?.changedFiles ?? []).map((file) => fact('Changed', file)),
      ...(result === undefined ? [] : attachmentNames(result)).map((text) =>
        fact('Attachment', text),
      ),
    ],
    sections: [
      ...only(
        section('arguments', 'Arguments', input === undefined ? '' : argumentText(input), 'code'),
      ).sections,
      ...only({ ...section('result', 'Result', result?.text ?? '', 'code'), ...shown }).sections,
    ],
  };
}

/**
 * Returns the names of the files that are attached to a tool result. Older journals contain the
 * files (`attachments`), newer journals only references to the files (`attachmentFiles`).
 */
const attachmentNames = ({
  attachments = [],
  attachmentFiles = [],
}: EventOf<'tool.finished'>): string[] => [
  ...attachments.map(({ name, mediaType }) => `${name} (${mediaType})`),
  ...attachmentFiles.map(({ name, mediaType, sizeBytes }) =>
    [name, `(${mediaType}, ${formatBytes(sizeBytes)})`]
      .filter((word) => word !== undefined)
      .join(' '),
  ),
];

/** Returns the input of a tool call from the model's reply, which precedes event `from`. */
function inputOf(events: readonly JournalEvent[], from: number, callId: string): unknown {
  for (let index = from; index >= 0; index--) {
    const event = events[index];
    if (event?.type !== 'model.replied') continue;
    for (const block of event.content)
      if (block.type === 'tool_call' && block.id === callId) return block.input;
  }
  return undefined;
}

function launchContent(
  spec: Pick<RunSpec, 'command' | 'cwd' | 'machineId' | 'confinement'> | undefined,
  pid: number,
): StepContent {
  if (spec === undefined) return nothing;
  return {
    facts: [
      fact('Machine', spec.machineId),
      fact('Folder', spec.cwd),
      fact('Process', String(pid)),
      ...(spec.confinement ? [fact('Confined by', confinementText(spec.confinement))] : []),
    ],
    sections: [section('command', 'Command', spec.command, 'code')],
  };
}

/** Returns, for example, `9fceb02 with changes, tree 1a2b3c4`, or why the code is unknown. */
function codeText(code: CodeState): string {
  if (code.kind === 'none') return oneLine(withoutUntrustedMarks(code.why), 80);
  return `${(code.head ?? code.tree).slice(0, 7)}${code.isDirty ? ` with changes, tree ${code.tree.slice(0, 7)}` : ''}`;
}

const answerText = (
  answer: { readonly text: string; readonly by: 'person' | 'default' } | undefined,
): string =>
  answer === undefined
    ? 'open'
    : answer.by === 'default'
      ? `${answer.text} (default)`
      : answer.text;
