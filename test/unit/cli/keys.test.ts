import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { keyReader } from '../../../src/cli/auth/keys.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('keys of the command line', () => {
  const folder = scratchFolder();
  let file = '';
  beforeEach(async () => {
    await mkdir(path.join(folder(), 'auth'));
    file = path.join(folder(), 'auth/anthropic');
    await writeFile(file, 'sk-from-file\n', { mode: 0o600 });
  });
  const read = (env: Record<string, string>, name: string): Promise<string | undefined> =>
    keyReader(env, path.join(folder(), 'auth'))(name);

  it('come from the environment first', async () => {
    assert.equal(await read({ ANTHROPIC_API_KEY: ' sk-from-env ' }, 'anthropic'), 'sk-from-env');
    assert.equal(await read({ OPENAI_API_KEY: 'k' }, 'compatible'), 'k');
    assert.equal(await read({ GOOGLE_API_KEY: 'other', GEMINI_API_KEY: 'own' }, 'gemini'), 'own');
    assert.equal(await read({ GOOGLE_API_KEY: 'other' }, 'gemini'), 'other');
    assert.equal(await read({ AWS_BEARER_TOKEN_BEDROCK: 'k' }, 'bedrock'), 'k');
  });

  it('come from a file that only its owner can read', async () => {
    assert.equal(await read({ ANTHROPIC_API_KEY: ' ' }, 'anthropic'), 'sk-from-file');
    assert.equal(await read({}, 'openai'), undefined);
  });

  it('are refused from a file that others can read, with advice', async () => {
    await chmod(file, 0o640);
    await assert.rejects(read({}, 'anthropic'), (error: unknown) => {
      assert.ok(error instanceof UserFacing);
      assert.match(error.message, /can be read by other users/);
      assert.equal(error.action, `Run: chmod 600 ${file}`);
      assert.doesNotMatch(`${error.message}${error.action}`, /sk-from/);
      return true;
    });
  });
});
