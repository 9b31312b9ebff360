/**
 * A briefing of a session with 10,000 notes and many runs: how long it is, and how long it takes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderBriefing } from '../../src/agent/context/briefing.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../src/agent/runs/sessionLedger.ts';
import { systemClock } from '../../src/base/clock.ts';
import { textTokens } from '../../src/base/textTokens.ts';
import { MemoryStore } from '../../src/memory/memoryStore.ts';
import { loadShell } from '../../src/shell/grammar.ts';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { median, timed, type Figure, type Size } from './figure.ts';
import { plainReadMs } from './plain.ts';
import { SyntheticJournal } from './syntheticJournal.ts';

const budgetTokens = 8_000;
const sizes = {
  full: { folders: 100, runs: 300, rounds: 9 },
  tiny: { folders: 2, runs: 20, rounds: 1 },
};
const perFolder = 100;

type Terms = (typeof sizes)['full'];

export async function benchBriefing(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const { rounds } = terms;
  await loadShell();
  const few = await measured(join(folder, 'few'), { ...terms, folders: 1 });
  const many = await measured(join(folder, 'many'), terms);
  const plainMs = await plainReadMs(join(folder, 'many'));
  const within = { atMost: budgetTokens, kind: 'correctness' } as const;
  return [
    { name: `briefing with ${perFolder} notes`, value: few.tokens, unit: 'tokens', aim: within },
    { name: `briefing with ${many.notes} notes`, value: many.tokens, unit: 'tokens', aim: within },
    { name: `reading ${many.notes} notes, first time`, value: many.firstMs, unit: 'ms' },
    {
      name: `reading ${many.notes} notes, again, p50 of ${rounds}`,
      value: many.againMs,
      unit: 'ms',
    },
    { name: `the files of ${many.notes} notes read, for comparison`, value: plainMs, unit: 'ms' },
    {
      name: `writing the briefing, p50 of ${rounds}`,
      value: many.renderMs,
      unit: 'ms',
      aim: { atMost: 100 },
    },
  ];
}

async function measured(folder: string, { folders, runs, rounds }: Terms) {
  const sessionFolder = join(folder, 'memory');
  await makeNotes(sessionFolder, folders);
  const memory = new MemoryStore({
    sessionFolder,
    projectFolder: join(folder, 'project'),
    globalFolder: join(folder, 'global'),
    clock: systemClock,
  });
  const firstMs = await timed(() => memory.tree());
  const againMs = await repeated(() => memory.tree(), rounds);
  const notes = await memory.tree();
  memory.dispose();
  const replaced = journalEvents(runs);
  const state = foldSession(replaced);
  if (state === undefined) throw new Error('There is no session in the journal.');
  const facts = {
    state,
    ledger: ledgerOf(state, (run) => run.metrics),
    replaced,
    notes,
  } as const;
  const renderMs = await repeated(() => renderBriefing(facts, budgetTokens), rounds);
  const tokens = Math.ceil(textTokens(renderBriefing(facts, budgetTokens)));
  return { tokens, notes: notes.length - folders, firstMs, againMs, renderMs };
}

async function repeated(work: () => unknown, rounds: number): Promise<number> {
  const timesMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) timesMs.push(await timed(work));
  return median(timesMs);
}

async function makeNotes(memoryFolder: string, count: number): Promise<void> {
  for (let folder = 0; folder < count; folder += 1) {
    const path = join(memoryFolder, `observations-${folder}`);
    await mkdir(path, { recursive: true });
    for (let note = 0; note < perFolder; note += 1)
      await writeFile(
        join(path, `${note}.md`),
        `> lr=${note}e-5 with ${folder} layers reached 0.${note}\n\nAs measured.\n`,
      );
  }
}

function journalEvents(runs: number): JournalEvent[] {
  const journal = new SyntheticJournal('bring loss < 0.001');
  for (let run = 1; run <= runs; run += 1) {
    const id = journal.run();
    const metric = {
      count: 500,
      last: 1 / run,
      lastStep: 500,
      min: 1 / run,
      max: 3,
      mean: 1,
      best: 1 / run,
    };
    journal.runEnded(id, [{ metric: 'loss', direction: 'lower', ...metric }]);
    if (run % 10 === 0)
      journal.add({
        type: 'message.added',
        origin: 'person',
        text: `Look at run ${run}. `.repeat(20),
      });
  }
  return journal.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalEvent);
}
