import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import type { SessionState } from '../../src/agent/journal/state.ts';
import { systemClock } from '../../src/base/clock.ts';
import { isSessionId, type SessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import { readJournal } from '../../src/storage/journal.ts';
import { Lease } from '../../src/storage/lease.ts';
import type { OwnerKind } from '../../src/storage/leaseOwner.ts';
import { researcher } from '../fakes/researcher.ts';
import type { WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { isLong } from '../setup/needs.ts';
import { Workbench } from './workbench.ts';

/** More than are tried before the test has seen enough, however slow the machine is. */
const rates = Array.from({ length: 90 }, (_, index) => Number((0.02 + index * 0.01).toFixed(2)));
const key = 'test-key-that-is-secret';

/**
 * A laptop that is closed over a goal: it goes on in the background, and in the window that is
 * opened in the morning.
 */
describe('a session that is kept running', function () {
  this.timeout(300_000);
  let folder: string;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  /** The model answers once it is open: a slow machine takes its time to open a window. */
  let gate: PromiseWithResolvers<void> | undefined;
  let isEnough = false;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    const answer = researcher({ rates, runSeconds: 2, steps: 60, isEnough: () => isEnough });
    server = await startWireAnthropic(async (request) => {
      await gate?.promise;
      return answer(request);
    });
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: { 'helios.permissions.mode': 'allow', 'helios.session.keepRunning': 'always' },
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: key },
    });
    workbench = await Workbench.open(vscode);
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const sessionId = async (): Promise<SessionId> => {
    const [id] = (await readdir(homeAt(vscode.heliosHome).sessionsFolder)).filter(isSessionId);
    assert.ok(id, 'there is no session');
    return id;
  };
  const read = async (): Promise<SessionState> => {
    const { events } = await readJournal<JournalEvent>(
      homeAt(vscode.heliosHome).journalFile(await sessionId()),
    );
    const state = foldSession(events);
    assert.ok(state, 'the journal is empty');
    return state;
  };
  const runs = async (): Promise<number> => (await read()).runs.size;
  const owner = async (): Promise<OwnerKind | undefined> =>
    (await Lease.holder(homeAt(vscode.heliosHome).leaseFile(await sessionId()), systemClock))?.kind;
  const becomes = (kind: OwnerKind) => workbench.eventually(owner, (found) => found === kind);
  /** Runs are launched while nobody is there. */
  const goesOnAlone = async (): Promise<void> => {
    await becomes('detached');
    const launched = await runs();
    await workbench.eventually(runs, (now) => now >= launched + 2);
    assert.equal(await owner(), 'detached');
    gate = Promise.withResolvers<void>();
  };
  const comesBack = async (): Promise<void> => {
    workbench = await Workbench.open(vscode);
    await becomes('window');
    gate?.resolve();
    gate = undefined;
  };

  it('goes on when the server dies, comes back with the next window, and loses or doubles no run', async () => {
    await workbench.sendChat('@helios bring loss < 0.5');
    await workbench.chatMatching(/Trying lr=0\.02/);
    await workbench.eventually(runs, (now) => now >= 2);
    assert.equal(await owner(), 'window');
    await workbench.close();
    await vscode.kill();
    await workbench.eventually(
      () => Promise.resolve(vscode.extensionHostPids()),
      (pids) => pids.length === 0,
    );
    await goesOnAlone();

    await vscode.restart();
    await comesBack();
    await workbench.notificationMatching(/Helios resumed/);
    await workbench.command('Helios: Follow in Chat');
    await workbench.chatMatching(/Trying lr=/);
    await workbench.picture('handover-taken-back');

    // As a user closes it: the extension has the time to let go of what it does.
    await workbench.page.goto('about:blank');
    await goesOnAlone();
    await workbench.close();
    await comesBack();

    if (isLong) {
      await workbench.killExtensionHost();
      await workbench.close();
      await vscode.kill();
      await goesOnAlone();
      await vscode.restart();
      await comesBack();
    }
    const launched = await runs();
    await workbench.eventually(runs, (now) => now > launched);
    isEnough = true;

    const state = await workbench.eventually(read, ({ phase }) => phase === 'ended');
    assert.equal(state.end?.reason, 'goal');
    const tried = rates.slice(0, state.runs.size);
    const labels = [...state.runs.values()].map(({ spec, verdict }) => [spec.label, verdict?.kind]);
    assert.deepEqual(
      labels,
      tried.map((rate) => [`lr=${rate}`, 'ok']),
    );
    assert.equal((await readdir(join(vscode.heliosHome, 'runs'))).length, tried.length);
    for (const rate of tried)
      assert.equal(await readFile(join(folder, `started-${rate}`), 'utf8'), 'x\n');
    await leavesNoKey();
  });

  /** Nothing below the home holds the key. */
  const leavesNoKey = async (): Promise<void> => {
    const entries = await readdir(vscode.heliosHome, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name);
      assert.equal((await readFile(file)).includes(key), false, file);
    }
  };
});
