import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { plainStyle, styleFor } from '../../../src/cli/screen/style.ts';
import { forTerminal } from '../../../src/cli/screen/terminalText.ts';

describe('colours of the terminal', () => {
  const colours = styleFor(true, {});

  it('end what they begin, and nothing else', () => {
    const { dim, bold, good, bad, accent } = colours;
    assert.deepEqual(
      [dim, bold, good, bad, accent].map((style) => forTerminal(style('x'))),
      [
        '\u001b[2mx\u001b[22m',
        '\u001b[1mx\u001b[22m',
        '\u001b[32mx\u001b[39m',
        '\u001b[31mx\u001b[39m',
        '\u001b[36mx\u001b[39m',
      ],
    );
    assert.equal(
      forTerminal(bold(`a ${bad('b')} c`)),
      '\u001b[1ma \u001b[31mb\u001b[39m c\u001b[22m',
    );
  });

  it('are the only escape codes that reach a terminal', () => {
    const { bold } = colours;
    assert.equal(
      forTerminal(`${bold('\u001b[31mx\r\n\u202e')}\u001b[1m`),
      '\u001b[1m\\u001b[31mx\n\\u202e\u001b[22m\\u001b[1m',
    );
  });

  const plain: [string, boolean, Record<string, string>][] = [
    ['the output is no terminal', false, {}],
    ['the output is no terminal, whatever is forced', false, { FORCE_COLOR: '1' }],
    ['NO_COLOR is set', true, { NO_COLOR: '1' }],
    ['the terminal is dumb', true, { TERM: 'dumb' }],
  ];
  for (const [when, isTTY, env] of plain)
    it(`are left out where ${when}`, () => {
      assert.equal(styleFor(isTTY, env), plainStyle);
      assert.equal(plainStyle.bold('x'), 'x');
    });

  it('are there where NO_COLOR is empty, as if it were not set', () =>
    assert.equal(styleFor(true, { NO_COLOR: '' }), colours));

  it('do not depend on the environment of this process', () => {
    const { NO_COLOR: before } = process.env;
    process.env['NO_COLOR'] = '1';
    try {
      assert.notEqual(colours.bold('x'), 'x');
    } finally {
      if (before === undefined) delete process.env['NO_COLOR'];
      else process.env['NO_COLOR'] = before;
    }
  });
});
