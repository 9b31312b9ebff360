/**
 * A scripted researcher behind a wire-format model server: tries learning rates one by one and
 * decides from what it reads.
 */
import * as z from 'zod';
import type { WireAnswer, WireCall, WireRequest } from './wire.ts';

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  input: z.looseObject({ label: z.string().optional() }).optional(),
  text: z.string().optional(),
});
const messagesSchema = z.array(
  z.object({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) }),
);

export interface ResearcherOptions {
  /** Tried in this order. */
  readonly rates: readonly number[];
  /** Seconds that a run takes. */
  readonly runSeconds?: number;
  /** Steps that a run prints. */
  readonly steps?: number;
  /** Whether it is to finish with what it has tried. */
  isEnough?(): boolean;
}

/**
 * Speaks the Messages format. Robust against interrupted calls: it decides anew from the whole
 * conversation each time.
 */
export const researcher =
  ({ rates, runSeconds = 0.5, steps = 20, isEnough = () => false }: ResearcherOptions) =>
  ({ body }: WireRequest): WireAnswer => {
    const blocks = messagesSchema
      .parse(body.messages)
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const text = blocks.map((block) => block.text ?? '').join('\n');
    const refused = new Set(
      blocks.filter((block) => block.is_error).map((block) => block.tool_use_id),
    );
    const launched = blocks
      .filter((block) => block.name === 'remote_exec_background' && !refused.has(block.id))
      .map((block) => block.input?.label);
    const ended = [
      ...text.matchAll(
        /Run (?<number>\d+) \((?<label>lr=[\d.]+)\) ended: \w+ .*?loss last [\d.e-]+ best (?<best>[\d.e-]+)/g,
      ),
      ...text.matchAll(
        /^- run (?<number>\d+) +loss (?<best>[\d.e-]+) .* after .* points? · .*?(?<label>lr=[\d.]+)/gm,
      ),
    ];
    const measured = new Map(
      ended.map(({ groups = {} }) => [
        groups['label'],
        { number: groups['number'] ?? '', best: Number(groups['best']) },
      ]),
    );
    const going = launched.find((label) => label !== undefined && !measured.has(label));
    if (going !== undefined)
      return say(`Waiting for ${going}.`, sleepCall(launched.indexOf(going) + 1));
    const next = isEnough() ? undefined : rates.find((rate) => !launched.includes(`lr=${rate}`));
    if (next !== undefined) return say(`Trying lr=${next}.`, launchCall(next, runSeconds, steps));
    const [best] = [...measured.values()].sort((a, b) => a.best - b.best);
    return say('The goal is met.', {
      name: 'finish',
      input: {
        outcome: 'goal_met',
        summary: `Of ${measured.size} learning rates, run ${best?.number} reached the lowest loss, ${best?.best}.`,
        evidence: [{ run: best?.number ?? '', metric: 'loss' }],
      },
    });
  };

const say = (text: string, call: WireCall): WireAnswer => ({ text, toolCalls: [call] });

const sleepCall = (run: number): WireCall => ({
  name: 'sleep',
  input: {
    reason: `run ${run} trains`,
    wake_conditions: [{ type: 'process_exit', run }],
    deadline_minutes: 5,
  },
});

function launchCall(rate: number, runSeconds: number, steps: number): WireCall {
  const pause = (runSeconds / steps).toFixed(3);
  const program = `BEGIN { loss = 4; for (i = 1; i <= ${steps}; i++) { loss *= 1 - ${rate}; printf "step=%d loss=%.5f\\n", i, loss; fflush(); system("sleep ${pause}") } }`;
  return {
    name: 'remote_exec_background',
    input: {
      command: `echo x >> started-${rate}\nawk '${program}'`,
      metric_names: ['loss'],
      label: `lr=${rate}`,
    },
  };
}
