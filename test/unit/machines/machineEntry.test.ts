import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  parseMachineSpec,
  placeText,
  suggestedId,
  type MachinePlace,
} from '../../../src/machines/machineEntry.ts';

describe('parseMachineSpec', () => {
  const understood: [string, MachinePlace, string?][] = [
    ['ada@gpu1', { host: 'gpu1', user: 'ada' }],
    ['ada@gpu1.lab.org:2222', { host: 'gpu1.lab.org', user: 'ada', port: 2222 }],
    [' gpu1 ', { host: 'gpu1' }, 'gpu1'],
    ['10.0.0.5:22', { host: '10.0.0.5', port: 22 }],
    ['[::1]:2222', { host: '::1', port: 2222 }],
    ['ada@[fe80::1%eth0]', { host: 'fe80::1%eth0', user: 'ada' }, 'ada@fe80::1%eth0'],
    ['::1', { host: '::1' }],
    ['ada@2001:db8::7', { host: '2001:db8::7', user: 'ada' }],
    ['ssh://ada@gpu1:22', { host: 'gpu1', user: 'ada', port: 22 }, 'ada@gpu1:22'],
    ['lab', { alias: 'lab' }],
    ['ada@lab:23', { alias: 'lab', user: 'ada', port: 23 }],
  ];
  for (const [text, place, again = text] of understood)
    it(`understands ${text}`, () => {
      assert.deepEqual(parseMachineSpec(text, ['lab']), place);
      assert.equal(placeText(place), again);
    });

  for (const text of [
    '',
    '@gpu1',
    'ada@',
    'gpu1:',
    'gpu1:0',
    'gpu1:99999',
    'gpu1:ssh',
    'a b',
    '[::1',
    '[gpu1]:22',
    '-oX=y',
    'a@-b',
    'a@b@c',
    'gpu1/x',
    '-l@gpu1',
  ])
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseMachineSpec(text), {
        reason: 'user',
        message: /is not a host/,
        action: /user@host:2222/,
      });
    });
});

describe('suggestedId', () => {
  it('is the name of the host, and free', () => {
    assert.equal(suggestedId({ host: 'gpu1.lab.org' }, []), 'gpu1');
    assert.equal(suggestedId({ alias: 'my lab' }, []), 'my-lab');
    assert.equal(suggestedId({ host: '10.0.0.5' }, ['10.0.0.5', '10.0.0.5-2']), '10.0.0.5-3');
    assert.equal(suggestedId({ host: '::1' }, []), '1');
    assert.equal(suggestedId({ host: 'local' }, []), 'local-2');
  });
});
