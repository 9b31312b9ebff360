import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { FileEdit } from '../../../../src/agent/contract/edits.ts';
import type { EngineSettings } from '../../../../src/agent/contract/settings.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import { editState } from '../../../../src/presentation/edits/editText.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const write = (path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  input: { path, content },
});
const run = (command: string): ScriptedCall => ({
  name: 'remote_exec',
  input: { machine_id: 'local', command },
});
const finish = { name: 'finish', input: { outcome: 'blocked', summary: 'done' } };

describe('edits of files by a session', () => {
  let bed: TestEngine;
  afterEach(() => bed.dispose());

  /** Works in a repository with two files. `steps` are turns of calls. */
  const session = async (
    steps: readonly (readonly ScriptedCall[] | (() => readonly ScriptedCall[]))[],
    files: Readonly<Record<string, string>> = { 'a.py': 'one\n', 'b.py': 'two\n' },
    settings: Partial<EngineSettings> = {},
  ): Promise<Session> => {
    bed = await testEngine(
      new ScriptedModel((_request, index) => {
        const step = steps[index];
        return (typeof step === 'function' ? step() : step) ?? [finish];
      }),
      { settings },
    );
    GitRepo.create(bed.work, files);
    const begun = await bed.start();
    await begun.ended;
    return begun;
  };
  const at = (name: string): string => join(bed.work, name);
  const text = (name: string): string => readFileSync(at(name), 'utf8');
  const states = (edits: readonly FileEdit[]): Record<string, string> =>
    Object.fromEntries(
      edits.map(({ path, state, by }) => [path.slice(bed.work.length + 1), `${state} by ${by}`]),
    );

  it('are undone to what the user had, with the permissions', async () => {
    const { id } = await session([
      () => {
        chmodSync(at('a.py'), 0o755);
        return [write('a.py', 'x\n'), write('new/c.py', 'new\n')];
      },
      [{ name: 'patch_file', input: { path: 'a.py', old_string: 'x', new_string: 'y' } }],
    ]);
    const { sessions } = bed.engine;
    const edits = await sessions.edits(id);
    assert.deepEqual(states(edits), { 'a.py': 'changed by tool', 'new/c.py': 'created by tool' });
    assert.equal(readFileSync(edits[0]?.beforeFile ?? '', 'utf8'), 'one\n');
    assert.equal(readFileSync(edits[0]?.afterFile ?? '', 'utf8'), 'y\n');
    const undone = await sessions.undoEdits(id);
    assert.deepEqual(undone.restored, [at('a.py'), at('new/c.py')]);
    assert.deepEqual([undone.conflicts, undone.failed], [[], []]);
    assert.equal(text('a.py'), 'one\n');
    assert.equal(statSync(at('a.py')).mode & 0o777, 0o755);
    assert.ok(!existsSync(at('new/c.py')));
    assert.deepEqual(await sessions.edits(id), []);
  });

  it('stay where the user changed the file since, and three versions are named', async () => {
    const { id } = await session([[write('a.py', 'x\n'), write('b.py', 'y\n')]]);
    writeFileSync(at('a.py'), 'mine\n');
    const { restored, conflicts } = await bed.engine.sessions.undoEdits(id);
    assert.deepEqual(restored, [at('b.py')]);
    assert.deepEqual(states(conflicts), { 'a.py': 'conflict by tool' });
    const [{ beforeFile = '', afterFile = '' } = {}] = conflicts as readonly Partial<FileEdit>[];
    assert.deepEqual(
      [readFileSync(beforeFile, 'utf8'), readFileSync(afterFile, 'utf8'), text('a.py')],
      ['one\n', 'x\n', 'mine\n'],
    );
  });

  it('go back to what the user wrote between two of them', async () => {
    const { id } = await session([
      [write('a.py', 'x\n')],
      () => {
        writeFileSync(at('a.py'), 'mine\n');
        return [write('a.py', 'z\n')];
      },
    ]);
    await bed.engine.sessions.undoEdits(id);
    assert.equal(text('a.py'), 'mine\n');
  });

  it('are those of a tool again after the user changed what a command had changed', async () => {
    const { id } = await session([
      [run('sed -i s/one/1/ a.py')],
      () => {
        writeFileSync(at('a.py'), 'mine\n');
        return [write('a.py', 'z\n')];
      },
    ]);
    assert.deepEqual(states(await bed.engine.sessions.edits(id)), { 'a.py': 'changed by tool' });
    await bed.engine.sessions.undoEdits(id);
    assert.equal(text('a.py'), 'mine\n');
  });

  it('by commands are found in tracked files, and undone when they are named', async () => {
    const { id } = await session([
      () => {
        writeFileSync(at('b.py'), 'dirty\n');
        return [run('sed -i s/one/1/ a.py && sed -i s/dirty/clean/ b.py && touch new.txt')];
      },
    ]);
    const { sessions } = bed.engine;
    assert.deepEqual(states(await sessions.edits(id)), {
      'b.py': 'changed by command',
      'a.py': 'changed by command',
    });
    assert.deepEqual((await sessions.undoEdits(id)).restored, []);
    await sessions.undoEdits(id, [at('a.py'), at('b.py')]);
    assert.deepEqual([text('a.py'), text('b.py')], ['one\n', 'dirty\n']);
  });

  it('by a run are not looked for: its code is stored, and it may go on for hours', async () => {
    const begun = await session([
      () => {
        writeFileSync(at('b.py'), 'mine\n');
        return [
          { name: 'remote_exec_background', input: { command: 'echo other > a.py; echo loss=1' } },
        ];
      },
      [{ name: 'sleep', input: { reason: 'x', wake_conditions: [{ type: 'process_exit' }] } }],
    ]);
    assert.equal(text('a.py'), 'other\n');
    const types = begun.events().map(({ type }) => type);
    assert.ok(types.includes('run.ended'));
    assert.deepEqual(
      types.filter((type) => type.startsWith('files.')),
      [],
    );
  });

  it('by commands are no files that only the index left behind', async () => {
    const { id } = await session(
      [
        () => {
          writeFileSync(at('a.py'), 'mine\n');
          execFileSync('git', ['-C', bed.work, 'add', 'a.py']);
          return [run('git reset -q && sed -i s/two/2/ b.py')];
        },
      ],
      undefined,
      { protectsGit: false },
    );
    const { sessions } = bed.engine;
    assert.deepEqual(states(await sessions.edits(id)), { 'b.py': 'changed by command' });
    await sessions.undoEdits(id, [at('b.py')]);
    assert.equal(text('b.py'), 'two\n');
    const temporary = join(bed.home, 'tmp');
    await until(() => !existsSync(temporary) || readdirSync(temporary).length === 0);
  });

  it('by commands that remove a tracked file are undone', async () => {
    const { id } = await session([[run('rm a.py')]]);
    assert.deepEqual(states(await bed.engine.sessions.edits(id)), { 'a.py': 'removed by command' });
    await bed.engine.sessions.undoEdits(id, [at('a.py')]);
    assert.equal(text('a.py'), 'one\n');
  });

  it('are undone by the agent, and only its own', async () => {
    const begun = await session([
      [write('a.py', 'x\n'), write('b.py', 'y\n')],
      [{ name: 'undo_edits', input: { paths: ['a.py'] } }],
      [{ name: 'undo_edits', input: { paths: ['../other'] } }],
    ]);
    assert.deepEqual([text('a.py'), text('b.py')], ['one\n', 'y\n']);
    assert.deepEqual(states(await bed.engine.sessions.edits(begun.id)), {
      'b.py': 'changed by tool',
    });
    const [refused] = eventsOf(begun, 'tool.finished').slice(3);
    assert.match(refused?.text ?? '', /no edit of .*other to undo/);
  });

  it('are refused for a path without edits', async () => {
    const { id } = await session([[write('a.py', 'x\n')]]);
    await assert.rejects(bed.engine.sessions.undoEdits(id, [at('b.py')]), UserFacing);
  });

  it('are not undone through a folder that is a link now', async () => {
    const { id } = await session([[write('sub/c.py', 'new\n')]], { 'sub/c.py': 'old\n' });
    renameSync(at('sub'), at('moved'));
    symlinkSync(at('moved'), at('sub'));
    const { restored, failed } = await bed.engine.sessions.undoEdits(id);
    assert.deepEqual(restored, []);
    assert.match(failed[0]?.why ?? '', /link/);
    assert.equal(text('moved/c.py'), 'new\n');
  });

  it('are undone after the session was resumed by another process', async () => {
    const { id } = await session([[write('a.py', 'x\n')]]);
    bed = await bed.restart(new ScriptedModel([]));
    await bed.engine.sessions.undoEdits(id);
    assert.equal(text('a.py'), 'one\n');
  });

  it('are not made if the content before cannot be kept', async () => {
    const begun = await session([
      () => {
        const folder = join(bed.home, 'sessions', bed.engine.sessions.open()[0]?.id ?? '', 'edits');
        writeFileSync(folder, 'in the way');
        return [write('a.py', 'x\n')];
      },
    ]);
    assert.equal(text('a.py'), 'one\n');
    assert.match(
      eventsOf(begun, 'tool.finished')[0]?.text ?? '',
      /^Not executed: the content before/,
    );
  });

  it('of a call that was cut off are known, and not overwritten', async () => {
    const begun = await session([[write('a.py', 'x\n')]]);
    const kept = begun.events().find(({ type }) => type === 'files.kept');
    const journal = join(begun.folder, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const end = lines.findIndex((line) => line.includes(kept?.id ?? '-')) + 1;
    await bed.engine.close();
    writeFileSync(journal, `${lines.slice(0, end).join('\n')}\n`);
    rmSync(join(bed.home, 'session-index.db'), { force: true });
    bed = await bed.restart(new ScriptedModel([]));
    const { sessions } = bed.engine;
    assert.deepEqual(states(await sessions.edits(begun.id)), { 'a.py': 'conflict by tool' });
    assert.deepEqual((await sessions.undoEdits(begun.id)).restored, []);
    assert.equal(text('a.py'), 'x\n');
  });

  it('in worktrees of experiments are not edits of the checkout', async () => {
    const { id } = await session([
      () => {
        mkdirSync(join(bed.home, 'worktrees/x'), { recursive: true });
        return [write(join(bed.home, 'worktrees/x/a.py'), 'x\n')];
      },
    ]);
    assert.deepEqual(await bed.engine.sessions.edits(id), []);
  });

  it('in worktrees of the session are listed with their branch, and undone by name only', async () => {
    const tree = (): string =>
      join(bed.home, 'worktrees', readdirSync(join(bed.home, 'sessions'))[0] ?? '', 'wide');
    const worked = await session([
      [{ name: 'exp_branch', input: { experiment_name: 'wide' } }],
      () => [write(join(tree(), 'a.py'), 'x\n'), run(`echo y > ${join(tree(), 'b.py')}`)],
      () => [
        { name: 'undo_edits', input: { paths: [join(tree(), 'b.py')] } },
        { name: 'undo_edits', input: {} },
        { name: 'undo_edits', input: { paths: [join(tree(), 'a.py')] } },
        write(join(tree(), 'a.py'), 'z\n'),
      ],
    ]);
    const { id } = worked;
    const { sessions } = bed.engine;
    const results = eventsOf(worked, 'tool.finished');
    const undone = results.filter(({ name }) => name === 'undo_edits');
    assert.match(
      undone[0]?.text ?? '',
      /No tool of this session edited .*b\.py, so no version of it is kept\. .*in branch wide: git -C .*\/wide log refs\/helios\/s-.*\/wide/,
    );
    assert.deepEqual(
      undone.slice(1).map(({ summary }) => summary),
      ['0 files restored', '1 file restored'],
    );
    const edits = await sessions.edits(id);
    assert.deepEqual(
      edits.map(({ branch, state }) => [branch, state]),
      [['wide', 'changed']],
    );
    assert.equal(editState(edits[0] as FileEdit), 'changed, in the worktree of branch wide');
    assert.deepEqual((await sessions.undoEdits(id)).restored, []);
    assert.deepEqual((await sessions.undoEdits(id, [join(tree(), 'a.py')])).restored.length, 1);
    assert.equal(readFileSync(join(tree(), 'a.py'), 'utf8'), 'one\n');
    rmSync(tree(), { recursive: true });
    assert.deepEqual(await sessions.edits(id), []);
  });
});
