/** Lines of output made at random, of parts that are hard to read together. */

const names = [
  ...['loss', 'val_loss', 'Val', 'val', 'Loss', 'LOSS', 'train', 'best', 'avg', 'step', 'Step'],
  ...['global', 'global_step', 'epoch', 'Epoch', 'it', 'iter', 'batch', 'lr', 'acc', 'acc@1'],
  ...['top-5', 'top-', 'grad', 'norm', 'grad_norm', 'tokens/s', 'train/loss', 'a.b', 'x', '_'],
  ...['my', 'F1', 'r2', 'time', 'eta', 'host', 'tensor', 'np.float64', 'torch.tensor', 'array'],
  ...['float32', 'nan', 'inf', 'NaN', '-inf', 'Infinity', 'info', 'name', 'k', 'ms', 'it/s', 'e5'],
  ...['INFO', 'localhost', 'cuda', 'total', 'total steps', 'num_updates', 'over', 'of', 'median'],
  ...['rounds', 'loss_', '-loss', '?x', 'a?b', 'a&b', 'é', 'µs', '█', '%', 'loss-', '--lr', '"'],
  ...["'", '\\"', '$', '(', ')', '[', '[ ', ']', '{', '}', '{"', '|', ',', ';', '<', '>', '->'],
  ...['=>', '→', ':=', '==', '::', '/', ' / ', '.', '..', '-', '+', '~', '\t', '  ', '\u001b[31m'],
  ...['\u001b[0m', '\u000b', '\u00a0', '\u0007'],
];
const numbers = [
  ...[
    '0',
    '1',
    '12',
    '-0',
    '+3',
    '0.5',
    '.5',
    '5.',
    '-1.25',
    '1e5',
    '3e-4',
    '1.25E-01',
    '1e',
    '1e-',
  ],
  ...['1e400', '1e-400', '123456789012345678', '0.1234567890123456789', '1,234', '1,23', '1_000'],
  ...['1,234,567.5', '12/1000', '12 / 1000', '12/1000,', '12/1,000', '5%', '5 %', '5  %', '5%/3'],
  ...[
    '1.2.3',
    '12:30',
    '3f9a',
    '1.2M',
    '5k/s',
    '5ms',
    '5ms/step',
    '5/step',
    '5 ms/step',
    '9.9it/s',
  ],
  ...['100/', '2026-01-02', '12:00:00,123', '00:01<00:09', '4..', '4.x', '9_', '7-8', '7-x', '7-'],
  ...[
    '0x3f',
    '1/2/3',
    '640/60000 (1%)',
    '3.4e+',
    '3.4e+2s',
    '12345678/',
    '1e5/2',
    '7/ 8x',
    '22e22',
  ],
  ...['22e23', '1e-22', '1.5e-23', '999999999999999', '9007199254740993', '0.30000000000000004'],
];
const signs = [
  ...['=', '=', ': ', ': ', ' = ', ' ', ' ', ':', ' : ', '', '  ', '\t', ', ', ' | ', ' -> '],
  ...[' => ', '": ', "': ", ':= ', '= ', '=-', '[', ' [', '("'],
];
const between = [' ', ' ', ', ', ' | ', '', ',', '; ', '\t', '. '];

/** Returns a line; the same lines for the same random numbers. */
export function logLine(random: () => number): string {
  const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)] ?? '';
  const part = (): string => {
    const choice = random();
    if (choice < 0.15) return pick(names) + pick([' ', '  ', '_', '/']) + pick(names) + pick(signs);
    if (choice < 0.55) return pick(names) + pick(signs) + pick(numbers);
    return choice < 0.8 ? pick(names) : pick(choice < 0.9 ? numbers : signs);
  };
  const choice = random();
  if (choice < 0.02) return `{"${pick(names)}": ${pick(numbers)}, "a": {"loss": ${pick(numbers)}}}`;
  if (choice < 0.04) return 'epoch  loss  lr';
  if (choice < 0.06) return `${pick(numbers)} ${pick(numbers)} ${pick(numbers)}`;
  if (choice < 0.08) return `median over 5 ${pick(names)}: ${pick(numbers)} ms`;
  const parts = Array.from({ length: 2 + Math.floor(random() * 8) }, () => part() + pick(between));
  return parts.join('');
}
