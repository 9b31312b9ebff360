import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, beforeEach, describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { asArgumentLists } from '../../../../src/permissions/commands/argumentLists.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';
import { commandVerdict } from '../../../../src/tools/parameters/commandVerdict.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('the verdict on a command for a machine', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);
  let machine: LocalMachine;

  before(loadShell);
  beforeEach(() => {
    for (const name of ['work/data/-n', 'work/runs/a', 'runs/r-1', 'other', 'secret/.ssh'])
      mkdirSync(path(name), { recursive: true });
    for (const name of ['work/a.txt', 'work/b c.txt', 'work/runs/a/out.log', 'work/.env'])
      writeFileSync(path(name), `${name}\nloss=0.5\n`);
    writeFileSync(path('runs/r-1/output.log'), 'loss=1\n');
    writeFileSync(path('other/x.txt'), 'x\n');
    writeFileSync(path('secret/.ssh/id_rsa'), 'key\n');
    symlinkSync('a.txt', path('work/inside.txt'));
    symlinkSync(path('other'), path('work/outside'));
    symlinkSync(path('secret/.ssh/id_rsa'), path('work/notes.md'));
    symlinkSync(path('other/x.txt'), path('work/runs/a/x.csv'));
    symlinkSync('.env', path('work/settings.txt'));
    machine = new LocalMachine({ runsFolder: path('runs'), workFolder: path('work') });
  });

  const verdict = async (line: string, start?: string): Promise<string> =>
    (await commandVerdict(machine, { line, folder: start })).kind;

  it('knows variables that hold no secret, and what reads of containers', async () => {
    const lines: readonly (readonly [line: string, kind: string])[] = [
      ['squeue -u $USER', 'safe'],
      ['squeue -u "${USER}" -t R', 'safe'],
      ['echo $CUDA_VISIBLE_DEVICES', 'safe'],
      ['echo $OPENAI_API_KEY', 'ask'],
      ['echo ${USER:-$(id)}', 'ask'],
      ['echo $USERS', 'ask'],
      ['docker logs --tail 50 trainer', 'safe'],
      ['docker stats --no-stream', 'safe'],
      ['docker stats', 'ask'],
      ['docker exec trainer ls', 'ask'],
      ['cat $USER', 'ask'],
      ['$SHELL -c ls', 'ask'],
      ['git log $USER', 'ask'],
    ];
    for (const [line, kind] of lines) assert.equal(await verdict(line), kind, line);
    assert.equal(asArgumentLists('squeue -u $USER', '/home/u'), 'squeue -u "$USER"');
    assert.equal(asArgumentLists('echo $HOME ${HOSTNAME}', '/h'), 'echo /h "$HOSTNAME"');
  });

  it('asks about files of git whose names a program reads otherwise, also removed ones', async () => {
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-C', path('work'), ...args], { encoding: 'utf8', windowsHide: true });
    const lines = [
      'git ls-files | xargs sort',
      'git ls-files -z | xargs -0 sort',
      'for f in $(git ls-files); do cat ./$f; done',
    ];
    mkdirSync(path('work/src'));
    writeFileSync(path('work/src/m.py'), 'lr = 1\n');
    git('init', '-q');
    git('add', 'src');
    for (const line of lines) assert.equal(await verdict(line, path('work/src')), 'safe', line);
    const odd = ['-ohit', 'x ../other'];
    mkdirSync(path('work/src/x ..'));
    for (const name of odd) writeFileSync(path(`work/src/${name}`), 'x\n');
    git('add', 'src');
    for (const name of odd) rmSync(path(`work/src/${name}`));
    rmSync(path('work/src/x ..'), { recursive: true });
    for (const line of lines) assert.equal(await verdict(line, path('work/src')), 'ask', line);
    const changed = 'for f in $(git diff --name-only HEAD~1); do cat ./$f; done';
    assert.equal(await verdict(changed, path('work/src')), 'ask');
  });

  it('follows the links and patterns of paths', async () => {
    const lines: readonly (readonly [line: string, kind: string])[] = [
      ['cat a.txt', 'safe'],
      ['cat inside.txt', 'safe'],
      ['cat "b c.txt"', 'safe'],
      ['cat missing.txt', 'safe'],
      ['cat *.txt', 'ask'],
      ['cat a*.txt', 'safe'],
      ['ls outside', 'ask'],
      ['cat outside/x.txt', 'ask'],
      ['cat notes.md', 'deny'],
      ['cat settings.txt', 'ask'],
      ['cat runs/*/*.log', 'safe'],
      ['cat runs/*/*.csv', 'ask'],
      ['cd outside && cat x.txt', 'ask'],
      ['cd runs && cat a/out.log', 'safe'],
      [`cat ${path('runs/r-1/output.log')}`, 'safe'],
      [`cat ${path('other/x.txt')}`, 'ask'],
      ['cd data && ls *', 'ask'],
      ['cat outside/../a.txt', 'ask'],
      ['cd outside && cat ../a.txt', 'ask'],
      ['cd outside && cat ../other/x.txt', 'ask'],
      ['cd runs && cat ../a.txt', 'safe'],
    ];
    for (const [line, kind] of lines) assert.equal(await verdict(line), kind, line);
  });

  it('denies printing a private key with the other files of its folder', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n';
    const files = {
      'keys/id_rsa': key,
      'src/deploy.pem': key,
      'src/train.py': 'lr = 1\n',
      'ca/root.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
      '.venv/lib/site-packages/tornado/test.key': key,
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(path(`work/${name}`)), { recursive: true });
      writeFileSync(path(`work/${name}`), content);
    }
    const printing = [
      "grep -rh '' keys",
      "grep -rn '' keys",
      "grep -rhv '^-' keys",
      "grep -rh '' .",
      "grep -r ''",
      "grep -r -m 5 ''",
      'grep -r -el .',
      "grep -rh '' . --include='*rsa'",
      "grep -rh '' . --include='[i]d*'",
      "grep -rh '' . --exclude='[x]d_rsa'",
      'rg -N . keys',
      'rg -rl lr',
      "rg -g '*.pem' .",
      "git grep --untracked -h '' -- keys",
      'find . -type f | xargs cat',
      'find . -type f -exec head {} +',
      "find . -name '*.p[e]m' | xargs head",
      'cat $(find . -type f)',
    ];
    for (const line of printing) assert.equal(await verdict(line), 'deny', line);
    const others = [
      "grep -rn lr . --include='*.py'",
      "grep -rn lr . --exclude='*.pem' --exclude-dir=keys --exclude=.env",
      'grep -rl lr .',
      'grep -rn lr ca',
      'grep -rn lr .venv',
      'grep lr src/train.py',
      'grep -rn lr src/train.py',
      "rg -g '*.py' lr",
      'rg -t py lr',
      'rg -tpy lr',
      'rg lr src/train.py',
      'rg --files',
    ];
    for (const line of others) assert.equal(await verdict(line), 'safe', line);
    const asked = ["rg -g '!keys' -g '!*.pem' lr"];
    for (const line of asked) assert.equal(await verdict(line), 'ask', line);
  });

  it('judges files of secrets below a searched folder as if they were named', async () => {
    const files = {
      'sub/.env': 'TOKEN=1\n',
      'sub/train.py': 'lr = 1\n',
      'src/a.py': 'lr = 1\n',
      'deploy/prod.env': 'TOKEN=1\n',
      'repo/.git/config': '[remote "origin"]\n\turl = https://ada:secret@git.example/x\n',
      'plain/.git/config': '[remote "origin"]\n\turl = git@git.example:x\n',
      'conf/secrets.yaml': 'a: b\n',
      'odd/a\nb/.env': 'TOKEN=1\n',
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(path(`work/${name}`)), { recursive: true });
      writeFileSync(path(`work/${name}`), content);
    }
    symlinkSync('sub', path('work/link'));
    const asked = [
      'grep -rn TOKEN sub',
      'grep -rn TOKEN sub/',
      'grep -r . link',
      'grep -d recurse TOKEN sub',
      'grep -reTOKEN sub',
      'grep -r TOKEN --include=*.env deploy',
      'grep -rn url repo',
      'grep -rn a conf',
      'grep -rn TOKEN odd',
      'rg TOKEN deploy',
      'rg -. . sub',
      'rg --hidden . sub',
      'git grep --untracked TOKEN',
      "git grep --untracked TOKEN '*.env'",
      'git grep --untracked -e TOKEN sub',
      'cd src && git grep --untracked TOKEN :/',
      'find sub -type f | xargs cat',
    ];
    for (const line of asked) assert.equal(await verdict(line), 'ask', line);
    const note = await commandVerdict(machine, { line: 'grep -rn TOKEN sub' });
    assert.match(note.pathNote ?? '', /sub\/\.env is a file of passwords/);
    const others = [
      "grep -rn lr --include='*.py' sub",
      'git grep --untracked lr plain',
      'grep -rn TOKEN sub --exclude=.env',
      'grep -rl TOKEN sub',
      'rg TOKEN sub',
      'grep -rn url plain',
    ];
    for (const line of others) assert.equal(await verdict(line), 'safe', line);
  });

  it('judges the files that find passes on, with the links among them', async () => {
    mkdirSync(path('work/sub/in'), { recursive: true });
    writeFileSync(path('work/sub/a.py'), 'lr = 1\n');
    const safe = [
      'find sub -exec cat {} +',
      'find sub -type f -exec cat {} +',
      "find sub -name '*.py' -exec grep -n lr {} \\;",
      "find sub -name '*.py' | xargs wc -l",
      "find sub -name '*.py' | sort | head -n 3 | xargs wc -l",
      "find sub -name '*.py' -print0 | xargs -0 grep -n lr",
      'diff -r sub sub',
      "find . -name '*.py' -exec ls -l {} +",
    ];
    for (const line of safe) assert.equal(await verdict(line), 'safe', line);
    symlinkSync(path('other/x.txt'), path('work/sub/in/x.py'));
    for (const line of safe.filter((each) => !each.includes('-type f')))
      assert.equal(await verdict(line), 'ask', line);
    assert.equal(await verdict("find sub -name 'a*' -exec cat {} +"), 'safe');
    symlinkSync(path('secret/.ssh/id_rsa'), path('work/sub/key.py'));
    for (const line of safe.filter((each) => !each.includes('-type f')))
      assert.equal(await verdict(line), 'deny', line);
  });

  it('asks before xargs may read one name as several', async () => {
    mkdirSync(path('work/sub/a '), { recursive: true });
    assert.equal(await verdict('find sub -type f | xargs cat'), 'ask');
    assert.equal(await verdict('find sub -type f -print0 | xargs -0 cat'), 'safe');
    assert.equal(await verdict('find sub -type f -exec cat {} +'), 'safe');
    mkdirSync(path('work/two/a\nb'), { recursive: true });
    assert.equal(await verdict('find two -type f | xargs cat'), 'ask');
  });

  it('asks where a listed name may be an option', async () => {
    mkdirSync(path('work/named'), { recursive: true });
    writeFileSync(path('work/named/-ohit'), '');
    const read = (command: string): string => `ls named | while read -r f; do ${command}; done`;
    const options = ['sort "$f" a.txt', 'sort a.txt "${f}"', 'g=$f; sort a.txt "$g"', 'wc -l "$f"'];
    for (const command of options) assert.equal(await verdict(read(command)), 'ask', command);
    for (const command of ['sort -- "$f"', 'wc -l "named/$f"'])
      assert.equal(await verdict(read(command)), 'safe', command);
  });

  it('asks where a folder has more files of secrets than are listed', async () => {
    for (let count = 0; count < 900; count += 1) {
      const folder = path(`work/${'many'.repeat(20)}/${count}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'id_rsa'), 'key\n');
    }
    assert.equal(await verdict('grep -rn lr --exclude=id_rsa .'), 'ask');
  });

  it('judges git in the folder that -C names', async () => {
    mkdirSync(path('work/sub'), { recursive: true });
    symlinkSync('sub', path('work/within'));
    const safe = ['git -C sub log', 'git -C within status', 'git -C "$PWD/sub" diff --stat'];
    for (const line of safe) assert.equal(await verdict(line), 'safe', line);
    const others = [
      'git -C outside log',
      'git -C sub -C ../outside log',
      'git -C outside/sub status',
      'git -C .. log',
      'git -C sub diff --no-index a.py ../notes.md',
      'git -C sub push',
    ];
    for (const line of others) assert.notEqual(await verdict(line), 'safe', line);
    writeFileSync(path('work/sub/.env'), 'TOKEN=1\n');
    assert.equal(await verdict('git -C sub grep --untracked TOKEN'), 'ask');
  });

  it('takes a number for no file that is named otherwise', async () => {
    symlinkSync('/proc/self/environ', path('work/link'));
    const lines = [
      'head -n $(grep -c . a.txt) a.txt',
      'ps -p $(pgrep -f x | head -1)',
      'n=$((3 + 4)); tail -n $n a.txt',
      'ls runs | while read r; do echo "$r $(grep -c loss runs/$r/out.log)"; done',
    ];
    for (const line of lines) assert.equal(await verdict(line), 'safe', line);
    symlinkSync('/proc/self/environ', path('work/7'));
    assert.equal(await verdict('n=$((3 + 4)); cat $n'), 'deny');
  });

  it('asks a machine for all values of a variable at once', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6', '7'])
      mkdirSync(path(`work/many/${name}`), { recursive: true });
    const line = 'ls many | while read r; do echo "$r $(grep -c x many/$r/log)"; done';
    assert.equal(await verdict(line), 'safe');
  });

  it('knows the streams of a program', async () => {
    assert.equal(await verdict('seq 3 | tee /dev/stderr | wc -l'), 'safe');
    assert.notEqual(await verdict('seq 3 | tee /dev/fd/3'), 'safe');
  });

  it('asks before a script or a pattern runs that only the shell knows', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n';
    mkdirSync(path('work/keys'), { recursive: true });
    writeFileSync(path('work/keys/id_rsa'), key);
    const lines = [
      'x=$(cat a.txt); sed -n -e "${x}p" a.txt',
      'x=$(cat a.txt); sed -n --expression="${x}p" a.txt',
      'x=$(cat a.txt); grep -r --include "$x" . keys',
      'x=$(cat a.txt); grep -r --include="$x" . keys',
      'if ls; then x=a; else x=id_rsa; fi; grep -r --include "$x" . keys',
    ];
    for (const line of lines) assert.notEqual(await verdict(line), 'safe', line);
  });

  it('knows all matches of a pattern, also after a name that ends with a line end', async () => {
    writeFileSync(path('work/runs/b\n'), 'x\n');
    symlinkSync(path('secret/.ssh/id_rsa'), path('work/runs/z'));
    assert.equal(await verdict('cat runs/*'), 'deny');
    assert.equal(await verdict('cat runs/b*'), 'safe');
  });

  it('asks before the settings of a git repository are read', async () => {
    mkdirSync(path('work/.git'), { recursive: true });
    writeFileSync(path('work/.git/config'), '[http]\n\textraheader = x\n');
    assert.equal(await verdict('cat .git/config'), 'ask');
    assert.equal(await verdict('cat .git/HEAD'), 'safe');
  });

  it('is not safe where the line starts outside the working folder', async () => {
    assert.equal(await verdict('ls', path('other')), 'ask');
    assert.equal(await verdict('ls', path('work/outside')), 'ask');
    assert.equal(await verdict('ls', path('work/runs')), 'safe');
    assert.equal(await verdict('cat ../a.txt', path('work/runs')), 'safe');
  });

  it('is not safe where the machine does not answer', async () => {
    const silent = Object.assign(
      new LocalMachine({ runsFolder: path('runs'), workFolder: path('work') }),
      { query: () => Promise.reject(new Error('gone')) },
    );
    assert.equal((await commandVerdict(silent, { line: 'cat a.txt' })).kind, 'ask');
    assert.equal((await commandVerdict(silent, { line: 'cat ~/.ssh/id_rsa' })).kind, 'deny');
    const unready = Object.assign(silent, { ready: () => Promise.reject(new Error('no')) });
    assert.equal((await commandVerdict(unready, { line: 'cat a.txt' })).kind, 'ask');
  });

  it('holds for the argument lists that are run in place of the line', () => {
    const lines = [
      'cat a.txt|head -n 1',
      "grep -n 'loss' a*.txt",
      'cat "b c.txt" | tail -n 1 | tr a-z A-Z',
      'cd runs&&ls',
      'ls missing || echo "not there"',
      "printf '%s|' a '' \"it's\" '*' \\$HOME",
      'echo a; echo b\necho c',
      'ls missing 2>&1 | wc -l',
      'ls missing 2>/dev/null; echo $HOME ~/x',
      'wc -l < a.txt',
      "awk '{print $1}' a.txt",
      'for f in *.txt; do echo "== $f"; cat "$f"; done',
      'for f in a.txt "b c.txt"; do wc -l < "$f"; done | sort',
      'for i in {1..3} x{a,b} $(seq 7 9); do echo $i; done',
      'for d in runs/*/; do (cd "$d" && ls); done; ls',
      'for d in runs nothing*; do for f in "$d"/*; do echo "$f"; done; done',
      'while IFS=/ read -r a b; do echo "$b-$a"; done < a.txt',
      'ls | while read f; do echo "$f"; done',
      'if [ -f a.txt ]; then cat a.txt; elif ls; then pwd; else ls; fi',
      'if ls missing 2>/dev/null\nthen pwd\nelse\n  ls # all\n  pwd\nfi',
      '! grep -q x a.txt || { ls; pwd; }',
      'echo "n: $(wc -l < a.txt) $HOME"',
      'diff <(sort a.txt) <(cat "b c.txt" | head -n 1) || true',
      'LC_ALL=C sort a.txt && TZ=UTC date +%Z',
      'printf "%s\\n" "$(cat a.txt)"',
      "find . -name '*.txt' -exec wc -l {} \\; | sort",
      'find runs -type f -exec cat {} + | sort',
      "find . -name 'a.txt' -print0 | xargs -0 -n 1 wc -l",
      'ls runs | xargs -I{} ls runs/{}',
      'for r in $(ls runs); do echo "$r: $(tail -n1 runs/$r/out.log)"; done',
      'wc -l $(ls a.txt runs/a/out.log)',
      'n=$(wc -l < a.txt); m=$((n * 2)); echo "$n $m" $((m - 1))',
      'f=runs/a/out.log; tail -n 1 "$f"; d=${f%/*}; ls $d; echo ${f##*/}',
      'i=0; for f in *.txt; do ((i += 1)); echo $i; done; (( i > 9 )) || echo few',
      'for f in *; do case $f in *.txt|data) echo "t $f" ;; *) echo o;; esac; done',
      '[[ -f a.txt && ! -d a.txt ]] && echo file; [[ a.txt == *.txt ]] && echo text',
      "tr a-z A-Z <<< 'a b'; cat <<E | sort\nb\na\nE",
      'while read -r f; do wc -l "$f"; done < <(ls a.txt)',
      'wc -l a.t{xt,xt}; for i in {08..10} {4..0..2}; do echo $i; done',
      'for f in *.txt; do [ "$f" = a.txt ] || continue; cat "$f"; done',
      'ls missing 2>/dev/null; echo "$?" ${NOPE:-none} "${NOPE:-a b}" ${HOME:+y} "${NOPE:+y}" $#',
      'n=3; m=; echo ${n:-5} "${m:-5}"; seq 5 | sed -n "${n}p"; seq 5 | awk "NR > $n"',
      "printf '%s\\n' train tr | grep [t]rain",
    ];
    const run = (text: string): string =>
      execFileSync('/bin/bash', ['-c', text], { cwd: path('work'), encoding: 'utf8' });
    for (const line of lines)
      assert.equal(run(asArgumentLists(line, process.env['HOME'] ?? '')), run(line), line);
  });

  it('judges each file that a list may name', async () => {
    mkdirSync(path('work/sub'), { recursive: true });
    writeFileSync(path('work/sub/a.py'), 'lr = 1\n');
    const lists: readonly ((glob: string) => string)[] = [
      (glob) => `for f in $(find sub -name '${glob}'); do cat "$f"; done`,
      (glob) => `find sub -name '${glob}' | while read -r f; do cat "$f"; done`,
      (glob) => `find sub -name '${glob}' | xargs -I{} cat {}`,
      (glob) => `while read -r f; do cat "$f"; done < <(ls sub/${glob})`,
      (glob) => `f=$(ls sub/${glob} | head -1); cat "$f"`,
      (glob) => `cat $(ls -t sub/${glob} | head -1)`,
      (glob) => `ls sub/${glob} | xargs cat`,
      (glob) => `cat $(grep -rl --include='${glob}' lr sub)`,
    ];
    for (const line of lists) assert.equal(await verdict(line('*.py')), 'safe', line('*.py'));
    symlinkSync(path('other/x.txt'), path('work/sub/b.py'));
    for (const line of lists) assert.equal(await verdict(line('*.py')), 'ask', line('*.py'));
    for (const line of lists) assert.equal(await verdict(line('a*.py')), 'safe', line('a*.py'));
    writeFileSync(path('work/sub/c*.txt'), 'x\n');
    assert.equal(await verdict("for f in $(find sub -name '*.txt'); do cat $f; done"), 'ask');
    writeFileSync(path('work/-x.txt'), 'x\n');
    assert.equal(await verdict("grep -rl --include='*.txt' x | xargs cat"), 'ask');
    assert.notEqual(await verdict('ls | xargs cat'), 'safe');
  });

  it('does not deny what only lists folders beside a key', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n';
    mkdirSync(path('work/sub'), { recursive: true });
    writeFileSync(path('work/sub/deploy.pem'), key);
    writeFileSync(path('work/sub/a.log'), 'x\n');
    const lines = [
      "find sub -name '*.log' -not -path '*/.git/*' | xargs cat",
      'ls -d sub | while read -r d; do tail -n 1 "$d/a.log"; done',
      'ls sub/*.log | xargs tail',
    ];
    for (const line of lines) assert.equal(await verdict(line), 'safe', line);
    assert.equal(await verdict("find sub -not -path '*/.git/*' | xargs cat"), 'deny');
    assert.notEqual(await verdict('ls sub | xargs -I{} cat sub/{}'), 'safe');
  });

  it('holds for a machine with only a plain sh, too', () => {
    const lines = [
      'for r in $(ls runs); do echo "$r: $(tail -n1 runs/$r/out.log)"; done',
      'n=$(wc -l < a.txt); m=$((n * 2)); echo "$n $m"; (( m > 1 )) && echo more',
      'i=0; for f in *.txt; do ((i += 1)); echo $i; done; wc -l a.t{xt,xt}',
      'f=runs/a/out.log; tail -n 1 "$f"; ls ${f%/*}',
      'for f in *; do case $f in *.txt|data) echo "t $f" ;; *) echo o;; esac; done',
      'ls runs | while read -r r; do wc -l "runs/$r/out.log"; done',
      'ls runs | xargs -I{} tail -n 1 runs/{}/out.log',
    ];
    const run = (shell: string, text: string): string =>
      execFileSync(shell, ['-c', text], { cwd: path('work'), encoding: 'utf8' });
    for (const line of lines)
      assert.equal(run('/bin/sh', asArgumentLists(line, '/home/a')), run('/bin/bash', line), line);
  });

  it('leaves no word of the line to the shell but patterns', () => {
    assert.equal(
      asArgumentLists('ls "$HOME"/x ~/y *.py a?b \'*\' 2>&1', '/home/a b'),
      `ls '/home/a b'/x '/home/a b'/y *.py a?b '*' 2>&1`,
    );
    assert.equal(
      asArgumentLists('LC_ALL=C TZ=UTC grep -r --include=*.py x . | sort', '/home/a'),
      "LC_ALL=C TZ=UTC grep -r '--include=*.py' x . | sort",
    );
  });
});
