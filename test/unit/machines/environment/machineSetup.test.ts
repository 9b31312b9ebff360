import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isModelKey } from '../../../../src/base/modelKeys.ts';
import { localSetup, remoteSetup } from '../../../../src/machines/environment/machineSetup.ts';
import { secretValues } from '../../../../src/machines/environment/variables.ts';
import { withheldNote } from '../../../../src/machines/environment/withheldNote.ts';
import { keySources } from '../../../../src/models/providerList.ts';

const env = {
  PATH: '/bin',
  OPENAI_API_KEY: 'model',
  ANTHROPIC_API_KEY: 'model',
  AWS_BEARER_TOKEN_BEDROCK: 'model',
  AWS_ACCESS_KEY_ID: 'AKIAX',
  AWS_SECRET_ACCESS_KEY: 'aws',
  AWS_SESSION_TOKEN: 'aws',
  AWS_PROFILE: 'lab',
  AWS_REGION: 'eu-west-1',
  COMET_API_KEY: 'comet',
  NEPTUNE_API_TOKEN: 'neptune',
  MLFLOW_TRACKING_PASSWORD: 'mlflow',
  CLEARML_API_SECRET_KEY: 'clearml',
  WANDB_API_KEY: 'wandb',
  HF_TOKEN: 'hf',
  LAB_TOKEN: 'lab',
  DVC_PASSWORD: 'dvc',
  VSCODE_IPC_HOOK: 'ipc',
  EMPTY_TOKEN: '',
};
const services = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
  'COMET_API_KEY',
  'NEPTUNE_API_TOKEN',
  'MLFLOW_TRACKING_PASSWORD',
  'CLEARML_API_SECRET_KEY',
  'WANDB_API_KEY',
  'HF_TOKEN',
];

describe('the setup of machines', () => {
  it('lets runs on this computer log in to data and tracking services', () => {
    assert.deepEqual(Object.keys(localSetup({}, env).runEnv), services);
    assert.equal(localSetup({}, env).runEnv['WANDB_API_KEY'], 'wandb');
  });

  it('passes what the user lists, but never keys of models or variables of VS Code', () => {
    const passEnvironment = [
      'LAB_TOKEN',
      'DVC_*',
      'OPENAI_API_KEY',
      'ANTHROPIC_*',
      '*',
      'VSCODE_*',
    ];
    assert.deepEqual(Object.keys(localSetup({ passEnvironment }, env).runEnv), [
      ...services,
      'LAB_TOKEN',
      'DVC_PASSWORD',
    ]);
    assert.deepEqual(
      Object.keys(remoteSetup({ passEnvironment: ['OPENAI_API_KEY', 'AWS_*'] }, env).runEnv),
      services.filter((name) => name.startsWith('AWS_')),
    );
  });

  it('passes nothing of this computer to other machines unless their entry says so', () => {
    assert.deepEqual(remoteSetup({}, env).runEnv, {});
    assert.deepEqual(remoteSetup({ passEnvironment: ['WANDB_API_KEY'] }, env).runEnv, {
      WANDB_API_KEY: 'wandb',
    });
  });

  it('knows the variables of every provider as keys of models', () => {
    const variables = keySources.flatMap((source) => source.variables);
    assert.ok(variables.length > 4);
    for (const name of variables) assert.ok(isModelKey(name), name);
    for (const name of ['HF_TOKEN', 'WANDB_API_KEY', 'AWS_SESSION_TOKEN', 'GOOGLE_CLOUD_PROJECT'])
      assert.ok(!isModelKey(name), name);
  });

  it('redacts the secrets among them, not regions and profiles', () => {
    assert.deepEqual(
      secretValues({ ...localSetup({}, env).runEnv, LAB_AUTH: 'a1b2c3d4e5f6a7b8c9' }),
      [
        'AKIAX',
        'aws',
        'aws',
        'comet',
        'neptune',
        'mlflow',
        'clearml',
        'wandb',
        'hf',
        'a1b2c3d4e5f6a7b8c9',
      ],
    );
  });
});

describe('withheldNote', () => {
  const local = { id: 'local', kind: 'local' } as const;
  const gpu1 = { id: 'gpu1', kind: 'ssh' } as const;
  const ofCommand = (output: string) =>
    withheldNote(local, localSetup({}, env), { output, isRun: false });

  it('says that runs get what a command lacks', () => {
    assert.equal(
      ofCommand('KeyError: WANDB_API_KEY'),
      'WANDB_API_KEY is set here, but withheld from commands; runs get it.',
    );
  });

  it('says how to allow what neither gets, and that keys of models are never passed', () => {
    const note =
      'LAB_TOKEN is set here, but withheld from commands and runs. The user can allow it for runs with the setting helios.run.passEnvironment.';
    assert.equal(ofCommand('set LAB_TOKEN first'), note);
    const ofRun = (output: string) =>
      withheldNote(local, localSetup({}, env), { output, isRun: true });
    assert.equal(ofRun('set LAB_TOKEN first'), note);
    assert.equal(ofRun('no WANDB_API_KEY'), undefined);
    assert.match(ofRun('OPENAI_API_KEY must be set') ?? '', /keys of models are never passed/);
  });

  it('says what is not passed to another machine', () => {
    const note = withheldNote(gpu1, remoteSetup({}, env), {
      output: "os.environ['HF_TOKEN']",
      isRun: true,
    });
    assert.match(
      note ?? '',
      /HF_TOKEN is set here, but not passed to gpu1.*passEnvironment of gpu1/,
    );
  });

  it('says nothing of names inside other names, of names not set, and of other failures', () => {
    for (const text of ['MY_HF_TOKEN', 'HF_TOKEN_PATH', 'EMPTY_TOKEN', 'NO_SUCH_TOKEN', 'exit 1'])
      assert.equal(ofCommand(text), undefined, text);
  });
});
