import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { shellQuote } from '../../../../src/base/text.ts';
import { judgeGit } from '../../../../src/permissions/git/gitRule.ts';

const kindOf = (text: string): string => {
  const verdict = judgeGit(text);
  return verdict.kind === 'git' ? (verdict.mayChange ? 'changes' : 'reads') : verdict.kind;
};

const texts: Readonly<Record<string, readonly string[]>> = {
  none: [
    'python train.py --lr 3e-4 > out.log 2>&1',
    'cat .gitignore && ls .github',
    'echo "the gitter of digits"',
    'pip install digit',
    'pip install git+https://example.org/x.git',
    'ls -la .git',
    'cat .git/HEAD | head -1',
    'python train.py --out runs/$(date +%s)/"$NAME"',
    'for f in *.py; do wc -l "$f"; done',
    "awk '{print $1}' log.txt",
    'cat <<EOF > notes.md\nhello\nEOF',
    '',
    '# git stash\nls',
    '"$PYTHON" train.py',
    './run.sh & wait',
    'sudo apt-get update',
    "sh -c 'echo \"unclosed'",
    'echo "unclosed',
    'bash -c "$CODE"',
    'bash run.sh',
    '[ -d .git ] && [[ ! -f .git/x ]] || echo none',
    "python - <<'E' 2>&1 | tail -5\nprint('x')\nE",
  ],
  reads: [
    'git status',
    'cd repo && git log --oneline | head -5',
    'git -C repo diff HEAD~1',
    'git --no-pager -c color.ui=false show HEAD',
    'head=$(git rev-parse HEAD); echo $head',
    'echo "`git rev-parse HEAD`"',
    'echo "at ${X:-$(git rev-parse HEAD)}"',
    'if git diff --quiet; then echo same; fi',
    'timeout 5 git log',
    'GIT_PAGER=cat git log',
    '{ git log; }',
    'ls; git log; ls; git status',
    "cat <<'E' > x.md\nRun $(git stash).\nE\ngit status",
  ],
  changes: [
    'git stash',
    'g""it st""ash',
    "'git' reset --hard",
    'git $COMMAND',
    'true && (cd x; git checkout -b y)',
    'sh -c "git stash"',
    "bash -lc 'cd x && git stash'",
    'eval "git stash"',
    'xargs -n 1 git branch -D < names',
    'nohup git gc &',
    'env A=b git stash',
    'find . -name "*.py" -exec git add {} +',
    'find -exec git add {} +',
    'timeout --signal KILL 5 git stash',
    'bash <<EOF\ngit stash\nEOF',
    '{ cd x; bash; } <<EOF\ngit stash\nEOF',
    'python - <<EOF 2>&1 | tail -5\nimport os; os.system("git stash")\nEOF',
    'time git stash',
    'unbuffer git stash',
    'cat <<EOF\n$(git stash)\nEOF',
    "python -c \"import subprocess; subprocess.run(['git', 'stash'])\"",
    'python - <<EOF\nimport os; os.system("git stash")\nEOF',
    'git clone https://example.org/x.git',
    'pip install git+https://example.org/x.git && python -m pip install git+https://example.org/y',
    'diff <(git stash) x',
    'while read l; do git rm "$l"; done < list',
    'command git stash',
    'git log; git stash; git log',
    'ls; git stash; ls',
    `${'eval '.repeat(8)}git stash`,
    'git ${X}log expire --all',
    'git diff"$X"',
    'sudo -n true; git stash',
  ],
  refused: [
    '/usr/bin/git status',
    '/usr/lib/git-core/git stash',
    '/usr/lib/git-core/git-stash',
    'PATH=/usr/bin:$PATH git stash',
    'export PATH=/usr/bin; git stash',
    'env -i git stash',
    'env -u GIT_CONFIG_PARAMETERS git stash',
    'sudo git stash',
    'su -c "git stash"',
    ...[
      'doas',
      'runuser -u ada --',
      'pkexec',
      'unshare -m',
      'nsenter -t 1',
      'bwrap --bind / /',
    ].map((escape) => `${escape} git stash`),
    'GIT_EXEC_PATH=/x git status',
    '$GIT stash # git',
    'X=git; $X stash',
    '$(which git) stash',
    'echo $((/usr/bin/git stash) )',
    'echo $(( $(/usr/bin/git rev-list --count HEAD) + 1 ))',
    'echo "${X:-$( ( (/usr/bin/git stash) ) )}"',
    'cat <<E\n$(\n/usr/bin/git stash\n)\nE',
    'echo $(case x in x) /usr/bin/git stash;; esac)',
    '{ /usr/bin/git stash; }',
    'ls; git log; /usr/bin/git stash; git stash; ls',
    `${'eval '.repeat(9)}git stash`,
    'bash -c "$CODE git"',
    'git stash "unclosed',
    "sh -c 'git stash \"unclosed'",
    'rm -rf .git',
    '>&-/usr/bin/git stash',
    'for f in .git/*; do rm $f; done',
    'rm -rf repo/.git/refs/heads',
    'echo x > .git/config',
    'echo x >> repo/.git/HEAD',
    'tee .git/config < x',
    'ln -s .git dot',
    'cp -r x .git/hooks/',
    'cd .git && rm HEAD',
    'mv .GIT other',
    'find .git -type f -delete',
    'sed -i s/a/b/ .git/config',
    "python -c \"open('.git/config', 'w')\"",
    'python -c "import os; os.system(\'/usr/bin/git stash\')"',
    'dd if=/dev/zero of=.git/index',
    'sh -c "sh -c \'rm .git/HEAD\'"',
  ],
};

describe('what a shell text does with git', () => {
  for (const [kind, all] of Object.entries(texts))
    for (const text of all)
      it(`${kind}: ${JSON.stringify(text)}`, () => assert.equal(kindOf(text), kind));

  for (const wrap of [
    'nohup sh -c',
    'find . -exec sh -c',
    'find -exec sh -c',
    'timeout 5 bash -lc',
  ])
    it(`follows ${wrap} four times, and refuses what is nested deeper`, () => {
      const nested = (times: number, text: string): string =>
        times === 0 ? text : nested(times - 1, `${wrap} ${shellQuote(text)}`);
      assert.equal(kindOf(nested(4, 'git stash')), 'changes');
      assert.equal(kindOf(nested(5, 'git stash')), 'refused');
      assert.equal(kindOf(nested(5, 'ls')), 'none');
    });

  it('names a way that is open, wherever it refuses', () => {
    const verdict = judgeGit('rm -rf .git');
    assert.match(verdict.kind === 'refused' ? verdict.advice : '', /exp_branch/);
  });

  it('ends on any text', () => {
    const pieces = [
      'git',
      ' ',
      '"',
      "'",
      '$(',
      ')',
      '`',
      '\\',
      '<<E',
      '\n',
      '${',
      '}',
      ';',
      '|',
      '&',
      '#',
      '(',
      '>',
      'x',
    ];
    for (let seed = 1; seed <= 3_000; seed++) {
      let state = seed;
      const next = (): number =>
        (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 8;
      const text = Array.from({ length: next() % 24 }, () => pieces[next() % pieces.length]).join(
        '',
      );
      assert.ok(['none', 'git', 'refused'].includes(judgeGit(text).kind), text);
    }
    assert.equal(judgeGit('('.repeat(5_000)).kind, 'none');
    assert.equal(judgeGit(`${'$('.repeat(200)}git stash${')'.repeat(200)}`).kind, 'refused');
  });
});
