import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { askTogether } from '../../../../src/machines/probes/batch.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('queries of this computer', () => {
  const folder = scratchFolder();

  it('do not wait for its probes', async () => {
    const machine = new LocalMachine({ runsFolder: join(folder(), 'runs'), workFolder: folder() });
    const gate = join(folder(), 'gate');
    const fragment = `until [ -e ${gate} ]; do sleep 0.01; done; echo open`;
    const probed = askTogether(machine, [fragment], 100);
    assert.equal(await machine.query('echo answer'), 'answer\n');
    writeFileSync(gate, '');
    assert.deepEqual(await probed, ['open']);
  });
});
