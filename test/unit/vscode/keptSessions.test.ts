import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keepField, KeptSessions } from '../../../src/vscode/sessions/keptSessions.ts';
import { sessionId } from './states.ts';

describe('sessions that continue in the background', () => {
  const session = { id: sessionId, state: { workFolder: '/w' } };

  it('are those of the folder, unless the user chose otherwise for a session', () => {
    const folders = new Set<string>();
    const kept = new KeptSessions((folder) => folders.has(folder));
    assert.equal(kept.has(session), false);
    folders.add('/w');
    assert.equal(kept.has(session), true);
    kept.toggle(session);
    assert.equal(kept.has(session), false);
  });

  it('stay so when the user then chooses the same for the folder', () => {
    const folders = new Set<string>();
    const kept = new KeptSessions((folder) => folders.has(folder));
    kept.toggle(session);
    folders.add('/w');
    assert.equal(kept.has(session), true);
  });

  it('are the same for a folder whose mode changes while the settings keep all', () => {
    assert.deepEqual(keepField(undefined, { keepRunning: true }), { keepRunning: true });
    assert.deepEqual(keepField(false, { keepRunning: true }), {});
    assert.deepEqual(keepField(true, undefined), { keepRunning: true });
    assert.deepEqual(keepField(undefined, undefined), {});
  });
});
