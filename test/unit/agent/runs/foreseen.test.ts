import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { actionsOf } from '../../../../src/agent/journal/actions.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
const exec = (command: string): ScriptedCall => ({ name: 'remote_exec', input: { command } });

describe('a call that the git guard will refuse', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const told = async (commands: readonly string[], permissionMode: 'ask' | 'mandate' | 'allow') => {
    const asked: string[] = [];
    bed = await testEngine(
      new ScriptedModel([...commands.map((command) => [exec(command)]), [quit]]),
      {
        settings: { report: 'never', permissionMode, idleTurns: 100 },
        approve: ({ detail }) => {
          asked.push(detail);
          return Promise.resolve('deny');
        },
      },
    );
    GitRepo.create(bed.work, { 'a.py': 'a\n', 'sub/b.py': 'b\n' });
    mkdirSync(join(bed.work, '../own'));
    new GitRepo(join(bed.work, '../own'));
    const session = await bed.start();
    await session.ended;
    const results = eventsOf(session, 'tool.finished').map(({ text }) => text);
    return { session, asked: asked.map((each) => each.split('\n').at(-1)), results };
  };

  it('is refused with the reason before the user is asked', async () => {
    const { asked, results, session } = await told(
      [
        'git tag v1',
        'python3 --version && git push origin main',
        'cd sub && git commit -am x',
        '/usr/bin/git tag v2',
        'git clone . ../copy && cd ../copy && git tag v3',
        'git tag -l || git tag v4',
      ],
      'ask',
    );
    assert.match(
      results[0] ?? '',
      /^Not allowed: git tag: it changes the repository of the user\. Reading \(status, .*exp_commit\.$/,
    );
    assert.equal(
      results[1],
      'Not allowed: git push: Helios never pushes. The user can, with git push.',
    );
    assert.match(results[2] ?? '', /^Not allowed: git commit: it changes the repository/);
    assert.match(
      results[3] ?? '',
      /^Not allowed: call git by its name, not as \/usr\/bin\/git\. R/,
    );
    for (const index of [4, 5])
      assert.match(results[index] ?? '', /^Not allowed: the user did not allow it/);
    assert.equal(asked.length, 2, asked.join('\n'));
    const [, push] = eventsOf(session, 'permission.decided');
    assert.deepEqual(
      [push?.isAllowed, push?.by, push?.why],
      [false, 'rule', 'git push: Helios never pushes'],
    );
  });

  it('does not wait in the inbox', async () => {
    const { results, session } = await told(['git push'], 'mandate');
    assert.match(results[0] ?? '', /Helios never pushes\. The user can, with git push\.$/);
    assert.equal(session.state.questions.size, 0);
  });

  it('is shown as refused where that is known only when it runs', async () => {
    const { session } = await told(['true && git push origin main'], 'allow');
    const [action] = actionsOf(session.events()).actions;
    assert.equal(action?.commands[0]?.end, 'git push refused: Helios never pushes');
  });
});
