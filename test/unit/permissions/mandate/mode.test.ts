import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { permissionsInForce } from '../../../../src/agent/session/projectSettings.ts';
import type { Access } from '../../../../src/permissions/access.ts';
import {
  asks,
  denies,
  safe,
  type Verdict,
} from '../../../../src/permissions/commands/verdicts/verdict.ts';
import { createGate, type GateCall } from '../../../../src/permissions/gate.ts';
import type { ProjectFile } from '../../../../src/project/projects.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';

const call = (changes: Partial<GateCall> = {}): GateCall => ({
  ...{ callId: 'c', tool: 'remote_exec', title: '', effect: 'execute' as const },
  ...{ accesses: [], isOwnData: false, detail: '' },
  ...changes,
});
const command: Access = { kind: 'command', machineId: 'local', command: 'x' };
const never = new AbortController().signal;

describe('mode mandate', () => {
  const decide = (given: GateCall, outside?: string, verdict: Verdict = asks('runs code', '')) =>
    createGate({
      mode: () => 'mandate',
      ask: () => assert.fail('nobody is asked'),
      clock: new ManualClock(),
      judge: () => Promise.resolve(verdict),
      outside: () => Promise.resolve(outside),
    }).decide(given, never);

  it('allows what the mandate covers, and refuses the rest with the reason, unasked', async () => {
    const { accesses: _, ...covered } = await decide(call({ accesses: [command] }));
    assert.deepEqual(covered, { isAllowed: true, by: 'mandate', why: 'the mandate covers it' });
    const { accesses: __, ...outside } = await decide(call(), 'it writes /etc/hosts');
    const why = 'outside the mandate: it writes /etc/hosts';
    assert.deepEqual(outside, { isAllowed: false, by: 'mandate', why });
  });

  it('covers nothing without a mandate', async () => {
    const gate = createGate({
      mode: () => 'mandate',
      ask: () => assert.fail('nobody is asked'),
      clock: new ManualClock(),
      judge: () => Promise.resolve(safe),
    });
    assert.equal((await gate.decide(call(), never)).isAllowed, false);
  });

  it('keeps what every mode decides before it', async () => {
    const denied = await decide(call({ accesses: [command] }), undefined, denies('reads keys', ''));
    assert.deepEqual([denied.isAllowed, denied.by], [false, 'rule']);
    const read = await decide(call({ effect: 'read' }), 'never asked');
    assert.deepEqual([read.isAllowed, read.by], [true, 'rule']);
  });

  it('refuses a call that was repaired or uses a file of passwords, even where it covers it', async () => {
    const repaired = await decide(call({ repairs: ['quotes inside a text'] }));
    assert.deepEqual([repaired.isAllowed, repaired.by], [false, 'mandate']);
    const keyed: Verdict = { ...asks('reads', ''), pathNote: '.env is a file of passwords' };
    const key = await decide(call({ accesses: [command] }), undefined, keyed);
    assert.deepEqual([key.isAllowed, key.by], [false, 'mandate']);
  });
});

describe('the permission mode in force', () => {
  const project = { file: '/w/helios.json', permissions: { mode: 'ask' } } as ProjectFile;

  it('is the mandate where nobody can be asked, and says so', () => {
    assert.deepEqual(permissionsInForce('ask', { canAsk: true }), { mode: 'ask' });
    const alone = permissionsInForce('ask', { canAsk: false });
    assert.equal(alone.mode, 'mandate');
    assert.match(alone.note ?? '', /mandate instead of ask: nobody can be asked/);
    for (const mode of ['allow', 'mandate'] as const)
      assert.deepEqual(permissionsInForce(mode, { canAsk: false }), { mode });
  });

  it('is narrowed to ask by a project, which says so', () => {
    for (const mode of ['allow', 'mandate'] as const) {
      const { note, ...rest } = permissionsInForce(mode, { canAsk: false, project });
      assert.deepEqual(rest, { mode: 'ask' });
      assert.equal(note, `Permission mode ask instead of ${mode}: /w/helios.json narrows it.`);
    }
    assert.deepEqual(permissionsInForce('ask', { canAsk: false, project }), { mode: 'ask' });
  });
});
