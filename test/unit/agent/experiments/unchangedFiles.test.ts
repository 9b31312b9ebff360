import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'mocha';
import { restoringText } from '../../../../src/agent/experiments/unchangedFiles.ts';
import type { Machine } from '../../../../src/machines/machine.ts';

describe('files that the goal leaves alone', () => {
  it('are restored on the machine to which they were sent, in words', () => {
    const machine = { id: 'gpu1', kind: 'ssh', path: path.posix } as Partial<Machine> as Machine;
    assert.equal(
      restoringText(['data.py', 'split.py'], { machine, cwd: '/home/ada/boosting' }),
      'Restore it on local with undo_edits where you edited it, and send it to gpu1:/home/ada/boosting/data.py, gpu1:/home/ada/boosting/split.py with remote_upload.',
    );
  });
});
