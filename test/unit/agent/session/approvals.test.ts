import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ApprovalAnswer, ApprovalRequest } from '../../../../src/agent/contract/ports.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

interface Call {
  readonly name: string;
  readonly input: object;
}

const quit: Call = { name: 'finish', input: { outcome: 'blocked', summary: 'enough' } };
const exec = (command: string, more: object = {}): Call => ({
  name: 'remote_exec',
  input: { command, ...more },
});
const launch = (command: string): Call => ({ name: 'remote_exec_background', input: { command } });
const write = (file: string): Call => ({ name: 'write_file', input: { path: file, content: 'x' } });

describe('approvals beyond one call', () => {
  let bed: TestEngine | undefined;
  let asked: ApprovalRequest[] = [];
  let answers: ApprovalAnswer[] = [];

  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const open = async (): Promise<TestEngine> => {
    asked = [];
    bed = await testEngine(new ScriptedModel([]), {
      settings: { permissionMode: 'ask' },
      approve(request) {
        asked.push(request);
        return Promise.resolve(answers.shift() ?? 'deny');
      },
    });
    mkdirSync(path.join(bed.work, 'sub'));
    writeFileSync(path.join(bed.work, 'train.py'), 'print("loss=1.0")\n');
    return bed;
  };

  /** Runs the calls in a new session. Returns for each call whether it was asked about. */
  const run = async (calls: readonly Call[], given: ApprovalAnswer[]) => {
    asked = [];
    answers = given;
    bed = await (bed ?? (await open())).restart(
      new ScriptedModel([...calls, quit].map((each) => [each])),
    );
    const session = await bed.start();
    await session.ended;
    const ids = new Set(asked.map(({ callId }) => callId));
    const decided = eventsOf(session, 'permission.decided').slice(0, calls.length);
    return { session, wasAsked: decided.map(({ callId }) => ids.has(callId)) };
  };

  it('cover the same command in the foreground, in the background and in a sweep', async () => {
    const sweep = {
      name: 'sweep',
      input: { command_template: 'python3 train.py --lr {lr}', params: { lr: [1, 2] } },
    };
    const calls = [
      exec('python3 train.py --lr 3'),
      launch('CUDA_VISIBLE_DEVICES=0 python3 train.py --lr 4'),
      sweep,
      exec('python3 train.py', { cwd: 'sub' }),
      exec('python3 -c "print(1)"'),
    ];
    const { wasAsked, session } = await run(calls, ['allow_session']);
    assert.deepEqual(wasAsked, [true, false, false, true, true]);
    const [first, second, last] = asked;
    assert.deepEqual(first?.offer?.scopes, ['session', 'workspace']);
    assert.equal(first?.offer?.label, 'python3 train.py');
    assert.equal(first?.title, 'Run python3 train.py --lr 3');
    assert.match(first?.detail ?? '', /^Reason: runs code\.\n/);
    // In another folder, `train.py` is another file, which does not exist.
    assert.deepEqual(second?.offer?.scopes, []);
    assert.deepEqual(last?.offer?.scopes, []);
    assert.equal(session.state.approvals.length, 1);
  });

  it('judge each point of a sweep that runs', async () => {
    const sweep = (names: readonly string[]) => ({
      name: 'sweep',
      input: { command_template: 'python3 {name}', params: { name: names } },
    });
    await open();
    const { wasAsked } = await run(
      [exec('python3 train.py'), sweep(['train.py', '/etc/x.py'])],
      ['allow_session'],
    );
    assert.deepEqual(wasAsked, [true, true]);
    assert.deepEqual(asked[1]?.offer?.scopes, []);
  });

  it('are bound to the script that runs, not to its name', async () => {
    const { work } = await open();
    writeFileSync(path.join(work, 'other.py'), '');
    symlinkSync('train.py', path.join(work, 'link.py'));
    const calls = ['link.py', 'train.py', 'other.py'].map((name) => exec(`python3 ${name}`));
    assert.deepEqual((await run(calls, ['allow_session'])).wasAsked, [true, false, true]);
  });

  it('never cover keys, repaired calls and what no mode allows', async () => {
    const calls = [write('a.py'), write('b.py'), write('.env'), write('.git/hooks/x')];
    const { wasAsked, session } = await run(calls, ['allow_session', 'allow']);
    assert.deepEqual(wasAsked, [true, false, true, false]);
    assert.equal(asked[1]?.offer, undefined);
    const refused = eventsOf(session, 'permission.decided')[3];
    assert.deepEqual([refused?.isAllowed, refused?.by], [false, 'rule']);
  });

  it('for the session end with it, and are there again when it is resumed', async () => {
    const first = [exec('python3 train.py')];
    assert.deepEqual((await run(first, ['allow_session'])).wasAsked, [true]);
    assert.deepEqual((await run(first, ['deny'])).wasAsked, [true]);
    answers = ['allow_session'];
    bed = await (bed ?? assert.fail()).restart(new ScriptedModel([first, 'hang']));
    const session: Session = await bed.start();
    await eventually(session, 'tool.finished');
    asked = [];
    bed = await bed.restart(new ScriptedModel([first, [quit]]));
    const again = await bed.engine.sessions.resume(session.id);
    assert.equal(await again.ended, 'blocked');
    assert.deepEqual(asked, []);
  });

  it('for the workspace count in later sessions of the folder', async () => {
    const calls = [exec('python3 train.py > out.log')];
    assert.deepEqual((await run(calls, ['allow_workspace'])).wasAsked, [true]);
    assert.deepEqual((await run([...calls, write('a.py')], [])).wasAsked, [false, false]);
    const { home, work } = bed ?? assert.fail();
    const stored = JSON.parse(readFileSync(path.join(home, 'approvals.json'), 'utf8')) as {
      approvals: { workspace: string; grant: object }[];
    };
    assert.deepEqual(
      stored.approvals.map(({ workspace }) => workspace),
      [work, work],
    );
    assert.deepEqual(stored.approvals[0]?.grant, {
      kind: 'command',
      folder: work,
      words: ['python3'],
      script: path.join(work, 'train.py'),
      machineId: 'local',
    });
  });

  it('say why they do not count if their file is broken', async () => {
    const { home } = await open();
    writeFileSync(path.join(home, 'approvals.json'), '{');
    await run([exec('python3 train.py')], []);
    assert.match(asked[0]?.detail ?? '', /approvals\.json cannot be read .*Correct the file/);
  });
});
