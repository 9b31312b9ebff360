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
    const { task, params, random } = tool.spec.inputSchema.properties as Record<string, object>;
    assert.deepEqual(task, { type: ['string', 'array'], items: { type: 'string' } });
    assert.ok(JSON.stringify(random).length < 450, JSON.stringify(random));
    assert.match(JSON.stringify(params), /"items":\{"type":\["string","number","boolean"\]\}/);
  });
});
