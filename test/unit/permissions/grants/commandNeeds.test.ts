import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { judgeLine, loadClassifier } from '../../../../src/permissions/commands/classify.ts';
import type { CommandPlace } from '../../../../src/permissions/commands/paths/place.ts';
import { commandNeeds } from '../../../../src/permissions/grants/commandNeeds.ts';
import { grantText } from '../../../../src/permissions/grants/grant.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';

const links: Readonly<Record<string, string>> = {
  '/w/link.py': '/elsewhere/x.py',
  '/w/same.py': '/w/train.py',
};
const place: CommandPlace = {
  workFolder: '/w',
  home: '/home/u',
  readFolders: ['/w', '/runs'],
  rules: usualPaths,
  realPath: (path) => links[path] ?? path,
  exists: (path) => !path.includes('missing'),
  matches: () => [],
  keyFiles: () => [],
  oddFiles: () => [],
};

/** The consents that a line needs, each with its widest scope; `no` if none may be remembered. */
const needs = (line: string): readonly string[] | 'no' =>
  commandNeeds(judgeLine(line, place))?.map(({ grant, widest }) => {
    const text = grantText({ ...grant, machineId: 'm' });
    const own = grant.kind === 'write' ? / on m$/ : / on m(?: in \/w$)?/;
    return `${widest}: ${text.replace(own, '')}`;
  }) ?? 'no';

const remembered: Readonly<Record<string, readonly string[]>> = {
  'pip install torch': ['always: pip install …'],
  'pip install -U "numpy>=2"': ['always: pip install …'],
  'pip install -r requirements.txt': ['workspace: pip install …'],
  'pip install .': ['workspace: pip install …'],
  'python3 -m pip install torch': ['workspace: python3 -m pip install …'],
  'python3 -m pytest -q': ['workspace: python3 -m pytest …'],
  pytest: ['workspace: pytest …'],
  'npm run test -- --watch': ['workspace: npm run test …'],
  'npx tsc --noEmit': ['workspace: npx tsc …'],
  'git commit -m "x"': ['workspace: git commit …'],
  'git push -u origin main': ['workspace: git push …'],
  'python3 train.py --lr $LR': ['workspace: python3 train.py …'],
  'python3 ./train.py': ['workspace: python3 train.py …'],
  'python3 same.py': ['workspace: python3 train.py …'],
  'cd src && python3 -u train.py': ['workspace: python3 train.py … in /w/src'],
  'CUDA_VISIBLE_DEVICES=0 python3 train.py': ['workspace: python3 train.py …'],
  'timeout 600 nice python3 train.py': ['workspace: python3 train.py …'],
  '.venv/bin/python train.py': ['workspace: .venv/bin/python train.py …'],
  'torchrun --nproc_per_node 4 train.py': ['workspace: torchrun train.py …'],
  'accelerate launch train.py': ['workspace: accelerate launch train.py …'],
  'uv run python train.py': ['workspace: uv run python train.py …'],
  './run.sh --fast': ['workspace: run.sh …'],
  'python3 train.py 2>&1 | tail -5': ['workspace: python3 train.py …'],
  'python3 train.py > out/log.txt': [
    'workspace: python3 train.py …',
    'workspace: changes of files in /w',
  ],
  'ls && pip install torch && pytest': ['always: pip install …', 'workspace: pytest …'],
  'mkdir -p out && cp a out/b': ['workspace: mkdir …', 'workspace: cp …'],
  'awk 1 > x': ['workspace: changes of files in /w'],
  'pytest -c /tmp/x.ini': ['session: pytest -c /tmp/x.ini'],
  'tokei src': ['session: tokei src'],
  'tail -1 train.log': ['session: tail -1 train.log'],
};

const asked: readonly string[] = [
  ...['python3 -c "1"', 'python3 -', 'python3 < x.py', 'echo 1 | python3', 'python3 -m evil'],
  ...['python3 link.py', 'python3 /tmp/x.py', 'python3 missing.py', 'python3 $X', 'python3 *.py'],
  ...['cd /tmp && python3 x.py', 'python3 -c "1" x.py', 'python3 -i -c x.py', 'node -e x a.js'],
  ...['sudo pip install x', 'echo x | xargs pip install', 'sh -c "pip install x"', 'bash run.sh'],
  ...['ssh gpu1 pytest', 'env pytest', 'nohup pytest', 'eval pytest', 'source x.sh', 'bash'],
  ...['git push --force', 'git push -f origin main', 'git push origin +main', 'git push origin :x'],
  ...['git push --mirror', 'git push -uf origin x', 'git fetch --upload-pack=x', 'git -C /x add .'],
  ...['git clone -c core.sshCommand=x u', 'git clone ext::sh', 'git reset --hard', 'git clean -fd'],
  ...['rm -r build', 'rm x', 'find . -delete', 'kill 1', 'dd if=a of=b', 'chmod +x a', 'curl u'],
  ...['pip install torch &', 'pip install $(cat x)', 'for i in 1; do pytest; done', '(pytest)'],
  ...['pytest; rm x', 'pip install torch && bash x.sh', 'PATH=/x pytest', 'LD_PRELOAD=x pytest'],
  ...['pytest > /tmp/log', 'pytest > $X', 'pytest < /etc/passwd', 'cp /etc/hosts .', 'touch ../x'],
  ...['cp --target-directory=/x a', 'cp -t/x a', 'mkdir /x', 'pip install ../x', 'make test -C/x'],
  ...['npm run test --prefix=/x', 'tool "code here"', 'p\u200bip'],
  ...['torchrun -m mod x.py', 'torchrun --no-python sh x.py', 'sbatch job.sh', 'docker run x'],
];

describe('the consents that a command line needs', () => {
  before(loadClassifier);

  for (const [line, expected] of Object.entries(remembered))
    it(`are bounded: ${line}`, () => assert.deepEqual(needs(line), expected));

  for (const line of asked)
    it(`are for one call only: ${line}`, () => assert.equal(needs(line), 'no'));
});
