import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'mocha';
import { findSecrets } from '../../../../src/base/secrets/findSecrets.ts';
import { labelsIn, Redactor } from '../../../../src/base/secrets/redactor.ts';
import { plantedSecrets } from '../../../fakes/plantedSecrets.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';

const label = /⟨secret (?:[\w.-]+ )?[a-f\d]{8}⟩/g;
const shown = (text: string): string => text.replace(label, '⟨⟩');
const redact = (text: string): string => new Redactor().redact(text);

describe('Redactor', () => {
  it('labels more than sixty kinds of planted secrets in any surroundings', () => {
    const surroundings = ['', 'Traceback: ', '| ', '\u001b[31m', 'step=10 loss=0.83\n', '\\n'];
    const kinds = plantedSecrets().length;
    assert.ok(kinds >= 90, `${kinds} kinds`);
    for (let round = 0; round < 60; round += 1)
      for (const { text, secret } of plantedSecrets()) {
        const around = surroundings[round % surroundings.length] ?? '';
        const whole = `${around}${text}\n${around}`;
        const clean = redact(whole);
        assert.ok(!clean.includes(secret), `kept in ${whole}`);
        assert.equal(labelsIn(clean).length, 1, `${whole} became ${clean}`);
        assert.equal(redact(clean), clean, 'what is clean stays as it is');
      }
  });

  it('labels a known secret in every form in which it travels', () => {
    const secret = 'pa ss"wörd/42';
    const redactor = new Redactor();
    redactor.add(secret, 'LAB');
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString('base64'),
    ];
    for (const form of forms)
      assert.match(redactor.redact(form), /^"?⟨secret LAB [a-f\d]{8}⟩"?=*$/, form);
  });

  it('labels a known secret in hexadecimal, as programs write it', () => {
    const secret = 'k3y-Zq81xWv7Lm2pTe9RuB4n';
    const redactor = new Redactor();
    redactor.add(secret, 'LAB');
    const hex = Buffer.from(secret).toString('hex');
    const bytes = hex.match(/../g) ?? [];
    const words = hex.match(/..../g) ?? [];
    const swapped = words.map((word) => word.slice(2) + word.slice(0, 2));
    const dump = (parts: readonly string[], size: number): string =>
      Array.from({ length: Math.ceil(parts.length / size) }, (_, line) =>
        [
          (line * 16).toString(16).padStart(8, '0'),
          ...parts.slice(line * size, (line + 1) * size),
        ].join(' '),
      ).join('\n');
    const forms = {
      hex,
      upper: hex.toUpperCase(),
      odd: `0${hex}`,
      inside: `00ff${hex}00ff`,
      spaced: bytes.join(' '),
      colons: bytes.join(':'),
      python: bytes.map((byte) => `\\x${byte}`).join(''),
      c: bytes.map((byte) => `0x${byte}`).join(', '),
      url: bytes.map((byte) => `%${byte}`).join(''),
      wrapped: `${hex.slice(0, 20)}\n${hex.slice(20)}`,
      od: swapped.join(' '),
      xxd: dump(words, 8),
      'od -x': dump(swapped, 8),
      'od -tx1': dump(bytes, 16),
    };
    for (const [name, form] of Object.entries(forms)) {
      const clean = redactor.redact(`key\n${form}\nend`);
      assert.match(clean, /^key\n[^]*⟨secret LAB [a-f\d]{8}⟩[^]*\nend$/, name);
      const left = clean.replace(/⟨[^⟩]*⟩/g, '').match(/[\da-f]{2}/gi)?.length ?? 0;
      assert.ok(left <= 18, `${name}: ${clean}`);
      assert.equal(redactor.redact(clean), clean);
    }
    const others = ['deadbeef'.repeat(8), 'a3f1 b2c4 d5e6 f708 1122 3344', '10:11:12 2024-01-01 '];
    for (const other of others) assert.equal(redactor.redact(other), other);
  });

  it('labels a known secret backwards', () => {
    const redactor = new Redactor();
    redactor.add('blue-moon-7', 'LAB');
    assert.equal(shown(redactor.redact('7-noom-eulb')), '⟨⟩');
  });

  it('reads a text again after a secret in it has become known', () => {
    const redactor = new Redactor();
    const text = 'the door opens with blue-moon-7';
    assert.equal(redactor.redact(text), text);
    assert.equal(redactor.redact(text), text);
    redactor.add('blue-moon-7');
    assert.equal(shown(redactor.redact(text)), 'the door opens with ⟨⟩');
  });

  it('hides every line of a private key, whatever a search prints before the lines', () => {
    const pem = { type: 'pkcs8', format: 'pem' } as const;
    const keys = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs1',
        format: 'pem',
      }),
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem),
      generateKeyPairSync('ed25519').privateKey.export(pem),
    ];
    const printed: readonly ((line: string, index: number) => string)[] = [
      (line) => line,
      (line, index) => `keys/my_key:${index + 1}:${line}`,
      (line, index) => `${`${index + 8}`.padStart(6)}\t${line}`,
      (line) => `> ${line}`,
    ];
    for (const key of keys) {
      const lines = key.toString().trim().split('\n');
      for (const each of printed)
        for (const part of [lines, lines.slice(1), lines.slice(1, -1)]) {
          const text = redact(`before\n${part.map(each).join('\n')}\nafter`);
          for (const line of lines.slice(1, -1))
            assert.ok(!text.includes(line), `${line} is in\n${text}`);
        }
    }
  });

  it('leaves a certificate and a public key as they are', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const lines = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    assert.equal(redact(lines), lines);
  });

  it('ignores known values that are too short, and parts of words', () => {
    const redactor = new Redactor();
    redactor.add('dog');
    redactor.add('horses');
    assert.equal(shown(redactor.redact('a dog, seahorses, horses')), 'a dog, seahorses, ⟨⟩');
  });

  it('knows the values of variables with secret names, except paths, words and hosts', () => {
    const redactor = new Redactor();
    redactor.addEnvironment({
      LAB_TOKEN: 'quiet-river',
      DATABASE_URL: 'postgres://ada:blue-moon-7@db.lab/x',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/ada/key.json',
      DB_PASSWORD: 'postgres',
      PATH: '/usr/bin',
    });
    const text = 'quiet-river blue-moon-7 /home/ada/key.json postgres db.lab /usr/bin';
    assert.equal(shown(redactor.redact(text)), '⟨⟩ ⟨⟩ /home/ada/key.json postgres db.lab /usr/bin');
    assert.match(redactor.redact('quiet-river'), /^⟨secret LAB_TOKEN [a-f\d]{8}⟩$/);
  });

  it('knows each text in a stored sign-in', () => {
    const redactor = new Redactor();
    const tokens = JSON.stringify({ access: 'plain words only', expires: 12 });
    assert.equal(redactor.add(tokens), tokens);
    assert.equal(redactor.add(undefined), undefined);
    assert.equal(shown(redactor.redact('plain words only')), '⟨⟩');
  });

  it('gives a value the same label, also in another process with the same key', () => {
    const key = Buffer.alloc(32, 7);
    const [one, other] = [new Redactor(key), new Redactor(key)];
    const [first, second] = plantedSecrets();
    assert.ok(first && second);
    one.redact(second.text);
    assert.equal(one.redact(first.text), other.redact(first.text));
    assert.notEqual(one.redact(first.text), one.redact(second.text));
    assert.notEqual(one.redact(first.text), new Redactor().redact(first.text));
  });

  it('finds what is left of a random secret that was cut anywhere', () => {
    const redactor = new Redactor();
    const secret = plantedSecrets()[1]?.secret ?? '';
    redactor.add(secret);
    for (let at = 20; at <= secret.length - 20; at++)
      for (const part of [secret.slice(0, at), secret.slice(at)])
        assert.equal(shown(redactor.redact(`loss ${part} …`)), 'loss ⟨⟩ …', part);
  });

  it('finds parts of a secret that it has seen whole once', () => {
    const redactor = new Redactor();
    const secret = plantedSecrets()[1]?.secret ?? '';
    redactor.redact(`key ${secret}`);
    assert.equal(shown(redactor.redact(secret.slice(9, 36))), '⟨⟩');
  });

  it('returns the values of labels for a file that held them, and no others', () => {
    const redactor = new Redactor();
    const [first, second] = plantedSecrets().map(({ secret }) => secret);
    const held = `API_KEY=${first}\nlr=3e-4\n`;
    const seen = redactor.redact(held);
    const other = redactor.redact(second ?? '');
    assert.equal(
      redactor.restore(seen.replace('3e-4', '1e-3'), held),
      held.replace('3e-4', '1e-3'),
    );
    assert.equal(redactor.restore(other, held), other);
    assert.deepEqual(labelsIn(other), [other]);
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
    "begins with '-----BEGIN RSA PRIVATE KEY-----' and ends with '-----END RSA PRIVATE KEY-----'",
    '(ssh-ed25519 SHA256:5u5kNbpEdhKAhRjZmS0VlJBKkIoJAnPTfXkwaljz7zE) is unknown',
    'COMMIT=9fceb02d0ae598e95dc970b74767f19372d61af8',
    'DATA_ROOT=/scratch/ada/datasets/tiny-stories-v2',
    'password = getpass.getpass() token: string secret: Uint8Array cache_key = f"{name}_{seed}"',
    '"integrity": "sha512-XMIxqM8sQ3nNnUUQvJ5lRVKvYuKeDoXwh4VqDXCcb7oY3EhY5GqrPvJtQmJgXvKrLQ=="',
  ];
  for (const text of harmless)
    it(`leaves ${text.slice(0, 60)}`, () => {
      assert.equal(redact(text), text);
      assert.deepEqual(findSecrets(text), []);
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
      'Zq9',
      '-----BEGIN RSA PRIVATE KEY-----\n',
      '-----BEGIN A PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n',
      'PuTTY-User-Key-File-2',
      'A=1\n',
      '\\n',
      '\\',
      'sk-ant-',
      'k3J9',
    ];
    for (const part of texts)
      assertInProportion(
        (share) => redact(part.repeat(Math.ceil((60_000 * share) / part.length))),
        part,
      );
  });
});
