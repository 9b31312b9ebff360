import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { commandForm } from '../../../src/experiments/commandForm.ts';
import { random } from '../../fakes/random.ts';

const exact = (command: string): string => commandForm(command).exact;
const near = (command: string): string => commandForm(command).near;

describe('form of a command', () => {
  const plain = 'python train.py --lr 3e-4 --bs 64 data/tiny';
  const same: Readonly<Record<string, string>> = {
    'the order of options': 'python train.py data/tiny --bs 64 --lr 3e-4',
    spaces: '  python   train.py --lr   3e-4\t--bs 64 data/tiny ',
    'continued lines': 'python train.py \\\n  --lr 3e-4 \\\n  --bs 64 data/tiny',
    quotes: `"python" 'train.py' --lr '3e-4' "--bs" 64 "data"/tiny`,
    'an equals sign': 'python train.py --lr=3e-4 --bs=64 data/tiny',
    'how numbers are written': 'python train.py --lr .0003 --bs 64.0 data/tiny',
    'the interpreter’s name and flags': 'python3.11 -u train.py --lr 3e-4 --bs 64 data/tiny',
    'where the output goes': 'python train.py --lr 3e-4 --bs 64 data/tiny > /tmp/log.txt 2>&1',
    'a copy of the output': 'python train.py --lr 3e-4 --bs 64 data/tiny 2>&1 | tee -a run.log',
    'folders for outputs':
      'mkdir -p out/a && python train.py --lr 3e-4 --bs 64 data/tiny --output_dir out/a',
    'what the run is called':
      'python train.py --run-name second --lr 3e-4 --bs 64 --wandb-project p data/tiny',
    'what starts it': 'nohup nice -n 5 python train.py --lr 3e-4 --bs 64 data/tiny',
    'GPUs and buffering':
      'CUDA_VISIBLE_DEVICES=1 PYTHONUNBUFFERED=1 python train.py --lr 3e-4 --bs 64 data/tiny',
    comments: 'python train.py --lr 3e-4 --bs 64 data/tiny # once more',
  };
  for (const [what, command] of Object.entries(same))
    it(`does not depend on ${what}`, () => assert.equal(exact(command), exact(plain)));

  const different: Readonly<Record<string, string>> = {
    'another value': 'python train.py --lr 3e-3 --bs 64 data/tiny',
    'another option': 'python train.py --lr 3e-4 --bs 64 --warmup 10 data/tiny',
    'one option less': 'python train.py --lr 3e-4 data/tiny',
    'another file': 'python train.py --lr 3e-4 --bs 64 data/large',
    'another program': 'python train2.py --lr 3e-4 --bs 64 data/tiny',
    'a variable that the program reads': 'DROPOUT=0.1 python train.py --lr 3e-4 --bs 64 data/tiny',
    'another seed': 'python train.py --lr 3e-4 --bs 64 data/tiny --seed 2',
  };
  for (const [what, command] of Object.entries(different))
    it(`is another one with ${what}`, () => assert.notEqual(exact(command), exact(plain)));

  it('knows assignments as arguments and before the program, in any order', () => {
    assert.equal(exact('A=1 B=x ./run.sh lr=1e-3 bs=8'), exact('B=x A=1.0 run.sh bs=8 lr=.001'));
    assert.equal(exact('export A=1 && ./run.sh'), exact('export A="1"; ./run.sh'));
    assert.notEqual(exact('A=1 ./run.sh'), exact('A=2 ./run.sh'));
  });

  it('keeps the order of places, and of one option given twice', () => {
    assert.notEqual(exact('cp a b'), exact('cp b a'));
    assert.notEqual(exact('t --add a --add b'), exact('t --add b --add a'));
  });

  it('takes a negative number for a value, and leaves alone what no number holds', () => {
    assert.notEqual(exact('t --shift -1 x'), exact('t --shift x'));
    assert.notEqual(exact('t --id 00000000000000000000012'), exact('t --id 12'));
    assert.notEqual(exact('t --n 9007199254740993'), exact('t --n 9007199254740992'));
  });

  it('is near where only the seed, the workers or the words of the log differ, and tells the seed', () => {
    const one = 'python train.py --lr 3e-4 --seed 3 --num-workers 2 --log-interval 10';
    assert.equal(near(one), near('python train.py --seed=4 --lr 0.0003 --device cuda:1'));
    assert.notEqual(exact(one), exact('python train.py --seed=4 --lr 0.0003'));
    assert.notEqual(near(one), near('python train.py --seed=4 --lr 0.003'));
    assert.equal(commandForm(one).seed, '3');
    assert.equal(commandForm('SEED=7 python train.py').seed, '7');
    assert.equal(commandForm('python train.py seed=9').seed, '9');
    assert.equal(commandForm('python train.py --lr 1').seed, undefined);
  });

  it('leaves what only a shell can tell as it is written, but for its spaces', () => {
    for (const command of [
      'for s in 1 2; do t --s $s; done',
      't $(date)',
      't <<X\nlr 1\nX',
      't "open',
      't `date`',
    ]) {
      assert.equal(exact(command), command.replace(/\s+/g, ' '));
      assert.equal(exact(command), exact(` ${command}  `));
    }
  });

  it('is the same for plain words as where the parser reads them', () => {
    const parts = ['--lr=3e-4', '--seed', '7', 'lr=.5', '-u', '-m', 'x.y', './a_b/c:1', 'p@1,2%'];
    const next = random(7);
    for (let round = 0; round < 300; round += 1) {
      const words = Array.from({ length: 6 }, () => parts[Math.floor(next() * parts.length)]);
      const head = ['', 'A=1 ', 'CUDA_VISIBLE_DEVICES=0,1 B=x/y '][round % 3] ?? '';
      const command = `${head}python3.11 ${words.join(' ')}`;
      assert.deepEqual(commandForm(command), commandForm(`${command} `), command);
    }
  });

  it('knows a program in quotes as one word', () => {
    const program = `awk 'BEGIN { for (i = 1; i <= 3; i++) printf "loss=%f\\n", i }'`;
    assert.equal(exact(program), exact(`${program} > out.txt`));
    assert.notEqual(exact(program), exact(program.replace('i <= 3', 'i <= 4')));
  });

  it('tells the folder that the command goes to by itself', () => {
    assert.equal(commandForm('cd sub/a && python t.py').folder, 'sub/a');
    assert.equal(exact('cd sub && python t.py'), exact('python t.py'));
  });
});
