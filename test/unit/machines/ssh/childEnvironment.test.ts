import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { restoreEnvironment } from '../../../fakes/environment.ts';
import { ProxyStream } from '../../../../src/machines/ssh/proxyCommand.ts';
import { resolveHost } from '../../../../src/machines/ssh/sshConfig.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('the environment of programs that the ssh config names', () => {
  const folder = scratchFolder();
  const before = { ...process.env };
  beforeEach(() => {
    Object.assign(process.env, {
      OPENAI_API_KEY: 'sk-model',
      WANDB_API_KEY: 'wandb-key',
      GITHUB_TOKEN: 'gh-token',
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
      AWS_SECRET_ACCESS_KEY: 'for aws ssm',
      SSH_AUTH_SOCK: '/agent',
    });
  });
  afterEach(() => {
    restoreEnvironment(before);
  });

  const seen = (): Map<string, string> =>
    new Map(
      readFileSync(join(folder(), 'seen'), 'utf8')
        .split('\n')
        .map((line) => [line.split('=')[0] ?? '', line]),
    );
  const assertClean = (): void => {
    const names = seen();
    for (const key of [
      'OPENAI_API_KEY',
      'WANDB_API_KEY',
      'GITHUB_TOKEN',
      'AWS_BEARER_TOKEN_BEDROCK',
    ])
      assert.ok(!names.has(key), `${key} was passed on`);
    // Needed by commands such as `aws ssm start-session`.
    assert.ok(names.has('AWS_SECRET_ACCESS_KEY'));
    assert.ok(names.has('SSH_AUTH_SOCK'));
    assert.ok(names.has('PATH'));
  };

  it('has no keys in a Match exec', async () => {
    mkdirSync(join(folder(), '.ssh'), { recursive: true });
    const configFile = join(folder(), '.ssh/config');
    writeFileSync(configFile, `Match exec "env > ${join(folder(), 'seen')}"\n  User ada\n`, {
      mode: 0o600,
    });
    const target = await resolveHost(
      { host: 'gpu1' },
      { configFile, homeFolder: folder(), localUser: 'me', agents: [] },
    );
    assert.equal(target.user, 'ada');
    assertClean();
  });

  it('has no keys in a ProxyCommand', async () => {
    const stream = new ProxyStream(`env > ${join(folder(), 'seen')}`);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.on('error', () => undefined).resume();
    await closed;
    assertClean();
  });
});
