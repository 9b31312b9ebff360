import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { commandValue, readFileValue } from '../../../src/sleep/metricSource.ts';
import { FakeMachine } from './fakePorts.ts';

describe('values of files and commands', () => {
  const read = (type: 'json_file' | 'csv_file', text: string, field = 'loss'): Promise<number> => {
    const machine = new FakeMachine('local');
    machine.write('/f', Buffer.from(text).toString('latin1'));
    return readFileValue(machine, { type, path: '/f', real: '/f' }, field, Buffer.byteLength(text));
  };

  it('reads JSON by key and by path, and the last of JSON lines', async () => {
    assert.equal(await read('json_file', '{"loss": 0.5}'), 0.5);
    assert.equal(await read('json_file', '{"eval": [{"loss": 1}, {"loss": 2}]}', 'eval.1.loss'), 2);
    assert.equal(await read('json_file', '{"a.b": {"c": 3}, "a": {"b.c": 4}}', 'a.b.c'), 4);
    assert.equal(await read('json_file', '{"loss": 3}\n{"loss": 2}\n{"los'), 2);
    for (const text of ['', 'x', '{"loss": "0.5"}', '{}', '[]', 'null', '{"loss"'])
      await assert.rejects(read('json_file', text));
    await assert.rejects(read('json_file', '{}', 'constructor.length'), /no number at/);
  });

  it('reads the last whole row of CSV', async () => {
    assert.equal(await read('csv_file', '\ufeffstep,loss\r\n1,0.5\r\n2,0.25\r\n3,0.1'), 0.25);
    assert.equal(await read('csv_file', ',loss\n,7\n'), 7);
    assert.equal(await read('csv_file', 'note,"loss"\n"a, b",1e-3\n'), 0.001);
    assert.ok(Number.isNaN(await read('csv_file', 'loss\nnan\n')));
    const long = `step,loss\n${Array.from({ length: 50_000 }, (_, n) => `${n},${n / 2}\n`).join('')}`;
    assert.equal(await read('csv_file', long), 49_999 / 2);
    await assert.rejects(read('csv_file', 'step,loss\n'), /no rows yet/);
    await assert.rejects(read('csv_file', 'step,acc\n1,2\n'), /no column "loss"; it has step, acc/);
    await assert.rejects(read('csv_file', 'step,loss\n1\n'), /not a number/);
    await assert.rejects(read('csv_file', ''), /no column/);
  });

  it('reads the last line of a command', () => {
    const value = (stdout: string, code: number | undefined = 0): number =>
      commandValue({ code, stdout, stderr: 'no' });
    assert.equal(value('loading\n 0.5 \n'), 0.5);
    assert.throws(() => value('loss 0.5'), /"loss 0.5", which is not a number/);
    assert.throws(() => value(''), /not a number/);
    assert.throws(() => value('0.5', 3), /with exit code 3: no/);
    assert.throws(
      () => commandValue({ code: undefined, stdout: '1', stderr: '' }),
      /took too long/,
    );
  });
});
