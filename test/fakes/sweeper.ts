/**
 * A scripted researcher behind a wire-format model server: sweeps learning rates once, waits, and
 * decides from the table.
 */
import * as z from 'zod';
import type { WireAnswer, WireCall, WireRequest } from './wire.ts';

const messagesSchema = z.array(z.object({ role: z.string(), content: z.unknown() }));

export interface SweeperOptions {
  readonly rates: readonly number[];
  readonly maxParallel: number;
  /** Of each point; `{lr}` is its rate. */
  readonly command: string;
}

/** Speaks the Messages format. Decides anew from the whole conversation each time. */
export const sweeper =
  ({ rates, maxParallel, command }: SweeperOptions) =>
  ({ body }: WireRequest): WireAnswer => {
    const text = JSON.stringify(messagesSchema.parse(body.messages));
    const best =
      /Sweep s1 over lr on local has ended: .*?best loss [\d.e-]+ by .*?\(run (\d+)/.exec(
        text,
      )?.[1];
    if (best !== undefined) {
      const evidence = [{ run: best, metric: 'loss' }];
      return say({
        name: 'finish',
        input: { outcome: 'goal_met', summary: `Run ${best} is best.`, evidence },
      });
    }
    if (/\\"sweep\\":\\"s1\\"/.test(text)) return say(untilOver);
    const input = {
      command_template: command,
      params: { lr: rates },
      max_parallel: maxParallel,
      metric_names: ['loss'],
    };
    return say({ name: 'sweep', input });
  };

const say = (call: WireCall): WireAnswer => ({ text: 'Next.', toolCalls: [call] });

const untilOver: WireCall = {
  name: 'sleep',
  input: {
    reason: 'the sweep',
    wake_conditions: [{ type: 'process_exit', sweep: 's1' }],
    deadline_minutes: 5,
  },
};
