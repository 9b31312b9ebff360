import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { folderProblem, nodeProblem } from '../../../src/cli/nodeVersion.ts';

describe('the version of Node', () => {
  it('is accepted from 22 on', () => {
    for (const version of ['22.0.0', '24.11.1', '100.0.0'])
      assert.equal(nodeProblem(version), undefined);
  });

  it('is named in the refusal of an older one, with what to do', () => {
    assert.match(nodeProblem('20.20.2') ?? '', /Node 22 or newer, and this is 20\.20\.2\. Install/);
  });
});

describe('the current folder', () => {
  it('is named in plain words where it was removed', () => {
    assert.equal(
      folderProblem(() => '/work'),
      undefined,
    );
    const gone = (): string => {
      throw new Error('ENOENT: uv_cwd');
    };
    assert.match(folderProblem(gone) ?? '', /current folder was removed.*Go to another/);
  });
});
