/**
 * The only list of names that denote secrets: environment variables, keys of settings, fields of
 * JSON and options of commands.
 */
import { isModelKey } from '../modelKeys.ts';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Last words of names whose values are secret, such as `DB_PASSWORD`. */
const nouns = set(
  'password passwd passphrase passcode secret apikey apikeys accesskey secretkey privatekey ' +
    'authkey authtoken accesstoken sshpass',
);
/** Last words of names whose values are secret if they look like a secret. */
const vague = set('secrets credentials credential creds authorization dsn webhook auth jwt cookie');
/**
 * Names that are vague, and denote a secret only after another word: `PWD` is the name of the
 * working folder.
 */
const ambiguous = set('pwd pass pat');
/** Endings of words that are written together, such as `PGPASSWORD`. */
const endings = /(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|authkey)$/;

/** Words before `token` and `key` with which the name denotes something public. */
const publicTokens = set(
  'max min num eos bos pad unk sep cls mask image next prev last first special start end stop new ' +
    'per input output each total tokenizer vocab forbidden begin audio video text user_token line ' +
    'current open close left right eot eop bad word sub single lex syntax peek look cancellation cancel',
);
const publicKeys = set(
  'public pub primary foreign sort partition cache index idempotency hot map dict row range group ' +
    'shard routing registry translation i18n query pressed event object config option lookup metric ' +
    'label name feature state data json value next first last unique composite natural react list ' +
    'item menu shortcut modifier arrow enter escape tab ctrl alt meta shift delete project issue ' +
    'parent child sub path file column field property prop attribute attr any each other the this ' +
    'that by of is has no on to from type node string symbol number id hash message msg bucket order ' +
    'dedup dedupe host known trusted answer random rng prng schema table session storage',
);
/**
 * Words before `key` with which the name denotes a secret. After any other word, `key` may denote
 * something else, such as an entry of a table.
 */
const secretKeys = set(
  'api access secret private account auth master encryption signing service license subscription ' +
    'deploy openai anthropic azure gemini google cohere mistral groq together replicate wandb comet ' +
    'neptune hf huggingface stripe sendgrid twilio admin shared client agenthub deepseek xai',
);
/** Words before `url`, `uri` and `string`: such addresses contain passwords. */
const addressed = set(
  'database db redis mongo mongodb postgres postgresql pg mysql mariadb amqp rabbitmq broker sentry ' +
    'webhook slack discord connection conn jdbc clickhouse elasticsearch sqlalchemy result_backend',
);

/**
 * `certain`: the value is secret, whatever it looks like. `likely`: the name may also denote
 * something else, so the value must look like a secret.
 */
export type SecretNameKind = 'certain' | 'likely';

/** Returns how surely the name denotes a secret; `undefined` if it does not. */
export function secretNameKind(name: string): SecretNameKind | undefined {
  return isModelKey(name) ? 'certain' : kindByWords(name);
}

function kindByWords(name: string): SecretNameKind | undefined {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (last === 'key' || last === 'keys') return keyKind(last, before);
  if (last === 'token') return publicTokens.has(before) ? undefined : tokenKind(words);
  if (last === 'config') return before === 'auth' ? 'likely' : undefined;
  if (last === 'id') return words.slice(-3).join('_') === 'access_key_id' ? 'likely' : undefined;
  if (['url', 'uri', 'string'].includes(last)) return addressed.has(before) ? 'certain' : undefined;
  return nounKind(last, before);
}

function nounKind(last: string, before: string): SecretNameKind | undefined {
  if (ambiguous.has(last)) return before === '' ? undefined : 'likely';
  if (vague.has(last)) return 'likely';
  return nouns.has(last) || endings.test(last) ? 'certain' : undefined;
}

/** Returns true for names of environment variables and settings that usually contain secrets. */
export const isSecretName = (name: string): boolean => secretNameKind(name) !== undefined;

/** Splits `dbPassword2`, `DB_PASSWORD` and `db-password` into words in lowercase letters. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');

const tokenKind = (words: readonly string[]): SecretNameKind =>
  words.length === 1 ? 'likely' : 'certain';

function keyKind(last: string, before: string): SecretNameKind | undefined {
  if (secretKeys.has(before)) return 'certain';
  return last === 'keys' || before === '' || publicKeys.has(before) ? undefined : 'likely';
}
