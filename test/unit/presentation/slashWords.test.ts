import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isQuestion } from '../../../src/presentation/questions.ts';
import { slashWord, unknownWordText } from '../../../src/presentation/slashWords.ts';

describe('words with a slash', () => {
  it('are a word at the start, and no path', () => {
    assert.deepEqual(
      [
        '/help',
        '  /Memory /best',
        '/claude-mode cli',
        '/',
        '/data/train.py is slow',
        'a /b',
        '/2',
      ].map(slashWord),
      ['help', 'memory', 'claude-mode', undefined, undefined, undefined, undefined],
    );
  });

  it('that are unknown come with the nearest known ones', () => {
    const known = ['status', 'stop', 'sticky', 'stickies'];
    assert.equal(
      unknownWordText('statu', known),
      'There is no command /statu. Did you mean /status?',
    );
    assert.equal(unknownWordText('banana', known), 'There is no command /banana.');
  });
});

describe('a question', () => {
  const questions = [
    'What does train.py log?',
    'why did run 7 fail?',
    'Is there a GPU on this machine?',
    'Wie groß ist der Datensatz?',
  ];
  for (const text of questions) it(text, () => assert.ok(isQuestion(text)));

  const work = [
    'train a GPT on TinyStories to loss < 1.0',
    'Can you make train.py faster?',
    'How low can you bring val_loss? Below 0.3 would do, is that possible: val_loss < 0.3?',
    'What about a smaller model',
    'improve the baseline?',
  ];
  for (const text of work) it(`is not: ${text}`, () => assert.ok(!isQuestion(text)));
});
