/**
 * Schemas of the conditions in the model's requests, and the text that shows the model their form.
 * `conditionShape` is the only reader of a condition.
 */
import * as z from 'zod';

const maxSeconds = 30 * 24 * 3600;
const seconds = z.number().positive().max(maxSeconds);
const comparator = z.enum(['<', '>', '<=', '>=', '==', '!=']);
const runReference = z.union([z.string().min(1), z.number().int().positive().transform(String)]);
const text = z.string().trim().min(1);
const line = text.regex(/^[^\n\r]*$/, 'must be one line');
const sustained = z.number().int().min(1).max(1000).optional();

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
  .refine(
    (given) => countOf(given.wake_after_seconds, given.seconds, given.minutes) === 1,
    'give one duration',
  );

const processExit = z
  .strictObject({
    type: z.literal('process_exit'),
    task_id: runReference.optional(),
    run: runReference.optional(),
    sweep: text.optional(),
    machine_id: text.optional(),
    pid: z.number().int().positive().optional(),
    process_pattern: line.max(500).optional(),
  })
  .refine(({ task_id, run, sweep, machine_id, pid, process_pattern: pattern }) => {
    const ours = countOf(task_id, run, sweep);
    return ours === 0
      ? countOf(machine_id) === countOf(pid, pattern)
      : // `machine_id` is redundant next to a run, but models often send it.
        ours === 1 && countOf(pid, pattern) === 0;
  }, 'give task_id, sweep, or machine_id with pid or process_pattern');

const trackedMetric = z
  .strictObject({
    type: z.literal('metric'),
    metric_name: text,
    threshold: z.number(),
    direction: z.enum(['below', 'above']).optional(),
    comparator: comparator.optional(),
    task_id: runReference.optional(),
    sustained_checks: sustained,
  })
  .refine(
    (given) => countOf(given.direction, given.comparator) === 1,
    'give direction or comparator',
  );

const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('json_file'), path: line }),
  z.strictObject({ type: z.literal('csv_file'), path: line }),
  z.strictObject({ type: z.literal('command'), command: text }),
  z.strictObject({ type: z.literal('tensorboard'), logdir: line }),
]);

const sourceMetric = z
  .strictObject({
    type: z.literal('metric'),
    machine_id: text,
    source,
    field: text.optional(),
    comparator,
    threshold: z.number(),
    sustained_checks: sustained,
  })
  .refine(
    (given) => given.source.type === 'command' || given.field !== undefined,
    'field is missing: the JSON key, CSV column, or tag',
  );

const file = z
  .strictObject({
    type: z.literal('file'),
    machine_id: text,
    path: line,
    mode: z.enum(['exists', 'modified', 'size_stable']).default('exists'),
    window_seconds: seconds.optional(),
  })
  .refine((given) => given.window_seconds === undefined || given.mode === 'size_stable', {
    path: ['window_seconds'],
    message: 'only for size_stable',
  });

const resource = z
  .strictObject({
    type: z.literal('resource'),
    machine_id: text,
    resource: z.enum(['gpu_util', 'gpu_memory', 'cpu', 'memory', 'disk']),
    comparator: comparator.default('<'),
    threshold: z.number().min(0).max(100),
    gpu_index: z.number().int().min(0).optional(),
    sustained_checks: sustained,
  })
  .refine((given) => given.gpu_index === undefined || given.resource.startsWith('gpu_'), {
    path: ['gpu_index'],
    message: 'only for gpu_util and gpu_memory',
  });

/**
 * Schemas by the type name in the model's request. `metric` has two schemas: one for a tracked
 * metric, one for a value that is read from a file or a command.
 */
export const shapes = {
  timer,
  process_exit: processExit,
  tracked: trackedMetric,
  source: sourceMetric,
  file,
  resource,
};

export const examples = {
  timer: '{"type":"timer","minutes":30}',
  process_exit:
    '{"type":"process_exit"} for all runs, with "task_id":"run 7" or "sweep":"s1" for these; {"type":"process_exit","machine_id":"local","pid":4711} for another process, or "process_pattern":"python .*train\\.py": an extended regular expression on whole command lines, until none matches',
  tracked:
    '{"type":"metric","metric_name":"loss","direction":"below","threshold":1.0} (of any active run, or of "task_id")',
  source:
    '{"type":"metric","machine_id":"local","source":{"type":"json_file","path":"/abs/metrics.json"},"field":"eval.loss","comparator":"<","threshold":1.0} (source also csv_file; tensorboard with logdir, field is the tag; {"type":"command","command"}, which prints the number)',
  file: '{"type":"file","machine_id":"local","path":"/abs/done.txt","mode":"exists"} (mode also modified: since this call; size_stable: for window_seconds, default 60)',
  resource:
    '{"type":"resource","machine_id":"local","resource":"gpu_util","threshold":10} (percent in use; also gpu_memory, cpu, memory, disk; comparator, default "<"; gpu_index, else every GPU)',
};

export const supportedText = `Supported conditions:\n${Object.values(examples)
  .map((example) => `- ${example}`)
  .join('\n')}\nmetric and resource take "sustained_checks": values in a row (default 1).`;

const countOf = (...values: readonly unknown[]): number =>
  values.filter((value) => value !== undefined).length;
