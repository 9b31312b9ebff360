import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunId } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { LedgerEntry } from '../../../src/experiments/ledger.ts';
import { connect } from '../../../src/protocol/connect.ts';
import { changedList, listChange } from '../../../src/protocol/listChange.ts';
import { ready, type PanelState } from '../../../src/protocol/metricsPanel.ts';
import { changedState, panelDelta, stateChanged } from '../../../src/protocol/panelDelta.ts';
import { PanelHost } from '../../../src/vscode/metrics/panelHost.ts';
import { panelState, PanelStates } from '../../../src/vscode/metrics/panelState.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';
import { portPair } from '../../fakes/portPair.ts';
import { random, seedOf } from '../../fakes/random.ts';
import { stateOf } from '../vscode/states.ts';

const seed = seedOf('HELIOS_PANEL_SEED', 1);

describe('the change of a list', () => {
  const keyOf = ({ key }: { readonly key: number }): number => key;

  it('gives the new list of the old one, whatever was added, changed, moved and removed', () => {
    const next = random(seed);
    const whole = (below: number): number => Math.floor(next() * below);
    let newest = 0;
    const item = (): { key: number; value: number } => ({ key: (newest += 1), value: next() });
    let list = Array.from({ length: 20 }, item);
    for (let round = 0; round < 500; round += 1) {
      const after = [...list];
      for (let count = whole(6); count > 0; count -= 1) {
        const at = whole(after.length + 1);
        const [one] = after.slice(at, at + 1);
        const kind = whole(4);
        if (kind === 0 || one === undefined) after.splice(at, 0, item());
        else if (kind === 1) after.splice(at, 1);
        else if (kind === 2) after[at] = { ...one, value: next() };
        else after.splice(whole(after.length), 0, ...after.splice(at, 1));
      }
      const change = structuredClone(listChange(list, after, keyOf));
      assert.deepEqual(changedList(list, change, keyOf), after);
      list = after;
    }
  });

  it('places only what has moved, and sends only what has changed', () => {
    const list = Array.from({ length: 1000 }, (_, key) => ({ key }));
    const [first, ...others] = list;
    assert.deepEqual(listChange(list, [...others, ...(first ? [first] : [])], keyOf), {
      placed: [[999, 0]],
    });
    assert.deepEqual(listChange(list, list.with(7, { key: 7 }), keyOf), { set: [{ key: 7 }] });
    assert.equal(listChange(list, [...list], keyOf), undefined);
  });
});

describe('the state of the panel as changes', () => {
  const opened = async (source: MemoryPanelSource) => {
    const clock = new ManualClock();
    const ports = portPair();
    const actions = { openRun: () => undefined, save: () => Promise.resolve() };
    const host = new PanelHost({ source, port: ports.host, clock, logger: silentLogger, actions });
    const view = connect(ports.view);
    let state: PanelState | undefined;
    view.onNotification(stateChanged, (delta) => {
      if (state !== undefined) state = changedState(state, delta);
    });
    view.listen();
    state = await view.sendRequest(ready);
    return {
      ports,
      shown: () => state,
      ready: () => view.sendRequest(ready),
      async settle() {
        await clock.advance(250);
        await new Promise((resolve) => setImmediate(resolve));
      },
      dispose() {
        host.dispose();
        view.dispose();
      },
    };
  };

  it('is the state of a fresh answer after any changes', async () => {
    const next = random(seed);
    const whole = (below: number): number => Math.floor(next() * below);
    const source = new MemoryPanelSource();
    let newest = 0;
    const changes = [
      () => source.addRun({ id: `r-${(newest += 1)}` }),
      () => (source.runs = source.runs.toSpliced(whole(source.runs.length), 1)),
      () => (source.runs = source.runs.toSorted(() => next() - 0.5)),
      () =>
        source.setSeries(
          source.runs[whole(newest)]?.id ?? '',
          `m${whole(5)}`,
          Float64Array.of(next()),
        ),
      () => (source.metrics = source.metrics.toSorted(() => next() - 0.5)),
      () => (source.ranking = source.runs.map(({ number }) => number).toSorted(() => next() - 0.5)),
      () =>
        (source.groups = source.runs.slice(whole(4)).map(({ id }) => {
          const number = Number(id.slice(2));
          const known = source.groups.find((group) => group.number === number);
          const made = { number, runIds: [id], name: '', label: '', metrics: {} };
          return known !== undefined && next() < 0.7 ? known : made;
        })),
      () =>
        (source.decisive =
          next() < 0.3 ? undefined : { metric: 'm1', rule: 'last', pooled: next() }),
      () => (source.isOpen = next() < 0.5),
    ];
    source.addRun({ id: `r-${(newest += 1)}` });
    const panel = await opened(source);
    for (let round = 0; round < 150; round += 1) {
      for (let count = 1 + whole(4); count > 0; count -= 1) changes[whole(changes.length)]?.();
      // The numbers of removed runs would come again.
      source.runs = source.runs.map((run) => {
        const number = Number(run.id.slice(2));
        return run.number === number ? run : { ...run, number };
      });
      source.ranking = [...new Set(source.ranking)];
      source.changed();
      await panel.settle();
      assert.deepEqual(panel.shown(), source.state(), `round ${round}`);
    }
    assert.deepEqual(await panel.ready(), panel.shown());
    panel.dispose();
  });

  it('sends only the run that changed, of 2,000 runs that are ranked', async () => {
    const source = new MemoryPanelSource();
    const metrics = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`m${index}`, { last: '1', best: '1', points: 1 }]),
    );
    source.runs = Array.from({ length: 2000 }, (_, index) => {
      const number = index + 1;
      const names = { id: `r-${number}`, number, group: number, name: `run ${number}` };
      const facts = { label: 'lr=1', machine: 'local', isRunning: true, status: 'running' };
      return { ...names, ...facts, isGood: true, isChampion: false, metrics, parameters: {} };
    });
    source.ranking = source.runs.map(({ number }) => number);
    const panel = await opened(source);
    const answered = JSON.stringify(panel.ports.fromHost.at(-1)).length;
    const sent = panel.ports.fromHost.length;
    const { runs } = source;
    const changed = { ...metrics, m3: { last: '0.5', best: '0.5', points: 2 } };
    source.runs = runs.map((run) => (run.id === 'r-1500' ? { ...run, metrics: changed } : run));
    source.ranking = [1500, ...source.ranking.filter((number) => number !== 1500)];
    source.changed();
    await panel.settle();
    const messages = panel.ports.fromHost.slice(sent);
    assert.equal(messages.length, 1);
    const size = JSON.stringify(messages[0]).length;
    assert.ok(size < 1500, `${size} characters, and ${answered} for the whole state`);
    assert.deepEqual(panel.shown(), source.state());
    source.changed();
    await panel.settle();
    assert.equal(panel.ports.fromHost.length, sent + 1, 'nothing where nothing has changed');
    panel.dispose();
  });
});

describe('the states of a session in the panel', () => {
  const entry = (number: number, value: number): LedgerEntry => {
    const summary = { count: 1, lastStep: 0, last: value, min: value, max: value, mean: value };
    return {
      runId: `r-${number}` as RunId,
      number,
      machineId: 'local',
      handle: undefined,
      label: `run ${number}`,
      command: `python train.py --lr ${Math.floor(number / 3)} --seed ${number % 3}`,
      sweepId: 's1',
      startedMs: 1,
      metrics: [{ metric: 'loss', ...summary, best: value, direction: 'lower' as const }],
    };
  };

  it('are those of a panel that knows no earlier state', () => {
    const next = random(seed);
    const states = new PanelStates();
    let entries = Array.from({ length: 30 }, (_, index) => entry(index + 1, next()));
    let shown: PanelState | undefined;
    for (let round = 0; round < 100; round += 1) {
      const view = { state: stateOf({}), ledger: buildLedger(entries) };
      const after = states.of(view);
      assert.deepEqual(after, panelState(view));
      const delta = shown && structuredClone(panelDelta(shown, after));
      shown = shown && delta ? changedState(shown, delta) : (shown ?? after);
      assert.deepEqual(shown, after);
      const at = Math.floor(next() * entries.length);
      const one = entries[at];
      if (one === undefined) continue;
      const kind = Math.floor(next() * 4);
      if (kind === 0) entries = [...entries, entry(entries.length + 1, next())];
      else if (kind === 1) entries = entries.with(at, entry(one.number, next()));
      else if (kind === 2)
        entries = entries.with(at, { ...one, endedMs: 5, verdict: { kind: 'failed', code: 1 } });
      else
        entries = entries.with(at, {
          ...one,
          cost: { usd: next(), tokens: 1, hasUnknownCost: false },
        });
    }
  });

  it('keep what has not changed as the same objects', () => {
    const states = new PanelStates();
    const entries = Array.from({ length: 300 }, (_, index) => entry(index + 1, 1 + index));
    const before = states.of({ state: stateOf({}), ledger: buildLedger(entries) });
    const ledger = buildLedger(
      entries.map((one) => (one.number === 100 ? entry(100, 50.5) : entry(one.number, one.number))),
    );
    const after = states.of({ state: stateOf({}), ledger });
    const delta = panelDelta(before, after);
    assert.deepEqual(
      { runs: delta?.runs?.set?.map(({ id }) => id), groups: delta?.groups?.set?.length },
      { runs: ['r-100'], groups: 1 },
    );
    assert.equal(delta?.runs?.placed, undefined);
    assert.ok((delta?.ranking?.placed?.length ?? 0) <= 1);
  });
});
