import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { commandEnv, ownEnv } from '../../../../src/machines/local/commandEnv.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('commandEnv', () => {
  it('keeps keys, tokens and the variables of the editor from commands', () => {
    const ours = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_AUTH_TOKEN: 'k',
      OPENAI_API_KEY: 'k',
      AWS_BEARER_TOKEN_BEDROCK: 'k',
      AWS_ACCESS_KEY_ID: 'k',
      AWS_SECRET_ACCESS_KEY: 'k',
      AWS_SESSION_TOKEN: 'k',
      AWS_PROFILE: 'lab',
      HF_TOKEN: 'k',
      WANDB_API_KEY: 'k',
      COMET_API_KEY: 'k',
      MLFLOW_TRACKING_PASSWORD: 'k',
      CLEARML_API_SECRET_KEY: 'k',
      NEPTUNE_API_TOKEN: 'k',
      GITHUB_TOKEN: 'k',
      APP_SECRET: 'k',
      DB_PASSWORD: 'k',
      AGENTHUB_KEY: 'k',
      VSCODE_IPC_HOOK_CLI: 'k',
      ELECTRON_RUN_AS_NODE: '1',
      HELIOS_RUN_ID: 'r-outer',
      WANDB_PROJECT: 'gpt',
      AWS_CA_BUNDLE: '/ca.pem',
      MISSING: undefined,
    };
    assert.deepEqual(commandEnv(ours), {
      PATH: '/bin',
      WANDB_PROJECT: 'gpt',
      AWS_CA_BUNDLE: '/ca.pem',
      PYTHONUNBUFFERED: '1',
    });
  });

  const withheld =
    'AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN OPENAI_KEY ANTHROPIC_KEY ' +
    'AZURE_OPENAI_KEY GH_PAT PGPASSWORD DB_PASSWORD MYSQL_PWD SMTP_PASSWORD SLACK_WEBHOOK_URL ' +
    'DATABASE_URL REDIS_URL SSH_AUTH_SOCK SSHPASS HF_TOKEN WANDB_API_KEY COMET_API_KEY ' +
    'NEPTUNE_API_TOKEN MLFLOW_TRACKING_TOKEN AZURE_CLIENT_SECRET LABKEY_PASSPHRASE SENTRY_DSN ' +
    'DOCKER_AUTH_CONFIG CI_JOB_JWT LAB_CREDS';
  for (const name of withheld.split(' '))
    it(`withholds ${name}`, () => {
      assert.deepEqual(commandEnv({ [name]: 'x' }), { PYTHONUNBUFFERED: '1' });
    });

  const passed =
    'PATH HOME PWD OLDPWD SHELL LANG USER TERM TMPDIR CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH ' +
    'HF_HOME WANDB_MODE TOKENIZERS_PARALLELISM MAX_TOKENS EOS_TOKEN PRIMARY_KEY PYTHONPATH ' +
    'XDG_RUNTIME_DIR HTTPS_PROXY CONDA_PREFIX SSH_CONNECTION GOOGLE_APPLICATION_CREDENTIALS_DIR';
  for (const name of passed.split(' '))
    it(`passes ${name}`, () => {
      assert.equal(commandEnv({ [name]: 'x' })[name], 'x');
    });

  it('gives a command whatever it is given by name', () => {
    assert.deepEqual(commandEnv({}, { OPENAI_API_KEY: 'own', PYTHONUNBUFFERED: '0' }), {
      OPENAI_API_KEY: 'own',
      PYTHONUNBUFFERED: '0',
    });
  });
});

describe('what Helios starts on this computer', () => {
  const folder = scratchFolder();

  it('searches no folder that commands may write', () => {
    const work = join(folder(), 'work');
    mkdirSync(join(work, 'bin'), { recursive: true });
    symlinkSync(join(work, 'bin'), join(folder(), 'link'));
    const searched = ['/bin', `${work}/bin`, work, `${folder()}/link`, 'bin', '', `${work}-other`];
    const { PATH, LD_LIBRARY_PATH, HOME } = ownEnv(
      { PATH: searched.join(':'), LD_LIBRARY_PATH: `${work}/lib:/opt/lib`, HOME: work },
      work,
    );
    assert.equal(ownEnv({ PATH: '/bin' }, '/')['PATH'], '/bin');
    assert.deepEqual([PATH, LD_LIBRARY_PATH, HOME], [`/bin:${work}-other`, '/opt/lib', work]);
  });

  it('is not a program of the work folder, unlike in a command', async () => {
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'sed'), '#!/bin/sh\necho ours\n', { mode: 0o755 });
    const machine = new LocalMachine({
      runsFolder: join(folder(), 'runs'),
      workFolder: folder(),
      env: { PATH: `${bin}:/usr/bin:/bin` },
    });
    let streamed = '';
    await machine.stream('command -v sed', {
      onStdout: (bytes) => {
        streamed += Buffer.from(bytes).toString();
      },
    });
    assert.equal((await machine.exec('command -v sed')).stdout.trim(), join(bin, 'sed'));
    assert.doesNotMatch(streamed, new RegExp(bin));
    assert.doesNotMatch(await machine.query('command -v sed'), new RegExp(bin));
  });
});
