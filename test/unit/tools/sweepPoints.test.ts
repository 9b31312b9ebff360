import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'mocha';
import { pointsOf } from '../../../src/tools/runs/sweepPoints.ts';
import { fill, parseTemplate, placesOf } from '../../../src/tools/runs/sweepTemplate.ts';

const filled = (template: string, params: Record<string, string | number | boolean>): string =>
  fill(parseTemplate(template), params);
const commands = (...args: Parameters<typeof pointsOf>): string[] =>
  pointsOf(...args).points.map((one) => one.command);
/** What the shell makes of it. */
const words = (command: string): string =>
  execFileSync('bash', ['-c', command], { encoding: 'utf8' });

describe('command templates', () => {
  it('put values where their names are, and leave every other brace alone', () => {
    const kept = 'echo ${HOME} ${lr} {a,b} {1..3} {} {{.Id}} {"k": {"v": 1}} { print $1 } ${#x}';
    assert.equal(filled(kept, { lr: 1 }), kept);
    assert.equal(filled('{lr} {{lr}} {"lr":{lr}}', { lr: 0.1 }), '0.1 {lr} {"lr":0.1}');
    assert.deepEqual(placesOf(parseTemplate('{b} {a} {b} {{c}} ${d}')), ['b', 'a']);
  });

  it('make each value one word, wherever its place stands', () => {
    const nasty = `a b'c"d$HOME\`x\`\\e;f*`;
    for (const place of [`{v}`, `'{v}'`, `"{v}"`, `x={v}; echo "$x"\nprintf %s {v}`]) {
      const command = `printf '%s' ${place}`
        .replace(`printf '%s' x=`, 'x=')
        .replace('; echo "$x"\n', '; ');
      assert.equal(words(filled(command, { v: nasty })), nasty, place);
    }
    assert.equal(words(filled(`# it's not a quote\nprintf %s {v}`, { v: nasty })), nasty);
    assert.equal(words(filled(`echo it\\'s; printf %s {v}`, { v: nasty })), `it's\n${nasty}`);
    assert.equal(filled('x {n} {b} {e}', { n: -3e-7, b: true, e: '' }), "x -3e-7 true ''");
  });
});

describe('points of a sweep', () => {
  it('are every combination, in the order of the names', () => {
    const { points, names } = pointsOf('t {lr} {opt}', {
      params: { lr: [1e-3, 3e-4], opt: ['adam', 'sgd'] },
    });
    assert.deepEqual(names, ['lr', 'opt']);
    assert.deepEqual(
      points.map(({ command, label }) => [command, label]),
      [
        ['t 0.001 adam', 'lr=1e-3 opt=adam'],
        ['t 0.001 sgd', 'lr=1e-3 opt=sgd'],
        ['t 0.0003 adam', 'lr=3e-4 opt=adam'],
        ['t 0.0003 sgd', 'lr=3e-4 opt=sgd'],
      ],
    );
  });

  it('are labelled by what differs', () => {
    const [one] = pointsOf('t {lr} {n} {x}', {
      params: { lr: [0.1, 0.5], n: [64], x: ['a b'] },
    }).points;
    assert.equal(one?.label, 'lr=0.1');
    assert.equal(pointsOf('t {n}', { params: { n: [1_000_000] } }).points[0]?.label, 'n=1e6');
  });

  it('keep the command without a seed that is no option of it', () => {
    const settings = (command: string) =>
      pointsOf(command, { seeds: [0, 1] }).points.map(({ setting }) => setting);
    assert.deepEqual(settings('t {seed}'), ['t SEED', 't SEED']);
    assert.deepEqual(settings('t --seed {seed}'), [undefined, undefined]);
  });

  it('are repeated with each seed, with or without other parameters', () => {
    const template = 'train --lr {lr} --seed {seed}';
    assert.deepEqual(commands('train --seed {seed}', { seeds: [0, 7] }), [
      'train --seed 0',
      'train --seed 7',
    ]);
    assert.deepEqual(commands(template, { params: { lr: [1, 2] }, seeds: [0, 1] }), [
      'train --lr 1 --seed 0',
      'train --lr 1 --seed 1',
      'train --lr 2 --seed 0',
      'train --lr 2 --seed 1',
    ]);
    assert.equal(
      commands(template, { points: [{ lr: 3 }], seeds: [4] })[0],
      'train --lr 3 --seed 4',
    );
    assert.throws(
      () => commands('train', { seeds: [0, 1] }),
      /write \{seed\} where its value belongs/,
    );
    assert.throws(
      () => commands(template, { params: { lr: [1], seed: [1] }, seeds: [0] }),
      /as seeds or as a parameter, not both/,
    );
    assert.throws(
      () => commands(template, { points: Array(1_500).fill({ lr: 1 }), seeds: [0, 1] }),
      /These are 3000 combinations/,
    );
  });

  it('are the seeds of one setting where params is empty', () => {
    const { points } = pointsOf('train --seed {seed}', { params: {}, seeds: [0, 1] });
    assert.deepEqual(
      points.map(({ command }) => command),
      ['train --seed 0', 'train --seed 1'],
    );
  });

  it('are drawn alike from the same seed, within their bounds', () => {
    const params = {
      lr: { type: 'log_uniform', min: 1e-5, max: 1e-1 },
      drop: { type: 'uniform', min: 0, max: 0.5 },
      layers: { type: 'int', min: 2, max: 4 },
      opt: { type: 'choice', values: ['adam', 'sgd'] },
    } as const;
    const draw = (seed: number) =>
      pointsOf('t {lr} {drop} {layers} {opt}', {
        random: {
          params: { ...params, opt: { type: 'choice', values: ['adam', 'sgd'] } },
          count: 200,
          seed,
        },
      });
    const { points } = draw(7);
    assert.deepEqual(draw(7), draw(7));
    assert.notDeepEqual(points, draw(8).points);
    const lrs = points.map((one) => Number(one.params.lr));
    assert.ok(lrs.every((lr) => lr >= 1e-5 && lr <= 1e-1));
    // Half of the draws lie below the middle of the decades.
    const low = lrs.filter((lr) => lr < 1e-3).length;
    assert.ok(low > 70 && low < 130, `${low}`);
    assert.deepEqual([...new Set(points.map((one) => one.params.layers))].toSorted(), [2, 3, 4]);
    assert.ok(
      points.every((one) => Number(one.params.drop) >= 0 && Number(one.params.drop) <= 0.5),
    );
    assert.deepEqual([...new Set(points.map((one) => one.params.opt))].toSorted(), ['adam', 'sgd']);
  });

  it('are run once where two are equal, and it is said', () => {
    const { points, duplicates } = pointsOf('t {a}', { params: { a: [1, 2, 1, '1'] } });
    assert.deepEqual([points.length, duplicates], [2, 2]);
    const drawn = pointsOf('t {a}', {
      random: { params: { a: { type: 'int', min: 1, max: 3 } }, count: 50, seed: 0 },
    });
    assert.deepEqual([drawn.points.length, drawn.duplicates], [3, 47]);
  });

  it('can be a list, which must be even', () => {
    assert.deepEqual(
      commands('t {a} {b}', {
        points: [
          { a: 1, b: 2 },
          { b: 4, a: 3 },
        ],
      }),
      ['t 1 2', 't 3 4'],
    );
    assert.throws(
      () => commands('t {a}', { points: [{ a: 1 }, { a: 1, b: 2 }] }),
      /Every point needs the same/,
    );
  });

  it('are refused before anything runs when something is missing, unused, too much or ambiguous', () => {
    const refused: readonly (readonly [RegExp, Parameters<typeof pointsOf>])[] = [
      [
        /has \{bs\} without a value.*Parameters: lr.*write \{\{bs\}\}/,
        ['t {lr} {bs}', { params: { lr: [1] } }],
      ],
      [/does not use bs/, ['t {lr} ${bs}', { params: { lr: [1], bs: [2] } }]],
      [/10201 combinations.*at most 1000/, ['{a} {b}', { params: { a: upTo(101), b: upTo(101) } }]],
      [/exactly one of/, ['{a}', { params: { a: [1] }, points: [{ a: 1 }] }]],
      [/exactly one of/, ['{a}', {}]],
      [/params is empty/, ['t', { params: {} }]],
    ];
    for (const [why, args] of refused) assert.throws(() => pointsOf(...args), why);
  });
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
