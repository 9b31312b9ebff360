import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { runCli } from '../../../../src/cli/cli.ts';
import { folderChoicesAt } from '../../../../src/compose/folderChoices.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { fakeDeps } from '../../../fakes/cliDeps.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'enough' } };
const write = (file: string) => ({ name: 'write_file', input: { path: file, content: 'x\n' } });
const ask = { permissionMode: 'ask' } as const;

describe('the permission mode that the user chose for a folder', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const engineFor = async (options: Parameters<typeof testEngine>[1] = {}) => {
    const model = new ScriptedModel([[write('a.txt')], [write('b.txt')], [quit]]);
    bed = await testEngine(model, { settings: ask, ...options });
    return { bed, choices: folderChoicesAt(bed.home) };
  };

  it('takes precedence over the settings, and the first line says so', async () => {
    const { bed, choices } = await engineFor();
    await choices.choose(bed.work, { mode: 'mandate' });
    const session = await bed.start();
    await session.ended;
    const [started] = eventsOf(session, 'session.started');
    assert.deepEqual(started?.permissions, {
      mode: 'mandate',
      note: 'Permission mode mandate, as you chose for this folder.',
    });
    assert.deepEqual(
      eventsOf(session, 'permission.decided').map(({ by, isAllowed }) => [by, isAllowed])[0],
      ['mandate', true],
    );
  });

  it('applies from the next call on when it changes, which the journal records once', async () => {
    const { bed, choices } = await engineFor({
      async approve() {
        await choices.choose(bed.work, { mode: 'allow' });
        return 'allow';
      },
    });
    const session = await bed.start();
    await session.ended;
    assert.deepEqual(
      eventsOf(session, 'permission.decided')
        .map(({ by }) => by)
        .slice(0, 2),
      ['person', 'mode'],
    );
    const [changed, ...others] = eventsOf(session, 'session.permissions_changed');
    assert.equal(changed?.permissions.mode, 'allow');
    assert.deepEqual(others, []);
    assert.equal(foldSession(session.events())?.permissions?.mode, 'allow');
    assert.equal(session.permissions()?.mode, 'allow');
  });

  it('does not change what the folder’s project narrows', async () => {
    const { bed, choices } = await engineFor();
    await writeFile(path.join(bed.work, 'helios.json'), '{"permissions":{"mode":"ask"}}');
    await choices.choose(bed.work, { mode: 'allow' });
    const session = await bed.start();
    await session.ended;
    const [started] = eventsOf(session, 'session.started');
    assert.match(started?.permissions?.note ?? '', /^Permission mode ask instead of allow/);
  });

  it('is ask when the choices cannot be read, whatever the settings allow', async () => {
    const { bed } = await engineFor({ settings: { permissionMode: 'allow' } });
    await writeFile(path.join(bed.home, 'folders.json'), 'no JSON');
    const session = await bed.start();
    await session.ended;
    assert.equal(eventsOf(session, 'permission.decided')[0]?.isAllowed, false);
    const [started] = eventsOf(session, 'session.started');
    assert.match(started?.permissions?.note ?? '', /^Permission mode ask: .*folders\.json cannot/);
  });
});

describe('helios in a folder with a choice', () => {
  const folder = scratchFolder();
  const helios = async (...words: string[]) => {
    const model = new ScriptedModel([[write('train.py')], [quit]]);
    const deps = fakeDeps({ folder: folder(), model });
    await mkdir(deps.cwd, { recursive: true });
    await folderChoicesAt(path.join(folder(), 'home')).choose(deps.cwd, { mode: 'allow' });
    deps.stdin.end();
    await runCli(['-P', 'demo', '--home', path.join(folder(), 'home'), ...words], deps);
    return deps.stdout.text;
  };

  it('uses the choice, and prefers the mode of the command line', async () => {
    assert.match(await helios('bring loss < 1'), /Permission mode allow, as you chose for this/);
    assert.doesNotMatch(await helios('--mode', 'mandate', 'bring loss < 1'), /as you chose/);
  });
});
