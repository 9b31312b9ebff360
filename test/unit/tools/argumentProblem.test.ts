import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { pointParameters } from '../../../src/tools/runs/sweepPoints.ts';
import { defineTool } from '../../../src/tools/tool.ts';

const tool = defineTool({
  name: 'train',
  description: 'Trains.',
  effect: 'read',
  parameters: z.strictObject({
    ...pointParameters,
    command: z.string().min(1).describe('Shell command, such as "python train.py".'),
    metric_names: z.array(z.string()).optional().describe('Names, such as ["loss"].'),
    task: z.union([z.string(), z.array(z.string())]).optional(),
  }),
  describe: () => 'Train',
  execute: () => Promise.resolve({ content: '' }),
});
const problem = (input: unknown): string => {
  const parsed = tool.parse(input);
  assert.ok(!parsed.ok);
  assert.ok(parsed.problem.length <= 400, parsed.problem);
  return parsed.problem;
};

describe('what is wrong with arguments', () => {
  it('names the argument that is missing, with its example', () => {
    assert.equal(
      problem({}),
      'train: The argument command is missing. command: Shell command, such as "python train.py".',
    );
  });

  it('names the nearest argument for an unknown one', () => {
    assert.match(
      problem({ command: 'x', metric_name: ['a'] }),
      /^train: There is no argument metric_name: use metric_names\. Names, such as \["loss"\]\.$/,
    );
    assert.match(
      problem({ command: 'x', banana: 1 }),
      /There is no argument banana\. Arguments: params, random, points, seeds, command, metric_names, task\.$/,
    );
  });

  it('gives type and example of a wrong value, and of the nearest alternative', () => {
    assert.match(
      problem({ command: 'x', metric_names: 'loss' }),
      /metric_names: expected array, received string\. metric_names: Names, such as/,
    );
    assert.match(problem({ command: 'x', task: [3] }), /task: 0: expected string, received number/);
    assert.match(
      problem({ command: 'x', random: { lr: [1], count: 4 } }),
      /random\.params: expected record, received undefined\. random: .*"log_uniform".* random: there is no lr here/,
    );
  });

  it('stays short whatever is wrong', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key${key}`, key]));
    problem(many);
    problem({ command: 3, metric_names: 4, task: 5, params: 6, random: 7 });
  });
});

describe('the schema that a model is sent', () => {
  it('has types, descriptions and choices, and none of the limits', () => {
    const schema = JSON.stringify(tool.spec.inputSchema);
    assert.doesNotMatch(
      schema,
      /minLength|maximum|propertyNames|additionalProperties":false|\$schema/,
    );
    const { task, params, random, points } = tool.spec.inputSchema.properties as Record<
      string,
      object
    >;
    assert.deepEqual(task, { type: ['string', 'array'], items: { type: 'string' } });
    assert.ok(JSON.stringify(random).length < 250, JSON.stringify(random));
    assert.match(JSON.stringify(points), /"additionalProperties":\{"type":\["string","number"/);
    assert.deepEqual(Object.keys(params ?? {}), ['type', 'description']);
  });
});

describe('the schema for a session with one machine', () => {
  const both = defineTool({
    name: 'end',
    description: 'Ends.',
    effect: 'read',
    parameters: z.strictObject({
      machine_id: z.string().default('local').meta({ needs: 'machines' }),
      pid: z.int().optional().meta({ hidden: true }),
      run: z.string().optional(),
    }),
    describe: () => 'End',
    execute: () => Promise.resolve({ content: '' }),
  });
  const names = (schema: unknown): string[] =>
    Object.keys((schema as { properties: object }).properties);

  it('names no machine, and no schema has what a model need not know', () => {
    assert.deepEqual(names(both.spec.inputSchema), ['machine_id', 'run']);
    assert.deepEqual(names(both.specAlone.inputSchema), ['run']);
    assert.doesNotMatch(JSON.stringify(both.spec), /hidden|needs/);
  });

  it('takes these arguments all the same', () => {
    const parsed = both.parse({ machine_id: 'gpu1', pid: 7 });
    assert.deepEqual(parsed, { ok: true, args: { machine_id: 'gpu1', pid: 7 } });
  });

  it('keeps the defaults of the project for arguments that are not shown', () => {
    const set = both.withDefaults([{ parameter: 'machine_id', value: 'gpu1' }]);
    assert.deepEqual(set.parse({}), { ok: true, args: { machine_id: 'gpu1' } });
  });
});
