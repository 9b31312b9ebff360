import assert from 'node:assert/strict';
import { realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { fileEvidence } from '../../../../src/agent/loop/fileEvidence.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const minuteMs = 60_000;

describe('a file as evidence', () => {
  const scratch = scratchFolder();
  const textOf = (writtenMs: number): Promise<string> => {
    const workFolder = realpathSync(scratch());
    writeFileSync(join(workFolder, 'table.md'), 'a table');
    utimesSync(join(workFolder, 'table.md'), writtenMs / 1000, writtenMs / 1000);
    return fileEvidence('table.md', {
      ...{ workFolder, read: (path) => readFile(path) },
      runs: [{ startedMs: 50 * minuteMs, endedMs: 60 * minuteMs }, { startedMs: 95 * minuteMs }],
    });
  };

  it('names when it was written, and whether a run can have written it', async () => {
    assert.match(
      await textOf(55 * minuteMs),
      /^table\.md exists \(7 bytes, written 1970-01-01 \d\d:55:00, SHA-256 [0-9a-f]{12}…\)$/,
    );
    assert.match(await textOf(96 * minuteMs), /written [-\d]+ \d\d:36:00, SHA-256/);
    for (const minute of [40, 70])
      assert.match(
        await textOf(minute * minuteMs),
        /written [-\d]+ [:\d]+, not the result of a run, SHA-256/,
      );
  });
});
