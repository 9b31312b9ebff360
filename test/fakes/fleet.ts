/**
 * A scripted researcher that keeps a fleet of machines busy: launches all runs, waits for all ends,
 * then is done.
 */
import * as z from 'zod';
import type { WireAnswer, WireCall, WireRequest } from './wire.ts';

export interface FleetRun {
  readonly machineId: string;
  readonly label: string;
  readonly command: string;
}

const textSchema = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
  .optional();
const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  input: z.looseObject({ label: z.string().optional() }).optional(),
  text: z.string().optional(),
  content: textSchema,
});
const messagesSchema = z.array(
  z.object({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) }),
);

const launchesAtOnce = 5;

/**
 * `count` runs on `machines` in turn. The command goes at the pace (seconds per step) that the file
 * `pace` of its working folder says, and notes each start in `started-<label>`: what it prints, and
 * how it ends, is the same at every pace.
 */
export function fleetRuns(machines: readonly string[], count: number, steps: number): FleetRun[] {
  return Array.from({ length: count }, (_, index) => {
    const label = `point-${index}`;
    const own = steps - Math.floor((index * steps) / (2 * count));
    // Lines beside each other in one burst, on some.
    const burst =
      index % 7 === 3 ? `if (i == 3) for (j = 0; j < 20000; j++) print "noise " j; ` : '';
    const step = `printf "step=%d loss=%.6f acc=%.4f\\n", i, loss, i / ${own}; fflush(); system("sleep " pace)`;
    const program = `BEGIN { loss = ${4 + index}; for (i = 1; i <= ${own}; i++) { loss *= 0.97; ${burst}${step} } }`;
    const end = ['', '; exit 3', '', '; kill -TERM $$'][index % 4] ?? '';
    return {
      machineId: machines[index % machines.length] ?? '',
      label,
      command: `echo x >> started-${label}\nawk -v pace="$(cat pace)" '${program}'${end}`,
    };
  });
}

/** Speaks the Messages format. It decides anew from the whole conversation each time. */
export const fleetResearcher =
  (runs: readonly FleetRun[]) =>
  ({ body }: WireRequest): WireAnswer => {
    const blocks = messagesSchema
      .parse(body.messages)
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const text = blocks.map(textOf).join('\n');
    const refused = new Set(
      blocks.filter((block) => block.is_error).map((block) => block.tool_use_id),
    );
    const launched = blocks
      .filter((block) => block.name === 'remote_exec_background' && !refused.has(block.id))
      .map((block) => block.input?.label);
    const missing = runs.filter(({ label }) => !launched.includes(label));
    if (missing.length > 0) return { toolCalls: missing.slice(0, launchesAtOnce).map(launchCall) };
    const ended = [
      ...text.matchAll(/Run (?<run>\d+) \((?<label>point-\d+)\) ended: (?<verdict>[^·\]\n]+)/g),
      ...text.matchAll(
        /^- run (?<run>\d+) .*? ended: (?<verdict>.*?) after .* (?<label>point-\d+)(?: |$)/gm,
      ),
    ].map(({ groups = {} }) => groups);
    const going = runs.filter(({ label }) => !ended.some((end) => end['label'] === label));
    if (going.length > 0)
      return { toolCalls: [sleepCall(going.map((run) => runs.indexOf(run) + 1))] };
    const best = ended.find(
      ({ label, verdict }) => verdict?.startsWith('ok') && label === runs[0]?.label,
    );
    return {
      text: 'All runs have ended.',
      toolCalls: [
        {
          name: 'finish',
          input: {
            outcome: 'goal_met',
            summary: `${runs.length} runs have ended.`,
            evidence: [{ run: best?.['run'] ?? '1', metric: 'loss' }],
          },
        },
      ],
    };
  };

type Block = z.output<typeof blockSchema>;

const textOf = ({ text = '', content }: Block): string =>
  typeof content === 'string'
    ? content
    : [text, ...(content ?? []).map((part) => part.text ?? '')].join('\n');

const launchCall = ({ machineId, label, command }: FleetRun): WireCall => ({
  name: 'remote_exec_background',
  input: { machine_id: machineId, command, metric_names: ['loss', 'acc'], label },
});

const sleepCall = (numbers: readonly number[]): WireCall => ({
  name: 'sleep',
  input: {
    reason: `${numbers.length} runs`,
    wake_conditions: numbers.map((run) => ({ type: 'process_exit', run })),
    logic: 'all',
    deadline_minutes: 60,
  },
});
