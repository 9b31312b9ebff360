import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import {
  MachineFailure,
  type StreamOptions,
  type StreamResult,
} from '../../../../src/machines/machine.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

/**
 * Loses its link with command `cut`: before it was begun, or when it has ended and nobody hears of
 * it.
 */
class CutMachine extends LocalMachine {
  readonly cut: number;
  readonly isDone: boolean;
  commands = 0;

  constructor(folder: string, cut: number, isDone: boolean) {
    super({ runsFolder: join(folder, 'helios/runs'), workFolder: folder });
    this.cut = cut;
    this.isDone = isDone;
  }

  override async stream(command: string, options: StreamOptions): Promise<StreamResult> {
    this.commands++;
    if (this.commands !== this.cut) return super.stream(command, options);
    if (this.isDone) await super.stream(command, options);
    throw new MachineFailure('unreachable', 'The link was lost.');
  }
}

/** Changes the input of commands. */
class InputMachine extends LocalMachine {
  readonly change: (bytes: Uint8Array) => Uint8Array;

  constructor(folder: string, change: (bytes: Uint8Array) => Uint8Array) {
    super({ runsFolder: join(folder, 'helios/runs'), workFolder: folder });
    this.change = change;
  }

  override stream(command: string, options: StreamOptions): Promise<StreamResult> {
    const { stdin } = options;
    const { change } = this;
    const changed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const bytes of stdin ?? []) {
        const part = change(bytes);
        yield part;
        if (part.length < bytes.length) return;
      }
    };
    return super.stream(command, { ...options, stdin: changed() });
  }
}

describe('a link that is lost in the middle', () => {
  const scratch = scratchFolder();
  for (const isDone of [false, true])
    it(`${isDone ? 'after' : 'before'} any step leaves a branch that is finished when asked again`, async () => {
      for (let cut = 1, hadCut = true; hadCut; cut++) {
        const repo = GitRepo.create(join(scratch(), `repo${cut}`), { 'a.py': 'a\n' });
        repo.write({ 'a.py': 'changed\n' });
        const before = pictureOf(repo.folder);
        const machine = new CutMachine(join(scratch(), `home${cut}`), cut, isDone);
        const worktrees = new Worktrees({ sessionId, clock: systemClock });
        const work = async (): Promise<string> => {
          const { path } = await worktrees.branch({ machine, folder: repo.folder, name: 'a' });
          new GitRepo(path).write({ 'a.py': 'better\n' });
          await worktrees.commit({ machine }, 'a', 'better');
          return path;
        };
        const path = await work().catch(() => undefined);
        hadCut = path === undefined;
        const made = path ?? (await work());
        assert.equal(readFileSync(join(made, 'a.py'), 'utf8'), 'better\n');
        assert.equal(
          repo.git('show', `refs/helios/${sessionId}/a:a.py`),
          'better',
          `cut at ${cut}`,
        );
        assert.equal(new GitRepo(made).git('status', '--porcelain'), '', `cut at ${cut}`);
        assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
        assert.ok(cut < 40);
      }
    }).timeout(240_000);

  for (const isDone of [false, true])
    it(`${isDone ? 'after' : 'before'} the code is stored costs a run its code state, never its launch`, async () => {
      const repo = GitRepo.create(join(scratch(), 'repo'));
      repo.write({ 'new.py': 'x\n' });
      const machine = new CutMachine(join(scratch(), 'home'), 1, isDone);
      const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
      const state = await store.capture(machine, repo.folder, 'e1');
      assert.deepEqual(state, { kind: 'none', why: 'The link was lost.' });
    });

  it('stores nothing where the end of the input does not arrive', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'));
    repo.write({ 'new.py': 'x\n', 'other.py': 'x\n' });
    const sent: Buffer[] = [];
    const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
    const record = new InputMachine(join(scratch(), 'home'), (bytes) => {
      sent.push(Buffer.from(bytes));
      return bytes;
    });
    assert.equal((await store.capture(record, repo.folder, 'e0')).kind, 'git');
    const refs = repo.git('for-each-ref');
    const length = Buffer.concat(sent).length;
    for (let left = 0; left < length; left++) {
      let rest = left;
      const cut = new InputMachine(join(scratch(), 'home'), (bytes) => {
        const part = bytes.subarray(0, rest);
        rest -= part.length;
        return part;
      });
      assert.equal((await store.capture(cut, repo.folder, 'e1')).kind, 'none', `${left} bytes`);
      assert.equal(repo.git('for-each-ref'), refs, `${left} bytes`);
    }
  }).timeout(240_000);
});
