/** The code of a launch on another machine is what was uploaded, with what was changed there. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { createUploadRecorder } from '../../../../src/agent/experiments/codeUploads.ts';
import { LaunchedCode } from '../../../../src/agent/experiments/launchedCode.ts';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import type { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import type { LeaveOutLimits } from '../../../../src/experiments/git/leaveOut.ts';
import { promotedChange, promoteToBranch } from '../../../../src/experiments/git/promote.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Machines } from '../../../../src/machines/machine.ts';
import type { TransferReport } from '../../../../src/machines/transfer/transferRequest.ts';
import { notSentIn } from '../../../../src/tools/machines/fileTransfer.ts';
import { remoteUpload } from '../../../../src/tools/machines/remoteUpload.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { answer, sessionId } from '../../tools/machineTools.harness.ts';

const files = {
  'train.sh': 'echo loss=1\n',
  'lib.sh': ':\n',
  'conf/a.yaml': 'a: 1\n',
  'helios.json': '{\n  "target": "loss < 1"\n}\n',
};
const limits: LeaveOutLimits = { maxFileBytes: 1e6, maxTotalBytes: 1e7, maxFiles: 100 };
const clock = systemClock;

describe('the code of a launch on another machine', () => {
  const scratch = scratchFolder();
  const there = (name: string): string => path.join(scratch(), 'job', name);
  let repo: GitRepo;
  let machines: Machines;
  let events: JournalEvent[];
  let log: SessionLog;

  beforeEach(() => {
    repo = GitRepo.create(path.join(scratch(), 'work'), files);
    const place = { runsFolder: path.join(scratch(), 'runs'), workFolder: repo.folder };
    const lab = Object.assign(new LocalMachine(place), { id: 'lab', kind: 'ssh' });
    machines = createMachines([new LocalMachine(place), lab]);
    events = [];
    const record = (event: JournalEvent): Promise<void> => Promise.resolve(void events.push(event));
    log = { events, state: { id: sessionId }, record } as unknown as SessionLog;
  });

  const upload = (more: object = {}) => {
    const deps = { log, folder: path.join(scratch(), 'session'), clock, limits: () => limits };
    return answer(remoteUpload({ machines, uploadRecorder: createUploadRecorder(deps) }), {
      machine_id: 'lab',
      local_path: '.',
      remote_path: there(''),
      ...more,
    });
  };

  /** What a launch stores, and what a branch with its code changes. */
  const launch = async (command = 'sh train.sh') => {
    const store = new ExperimentCodeStore({ sessionId, clock, limits: () => limits });
    const launched = new LaunchedCode({ log, machines, clock, store });
    const code = await launched.capture(machines.get('lab'), there(''), 'e1', [command]);
    assert.ok(code.kind === 'git', JSON.stringify(code));
    const stored = {
      machine: machines.get('local'),
      code,
      clock,
      message: 'm',
      commands: [command],
    };
    const change = await promotedChange(stored);
    const { branch } = await promoteToBranch(stored, 'promoted');
    const differing = repo.git('diff', '--name-status', 'HEAD', branch).split('\n');
    return { isDirty: code.isDirty, notes: code.notes ?? [], change, differing };
  };
  const same = {
    isDirty: false,
    notes: [],
    change: 'no change against the checked-out commit',
    differing: [''],
  };

  it('has the version of the checkout of a file that the transfer refused', async () => {
    assert.match(String((await upload())['not_written']), /^helios\.json: /);
    assert.deepEqual(await launch(), same);
  });

  it('names untracked files of the user that are sent, up to five', async () => {
    assert.equal((await upload())['untracked'], undefined);
    repo.write({ 'notes.txt': 'own\n' });
    assert.equal((await upload({ exclude: ['notes.txt'] }))['untracked'], undefined);
    assert.match(String((await upload())['untracked']), /with 1 untracked file: notes\.txt/);
    repo.write(Object.fromEntries([1, 2, 3, 4, 5, 6].map((name) => [`conf/n${name}.txt`, 'x\n'])));
    const { untracked } = await upload({ local_path: 'conf', remote_path: there('conf') });
    assert.match(
      String(untracked),
      /with 6 untracked files: (?:conf\/n\d\.txt, ){4}conf\/n\d\.txt and 1 more/,
    );
  });

  it('has it also if another version of that file is on the machine', async () => {
    mkdirSync(there(''));
    writeFileSync(there('helios.json'), '{}\n');
    assert.match(String((await upload())['not_written']), /^helios\.json: /);
    assert.deepEqual(await launch(), same);
  });

  it('has the version of the checkout of files that the call left out', async () => {
    await upload({ exclude: ['/conf/', 'lib.sh'] });
    assert.deepEqual(await launch(), same);
  });

  it('has the version of the checkout of a file that could not be written', async () => {
    mkdirSync(there('lib.sh'), { recursive: true });
    assert.match(String((await upload())['problems']), /^lib\.sh: /);
    assert.deepEqual(await launch(), same);
  });

  it('has only the change of an edit beside a file that was refused', async () => {
    repo.write({ 'train.sh': 'echo loss=0.5\n' });
    await upload();
    const { notes, change, differing } = await launch();
    assert.deepEqual([notes, differing], [[], ['M\ttrain.sh']]);
    assert.match(change, /^1 file changed, 1 insertion\(\+\), 1 deletion\(-\) /);
  });

  it('lacks a file that was uploaded and then deleted, also beside others left out', async () => {
    await upload({ exclude: ['conf'] });
    rmSync(there('lib.sh'));
    const { notes, differing } = await launch();
    assert.deepEqual(differing, ['D\tlib.sh']);
    assert.deepEqual(notes, [
      'The code on lab differs from what was uploaded: lib.sh (missing). The version on lab is stored.',
    ]);
  });

  it('has the earlier upload of a file that a later one left out', async () => {
    await upload();
    repo.write({ 'lib.sh': ': later\n', 'conf/a.yaml': 'a: 2\n' });
    await upload({ exclude: ['lib.sh'] });
    const { notes, differing } = await launch();
    assert.deepEqual([notes, differing], [[], ['M\tconf/a.yaml']]);
  });

  it('lacks no file of a transfer that stopped', () => {
    const problem = { path: 'lib.sh', why: 'it cannot be read' };
    const report = { excluded: ['conf'], refused: [], problems: [problem] };
    const notSent = (outcome: TransferReport['outcome']) =>
      notSentIn({ ...report, outcome } as unknown as TransferReport);
    assert.deepEqual(notSent('partial'), ['conf', 'lib.sh']);
    assert.deepEqual([notSent('stopped'), notSent('aborted')], [undefined, undefined]);
  });

  it('lacks no file of an upload of which the transfer is unknown', async () => {
    await upload();
    const [event] = events;
    assert.ok(event?.type === 'code.uploaded');
    const { notSent, ...older } = event.upload;
    assert.deepEqual(notSent?.toSorted(), ['.git', 'helios.json']);
    events[0] = { ...event, upload: older };
    assert.deepEqual(await launch(), same);
  });
});
