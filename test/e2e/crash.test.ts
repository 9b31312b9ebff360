import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { foldSession } from '../../src/agent/journal/fold.ts';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { ledgerOf } from '../../src/agent/runs/sessionLedger.ts';
import type { SessionState } from '../../src/agent/journal/state.ts';
import { isSessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import { loadShell } from '../../src/shell/grammar.ts';
import { readJournal } from '../../src/storage/journal.ts';
import { random, seedOf } from '../fakes/random.ts';
import { researcher } from '../fakes/researcher.ts';
import type { VsCode } from '../setup/codeServer.ts';
import { amountOf } from '../setup/needs.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const kills = amountOf('HELIOS_KILLS', 2, 4);
const rates = Array.from({ length: Math.max(4, Math.round(kills * 1.6)) }, (_, index) =>
  Number((0.02 + index * 0.01).toFixed(2)),
);
const goal = 'bring loss < 0.5';

/** A night in which the extension host dies again and again: the ledger is that of a quiet one. */
describe('an extension host that is killed', function () {
  this.timeout(120_000 + kills * 40_000);
  let folder: string;
  let vscode: VsCode;
  let workbench: Workbench;
  let opened: TestWindow | undefined;

  before(async () => {
    await loadShell();
    opened = await openWindow(researcher({ rates, runSeconds: 3, steps: 60 }), {
      settings: { 'helios.permissions.mode': 'allow' },
    });
    ({ folder, vscode, workbench } = opened);
  });

  after(() => opened?.close());

  const read = async (): Promise<SessionState | undefined> => {
    const home = homeAt(vscode.heliosHome);
    const [id] = (await readdir(home.sessionsFolder).catch((): string[] => [])).filter((name) =>
      isSessionId(name),
    );
    if (id === undefined) return undefined;
    const { events } = await readJournal<JournalEvent>(home.journalFile(id));
    return foldSession(events);
  };

  it(`goes on by itself after each of ${kills} kills, and loses or doubles no run`, async () => {
    const next = random(seedOf('HELIOS_KILLS_SEED', 20_261_122));
    await workbench.sendChat(`@helios ${goal}`);
    await workbench.chatMatching(/Trying lr=0\.02/);
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(200 + next() * 3_500);
      await workbench.killExtensionHost();
      await workbench.reload();
    }
    const isEnded = async (): Promise<boolean> => (await read())?.phase === 'ended';
    await workbench.eventually(isEnded, (ended) => ended, 60_000 + rates.length * 8_000);
    const state = await read();
    assert.equal(state?.end?.reason, 'goal');
    const rows = ledgerOf(state, (run) => run.metrics).rows.map(
      ({ number, label, verdict, metrics }) => ({
        ...{ number, label, verdict: verdict?.kind },
        points: metrics.map(({ metric, count, last }) => ({ metric, count, last })),
      }),
    );
    assert.deepEqual(rows, rates.map(undisturbed));
    assert.equal((await readdir(join(vscode.heliosHome, 'runs'))).length, rates.length);
    for (const rate of rates)
      assert.equal(await readFile(join(folder, `started-${rate}`), 'utf8'), 'x\n');
  });
});

/** What a run measures is known beforehand: it is arithmetic, printed to five digits. */
function undisturbed(rate: number, index: number) {
  let loss = 4;
  for (let step = 0; step < 60; step += 1) loss *= 1 - rate;
  const last = Number(loss.toFixed(5));
  return {
    number: index + 1,
    label: `lr=${rate}`,
    verdict: 'ok',
    points: [{ metric: 'loss', count: 60, last }],
  };
}
