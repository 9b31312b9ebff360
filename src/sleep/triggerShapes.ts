/** What the model may send as a condition, and the one text that shows it the right shapes. */
import * as z from 'zod';

const maxSeconds = 30 * 24 * 3600;
const seconds = z.number().positive().max(maxSeconds);
const comparator = z.enum(['<', '>', '<=', '>=', '==', '!=']);
const runReference = z.union([z.string().min(1), z.number().int().positive().transform(String)]);
const text = z.string().trim().min(1);

const timer = z
  .strictObject({
    type: z.literal('timer'),
    wake_after_seconds: seconds.optional(),
    seconds: seconds.optional(),
    minutes: z
      .number()
      .positive()
      .max(maxSeconds / 60)
      .optional(),
  })
  .refine((given) => countOf(given.wake_after_seconds, given.seconds, given.minutes) === 1, 'give one duration');

const processExit = z
  .strictObject({
    type: z.literal('process_exit'),
    task_id: runReference.optional(),
    run: runReference.optional(),
    machine_id: text.optional(),
    pid: z.number().int().positive().optional(),
  })
  .refine(
    ({ task_id, run, machine_id, pid }) =>
      countOf(task_id, run) === 1
        ? countOf(machine_id, pid) === 0
        : countOf(task_id, run) === 0 && countOf(machine_id, pid) === 2,
    'give task_id, or machine_id and pid',
  );

const trackedMetric = z
  .strictObject({
    type: z.literal('metric'),
    metric_name: text,
    threshold: z.number(),
    direction: z.enum(['below', 'above']).optional(),
    comparator: comparator.optional(),
    task_id: runReference.optional(),
  })
  .refine((given) => countOf(given.direction, given.comparator) === 1, 'give direction or comparator');

const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('json_file'), path: text }),
  z.strictObject({ type: z.literal('csv_file'), path: text }),
  z.strictObject({ type: z.literal('command'), command: text }),
]);

const sourceMetric = z
  .strictObject({
    type: z.literal('metric'),
    machine_id: text,
    source,
    field: text.optional(),
    comparator,
    threshold: z.number(),
  })
  .refine(
    (given) => given.source.type === 'command' || given.field !== undefined,
    'field is missing: the JSON key or CSV column',
  );

const file = z.strictObject({
  type: z.literal('file'),
  machine_id: text,
  path: text,
  mode: z.enum(['exists', 'modified']).default('exists'),
});

/** The shapes by what the model calls them. `metric` has two: on a tracked series, and read from a file or command. */
export const shapes = { timer, process_exit: processExit, tracked: trackedMetric, source: sourceMetric, file };

export const examples = {
  timer: '{"type":"timer","minutes":30} (or "seconds" / "wake_after_seconds")',
  process_exit:
    '{"type":"process_exit","task_id":"local:4711"} for a run, or {"type":"process_exit","machine_id":"local","pid":4711} for any other process',
  tracked:
    '{"type":"metric","metric_name":"loss","direction":"below","threshold":1.0} for a metric that runs print (all running ones, or one with "task_id")',
  source:
    '{"type":"metric","machine_id":"local","source":{"type":"json_file","path":"/abs/metrics.json"},"field":"eval.loss","comparator":"<","threshold":1.0} (source also {"type":"csv_file","path"} or {"type":"command","command"}, which prints the number)',
  file: '{"type":"file","machine_id":"local","path":"/abs/done.txt","mode":"exists"} (or "modified")',
};

export const supportedText = `Supported conditions:\n${Object.values(examples)
  .map((example) => `- ${example}`)
  .join('\n')}`;

const countOf = (...values: readonly unknown[]): number => values.filter((value) => value !== undefined).length;
