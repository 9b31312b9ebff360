import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { assertInProportion } from '../../../fakes/proportion.ts';
import {
  namedRequirements,
  exampleCommand,
  requirementTexts,
  runsCheck,
} from '../../../../src/experiments/target/requirements.ts';

const unchanged = (...files: string[]) => ({ unchanged: files, checks: [] });
const checks = (...programs: string[]) => ({ unchanged: [], checks: programs });
const nothing = { unchanged: [], checks: [] };

/** A goal, and what it asks for besides numbers. */
const goals: readonly [string, ReturnType<typeof namedRequirements>][] = [
  ['Make bench.py 20 times faster. Leave bench.py alone.', unchanged('bench.py')],
  ['leave bench.py as it is and lower the time', unchanged('bench.py')],
  ['Keep check.py and data/moons.csv unchanged.', unchanged('check.py', 'data/moons.csv')],
  ['Do not change bench.py or check.py', unchanged('bench.py', 'check.py')],
  ["Don't touch eval.py, please", unchanged('eval.py')],
  ['Please do not ever modify `src/eval.py`.', unchanged('src/eval.py')],
  ['Get it below 2 s without changing the file bench.py.', unchanged('bench.py')],
  ['never edit anything in data.py', unchanged('data.py')],
  ['bench.py must stay unchanged', unchanged('bench.py')],
  ['bench.py and check.py must not be changed', unchanged('bench.py', 'check.py')],
  ["eval.py shouldn't be modified", unchanged('eval.py')],
  ['bench.py has to stay as it is.', unchanged('bench.py')],
  ['Ohne bench.py zu ändern unter 2 s kommen', unchanged('bench.py')],
  ['bench.py darf nicht verändert werden', unchanged('bench.py')],
  ['Lass eval.py unverändert', unchanged('eval.py')],
  ['eval.py bleibt unverändert', unchanged('eval.py')],
  ['Bitte eval.py nicht anfassen', unchanged('eval.py')],
  ['Make solve.py 20 times faster; check.py must still pass.', checks('check.py')],
  ['Raise val_acc while pytest passes', checks('pytest')],
  ['speed it up, all tests must pass', checks('tests')],
  ['make test must succeed', checks('make test')],
  ['check.py has to keep passing', checks('check.py')],
  ['so that tests/check.sh still passes', checks('tests/check.sh')],
  ['check.py muss weiterhin durchlaufen', checks('check.py')],
  [
    'Bring time_ms of solve.py below 20. check.py must still pass, leave bench.py alone.',
    { unchanged: ['bench.py'], checks: ['check.py'] },
  ],
  ['You may change train.py as you like.', nothing],
  ['Change only train.py', nothing],
  ['Do not only change train.py: look at the data, too', nothing],
  ["Do not change train.py's options", nothing],
  ['bring val_loss of train.py below 0.3', nothing],
  ['Keep the rules of README.md', nothing],
  ['train.py must reach 95 % accuracy', nothing],
  ['the loss must not change by more than 0.5', nothing],
  ['pass --lr 0.1 to train.py', nothing],
];

describe('what a goal asks for besides numbers', () => {
  for (const [goal, expected] of goals)
    it(`reads: ${goal}`, () => assert.deepEqual(namedRequirements(goal), expected));

  it('reads a long text in linear time', () => {
    const parts = ['a.py and ', 'keep a.b', 'not change ', 'a', '.', 'tests ', 'check.py must '];
    for (const part of parts) {
      const text = part.repeat(20_000 / part.length);
      assertInProportion(
        (share) => namedRequirements(text.slice(0, text.length * share)),
        `"${part}" repeated`,
      );
    }
  });

  it('tells a command that runs the check from one that names it', () => {
    const running = [
      ['python3 check.py', 'check.py'],
      ['python check.py --fast', 'check.py'],
      ['./check.py', 'check.py'],
      ['OMP_NUM_THREADS=1 python3 -u check.py', 'check.py'],
      ['timeout 60 bash tests/check.sh', 'tests/check.sh'],
      ['uv run python check.py', 'check.py'],
      ['python3 -m pytest -q', 'pytest'],
      ['pytest -q tests', 'pytest'],
      ['make test', 'make test'],
      ['python3 -m unittest', 'tests'],
      ['npm test', 'tests'],
    ] as const;
    for (const [command, check] of running) assert.ok(runsCheck(command, check), command);
    const others = [
      ['echo check.py', 'check.py'],
      ['true check.py', 'check.py'],
      ['python3 check.py || true', 'check.py'],
      ['python3 check.py; true', 'check.py'],
      ['python3 other.py check.pyc', 'check.py'],
      ['python3 mycheck.py', 'check.py'],
      ['make build', 'make test'],
      ['ls tests', 'tests'],
      ['', 'check.py'],
    ] as const;
    for (const [command, check] of others) assert.ok(!runsCheck(command, check), command);
  });

  it('gives an example of a command where it is certain', () => {
    assert.deepEqual(
      ['check.py', 'a/b.sh', 'pytest', 'make test', 'tests', 'run.bin'].map(exampleCommand),
      ['python3 check.py', 'sh a/b.sh', 'pytest', 'make test', undefined, undefined],
    );
  });

  it('is told in a few words', () => {
    const files = [{ path: 'bench.py', sha256: 'ab' }];
    assert.deepEqual(requirementTexts({ unchanged: files, checks: ['check.py', 'tests'] }), [
      'bench.py unchanged',
      'check.py passes',
      'tests pass',
    ]);
  });
});
