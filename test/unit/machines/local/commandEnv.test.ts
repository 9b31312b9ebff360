import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { commandEnv } from '../../../../src/machines/local/commandEnv.ts';

describe('commandEnv', () => {
  it('keeps the keys of model providers and the editor to ourselves', () => {
    const ours = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_AUTH_TOKEN: 'k',
      OPENAI_API_KEY: 'k',
      AWS_BEARER_TOKEN_BEDROCK: 'k',
      GITHUB_TOKEN: 'k',
      AWS_SECRET_ACCESS_KEY_ID: 'not a secret name',
      APP_SECRET: 'k',
      AGENTHUB_KEY: 'k',
      VSCODE_IPC_HOOK_CLI: 'k',
      ELECTRON_RUN_AS_NODE: '1',
      HELIOS_RUN_ID: 'r-outer',
      MISSING: undefined,
    };
    assert.deepEqual(commandEnv(ours), {
      PATH: '/bin',
      AWS_SECRET_ACCESS_KEY_ID: 'not a secret name',
      PYTHONUNBUFFERED: '1',
    });
  });

  it('lets training scripts log in to their data and tracking services', () => {
    assert.deepEqual(commandEnv({ HF_TOKEN: 'h', WANDB_API_KEY: 'w' }), {
      HF_TOKEN: 'h',
      WANDB_API_KEY: 'w',
      PYTHONUNBUFFERED: '1',
    });
  });

  it('gives a command whatever it is given by name', () => {
    assert.deepEqual(commandEnv({}, { OPENAI_API_KEY: 'own', PYTHONUNBUFFERED: '0' }), {
      OPENAI_API_KEY: 'own',
      PYTHONUNBUFFERED: '0',
    });
  });
});
