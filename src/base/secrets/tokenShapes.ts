/** Finds tokens of well-known services by their form, and words that seem to be random. */
import { isRandom, isVeryRandom } from './randomness.ts';
import type { SecretSpan } from './secretSpan.ts';

/** Patterns of whole tokens, by their prefixes. */
const shapes = [
  // OpenAI, Anthropic, OpenRouter, DeepSeek
  'sk-(?:(?:ant|proj|or-v1|svcacct|admin|None)-[\\w-]{16,}|[A-Za-z0-9]{20,}|[\\w-]{40,})',
  // Stripe
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}',
  // GitHub, GitLab, Grafana
  'gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\\w{20,}',
  '(?:glpat|gldt|glrt|glcbt|glptt|glsa|glc|glft|gloas)[-_][\\w=.-]{16,}',
  // Hugging Face
  '(?:hf|api_org)_[A-Za-z0-9]{20,}',
  // Slack
  '(?:xox[abeoprs]|xapp|xwfp)-[A-Za-z0-9-]{10,}',
  // AWS
  '(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}',
  // Google
  'AIza[\\w-]{30,}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{30,}',
  // npm, PyPI, RubyGems, crates.io
  'npm_[A-Za-z0-9]{30,}|pypi-[\\w-]{30,}|rubygems_[a-f0-9]{40,}|cio[A-Za-z0-9]{32}',
  // SendGrid, Mailgun, Twilio
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}|key-[a-f0-9]{32}|SK[a-f0-9]{32}',
  // Weights & Biases
  '(?:local-[a-f0-9]{40}|wandb_v\\d_[\\w-]{20,})',
  // NVIDIA, xAI, Perplexity, Together, Apify, RunPod
  '(?:nvapi|xai|pplx|tgp_v1|apify_api|wmk|rpa)[-_][\\w-]{20,}',
  // DigitalOcean, Shopify, HashiCorp Vault, Databricks, Atlassian, Sentry, age, Doppler
  '(?:dop|doo|dor)_v1_[a-f0-9]{32,}|(?:shpat|shpss|shpca|shppa)_[a-fA-F0-9]{20,}',
  'hv[sbr]\\.[\\w-]{24,}|dapi[a-f0-9]{32}|ATATT3[\\w=.-]{20,}|sntrys_[\\w=+/.-]{20,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}|dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9_.-]{30,}',
  // JSON Web Tokens, and the API tokens of Neptune
  'eyJ[\\w-]{10,}\\.[\\w-]{10,}(?:\\.[\\w-]*)?|eyJhcGlf[\\w+/-]{40,}={0,2}',
  // Telegram, Discord
  '\\d{8,10}:AA[\\w-]{32,}|[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}',
  // Azure
  '[\\w.~-]{3}8Q~[\\w.~-]{30,}',
].join('|');
/**
 * Patterns whose prefixes also begin ordinary names, so the rest must seem to be random: Groq,
 * Replicate, Fireworks, Cerebras, PostHog, Linear, Tavily, Pinecone, Jina and others.
 */
const looseShapes =
  '(?:gsk|r8|fw|csk|whsec|phc|phx|sqp|lin_api|rnd|tvly|tvly-dev|pcsk|jina|re)[_-][A-Za-z0-9_]{20,}';
const shape = new RegExp(`(?<![A-Za-z0-9_-])(?:${shapes}|(?<loose>${looseShapes}))`, 'g');

/** Matches a text that may contain a token. Tokens have at least 20 characters. */
const candidate = /(?<![\w.~:/+=-])[\w.~:/+=-]{20,}/g;
/** Matches digits and capitals within a word, which ordinary words do not have. */
const notWords = /\d|[a-z][A-Z]|A[KS]IA/;
/**
 * Maximum length of a token. A longer text is encoded data, unless it has a sign that such data
 * does not have.
 */
const maxTokenChars = 2_048;
const mayHoldToken = /[_.-]/;

/** Returns the tokens in the text. Takes linear time. */
export function tokens(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { 0: word, index } of text.matchAll(candidate)) {
    if (!notWords.test(word) || (word.length > maxTokenChars && !mayHoldToken.test(word))) continue;
    for (const found of word.matchAll(shape)) if (isToken(found)) spans.push(spanOf(found, index));
    if (word.length >= minWordChars) spans.push(...randomWords(text, word, index));
  }
  return spans;
}

const isToken = ({ 0: text, groups }: RegExpExecArray): boolean =>
  groups?.['loose'] === undefined ? notWords.test(text) : isRandom(text.slice(2));

const spanOf = ({ 0: found, index }: RegExpExecArray, offset: number): SecretSpan => ({
  start: offset + index,
  end: offset + index + found.length,
});

const minWordChars = 40;
/** Matches a word of 40 to 200 characters that is part of neither a path nor encoded data. */
const longWord = /(?<![\w+/=.-])(?!sha\d)[\w-]{40,200}={0,2}(?![\w+/=.-])/g;

/** Returns the random words in `word`, which is at `offset` in the text. */
function randomWords(text: string, word: string, offset: number): SecretSpan[] {
  return [...word.matchAll(longWord)].flatMap((found) => {
    const span = spanOf(found, offset);
    return isVeryRandom(found[0], minWordChars) && !isEncoded(text, span) ? [span] : [];
  });
}

/**
 * Returns true for a part of encoded data: after `base64,` or `SHA256:`, or on a line of its own.
 */
const isEncoded = (text: string, { start, end }: SecretSpan): boolean => {
  const before = text.slice(Math.max(0, start - 80), start);
  const isLine =
    /(?:^|[\n\r])["'\s]{0,80}$/.test(before) &&
    /^(?:\\n)?["',+\s\\]{0,8}(?:$|[\n\r])/.test(text.slice(end, end + 10));
  return isLine || /(?:[@%]|\?[bB]\?|base64['"]?,\s?['"]?|\bsha\d+[:-])$/i.test(before);
};
