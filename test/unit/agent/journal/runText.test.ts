import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runEndText, runStatus, seriousAlarm } from '../../../../src/agent/journal/runText.ts';
import type { Alarm } from '../../../../src/agent/journal/state.ts';
import type { RunId } from '../../../../src/base/ids.ts';

const alarm = (action: Alarm['action']): Alarm => ({
  ...{ kind: 'non_finite', detail: `loss became NaN (${action})`, action, atMs: 1 },
});
const process = { pid: 7, startTime: '1', bootId: 'b', startedMs: 1 };

describe('the status of a run of a session', () => {
  const alarms = [alarm('kill'), alarm('warn')];

  it('is that of its record', () => {
    assert.equal(runStatus({ alarms }), 'queued');
    assert.equal(runStatus({ alarms, process }), 'running');
    assert.equal(runStatus({ alarms, verdict: { kind: 'ok' } }), 'ok');
    assert.equal(runStatus({ alarms, notStarted: 'no slot' }), 'did not start: no slot');
  });

  it('names the last alarm that was more than a warning', () => {
    assert.equal(seriousAlarm(alarms)?.action, 'kill');
    const text = 'killed after the alarm: loss became NaN (kill)';
    assert.equal(runStatus({ alarms, verdict: { kind: 'killed' } }), text);
  });

  it('is what its end says, also of a run that is not known', () => {
    const end = { runId: 'r-1' as RunId, verdict: { kind: 'killed' } } as const;
    assert.equal(runEndText(end, { runs: new Map() }), 'killed');
  });
});
