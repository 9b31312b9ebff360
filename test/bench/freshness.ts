/**
 * How old a point is when the metrics panel has it: from the process that prints it to the view's
 * end of the wire.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Engine } from '../../src/agent/contract/engine.ts';
import type { Session } from '../../src/agent/contract/sessions.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { pointsAdded, readSeries, ready } from '../../src/protocol/metricsPanel.ts';
import { createMetricsSource } from '../../src/vscode/metrics/metricsSource.ts';
import { OpenSessions } from '../../src/vscode/window/openSessions.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { openEngine, workOf } from './bed.ts';
import { spread, type Figure, type Size } from './figure.ts';
import { openPanel } from './panelView.ts';

const sizes = {
  full: { printed: 150, minMeasured: 100, bare: 50 },
  tiny: { printed: 20, minMeasured: 5, bare: 5 },
};
const metric = 'sent_ms';

/**
 * Each line says when it was written. The pauses of 20 to 98 ms are in no step with anything of
 * ours.
 */
const commandOf = (printed: number): string => `for i in $(seq ${printed}); do
  echo "step=$i ${metric}=$(date +%s%3N)"
  sleep 0.0$((20 + i * 37 % 79))
done`;

const scriptOf = (printed: number) => [
  [
    {
      name: 'remote_exec_background',
      input: { command: commandOf(printed), metric_names: [metric] },
    },
  ],
  [
    {
      name: 'sleep',
      input: { reason: 'training', wake_conditions: [{ type: 'process_exit', run: 1 }] },
    },
  ],
  [{ name: 'finish', input: { outcome: 'blocked', summary: 'measured' } }],
];

export async function benchFreshness(folder: string, size: Size): Promise<Figure[]> {
  const { printed, minMeasured, bare } = sizes[size];
  const engine = await openEngine({ folder, model: new ScriptedModel(scriptOf(printed)) });
  try {
    const session = await engine.sessions.start({
      goal: 'measure',
      budget: {},
      workFolder: workOf(folder),
    });
    const agesMs = await agesOf(engine, session);
    if (agesMs.length < minMeasured)
      throw new Error(`Only ${agesMs.length} points came to the view.`);
    return [
      ...spread('stdout write → point at the webview', agesMs, 250),
      ...spread('stdout write → read by a bare parent, for comparison', await bareAges(bare)),
    ];
  } finally {
    await engine.close();
  }
}

/**
 * The value of each point is the time at which it was printed, so its age is known when it comes.
 */
async function agesOf(engine: Engine, session: Session): Promise<number[]> {
  const agesMs: number[] = [];
  const runId = await firstPoint(engine);
  const sessions = new OpenSessions(systemClock);
  sessions.attach(engine);
  const source = await createMetricsSource(
    { engine, sessions, clock: systemClock, logger: silentLogger },
    session.id,
  );
  const { connection, ...panel } = openPanel(source);
  try {
    connection.onNotification(pointsAdded, ({ values }) => {
      const nowMs = Date.now();
      for (const sentMs of values) agesMs.push(nowMs - sentMs);
    });
    connection.listen();
    await connection.sendRequest(ready);
    await connection.sendRequest(readSeries, {
      runIds: [runId],
      metric,
      axis: 'step',
      pixels: 800,
    });
    await session.ended;
  } finally {
    panel.dispose();
    source.dispose();
    sessions.dispose();
  }
  return agesMs;
}

/** The same lines over a pipe, to a parent that does nothing else. */
async function bareAges(printed: number): Promise<number[]> {
  const agesMs: number[] = [];
  const child = spawn('/bin/bash', ['-c', commandOf(printed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (bytes: Buffer) => {
    const nowMs = Date.now();
    for (const [, sentMs] of bytes.toString().matchAll(/sent_ms=(\d+)/g))
      agesMs.push(nowMs - Number(sentMs));
  });
  await once(child, 'close');
  return agesMs;
}

function firstPoint(engine: Engine): Promise<RunId> {
  return new Promise((resolve) => {
    const listening = engine.runs.onDidChange((change) => {
      if (change.kind !== 'points') return;
      listening.dispose();
      resolve(change.run.spec.id);
    });
  });
}
