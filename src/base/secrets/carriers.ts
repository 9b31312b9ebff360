/** Finds secrets by their context: in addresses, headers and options of programs. */
import { isNumber } from './randomness.ts';
import { isSecretName } from './secretNames.ts';
import { valueSpan, type SecretSpan } from './secretSpan.ts';

/**
 * Each pattern takes linear time, and has the secret in its group `value`. If it has a group `name`,
 * that name must denote a secret.
 */
const patterns: readonly RegExp[] = [
  // Passwords in front of the host of a URL, and webhook URLs, which are secrets as a whole.
  /(?<![a-z\d+.-])[a-z][a-z\d+.-]{0,20}:\/\/[^\s/@:'"<>`]{0,200}:(?<value>[^\s/@'"<>`]{6,500}|(?=[^\s@]{0,4}\d)[^\s/@'"<>`]{4,5})(?=@)/dgi,
  /(?<=:\/\/)(?<value>(?=[\w~-]{0,200}\d)(?=[\w~-]{0,200}[a-z])[\w~-]{20,500})(?=@)/dgi,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[\w/-]{10,})/dgi,
  /discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(?<value>[\w/-]{10,})/dgi,
  /webhook\.office\.com\/(?<value>[^\s'"<>\\]{10,})/dgi,
  /api\.telegram\.org\/bot(?<value>[\w:-]{10,})/dgi,
  /[?&](?:x-amz-signature|x-goog-signature|sig|signature|code|token)=(?<value>[\w%+/=-]{16,})/dgi,
  // Headers.
  /authorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:bearer|basic|digest|token|apikey)\s{1,4}(?<value>(?=[A-Za-z.~+/-]{0,200}\d)[\w.~+/-]{6,}={0,2})/dgi,
  /\b(?:bearer|basic)\s{1,4}(?<value>(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}={0,2})/dgi,
  // Files of curl and ssh, and options of programs.
  /\blogin\s{1,4}\S{1,200}(?:\s{1,8}account\s{1,4}\S{1,200})?\s{1,8}password\s{1,4}(?<value>[^\s"']\S*)/dgi,
  /\bsshpass\s+-p\s{0,4}(?<value>'[^'\n]*'|"[^"\n]*"|[^\s'"]+)/dg,
  /\bcurl\b[^\n]{0,500}?\s(?:-u|--user|--proxy-user)[\s=]{0,4}["']?[^\s:'"]{1,100}:(?<value>[^\s'"]+)/dg,
  // Files of PostgreSQL, settings in YAML and XML, and variables of other shells.
  /(?<![\w.-])[\w.*-]{1,100}:(?:543\d|6432|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:(?<value>(?=\S{0,200}\d)[^\s:'"]{6,500})/dg,
  /\bname["']?:\s{1,4}["']?(?<name>[\w.-]{1,64})["']?,?\s{1,40}["']?value["']?:\s{1,4}["']?(?<value>(?=[^\s"',]{0,200}\d)[^\s"',]{6,500})/dgi,
  /(?<![\w.-])(?<name>[\w.-]{1,64})["']?:\s{0,4}[|>][+-]?\n\s{1,40}(?<value>(?=\S{0,200}\d)[^\s'"]{6,500})/dg,
  /<(?<name>[\w.:-]{1,64})>(?<value>(?=[^<\s]{0,200}\d)[^<\s]{6,500})<\//dg,
  /\b(?:setenv|set\s{1,4}-[a-zA-Z]{0,4}x[a-zA-Z]{0,4})\s{1,4}(?<name>\w{1,64})\s{1,4}["']?(?<value>[^\s'"]{6,500})/dg,
  /\bmysql(?:dump|admin)?\b[^\n]{0,500}?\s-p(?<value>'[^'\n]*'|"[^"\n]*"|[^\s'"]{6,})/dg,
];

/** A fast test for texts without any of the patterns. */
const anything =
  /:\/\/|hooks\.|webhook|telegram|(?:signature|sig|code|token)=|authorization|bearer|basic|password|sshpass|curl|mysql|:(?:543\d|6432|\*):|value["']?:|[|>][+-]?\n|<\/|setenv|\bset\s+-/i;

/** Returns the secrets that the patterns find in the text. */
export function carried(text: string): SecretSpan[] {
  if (!anything.test(text)) return [];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].filter(isSecret).map((match) => valueSpan(match)),
  );
}

function isSecret({ groups }: RegExpExecArray): boolean {
  const name = groups?.['name'];
  return !isPlaceholder(groups?.['value'] ?? '') && (name === undefined || isSecretName(name));
}

/**
 * Returns true for a text that replaces a value: a variable, a placeholder of a template, or an
 * example.
 */
export const isPlaceholder = (value: string): boolean =>
  placeholder.test(value) || /^(.)\1*$/.test(value) || isNumber(value);

const placeholder =
  /^["']?(?:[$<{%⟨*[]|\.\.\.|#\{|x{3,}|your|my[-_]|example|change[-_ ]?me|placeholder|redacted|dummy|fake|insert|todo|test(?:ing)?$|none$|null$|nil$|true$|false$|undefined$|required|optional|string$|number$|boolean$|secret$|password$|pass(?:wd)?$|user$|token$|key$|process\.|os\.|env\.|env\[|self\.|this\.|req\.|ctx\.|args\.|config\.|options?\.)/i;
