import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { EngineHost } from '../../../src/vscode/window/engineHost.ts';

describe('the engine of a window', () => {
  it('is not created in a workspace that is not trusted, whoever asks for it', async () => {
    let created = 0;
    let isTrusted = false;
    const create = (): Promise<never> => {
      created += 1;
      return Promise.reject(new Error('no engine in this test'));
    };
    const host = new EngineHost({ create, isTrusted: () => isTrusted });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await assert.rejects(
        host.get(),
        (error) => error instanceof UserFacing && /Manage Workspace Trust/.test(error.action ?? ''),
      );
    assert.deepEqual([created, host.current], [0, undefined]);
    isTrusted = true;
    await assert.rejects(host.get(), /no engine in this test/);
    assert.equal(created, 1);
  });
});
