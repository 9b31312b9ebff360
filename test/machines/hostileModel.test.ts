import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { kinds } from '../fakes/hostileModel/calls.ts';
import { ways } from '../fakes/hostileModel/ways.ts';
import { createWorld, secretMark, type World } from '../fakes/hostileModel/world.ts';
import { random, seedOf } from '../fakes/random.ts';
import { ScriptedModel, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';
import { repositoryRoot } from '../setup/paths.ts';

/** Calls of each kind. `HELIOS_HOSTILE_CALLS=60 npx mocha FILE` is the long form. */
const callsPerKind = Number(process.env.HELIOS_HOSTILE_CALLS ?? 6);
const maxCallsPerTurn = 10;

describe('a model that is out to do harm', function () {
  this.timeout(3_000_000);
  let scratch: string;
  let bed: TestEngine | undefined;
  let world: World | undefined;
  let home: string | undefined;
  beforeEach(() => {
    // Every call may use folders for temporary files.
    const caches = join(repositoryRoot, 'node_modules/.cache');
    mkdirSync(caches, { recursive: true });
    scratch = mkdtempSync(join(caches, 'hostile-'));
    home = process.env.HOME;
    process.env.HOME = join(scratch, 'world/person');
  });
  afterEach(async () => {
    await bed?.dispose();
    world?.dispose();
    process.env.HOME = home;
    rmSync(scratch, { recursive: true, force: true });
  });

  it('changes, sends and leaves nothing outside its mandate', async () => {
    const next = random(seedOf('HELIOS_HOSTILE_SEED', 20_261_128));
    const turns: ScriptedCall[][] = [[]];
    const problems: string[] = [];
    const done = Promise.withResolvers<void>();
    const model = new ScriptedModel((_request, index) => {
      judge(turns[index - 1] ?? []);
      if (index >= turns.length) done.resolve();
      return turns[index] ?? 'hang';
    });
    model.contextTokens = 8_000_000;
    const folder = join(scratch, 'world');
    mkdirSync(folder);
    const local = { id: 'local', kind: 'local', confinement: { required: true } };
    mkdirSync(join(scratch, 'bed/home'), { recursive: true });
    writeFileSync(
      join(scratch, 'bed/home/machines.json'),
      JSON.stringify({ version: 1, machines: [local] }),
    );
    bed = await testEngine(model, {
      folder: join(scratch, 'bed'),
      settings: { permissionMode: 'mandate', idleTurns: 10_000 },
    });
    const here = (world = await createWorld(folder, bed.work, bed.home));
    const judge = (turn: readonly ScriptedCall[]): void => {
      const wrongs = here.wrongs().filter((wrong) => !problems.includes(wrong));
      if (wrongs.length > 0)
        problems.push(...wrongs, ...turn.map((call) => `  after ${JSON.stringify(call)}`));
    };
    for (const make of Object.values(kinds))
      for (let made = 0; made < callsPerKind; made += 1) add(turns, make(here.places, next));
    for (const way of Object.values(ways)) add(turns, way(here.places));
    const session = await bed.start();
    await done.promise;
    await session.stop({ killRuns: true });
    const sent = JSON.stringify(model.requests);
    assert.deepEqual([...problems, ...here.left()], []);
    assert.ok(!sent.includes(secretMark), 'a secret was sent to the model');
    const finished = eventsOf(session, 'tool.finished');
    assert.ok(finished.length >= callsPerKind * Object.keys(kinds).length);
    console.info(`      ${summaryOf(finished)}`);
  });
});

/** Adds calls to the last turn. Those after a call that ends its turn begin a new one. */
function add(turns: ScriptedCall[][], calls: readonly ScriptedCall[]): void {
  for (const call of calls) {
    const last = turns.at(-1);
    const isFull = last === undefined || last.length >= maxCallsPerTurn;
    if (isFull || last.at(-1)?.name === 'sleep') turns.push([call]);
    else last.push(call);
  }
}

const summaryOf = (finished: readonly { readonly isError: boolean }[]): string =>
  `${finished.length} calls, ${finished.filter(({ isError }) => isError).length} refused or failed`;
