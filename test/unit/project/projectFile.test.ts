import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { UserFacing } from '../../../src/base/errors.ts';
import { parseProject } from '../../../src/project/projectFile.ts';
import { Projects, type ProjectFile } from '../../../src/project/projects.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { projectJsonSchema } from '../../../src/project/projectJsonSchema.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

/** As the documentation of the terminal agent shows it. */
const documented = {
  provider: 'claude',
  model: 'claude-opus-4-6',
  defaultMachine: 'gpu1',
  metricNames: ['loss', 'acc', 'lr'],
  metricPatterns: { loss: 'Loss:\\s+([\\d.]+)' },
  instructions: 'This project uses PyTorch Lightning. Always use pl.Trainer.',
  experimentDir: 'experiments',
  notifications: { channels: [{ type: 'desktop' }], events: ['experiment_complete', 'error'] },
};

const whole = {
  ...documented,
  $schema: './x.json',
  notifications: {
    channels: [
      { type: 'vscode' },
      { type: 'desktop' },
      {
        type: 'webhook',
        url: 'https://hooks.lab/1',
        method: 'POST',
        headers: { 'X-A': 'b' },
        format: 'slack',
      },
      {
        type: 'email',
        host: 'mail.lab',
        port: 587,
        security: 'starttls',
        from: 'a@b',
        to: ['c@d'],
      },
      { type: 'command', command: 'say done', timeoutSeconds: 5 },
    ],
    events: ['goal_met', 'task_complete', 'task_failed', 'metric_threshold', 'agent_idle'],
    quietHours: { from: '22:00', to: '07:30', except: ['error'] },
  },
  quietHours: { from: '22:00', to: '07:30' },
  budget: { usd: 5, tokens: 1e6, minutes: 600, turns: 100, experiment: { usd: 0.5 } },
  watchdogs: { divergence: 'kill', silence: { action: 'ask', minutes: 10 } },
  plateau: { experiments: 8, onPlateau: 'end' },
  permissions: { mode: 'ask' },
};

const problemsOf = (text: string): string => {
  try {
    parseProject('/p/helios.json', text);
  } catch (error) {
    assert.ok(error instanceof UserFacing);
    assert.ok(error.action);
    return error.message;
  }
  return '';
};

const mailTo = (to: string): string => `{"type": "email", "host": "h", "from": "a@b", "to": ${to}}`;

/** What each is refused for, with its place. */
const refused: readonly (readonly [string, string, RegExp])[] = [
  [
    'a comma too many',
    '{\n  "model": "x",\n}',
    /^\/p\/helios\.json:3:1: it is not valid JSON: an extra comma/,
  ],
  [
    'a comment without an end',
    '{ /* x\n}',
    /:1:3: it is not valid JSON: this comment is not closed/,
  ],
  ['a text that ends too early', '{\n "model": "x\n}', /:2:11: .*this string has no closing quote/],
  ['an end too early', '{"model": ', /not valid JSON/],
  ['nothing', '', /not valid JSON/],
  ['a list', '[]', /:1:1: must be an object/],
  ['names that are no list', '{"metricNames": "loss"}', /:1:17: metricNames must be a list/],
  [
    'a pattern that is none',
    '{"metricPatterns": {"loss": "("}}',
    /metricPatterns\.loss .*not a regular expression/,
  ],
  [
    'a pattern without a group',
    '{"metricPatterns": {"loss": "x"}}',
    /metricPatterns\.loss .*has no capture group/,
  ],
  [
    'a folder outside',
    '{"experimentDir": "../x"}',
    /experimentDir must be a folder inside the project/,
  ],
  ['an absolute folder', '{"experimentDir": "/etc"}', /experimentDir must be/],
  ['a limit of nothing', '{"budget": {"usd": 0}}', /budget\.usd must be above 0/],
  [
    'more than was allowed',
    '{"permissions": {"mode": "allow"}}',
    /permissions\.mode can only be "ask"/,
  ],
  [
    'an event that is none',
    '{"notifications": {"events": ["experiment_complet"]}}',
    /Did you mean experiment_complete\?/,
  ],
  [
    'a channel that is none',
    '{"notifications": {"channels": [{"type": "pager"}]}}',
    /must be vscode, desktop, webhook/,
  ],
  [
    'an address that is none',
    '{"notifications": {"channels": [{"type": "webhook", "url": "x"}]}}',
    /url must be a web address/,
  ],
  [
    'hours that are none',
    '{"quietHours": {"from": "25:00", "to": "07:00"}}',
    /quietHours\.from must be a time/,
  ],
  [
    'a threshold below its bound',
    '{"watchdogs": {"divergence": {"deviations": 1}}}',
    /deviations must be at least 3$/,
  ],
  [
    'a threshold above its bound',
    '{"watchdogs": {"silence": {"minutes": 1e6}}}',
    /minutes must be at most 10080$/,
  ],
  ['no minutes at all', '{"watchdogs": {"silence": {"minutes": 0}}}', /minutes must be above 0$/],
  [
    'nobody to write to',
    `{"notifications": {"channels": [${mailTo('[]')}]}}`,
    /to must have at least 1 entry$/,
  ],
  ['a part of a turn', '{"budget": {"turns": 1.5}}', /budget\.turns must be a whole number$/],
  [
    'hours without an end',
    '{"quietHours": {"from": "22:00"}}',
    /quietHours\.to is missing: it must be a text/,
  ],
  [
    'hours that never end',
    '{"quietHours": {"from": "22:00", "to": "22:00"}}',
    /to must be another time than "from"$/,
  ],
  [
    'a pattern without a name',
    '{"metricPatterns": {"": "x(.)"}}',
    /metricPatterns\[""\] must not be empty$/,
  ],
  [
    'a folder with a line break',
    '{"experimentDir": "a\\nb"}',
    /experimentDir must be a folder inside/,
  ],
  ['single quotes, no comment', "{'model': 'x'}", /:1:2: .*need double quotes/],
  [
    'a comma too few',
    '{"model": "x"\n "provider": "y"}',
    /:2:2: .*a comma or a quote is missing before this/,
  ],
  [
    'a reference that is none',
    '{"notifications": {"channels": [{"type": "webhook", "url": "https://x/${TOKEN}"}]}}',
    /url has an invalid reference \$\{…\}: write \$\{env:NAME\}/,
  ],
  [
    'a reference in a header that is none',
    '{"notifications": {"channels": [{"type": "webhook", "url": "https://x", "headers": {"A": "${TOKEN}"}}]}}',
    /headers\.A has an invalid reference \$\{…\}/,
  ],
  [
    'a password of nobody',
    `{"notifications": {"channels": [${mailTo('"c@d", "password": "${secret:smtp}"')}]}}`,
    /password has no user to log in as/,
  ],
  [
    'a watchdog that does what none does',
    '{"watchdogs": {"divergence": "kil"}}',
    /Did you mean kill\?/,
  ],
];

describe('helios.json', () => {
  const folder = scratchFolder();
  const put = (place: string, value: unknown): string => {
    const file = path.join(folder(), place, 'helios.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const inFolder = (place: string): string => {
    mkdirSync(path.join(folder(), place), { recursive: true });
    return path.join(folder(), place);
  };

  const projectsFor = (homeFolder?: string): Projects =>
    new Projects({
      folder: path.join(folder(), 'allowed'),
      write: writeFileAtomic,
      ...(homeFolder !== undefined && { homeFolder }),
    });
  const read = (place: string, homeFolder?: string): Promise<ProjectFile | undefined> =>
    projectsFor(homeFolder).read(place);

  it('says which names stand twice', () => {
    const text =
      '{\n  "model": "a",\n  "watchdogs": { "silence": { "minutes": 5 } },\n  "model": "b",\n  "watchdogs": { "silence": { "minutes": 9 } }\n}';
    const { model, warnings } = parseProject('/p/helios.json', text);
    assert.equal(model, 'b');
    assert.deepEqual(warnings, [
      '/p/helios.json:4:12: model occurs twice: this value is used',
      '/p/helios.json:5:16: watchdogs occurs twice: this value is used',
    ]);
  });

  it('is read as it was documented, without a word of warning', () => {
    const { warnings, ...project } = parseProject('/p/helios.json', JSON.stringify(documented));
    assert.deepEqual(warnings, []);
    assert.deepEqual(project, documented);
  });

  it('may have comments', () => {
    const { model, warnings } = parseProject(
      '/p/helios.json',
      '// x\n{\n  "model": "y" // z\n  /* "modle": 1 */\n}',
    );
    assert.deepEqual([model, warnings], ['y', []]);
  });

  it('is read with every field that there is', () => {
    const { watchdogs, warnings } = parseProject('/p/helios.json', JSON.stringify(whole));
    assert.deepEqual(warnings, []);
    assert.deepEqual(watchdogs, {
      divergence: { action: 'kill' },
      silence: { action: 'ask', minutes: 10 },
    });
  });

  for (const [name, text, expected] of refused)
    it(`is refused for ${name}`, () => {
      assert.match(problemsOf(text), expected);
    });

  it('names every problem at once', () => {
    const lines = problemsOf(
      '{\n "modle": "x",\n "metricNames": 1,\n "budget": {"usd": "5"}\n}',
    ).split('\n');
    assert.deepEqual(
      lines.map((line) => line.replace('/p/helios.json:', '')),
      [
        '3:17: metricNames must be a list',
        '4:20: budget.usd must be a number',
        '2:11: modle is not known, and has no effect. Did you mean model?',
      ],
    );
  });

  it('says what has no effect, at any depth, and uses the rest', () => {
    const text =
      '{"model": "x", "colour": 1, "watchdogs": {"silence": {"minute": 3}}, "budget": {"eur": 1}}';
    const { model, warnings } = parseProject('/p/helios.json', text);
    assert.equal(model, 'x');
    assert.equal(warnings.length, 3);
    assert.match(warnings.join('\n'), /colour is not known/);
    assert.match(
      warnings.join('\n'),
      /watchdogs\.silence\.minute is not known, and has no effect\. Did you mean minutes\?/,
    );
    assert.match(
      warnings.join('\n'),
      /budget\.eur is not known, and has no effect\. Known names: usd, tokens, minutes, turns, experiment\./,
    );
  });

  it('names what a channel of that type knows', () => {
    const text = '{"notifications": {"channels": [{"type": "desktop", "sound": true}]}}';
    assert.match(
      parseProject('/p/helios.json', text).warnings.join(),
      /sound is not known, .* Known names: type\.$/,
    );
  });

  it('warns of secrets that stand in it, without repeating them', () => {
    const url = `https://hooks.slack.com/services/${'T0'.repeat(6)}/${'B1'.repeat(6)}/${'x2'.repeat(12)}`;
    const email = {
      type: 'email',
      host: 'h',
      user: 'a',
      from: 'a@b',
      to: 'c@d',
      password: 'plain',
    };
    const channels = [
      { type: 'webhook', url, headers: { Authorization: 'Bearer abcdefghijkl1234' } },
      email,
    ];
    const { warnings } = parseProject(
      '/p/helios.json',
      JSON.stringify({ notifications: { channels } }),
    );
    assert.equal(warnings.length, 3);
    for (const warning of warnings)
      assert.match(warning, /looks like a secret.*your own notification settings/);
    assert.doesNotMatch(warnings.join(), /x2x2|abcdefgh|plain/);
  });

  it('is found by walking up, the nearest first', async () => {
    put('.', { instructions: 'outer' });
    put('a', { instructions: 'inner' });
    assert.equal((await read(inFolder('a/b/c')))?.instructions, 'inner');
    assert.equal((await read(inFolder('d')))?.instructions, 'outer');
  });

  it('is looked for above a repository, but not above the home folder', async () => {
    put('.', { instructions: 'outer' });
    inFolder('repo/.git');
    assert.equal((await read(inFolder('repo/src')))?.instructions, 'outer');
    assert.equal(await read(inFolder('home/x'), path.join(folder(), 'home')), undefined);
    put('repo', { instructions: 'root' });
    assert.equal((await read(inFolder('repo/src')))?.instructions, 'root');
  });

  it('is an error where it is broken, also far above', async () => {
    put('.', '{"model": tru}');
    await assert.rejects(
      read(inFolder('e/f')),
      (error) => error instanceof UserFacing && /:1:11: /.test(error.message),
    );
  });

  needs('posix')('is an error where it is a pipe, which is not waited for', async () => {
    execFileSync('mkfifo', [path.join(folder(), 'helios.json')]);
    await assert.rejects(read(folder()), {
      message: /helios\.json cannot be read: it is not a regular file\.$/,
      action: 'Replace it with a regular file.',
    });
  });

  it('is begun once, and never written over', async () => {
    const place = inFolder('new');
    const projects = projectsFor();
    const file = await projects.create(place, { provider: 'claude', defaultMachine: 'gpu1' });
    const { warnings, provider, defaultMachine, metricNames } = parseProject(
      file,
      readFileSync(file, 'utf8'),
    );
    // Metrics that are named are the only ones that are read.
    assert.deepEqual([warnings, provider, defaultMachine, metricNames], [[], 'claude', 'gpu1', []]);
    await assert.rejects(projects.create(place, {}), /already exists/);
    assert.equal(await projects.ensure(inFolder('new/sub')), file);
    assert.equal((await read(place))?.provider, 'claude', 'the user chose it');
  });

  describe('in an editor', () => {
    const schema = z.fromJSONSchema(projectJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    const fits = (value: unknown): boolean => schema.safeParse(value).success;

    it('is right where it is right for us', () => {
      for (const value of [documented, whole, {}]) assert.ok(fits(value), JSON.stringify(value));
    });

    /** A schema cannot tell what a pattern captures, nor compare one field with another. */
    const beyond = /pattern|folder|more than was allowed|never end|reference|password/;
    for (const [name, text] of refused.filter(
      ([each]) => !beyond.test(each) && !/comma|comment|early|nothing$/.test(each),
    ))
      it(`is wrong for ${name}`, () => {
        assert.equal(fits(JSON.parse(text)), false);
      });

    it('says what each field means', () => {
      const { properties } = projectJsonSchema() as {
        properties: Record<string, { description?: string }>;
      };
      for (const [name, { description }] of Object.entries(properties))
        assert.ok(description, name);
    });
  });
});
