import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';
import {
  namedRequirements,
  exampleCommand,
  requirementTexts,
  requirementsForUser,
  uncheckedTexts,
  runsCheck,
} from '../../../../src/experiments/target/requirements.ts';

const nothing = { unchanged: [], unread: [], checks: [] };
const unchanged = (...files: string[]) => ({ ...nothing, unchanged: files });
const beside = (files: string[], ...unread: string[]) => ({ ...unchanged(...files), unread });
const checks = (...programs: string[]) => ({ ...nothing, checks: programs });

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
  ['check.py muss auch weiter bestehen', checks('check.py')],
  [
    'Bring time_ms of solve.py below 20. check.py must still pass, leave bench.py alone.',
    { ...unchanged('bench.py'), checks: ['check.py'] },
  ],
  ['Leave check.py and the split alone.', beside(['check.py'], 'the split')],
  ['Leave the split and check.py alone', beside(['check.py'], 'the split')],
  [
    'Leave check.py, data.py and the test split as they are.',
    beside(['check.py', 'data.py'], 'the test split'),
  ],
  ['Leave check.py and data splits alone', beside(['check.py'], 'data splits')],
  ['Leave check.py and the split in data.py alone', beside(['check.py'], 'the split in data.py')],
  ['Leave check.py and everything else alone', beside(['check.py'], 'everything else')],
  [
    'Keep the seeds, check.py and the split unchanged',
    beside(['check.py'], 'the seeds', 'the split'),
  ],
  ['Leave eval.py and tests/ alone', beside(['eval.py'], 'tests/')],
  ['Leave check.py as well as the split alone', beside(['check.py'], 'the split')],
  ['Please leave both `check.py` & the split alone', beside(['check.py'], 'the split')],
  ["Leave check.py and the model's head alone", beside(['check.py'], "the model's head")],
  [
    'You must not touch check.py, the split, or the seeds.',
    beside(['check.py'], 'the split', 'the seeds'),
  ],
  [
    'Never edit prepare.py or the evaluation; tune train.py',
    beside(['prepare.py'], 'the evaluation'),
  ],
  [
    'Only edit train.py, leave prepare.py and the metric alone',
    beside(['prepare.py'], 'the metric'),
  ],
  ["Keep the parameters and train.py's options the same", nothing],
  ['Do not change either check.py or the split', beside(['check.py'], 'the split')],
  ['Verändere weder check.py noch den Split.', beside(['check.py'], 'den Split')],
  ['Lass check.py sowie den Split in Ruhe', beside(['check.py'], 'den Split')],
  ['Leave the check.py alone', unchanged('check.py')],
  ['Do not touch check.py or the split.', beside(['check.py'], 'the split')],
  ["Don't change the split or check.py", beside(['check.py'], 'the split')],
  ['Do not change check.py or data splits, please', beside(['check.py'], 'data splits')],
  [
    'Reach 0.9 without changing check.py or the data and seeds 0 to 2',
    beside(['check.py'], 'the data'),
  ],
  [
    'Do not change check.py or the options of train.py',
    beside(['check.py'], 'the options of train.py'),
  ],
  ['Do not change check.py, the model should stay small', unchanged('check.py')],
  ['Do not change check.py and train.py may be edited', unchanged('check.py')],
  ['Do not change check.py, train.py is yours', unchanged('check.py')],
  ['Do not change check.py or you lose.', unchanged('check.py')],
  ['Do not change check.py and train the model longer', unchanged('check.py')],
  ['check.py and the split must stay unchanged', beside(['check.py'], 'the split')],
  ['Reach 0.9. The split and check.py must not be changed.', beside(['check.py'], 'The split')],
  ['Reach 0.9, but check.py and the data must not be touched', beside(['check.py'], 'the data')],
  ['Improve the score and check.py must not be changed', unchanged('check.py')],
  ['Run train.py and the split must stay unchanged', nothing],
  ['Do not change any file but train.py', nothing],
  ['Do not change any files other than train.py and model.py', nothing],
  ['Leave everything but train.py alone', nothing],
  ['Leave everything except train.py and model.py alone', nothing],
  ['Leave all files besides train.py and model.py alone', nothing],
  ['Keep the model as it is and edit train.py', nothing],
  ['Keep improving train.py and the model', nothing],
  ['Lass check.py und den Split in Ruhe', beside(['check.py'], 'den Split')],
  ['Lasse die Aufteilung und check.py unverändert.', beside(['check.py'], 'die Aufteilung')],
  ['Ohne check.py oder den Split zu ändern auf 0.9 kommen', beside(['check.py'], 'den Split')],
  [
    'Ändere check.py und die Aufteilung der Daten nicht.',
    beside(['check.py'], 'die Aufteilung der Daten'),
  ],
  ['Fass check.py und den Split nicht an', beside(['check.py'], 'den Split')],
  ['Bitte check.py und den Split nicht anfassen', beside(['check.py'], 'den Split')],
  ['check.py und der Split dürfen nicht verändert werden', beside(['check.py'], 'der Split')],
  ['check.py und die Daten bleiben unverändert', beside(['check.py'], 'die Daten')],
  ['Ändere nur train.py', nothing],
  ['Ändere train.py, aber nicht die Daten', nothing],
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
    const parts = [
      'a.py and ',
      'keep a.b',
      'not change ',
      'a',
      '.',
      'tests ',
      'check.py must ',
      'leave the a and ',
      'the a b ',
      'not change the a ',
      'leave a b ',
      'ändere a, ',
    ];
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

  const later: readonly [demand: string, target: string, isStated: boolean][] = [
    ['höchstens 2,1, gemittelt über Seeds 0-2', 'val_bpc <= 2.1, mean over seeds 0, 1, 2', true],
    ['at most 2.1, mean over three seeds', 'val_bpc <= 2.1, mean over 3 seeds', true],
    ['at most 2.1, mean over five seeds', 'val_bpc <= 2.1, mean over 3 seeds', false],
    ['Halbiere die Bits pro Zeichen', 'val_bpc <= 0.5 × the baseline', true],
    ['by at least 20 %', 'val_bpc <= 0.8 × the baseline', true],
    ['um 30 % senken', 'val_bpc <= 0.8 × the baseline', false],
    ['must fit in 2 GB', 'val_bpc <= 0.5 × the baseline', false],
    ['at most 2 epochs', 'val_bpc <= 2.1, mean over seeds 0, 1, 2', false],
    ['use only numpy', 'val_bpc <= 2.1', false],
  ];
  for (const [demand, target, isStated] of later)
    it(`${isStated ? 'leaves out' : 'names'} "${demand}" where the target is ${target}`, () => {
      const named = uncheckedTexts({ unchecked: [demand] }, readTarget(target));
      assert.deepEqual(named, isStated ? [] : [demand]);
    });

  const replaced: readonly (readonly [demand: string, isNamed: boolean])[] = [
    ['at least 8 % below the baseline on host gpu1', false],
    ['val_loss within 3 % of the best paper', false],
    ['at most 6 epochs a run', true],
    ['use only numpy', true],
  ];
  for (const [demand, isNamed] of replaced)
    it(`${isNamed ? 'names' : 'leaves out'} "${demand}" where the user replaced the target`, () => {
      const target = readTarget('val_loss <= 0.77 × the baseline and val_acc >= 0.9');
      const namedFor = (targetBy: 'agent' | 'person'): readonly string[] =>
        uncheckedTexts({ unchecked: [demand] }, target, targetBy);
      assert.deepEqual(namedFor('person'), isNamed ? [demand] : []);
      assert.deepEqual(namedFor('agent'), [demand]);
    });

  it('is told in a few words', () => {
    const files = [{ path: 'bench.py', sha256: 'ab' }];
    assert.deepEqual(requirementTexts({ unchanged: files, checks: ['check.py', 'tests'] }), [
      'bench.py unchanged',
      'check.py passes',
      'tests pass',
    ]);
    assert.deepEqual(
      requirementsForUser({ unchanged: files, checks: [], unread: ['the split', 'the data'] }),
      ['bench.py unchanged', 'not checked by Helios: the split unchanged, the data unchanged'],
    );
  });
});
