import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Access } from '../../../../src/permissions/access.ts';
import { argumentText, callText } from '../../../../src/agent/user/callText.ts';
import { random, seedOf } from '../../../fakes/random.ts';
import { everyTool, missingIn, randomCalls, reordered } from '../../../fakes/randomCalls.ts';

const seed = seedOf('CALLS_SEED', 20_261_123);
const plain = { accesses: [], repairs: [] };

const resourceOf = (access: Access): string => {
  if (access.kind === 'command') return access.command;
  return access.kind === 'host' ? access.host : access.path;
};

describe('text of a call', () => {
  for (const tool of everyTool())
    it(`shows everything that ${tool.spec.name} will do, in one order`, async () => {
      const next = random(seed);
      for (const { input, args } of randomCalls(tool, 40, next)) {
        const accesses = await tool.accesses(args);
        const text = callText({ args, accesses, repairs: [] });
        assert.deepEqual(missingIn(text, args), [], text);
        for (const access of accesses)
          assert.deepEqual(missingIn(text, [resourceOf(access)]), [], text);
        assert.doesNotMatch(text, /(?![\n\t ])[\p{C}\p{Z}\p{DI}]/u);
        const other = tool.parse(reordered(input, next));
        assert.ok(other.ok);
        assert.equal(callText({ args: other.args, accesses, repairs: [] }), text);
      }
    });

  it('begins with the command, the path and the machine, and ends with what may be long', () => {
    const lines = (args: object): string[] =>
      argumentText(args)
        .split('\n')
        .flatMap((line) => /^\w+/.exec(line) ?? []);
    assert.deepEqual(
      lines({ points: [{ a: 1 }], other: 1, cwd: '/x', machines: ['a'], command_template: 'ls' }),
      ['command', 'machines', 'folder', 'other', 'points'],
    );
    assert.deepEqual(lines({ content: 'a\nb', append: true, machine_id: 'm', path: 'p' }), [
      ...['path', 'machine', 'append', 'content'],
    ]);
  });

  it('names arguments in words, unless two would have the same', () => {
    const args = { machine_id: 'a', metric_names: ['loss'], timeout_minutes: 5 };
    assert.equal(argumentText(args), 'machine: a\nmetrics: ["loss"]\ntimeout minutes: 5');
    assert.equal(argumentText({ machine_id: 'a', machine: 'b' }), 'machine_id: a\nmachine: b');
  });

  it('sorts the names inside of an argument', () =>
    assert.equal(
      argumentText({ env: { b: { d: 1, c: 2 }, a: 1 } }),
      'env: {"a":1,"b":{"c":2,"d":1}}',
    ));

  it('lets no value look like another argument', () => {
    const text = argumentText({ command: 'ls\nmachine_id: local', machine_id: 'gpu1' });
    assert.equal(text, 'command:\n    ls\n    machine_id: local\nmachine: gpu1');
    assert.equal(argumentText({ 'a: b\nc': 1 }), '"a: b\\nc": 1');
  });

  it('quotes a value whose ends could not be seen', () =>
    assert.equal(argumentText({ a: '', b: ' x', c: 'x ' }), 'a: ""\nb: " x"\nc: "x "'));

  it('names the commands, files and hosts that the arguments do not name', () => {
    const machineId = 'gpu1';
    const text = callText({
      args: { machine_id: machineId, path: 'a.txt' },
      repairs: [],
      accesses: [
        { kind: 'write', machineId, path: '/work/a.txt' },
        { kind: 'command', machineId, command: 'a\nb' },
        { kind: 'host', host: 'example.org' },
      ],
    });
    assert.equal(
      text,
      'runs on gpu1:\n    a\n    b\npath: a.txt\nmachine: gpu1\nwrites on gpu1: /work/a.txt\nconnects to: example.org',
    );
  });

  it('names a command only once', () => {
    const accesses = [{ kind: 'command', machineId: 'local', command: 'ls' } as const];
    assert.equal(callText({ args: { command: 'ls' }, accesses, repairs: [] }), 'command: ls');
  });

  it('says first that a link leads away and that the call was repaired, each on one line', () => {
    const access = { kind: 'write', machineId: 'm', path: '/b\nc', linkPath: '/a' } as const;
    const text = callText({ args: { path: 'a' }, accesses: [access], repairs: ['quotes'] });
    assert.deepEqual(text.split('\n').slice(0, 3), [
      '/a leads through a link out of the working folder, to /b⟨U+000A⟩c.',
      'The model wrote this call incorrectly (quotes). It was read as:',
      'path: a',
    ]);
  });

  it('shows what is no object as JSON', () =>
    assert.equal(callText({ args: ['a', undefined], ...plain }), '["a",null]'));
});
