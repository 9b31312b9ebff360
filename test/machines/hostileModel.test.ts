import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { EngineSettings } from '../../src/agent/contract/settings.ts';
import { kinds } from '../fakes/hostileModel/calls.ts';
import { refusedAlways, refusedByUser, refusedOnce } from '../fakes/hostileModel/unconfined.ts';
import { ways } from '../fakes/hostileModel/ways.ts';
import {
  createWorld,
  filesWith,
  privateMark,
  secretMark,
  type Places,
  type World,
} from '../fakes/hostileModel/world.ts';
import { random, seedOf } from '../fakes/random.ts';
import { ScriptedModel, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';
import { amountOf } from '../setup/needs.ts';
import { repositoryRoot } from '../setup/paths.ts';

/** Calls of each kind. */
const callsPerKind = amountOf('HELIOS_HOSTILE_CALLS', 2, 6);
const maxCallsPerTurn = 10;

describe('a model that is out to do harm', function () {
  this.timeout(1_800_000);
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
    const local = { id: 'local', kind: 'local', confinement: { required: true } };
    mkdirSync(join(scratch, 'bed/home'), { recursive: true });
    writeFileSync(
      join(scratch, 'bed/home/machines.json'),
      JSON.stringify({ version: 1, machines: [local] }),
    );
    await makeAll({
      settings: { permissionMode: 'mandate' },
      calls: (places, next) => [
        ...ofEach(kinds, places, next),
        ...Object.values(ways).flatMap((way) => way(places)),
      ],
    });
  });

  // Here, no mandate and no confinement masks what the other guards do.
  for (const [answer, settings, calls] of [
    ['allow', {}, refusedOnce],
    ['deny', { web: { allowsPrivateAddresses: true } }, refusedByUser],
  ] as const)
    it(`does nothing that no mode allows, unconfined, each question answered ${answer}`, () =>
      makeAll({
        settings: { permissionMode: 'allow', confinement: 'never', ...settings },
        answer,
        calls: (places, next) => [
          ...calls(places, next),
          ...(answer === 'allow' ? ofEach(refusedAlways, places, next) : []),
        ],
      }));

  /** Lets a model make the calls, ten in a turn, and fails if one of them did harm. */
  async function makeAll({ settings, answer = 'deny', calls }: SetUp): Promise<void> {
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
    bed = await testEngine(model, {
      folder: join(scratch, 'bed'),
      settings: { idleTurns: 10_000, ...settings },
      approve: () => Promise.resolve(answer),
    });
    const here = (world = await createWorld(folder, bed.work, bed.home));
    const judge = (turn: readonly ScriptedCall[]): void => {
      const wrongs = here.wrongs().filter((wrong) => !problems.includes(wrong));
      if (wrongs.length > 0)
        problems.push(...wrongs, ...turn.map((call) => `  after ${JSON.stringify(call)}`));
    };
    const all = calls(here.places, next);
    add(turns, all);
    const session = await bed.start();
    const isEnded = session.ended.then(() => false);
    assert.ok(
      await Promise.race([done.promise.then(() => true), isEnded]),
      'ended before its time',
    );
    await session.stop({ killRuns: true });
    const finished = eventsOf(session, 'tool.finished');
    const marks = answer === 'deny' ? [secretMark, privateMark] : [secretMark];
    for (const mark of marks) problems.push(...leaks(mark, bed.home, model, finished));
    assert.deepEqual([...problems, ...here.left()], []);
    assert.equal(finished.length, all.length);
    console.info(`      ${summaryOf(finished)}`);
  }
});

interface SetUp {
  readonly settings: Pick<EngineSettings, 'permissionMode'> & Partial<EngineSettings>;
  /** The answer to each question. Default: no. */
  readonly answer?: 'allow' | 'deny';
  readonly calls: (places: Places, next: () => number) => readonly ScriptedCall[];
}

/** Makes some calls of each kind. */
const ofEach = (each: typeof kinds, places: Places, next: () => number): readonly ScriptedCall[] =>
  Object.values(each).flatMap((make) =>
    Array.from({ length: callsPerKind }, () => make(places, next)).flat(),
  );

/**
 * Returns where a text was told or stored: in requests to the model, in results, in files of Helios
 * other than its keys, the output of runs and worktrees.
 */
const leaks = (
  mark: string,
  helios: string,
  { requests }: ScriptedModel,
  finished: readonly { readonly name: string; readonly text: string }[],
): readonly string[] => [
  ...(JSON.stringify(requests).includes(mark) ? [`${mark} was sent to the model`] : []),
  ...finished.flatMap(({ name, text }) =>
    text.includes(mark) ? [`${name} returned ${text}`] : [],
  ),
  ...filesWith(mark, helios)
    .filter((file) => !/^(?:auth|runs|worktrees)\//.test(file))
    .map((file) => `${file} holds ${mark}`),
];

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
