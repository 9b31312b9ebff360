import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { KnownSecrets, looksSecret, redact, redactedMark } from '../../../src/base/redact.ts';
import { assertInProportion } from '../../fakes/proportion.ts';
import { random } from '../../fakes/random.ts';

const next = random(7);
const pick = (letters: string): string => letters[Math.floor(next() * letters.length)] ?? '';
const drawn = (letters: string) => (count: number) =>
  Array.from({ length: count }, () => pick(letters)).join('');
const word = drawn('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const upper = drawn('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const hex = drawn('0123456789abcdef');
const digits = drawn('123456789');

/** What a text looks like, and the part of it that nobody may read. */
type Planted = readonly [text: string, secret: string];
const after = (lead: string, secret: string, tail = ''): Planted => [
  `${lead}${secret}${tail}`,
  secret,
];
const alone = (secret: string): Planted => [secret, secret];

/** Drawn anew each time, so that the file itself holds no secret. */
const plant = (): Planted[] => [
  ...['sk-ant-api03-', 'sk-proj-', 'sk-or-v1-', 'sk-'].map((lead) => alone(lead + word(40))),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((lead) => alone(lead + word(36))),
  alone(`github_pat_${word(22)}_${word(59)}`),
  ...['sk_live_', 'rk_live_', 'sk_test_'].map((lead) => alone(lead + word(24))),
  alone(`glpat-${word(20)}`),
  alone(`hf_${word(34)}`),
  ...['xoxb-', 'xoxp-', 'xapp-1-'].map((lead) => alone(`${lead}${digits(12)}-${word(24)}`)),
  ...['AKIA', 'ASIA'].map((lead) => alone(lead + upper(16))),
  alone(`AIza${word(35)}`),
  alone(`ya29.${word(60)}`),
  alone(`GOCSPX-${word(28)}`),
  alone(`npm_${word(36)}`),
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
  alone(`${digits(10)}:AA${word(33)}`),
  ...['-----BEGIN OPENSSH PRIVATE KEY-----\n', '-----BEGIN RSA PRIVATE KEY-----\n'].map(
    (lead): Planted => {
      const body = word(70);
      return [`${lead}${body}\n${lead.replace('BEGIN', 'END')}`, body];
    },
  ),
  after('-----BEGIN PRIVATE KEY-----\n', word(70)),
  after('https://hooks.slack.com/services/', `T${upper(8)}/B${upper(10)}/${word(24)}`),
  after('https://discord.com/api/webhooks/', `${digits(18)}/${word(68)}`),
  after('https://discordapp.com/api/v10/webhooks/', `${digits(18)}/${word(68)}`),
  after('https://acme.webhook.office.com/', `webhookb2/${hex(36)}`),
  ...['https://ada:', 'postgres://ada:', 'redis://:', 'socks5://ada:', 'smtps://ada:'].map((lead) =>
    after(lead, word(12), '@db.lab:5432/x'),
  ),
  ...[
    'Authorization: Bearer ',
    'authorization: Basic ',
    'Proxy-Authorization: Bearer ',
    '"authorization": "token ',
  ].map((lead) => after(lead, word(30))),
  ...[
    'PASSWORD=',
    'export WANDB_API_KEY=',
    'db_password: ',
    'client_secret = ',
    '?access_token=',
    '--password ',
    'Pwd=',
  ].map((lead) => after(lead, `${word(10)}7a`, '\n')),
  ...[
    '{"api_key": "',
    '"secret":"',
    "{'passphrase': '",
    'AccountKey="',
    'os.environ["HF_TOKEN"] = "',
  ].map((lead): Planted => {
    const secret = `${word(14)}3b`;
    return [`${lead}${secret}${lead.includes('"') ? '"' : "'"}`, secret];
  }),
  after('aws_secret_access_key = ', `${word(20)}/${word(19)}`),
  after('machine api.wandb.ai login user password ', hex(40)),
  after("sshpass -p '", word(9), "' ssh gpu1"),
  after('curl -sS --user ada:', word(11), ' https://x.lab'),
  after('the value is ', `Zq9${word(45)}`),
];

describe('redact', () => {
  it('takes at least sixty kinds of planted secrets out of any surroundings', () => {
    const surroundings = ['', 'Traceback: ', '| ', '\u001b[31m', 'step=10 loss=0.83\n'];
    const kinds = plant().length;
    assert.ok(kinds >= 60, `${kinds} kinds`);
    for (let round = 0; round < 40; round += 1)
      for (const [text, secret] of plant()) {
        const around = surroundings[round % surroundings.length] ?? '';
        const whole = `${around}${text}\n${around}`;
        const clean = redact(whole);
        assert.ok(!clean.includes(secret), `kept in ${whole}`);
        assert.ok(clean.includes(redactedMark), whole);
        assert.equal(redact(clean), clean, 'what is clean stays as it is');
      }
  });

  it('takes out what is known to be one, in every form in which it travels', () => {
    const secret = 'pa ss"wörd/42';
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString('base64'),
    ];
    for (const form of forms)
      assert.equal(redact(form, [secret]).replaceAll('"', ''), redactedMark, form);
    assert.equal(redact('abc abcdefgh', ['abcdef', 'abcdefgh']), `abc ${redactedMark}`);
    assert.equal(redact('a dog', ['dog']), 'a dog', 'three letters are no secret');
  });

  const harmless = [
    'step=10 loss=0.83 lr=3e-4 tokens=4096 tokens/s=12,345',
    'token=512 max_tokens=4096 token_loss=0.3 num_key_value_heads: 8',
    'eos_token = <|endoftext|>, pad_token: [PAD], bos_token="<s>"',
    'tokenizer: gpt2, key=value, keys: 12, monkey: 1, author: Ada',
    'The secret of a good schedule is warm-up; the password is asked for.',
    'token: hello, signature: forward',
    'https://example.com/path?page=2&sort=asc git@github.com:ada/nanogpt.git ssh://git@github.com/ada/x',
    'tree 9fceb02d0ae598e95dc970b74767f19372d61af8 run r-0mk3j4k5l6abcdef gpu1:4521',
    'api_key: ${env:SLACK_KEY}, password: null, token: undefined, secret: ****',
    'experiments/2026-11-21_transformer_small_with_rotary_embeddings_and_swiglu_v3/checkpoint_best.pt',
    'TransformerDecoderLayerWithRotaryEmbeddingsAndGroupedQueryAttention2',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  ];
  for (const text of harmless)
    it(`leaves ${text.slice(0, 60)}`, () => {
      assert.equal(redact(text), text);
      assert.equal(looksSecret(text), false);
    });

  it('takes time in proportion to the text, whatever is in it', () => {
    const texts = [
      'a',
      'a-',
      'token',
      'token = ',
      'curl ',
      'password="',
      'http://a:',
      'eyJ',
      'login a password ',
    ];
    for (const part of texts)
      assertInProportion(
        (share) => redact(part.repeat(Math.ceil((200_000 * share) / part.length))),
        part,
      );
  });
});

describe('KnownSecrets', () => {
  it('knows what it was given, what is in it, and variables that are named as secrets are', () => {
    const known = new KnownSecrets({
      LAB_TOKEN: 'quiet-river',
      PATH: '/usr/bin',
      HELIOS_KEY: undefined,
    });
    const tokens = JSON.stringify({ access: 'plain words only', expires: 12 });
    assert.equal(known.add(tokens), tokens);
    assert.equal(known.add(undefined), undefined);
    assert.equal(
      known.redact('quiet-river plain words only /usr/bin'),
      `${redactedMark} ${redactedMark} /usr/bin`,
    );
  });
});
