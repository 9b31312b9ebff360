import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Access } from '../../../src/permissions/access.ts';
import {
  asks,
  denies,
  safe,
  type Verdict,
} from '../../../src/permissions/commands/verdicts/verdict.ts';
import {
  createGate,
  type Answer,
  type Ask,
  type GateCall,
  type GateMode,
} from '../../../src/permissions/gate.ts';
import type { Coverage, Grants } from '../../../src/permissions/grants/grants.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const call = (tool: string, effect: GateCall['effect']): GateCall => ({
  callId: 'c',
  tool,
  title: tool,
  effect,
  accesses: [],
  isOwnData: false,
  detail: '',
});
const never = new AbortController().signal;

const coveringAll: Grants = {
  cover: () => Promise.resolve({ isCovered: true, why: 'the user allowed it before' }),
};
const approval = { scope: 'session', grant: { kind: 'tool', tool: 'x' } } as const;
/** Offers the session alone, and has stored nothing yet. */
const offering: Grants = {
  cover: () =>
    Promise.resolve({
      isCovered: false,
      offer: { scopes: ['session'], label: 'x', covers: ['x'] },
      remember: (scope) => Promise.resolve([{ ...approval, scope }]),
    }),
};

const judge = () => Promise.resolve(asks('runs code', ''));

describe('gate', () => {
  const gateWith = (answers: Answer[], mode: 'ask' | 'allow' = 'ask') => {
    const asked: string[] = [];
    const ask: Ask = ({ tool }) => {
      asked.push(tool);
      return Promise.resolve(answers.shift() ?? 'deny');
    };
    const clock = new ManualClock();
    return { asked, gate: createGate({ judge, mode: () => mode, ask, clock, grants: offering }) };
  };

  it('lets reading and the agent’s own notes pass unasked', async () => {
    const { asked, gate } = gateWith([]);
    assert.equal((await gate.decide(call('read_file', 'read'), never)).isAllowed, true);
    const own = { ...call('memory_write', 'write'), isOwnData: true };
    assert.equal((await gate.decide(own, never)).isAllowed, true);
    const file = { kind: 'read', machineId: 'local', path: '/data/x' } as const;
    assert.equal(
      (await gate.decide({ ...call('read_file', 'read'), accesses: [file] }, never)).isAllowed,
      true,
    );
    assert.deepEqual(asked, []);
  });

  it('asks for a reading call that would run a command, reach a host or write', async () => {
    const { asked, gate } = gateWith([]);
    const machineId = 'local';
    for (const access of [
      { kind: 'command', machineId, command: 'cat loss' },
      { kind: 'write', machineId, path: '/data/x' },
      { kind: 'host', host: 'example.org' },
    ] as const) {
      const { isAllowed } = await gate.decide(
        { ...call('sleep', 'read'), accesses: [access] },
        never,
      );
      assert.equal(isAllowed, false);
    }
    assert.equal(asked.length, 3);
  });

  it('asks for everything else, and records what was approved beyond the call', async () => {
    const { asked, gate } = gateWith(['allow', 'allow_session', 'allow_always', 'deny']);
    const run = call('remote_exec', 'execute');
    const decisions = [];
    for (let index = 0; index < 4; index += 1) decisions.push(await gate.decide(run, never));
    assert.deepEqual(
      decisions.map(({ isAllowed, grants }) => [isAllowed, grants]),
      [
        [true, undefined],
        [true, [approval]],
        // Was not offered.
        [true, undefined],
        [false, undefined],
      ],
    );
    assert.equal(asked.length, 4);
  });

  it('allows what was approved before, before the mode decides', async () => {
    for (const mode of ['ask', 'mandate'] as const) {
      const ask = () => Promise.reject(new Error('nobody'));
      const clock = new ManualClock();
      const gate = createGate({ judge, mode: () => mode, ask, clock, grants: coveringAll });
      const { isAllowed, by, why } = await gate.decide(call('remote_exec', 'execute'), never);
      assert.deepEqual([isAllowed, by, why], [true, 'person', 'the user allowed it before']);
    }
  });

  it('allows the call alone if what was approved cannot be stored', async () => {
    const grants: Grants = {
      cover: async (request) =>
        ({
          ...(await offering.cover(request)),
          remember: () => Promise.reject(new Error('the disk is full')),
        }) as Coverage,
    };
    const ask = () => Promise.resolve('allow_session' as const);
    const gate = createGate({ judge, mode: () => 'ask', ask, clock: new ManualClock(), grants });
    const { isAllowed, why, grants: stored } = await gate.decide(call('x', 'execute'), never);
    assert.deepEqual([isAllowed, stored], [true, undefined]);
    assert.equal(why, 'the user allowed it, this once: the disk is full');
    const other = createGate({
      ...{ judge, mode: () => 'ask' as const, ask, clock: new ManualClock() },
      grants: {
        cover: async (request) =>
          ({ ...(await offering.cover(request)), remember: () => Promise.resolve([]) }) as Coverage,
      },
    });
    const ruling = await other.decide(call('x', 'execute'), never);
    assert.equal(ruling.why, 'the user allowed it, and the like for this session');
  });

  it('says why it asks about a command', async () => {
    const details: string[] = [];
    const ask: Ask = ({ detail }) => {
      details.push(detail);
      return Promise.resolve('deny');
    };
    const verdict = asks('runs code', 'python3 -c 1');
    const gate = createGate({
      judge: () => Promise.resolve(verdict),
      mode: () => 'ask',
      ask,
      clock: new ManualClock(),
    });
    const command = { kind: 'command', machineId: 'local', command: 'ls; python3 -c 1' } as const;
    const run = { ...call('remote_exec', 'execute'), accesses: [command], detail: 'the call' };
    await gate.decide(run, never);
    assert.deepEqual(details, ['Reason: runs code: python3 -c 1.\nthe call']);
  });

  it('leaves no timer behind once the user has answered', async () => {
    const clock = new ManualClock();
    const gate = createGate({
      judge,
      mode: () => 'ask',
      ask: () => Promise.resolve('allow'),
      clock,
    });
    assert.equal((await gate.decide(call('remote_exec', 'execute'), never)).isAllowed, true);
    assert.equal(clock.pendingTimers, 0);
  });

  it('asks nothing in mode allow', async () => {
    const { asked, gate } = gateWith([], 'allow');
    assert.deepEqual(await gate.decide(call('remote_exec', 'execute'), never), {
      ...{ isAllowed: true, by: 'mode', why: 'permission mode is allow', accesses: [] },
    });
    assert.deepEqual(asked, []);
  });

  describe('with commands', () => {
    const command: Access = { kind: 'command', machineId: 'local', command: 'x' };
    const decide = (verdict: Verdict, mode: GateMode, more: Partial<Access> = {}) =>
      createGate({
        mode: () => mode,
        ask: () => Promise.resolve('deny'),
        clock: new ManualClock(),
        judge: () => Promise.resolve(verdict),
      }).decide(
        { ...call('remote_exec', 'execute'), accesses: [{ ...command, ...more } as Access] },
        never,
      );
    const asArguments = { asArguments: true } as const;

    it('allows without asking those that only read, where they run as they were judged', async () => {
      const { accesses, ...ruling } = await decide(safe, 'ask', asArguments);
      assert.deepEqual(ruling, { isAllowed: true, by: 'rule', why: 'the command only reads' });
      assert.deepEqual(accesses, [{ ...command, ...asArguments, verdict: safe }]);
      assert.equal((await decide(safe, 'ask')).by, 'person');
      assert.equal((await decide(asks('runs code', 'x'), 'ask', asArguments)).by, 'person');
      assert.equal((await decide(safe, 'read', asArguments)).isAllowed, false);
    });

    it('refuses those that no mode allows in each mode, and for a tool that was allowed', async () => {
      const denied = denies('reads keys', 'cat k');
      for (const mode of ['ask', 'allow'] as const) {
        const { isAllowed, by, why } = await decide(denied, mode, asArguments);
        assert.deepEqual([isAllowed, by], [false, 'rule']);
        assert.equal(why, 'the command reads keys, which no mode allows: cat k');
      }
      const gate = createGate({
        mode: () => 'ask',
        ask: () => Promise.resolve('allow'),
        clock: new ManualClock(),
        judge: () => Promise.resolve(denied),
        grants: coveringAll,
      });
      const request = { ...call('remote_exec', 'execute'), accesses: [command] };
      assert.equal((await gate.decide(request, never)).isAllowed, false);
    });
  });

  it('refuses when there is nobody to ask', async () => {
    const gate = createGate({
      judge,
      mode: () => 'ask',
      ask: () => Promise.reject(new Error('no window')),
      clock: new ManualClock(),
    });
    assert.equal((await gate.decide(call('remote_exec', 'execute'), never)).isAllowed, false);
  });

  it('takes silence for a no after ten minutes, and withdraws the question', async () => {
    const clock = new ManualClock();
    let question: AbortSignal | undefined;
    const ask: Ask = (_call, signal) => {
      question = signal;
      return new Promise(() => undefined);
    };
    const gate = createGate({ judge, mode: () => 'ask', ask, clock });
    const deciding = gate.decide(call('remote_exec', 'execute'), never);
    await clock.advance(9 * 60_000);
    assert.equal(question?.aborted, false);
    await clock.advance(2 * 60_000);
    assert.deepEqual(await deciding, {
      isAllowed: false,
      by: 'rule',
      why: 'no user was there to allow it',
      accesses: [],
    });
    assert.equal(question?.aborted, true);
    assert.equal(clock.pendingTimers, 0);
  });

  it('says that a question was interrupted, not that nobody was there', async () => {
    const clock = new ManualClock();
    for (const ask of [
      () => new Promise<Answer>(() => undefined),
      (_call: GateCall, signal: AbortSignal) =>
        new Promise<Answer>((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('withdrawn'))),
        ),
    ]) {
      const abort = new AbortController();
      const deciding = createGate({ judge, mode: () => 'ask', ask, clock }).decide(
        call('remote_exec', 'execute'),
        abort.signal,
      );
      abort.abort();
      assert.deepEqual(await deciding, {
        ...{
          isAllowed: false,
          by: 'rule',
          why: 'the call was interrupted before the user answered',
          accesses: [],
        },
      });
    }
    assert.equal(clock.pendingTimers, 0);
  });

  it('asks about a write through a link out of the folder, in every mode and each time', async () => {
    const access = { kind: 'write', machineId: 'local', path: '/home/ada/notes.txt' } as const;
    const linked = {
      ...call('write_file', 'write'),
      accesses: [{ ...access, linkPath: '/work/notes.md' }],
    };
    for (const mode of ['ask', 'allow'] as const) {
      const { asked, gate } = gateWith(['allow_session', 'allow', 'deny'], mode);
      const answers: boolean[] = [];
      for (let time = 0; time < 3; time += 1)
        answers.push((await gate.decide(linked, never)).isAllowed);
      assert.deepEqual(answers, [true, true, false]);
      assert.equal(asked.length, 3);
    }
    const { asked, gate } = gateWith([], 'allow');
    const plain = { ...call('write_file', 'write'), accesses: [access] };
    assert.equal((await gate.decide(plain, never)).isAllowed, true);
    assert.deepEqual(asked, []);
  });

  describe('lets a user judge what had to be mended', () => {
    const mended = (tool: string, effect: GateCall['effect']): GateCall => ({
      ...call(tool, effect),
      repairs: ['quotes inside a text'],
    });

    it('in every mode and each time, whatever was allowed before', async () => {
      for (const mode of ['ask', 'allow'] as const) {
        const { asked, gate } = gateWith(['allow_session', 'allow', 'deny'], mode);
        const decisions = [1, 2, 3].map(
          () => () => gate.decide(mended('remote_exec', 'execute'), never),
        );
        const answers: boolean[] = [];
        for (const decide of decisions) answers.push((await decide()).isAllowed);
        assert.deepEqual(answers, [true, true, false]);
        assert.equal(asked.length, 3);
      }
    });

    it('but not where a call only reads or writes notes', async () => {
      const { asked, gate } = gateWith([]);
      assert.equal((await gate.decide(mended('read_file', 'read'), never)).isAllowed, true);
      assert.equal(
        (await gate.decide({ ...mended('memory_write', 'write'), isOwnData: true }, never))
          .isAllowed,
        true,
      );
      assert.deepEqual(asked, []);
    });

    it('also where the command only reads', async () => {
      const asked: string[] = [];
      const gate = createGate({
        judge: () => Promise.resolve(safe),
        mode: () => 'allow',
        ask: ({ tool }) => {
          asked.push(tool);
          return Promise.resolve('deny');
        },
        clock: new ManualClock(),
      });
      const access = { kind: 'command', machineId: 'local', command: 'cat a.txt' } as const;
      const accesses = [{ ...access, asArguments: true as const }];
      const reader = { ...mended('remote_exec', 'execute'), accesses };
      assert.equal((await gate.decide(reader, never)).isAllowed, false);
      assert.equal((await gate.decide({ ...reader, repairs: [] }, never)).isAllowed, true);
      assert.deepEqual(asked, ['remote_exec']);
    });

    it('and holds nothing up for long', async () => {
      const clock = new ManualClock();
      const gate = createGate({
        judge,
        mode: () => 'allow',
        ask: () => new Promise(() => undefined),
        clock,
      });
      const deciding = gate.decide(mended('remote_exec', 'execute'), never);
      await clock.advance(60_000);
      assert.equal((await deciding).isAllowed, false);
      assert.equal(clock.pendingTimers, 0);
    });
  });
});
