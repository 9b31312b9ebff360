import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { readTail, type OutputTail } from '../../../src/runs/outputTail.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

/** What is read of an output at most. */
const maxBytes = 256 * 1024;

describe('the last lines of an output', () => {
  const scratch = scratchFolder();
  const tailOf = (text: string, lines: number): Promise<OutputTail> => {
    const file = join(scratch(), 'output.log');
    writeFileSync(file, text);
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'runs'),
      workFolder: scratch(),
    });
    return readTail(machine, file, lines);
  };

  it('are whole, however long the output is', async () => {
    // The part that is read begins in the middle of a line.
    const line = `${'x'.repeat(99)}y`;
    const { text, isCut, sizeBytes } = await tailOf(`${line}\n`.repeat(5_000), 10_000);
    const lines = text.split('\n');
    assert.deepEqual(new Set(lines), new Set([line]));
    assert.equal(lines.length, Math.floor(maxBytes / 101));
    assert.deepEqual([isCut, sizeBytes], [true, 5_000 * 101]);
  });

  it('are all there is where that is little', async () => {
    assert.deepEqual((await tailOf('a\n\nb', 3)).text, 'a\n\nb');
    assert.equal((await tailOf('a\n\nb\n', 3)).isCut, false);
    assert.deepEqual(
      [(await tailOf('a\n\nb\n', 2)).text, (await tailOf('a\n\nb\n', 2)).isCut],
      ['\nb', true],
    );
    const { text, isCut } = await tailOf('x'.repeat(maxBytes - 3).concat('\nab'), 1_000);
    assert.equal(text.split('\n').at(-1), 'ab');
    assert.equal(isCut, false);
  });

  it('begin in the middle of a line that alone is longer than what is read', async () => {
    const { text, isCut } = await tailOf('x'.repeat(maxBytes + 1), 5);
    assert.match(text, new RegExp(`^x{2000}… \\(${maxBytes} characters\\)$`));
    assert.equal(isCut, true);
  });

  it('are each cut to 2,000 characters, and a progress bar to its last state', async () => {
    const long = 'y'.repeat(2_001);
    const { text } = await tailOf(`${'x'.repeat(2_000)}\n${long}\n 10%\r 50%\r\n\r\n`, 10);
    assert.equal(text, `${'x'.repeat(2_000)}\n${'y'.repeat(2_000)}… (2001 characters)\n 50%\n`);
  });

  it('are none where nothing was written yet', async () => {
    const empty = { text: '', sizeBytes: 0, isCut: false };
    const path = join(scratch(), 'output.log');
    assert.deepEqual(await tailOf('', 5), { ...empty, path });
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'runs'),
      workFolder: scratch(),
    });
    const missing = join(scratch(), 'none.log');
    assert.deepEqual(await readTail(machine, missing, 5), { ...empty, path: missing });
  });
});
