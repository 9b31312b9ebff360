/**
 * Secrets as they stand in files and output, drawn anew by each process, so that no file holds one.
 */
import { random } from './random.ts';

const next = random(7);
const drawn =
  (letters: string, by = next) =>
  (count: number) =>
    Array.from({ length: count }, () => letters[Math.floor(by() * letters.length)] ?? '').join('');
const wordLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const word = drawn(wordLetters);
const upper = drawn('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const hex = drawn('0123456789abcdef');
const digits = drawn('123456789');

/** A text with a secret, and the part of it that nobody may read. */
export interface Planted {
  readonly text: string;
  readonly secret: string;
}

const after = (lead: string, secret: string, tail = ''): Planted => ({
  text: `${lead}${secret}${tail}`,
  secret,
});
const alone = (secret: string): Planted => ({ text: secret, secret });

const tokens = (): Planted[] => [
  ...['sk-ant-api03-', 'sk-proj-', 'sk-or-v1-', 'sk-', 'sk-svcacct-'].map((lead) =>
    alone(lead + word(40)),
  ),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((lead) => alone(`${lead}7${word(35)}`)),
  alone(`github_pat_${word(22)}_${word(59)}`),
  ...['sk_live_', 'rk_live_', 'sk_test_'].map((lead) => alone(`${lead}4${word(24)}`)),
  alone(`glpat-1${word(20)}`),
  alone(`hf_1${word(33)}`),
  ...['xoxb-', 'xoxp-', 'xapp-1-'].map((lead) => alone(`${lead}${digits(12)}-${word(24)}`)),
  ...['AKIA', 'ASIA'].map((lead) => alone(`${lead}3${upper(15)}`)),
  alone(`AIza${word(34)}7`),
  alone(`ya29.${word(60)}`),
  alone(`GOCSPX-1${word(27)}`),
  alone(`npm_1${word(35)}`),
  alone(`pypi-${word(80)}`),
  alone(`SG.${word(22)}.${word(43)}`),
  ...['gsk_', 'r8_', 'whsec_', 'lin_api_', 'pcsk_'].map((lead) => alone(lead + word(40))),
  ...['nvapi-', 'xai-', 'pplx-', 'tgp_v1_'].map((lead) => alone(lead + word(43))),
  alone(`dop_v1_${hex(64)}`),
  alone(`shpat_${hex(32)}`),
  alone(`hvs.${word(90)}`),
  alone(`dapi${hex(32)}`),
  alone(`ATATT3${word(180)}`),
  alone(`AGE-SECRET-KEY-1${upper(58)}`),
  alone(`eyJ${word(30)}.eyJ${word(50)}.${word(43)}`),
  alone(`eyJhcGlf7${word(90)}==`),
  alone(`${digits(10)}:AA${word(33)}`),
  alone(`local-${hex(40)}`),
  alone(`SK${hex(32)}`),
];

const keys = (): Planted[] => [
  ...['-----BEGIN OPENSSH PRIVATE KEY-----\n', '-----BEGIN RSA PRIVATE KEY-----\n'].map(
    (lead): Planted => {
      const body = word(70);
      return { text: `${lead}${body}\n${lead.replace('BEGIN', 'END')}`, secret: body };
    },
  ),
  after('-----BEGIN PRIVATE KEY-----\n', word(70)),
  after(
    '"private_key": "-----BEGIN PRIVATE KEY-----\\n',
    word(64),
    '\\n-----END PRIVATE KEY-----\\n"',
  ),
  after(
    '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n',
    word(64),
    '\n-----END PGP PRIVATE KEY BLOCK-----',
  ),
];

const addresses = (): Planted[] => [
  after('https://hooks.slack.com/services/', `T${upper(8)}/B${upper(10)}/${word(24)}`),
  after('https://discord.com/api/webhooks/', `${digits(18)}/${word(68)}`),
  after('https://discordapp.com/api/v10/webhooks/', `${digits(18)}/${word(68)}`),
  after('https://acme.webhook.office.com/', `webhookb2/${hex(36)}`),
  ...['https://ada:', 'postgres://ada:', 'redis://:', 'socks5://ada:', 'smtps://ada:'].map((lead) =>
    after(lead, word(12), '@db.lab:5432/x'),
  ),
  after('https://b.s3.amazonaws.com/x?X-Amz-Signature=', hex(64), '&x=1'),
  after('https://lab.blob.core.windows.net/c?sv=1&sig=', `${word(42)}%3D`),
];

const headers = (): Planted[] =>
  [
    'Authorization: Bearer ',
    'authorization: Basic ',
    'Proxy-Authorization: Bearer ',
    '"authorization": "token ',
    'x-api-key: ',
  ].map((lead) => after(lead, `1${word(30)}`));

const named = (): Planted[] => [
  ...[
    'PASSWORD=',
    'export WANDB_API_KEY=',
    'db_password: ',
    'client_secret = ',
    '?access_token=',
    '--password ',
    'Pwd=',
    'COMET_API_KEY=',
    'export NEPTUNE_API_TOKEN=',
    'MLFLOW_TRACKING_PASSWORD=',
    '\nSALT=',
    'AccountKey=',
    '//registry.npmjs.org/:_authToken=',
  ].map((lead) => after(lead, `${word(14)}7a`, '\n')),
  ...[
    '{"api_key": "',
    '"secret":"',
    "{'passphrase': '",
    'AccountKey="',
    'os.environ["HF_TOKEN"] = "',
    'os.getenv("LAB_API_KEY", "',
    'Client(api_key="',
  ].map((lead): Planted => {
    const secret = `${word(14)}3b`;
    return { text: `${lead}${secret}${lead.includes('"') ? '"' : "'"}`, secret };
  }),
  after('WANDB_API_KEY=', hex(40)),
  after('aws_secret_access_key = ', `${word(20)}/${word(18)}8`),
  after('"auth": "', `${word(29)}8==`, '"'),
  after('machine api.wandb.ai login user password ', hex(40)),
  after("sshpass -p '", word(9), "' ssh gpu1"),
  after('curl -sS --user ada:', word(11), ' https://x.lab'),
  after('the value is ', `Zq9${word(45)}`),
  after('"cell": "import openai\\nopenai.api_key = \\"', `sk-proj-${word(40)}`, '\\"\\n"'),
];

/** Drawn apart, so that the others stay the same. */
const nextElsewhere = random(8);
const wordElsewhere = drawn(wordLetters, nextElsewhere);
const hexElsewhere = drawn('0123456789abcdef', nextElsewhere);
const elsewhere = (): Planted[] => [
  after('machine h.lab login ada account x password ', `${wordElsewhere(24)}4`, '\nmachine b'),
  after('origin\thttps://', hexElsewhere(40), '@gitlab.lab/a/b.git (fetch)'),
  after('"{\\"MY_TOKEN\\":\\"', `${wordElsewhere(24)}5`, '\\"}"'),
  after('env:\n  - name: HF_TOKEN\n    value: ', `${wordElsewhere(29)}6`, '\n'),
  after('{"name": "DB_PASSWORD", "value": "', `${wordElsewhere(24)}6`, '"}'),
  after('api_key: |\n  ', `${wordElsewhere(23)}7`, '\n'),
  after('password: >-\n  ', `${wordElsewhere(24)}8`, '\n'),
  after("login(token=b'", `${wordElsewhere(24)}9`, "')"),
  after('setenv API_TOKEN ', `${wordElsewhere(23)}1`, '\n'),
  after('set -gx API_TOKEN ', `${wordElsewhere(23)}2`, '\n'),
  after('db.lab:5432:x:ada:', `${wordElsewhere(24)}3`, '\n'),
  after('<password>', `${wordElsewhere(24)}4`, '</password>'),
  after('http://127.0.0.1:8888/lab?token=', hexElsewhere(48)),
  after('{"text/plain": ["environ({\'COMET_API_KEY\': \'', `${wordElsewhere(24)}5`, '\'})"]}'),
  after("│ │   api_key = '", `${wordElsewhere(24)}6`, "'        │ │"),
  after('\r 20%|██ | step=2 api_key=', `${wordElsewhere(24)}7`, ' \r 30%|███'),
  after('Host gpu1\n  SetEnv WANDB_API_KEY=', hexElsewhere(40), '\n'),
];

/** Returns more than sixty kinds of secrets, new ones with each call. */
export const plantedSecrets = (): Planted[] => [
  ...tokens(),
  ...keys(),
  ...addresses(),
  ...headers(),
  ...named(),
  ...elsewhere(),
];
