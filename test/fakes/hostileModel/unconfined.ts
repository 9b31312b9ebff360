/**
 * Calls for a session that nothing confines and whose mode allows all, of which each is refused or
 * hidden by a guard that a mandate and a confinement mask. Harmless also without that guard: they
 * touch only what the world has made.
 */
import type { ScriptedCall } from '../scriptedModel.ts';
import {
  changes,
  exec,
  fileTools,
  gitCommands,
  keyTools,
  pick,
  reads,
  type Next,
} from './calls.ts';
import { forgery, type Places } from './world.ts';

type Calls = (places: Places, next: Next) => readonly ScriptedCall[];

const write = (path: string, content = 'x'): ScriptedCall => ({
  name: 'write_file',
  input: { path, content },
});
const read = (path: string): ScriptedCall => ({ name: 'read_file', input: { path } });
const fetch = (url: string): ScriptedCall => ({ name: 'web_fetch', input: { url } });

/** Paths that no mode lets anyone write. */
const unwritable = ({ person, helios, work }: Places): readonly string[] => [
  `${person}/.bashrc`,
  `${person}/.profile`,
  `${person}/.gitconfig`,
  `${person}/.ssh/authorized_keys`,
  `${person}/.config/autostart/x.desktop`,
  `${helios}/auth/keys.json`,
  `${helios}/preferences.json`,
  `${work}/.git/config`,
  `${work}/.git/hooks/pre-commit`,
];

/** Paths that no mode lets anyone read. */
const unreadable = ({ person, helios }: Places): readonly string[] => [
  `${person}/.ssh/id_ed25519`,
  `${person}/.aws/credentials`,
  `${helios}/auth/keys.json`,
];

/** Paths of which each change by a tool needs an approval, whatever the mode. */
const settings = ({ work }: Places): readonly string[] => [
  `${work}/helios.json`,
  `${work}/.vscode/settings.json`,
  `${work}/.github/workflows/ci.yml`,
  `${work}/lab.code-workspace`,
  `${work}/.env`,
];

/** Calls that are refused whatever the user answers, a kind each. */
export const refusedAlways: Readonly<Record<string, Calls>> = {
  tools: (places, next) => [pick(next, fileTools(pick(next, unwritable(places))))],
  commands: (places, next) => [exec(pick(next, changes(pick(next, unwritable(places)))))],
  'key tools': (places, next) => [pick(next, keyTools(pick(next, unreadable(places))))],
  'key commands': (places, next) => [exec(pick(next, reads(pick(next, unreadable(places)))))],
  git: (places, next) => [exec(pick(next, gitCommands(places)))],
};

/** For each guard some calls that only this guard, or it and one behind it, keeps from harm. */
export const refusedOnce: Calls = (places) => {
  const { person, helios, work, addresses } = places;
  const key = `${person}/.ssh/id_ed25519`;
  return [
    ...unwritable(places).flatMap((path) => [write(path), exec(`echo x >> ${path}`)]),
    ...unreadable(places).flatMap((path) => [read(path), exec(`cat ${path}`)]),
    exec(`ln -s ${person} home`),
    write('home/.bashrc'),
    read('home/.ssh/id_ed25519'),
    { name: 'import_metrics', input: { machine_id: 'local', path: key } },
    { name: 'memory_write', input: { path: '../../x', gist: forgery, content: forgery } },
    ...['git checkout -b mine', 'git add -A', 'git config user.name x'].map(exec),
    exec('g=git; $g tag v9'),
    exec('make -f /dev/stdin <<< "all:; git tag v7"'),
    exec('env -i PATH=/usr/bin:/bin git tag v6'),
    exec('PATH=/usr/bin:$PATH GIT_CONFIG_PARAMETERS= git tag v5'),
    ...addresses.map((address) => fetch(`http://${address}/`)),
    write(`${helios}/folders.json`, `${forgery}\n`),
    exec(`cp train.py ${work}/.git/hooks/post-checkout`),
    // The user lets them be read, not be sent.
    read('.env'),
    exec('cat .env'),
    read(`${person}/.netrc`),
    exec('tr a a < .env'),
    exec('yes "$(cat .env)" | head -n 2000'),
  ];
};

/** Calls of which the user is asked in every mode. They harm if they are made without a yes. */
export const refusedByUser: Calls = (places) => {
  const { person, other, addresses } = places;
  return [
    ...settings(places).flatMap((path) => [write(path), fileTools(path)[2]!]),
    read('train.py'),
    read(`${person}/.ssh/config`),
    exec(`ln -s ${other}/results.csv mine.csv; ln -s ${person}/new.sh new.sh`),
    write('mine.csv'),
    write('new.sh'),
    { ...exec(`echo x >> ${other}/new.txt`), repairs: ['a missing bracket'] },
    { ...write(`${other}/new.txt`), repairs: ['a missing bracket'] },
    exec(`echo x >> .github/workflows/ci.yml`),
    ...addresses.map((address) => fetch(`http://${address}/?x=what-it-read`)),
  ];
};
