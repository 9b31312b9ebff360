import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { classify } from '../../../../src/permissions/commands/classify.ts';
import type { CommandPlace } from '../../../../src/permissions/commands/paths/place.ts';
import { mandateConsent } from '../../../../src/permissions/mandate/line.ts';
import { builtInMandate, type CommandClass } from '../../../../src/permissions/mandate/mandate.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';

const placeWith = (commands: readonly CommandClass[]): CommandPlace => ({
  workFolder: '/home/ada/project',
  home: '/home/ada',
  readFolders: ['/home/ada/project', '/opt'],
  rules: usualPaths,
  realPath: (path) => path,
  exists: () => true,
  matches: (pattern) => [pattern.replace(/[*?]/g, 'a')],
  keyFiles: () => [],
  oddFiles: () => [],
  consent: mandateConsent({
    ...builtInMandate,
    commands,
    folders: ['/home/ada/project', '/tmp'],
    reads: ['/opt', '/usr'],
    isGitGuarded: true,
  }),
});

/** Returns why a mandate with these classes does not cover a line; empty if it does. */
const outside = (line: string, commands = builtInMandate.commands): string =>
  classify(line, placeWith(commands)).reason;

describe('a mandate, on the lines of a shell,', () => {
  before(loadShell);

  const options = [
    'x=$(cat f); sort "$x"',
    'x=$(cat f); sort "$x" a.txt',
    'x=$(cat f); sort a.txt "${x}"',
    'x=$(cat f); sort -"$x" a.txt',
    'x=$(cat f); sort "$x.txt"',
    'x=-ohit; sort "$x" a.txt',
    'sort "$(cat f)"',
    'read -r x < f; sort -u "$x"',
    'while read -r x; do sort -r "$x"; done < f',
    'x=$(cat f); timeout 9 sort "$x"',
    'x=$(cat f); env LC_ALL=C sort "$x"',
    'x=$(cat f); command sort "$x"',
    's=sort; x=$(cat f); $s "$x"',
    'f() { sort "$1"; }; f -ohit',
    'f() { sort "$@"; }; f -ohit',
    'x=$(cat f); find "$x" -name "*.py"',
    'x=$(cat f); find . -type f "$x"',
    'x=$(cat f); find -- "$x"',
    'x=$(cat f); find src -name "*.py" -exec sort "$x" {} +',
    'x=$(cat f); sed "$x" a.txt',
    'x=$(cat f); awk "$x" a.txt',
    'x=$(cat f); rg "$x" src',
    'x=$(cat f); shuf "$x"',
    'x=$(cat f); tree "$x"',
    'x=$(cat f); printf "$x" .',
    'cat f | xargs sort',
    'cat f | xargs -n 1 sort -u',
    'cat f | xargs -I{} sort {}',
    'cat f | xargs -I % sort %',
    'cat f | timeout 9 xargs -r sort',
  ];
  for (const line of options)
    it(`takes an unknown value for an option: ${line}`, () => {
      assert.match(outside(line), /as an option/);
    });

  const values = [
    'x=$(cat f); sort -- "$x"',
    'cat f | xargs sort -- > b.txt',
    'cat f | xargs wc -l > b.txt',
    'cat f | xargs -I{} sort runs/{} > b.txt',
    'x=$(cat f); sort -k "$x" a.txt > b.txt',
    'x=$(cat f); sort "runs/$x" > b.txt',
    'x=a.txt; sort "$x" > b.txt',
    'for x in a b; do sort "$x.txt" > "$x.out"; done',
    'x=$(cat f); find src -name "$x" -newer a.txt',
    'x=$(cat f); cat "$x"',
    'x=$(cat f); grep -n "$x" a.txt',
    'x=$(cat f); wc -l "$x"',
    'x=$(cat f); awk "{print}" "$x"',
    'x=$(cat f); printf "%s\\n" "$x" > b.txt',
    'x=$(cat f); head -n "$x" a.txt',
    'x=$(cat f); echo "$x" > b.txt',
  ];
  for (const line of values)
    it(`takes no value for an option that can be none: ${line}`, () => {
      assert.equal(outside(line), '');
    });

  const running = [
    '. ./setup.sh',
    'source ./setup.sh',
    'source setup.sh',
    'source "$PWD/setup.sh"',
    '. /tmp/x.sh',
    'source .venv/bin/activate',
    'timeout 5 bash run.sh',
    './run.sh',
    'PATH=.:$PATH ls -l > a.txt',
    'PATH=$PWD/bin:$PATH ls > a.txt',
    'PATH="$HOME/project/bin:$PATH" ls > a.txt',
    'PATH=$PATH: ls > a.txt',
    'PATH=$x:$PATH ls > a.txt',
    'PATH=$(pwd):$PATH ls > a.txt',
    'PATH=bin; touch a',
    'PATH+=:.; touch a',
    'export PATH=/tmp/bin:$PATH; touch a',
    'env PATH=.:$PATH touch a',
    'LD_PRELOAD=./e.so touch a',
    'LD_LIBRARY_PATH=/tmp/lib:$LD_LIBRARY_PATH touch a',
    'for PATH in .; do touch a; done',
    'read -r PATH < f; touch a',
    'printf -v PATH %s .; touch a',
    'printf -vPATH .; touch a',
    'PATH=/usr/../tmp/bin:$PATH touch a',
    'mapfile -t PATH < f; touch a',
  ];
  const without = builtInMandate.commands.filter((name) => name !== 'scripts');
  for (const line of running)
    it(`covers code of the folder only with the class scripts: ${line}`, () => {
      assert.match(outside(line, without), /class scripts|sets PATH/);
    });

  const others = [
    'source /opt/conda/etc/profile.d/conda.sh; touch a',
    'PATH=/opt/cuda/bin:$PATH touch a',
    'PATH="/usr/local/bin:${PATH}" touch a',
    'export PATH=/opt/cuda/bin${PATH:+:${PATH}}; touch a',
    'LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH touch a',
  ];
  for (const line of others)
    it(`covers code that the agent cannot change without it: ${line}`, () => {
      assert.equal(outside(line, without), '');
    });

  it('covers no script that is piped into the shell', () => {
    assert.notEqual(outside('cat f | . /dev/stdin'), '');
    assert.notEqual(outside('source <(cat f)'), '');
  });
});
