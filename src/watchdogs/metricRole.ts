/** Classifies a metric by its name. Its class decides how watchdogs treat the metric. */

const lossWords = new Set(
  'loss losses nll ce xent crossentropy logloss perplexity ppl bpb bpc bpd bpt mse rmse mae'.split(
    ' ',
  ),
);
/**
 * Words that, next to a loss word, show that the metric is not a loss but, for example, a factor or
 * a gradient.
 */
const otherWords = new Set(
  'scale scaler scaling grad gradient norm weight lr count time'.split(' '),
);
/** Parts of a training whose loss rises and falls as the other parts learn. */
const partWords = new Set(
  'policy value actor critic vf pg td q disc discriminator gen generator d g adv adversarial gan real fake aux kl entropy commit commitment'.split(
    ' ',
  ),
);
/**
 * Words for metrics that are measured only sometimes, or that combine earlier values. While there
 * is no value yet, such a metric may be NaN or infinite.
 */
const derivedWords = new Set(
  'val valid validation eval evaluation test dev best min max avg average mean ema running smooth smoothed'.split(
    ' ',
  ),
);

export interface MetricRole {
  /** Any kind of loss. */
  readonly isLoss: boolean;
  /** A loss that a healthy training brings down and keeps down. */
  readonly isSteadyLoss: boolean;
  /** True for a metric whose first values may be placeholders instead of measured values. */
  readonly isDerived: boolean;
  /** Tokens, samples or steps per second. */
  readonly isSpeed: boolean;
}

/**
 * Classifies a metric by the words of its name: `val/loss`, `trainLoss`, `policy_loss`, `tokens/s`.
 */
export function roleOf(metric: string): MetricRole {
  const words = wordsOf(metric);
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word));
  const isLoss = has(lossWords) && !has(otherWords);
  return {
    isLoss,
    isSteadyLoss: isLoss && !has(partWords),
    isDerived: has(derivedWords),
    isSpeed: speed.test(metric),
  };
}

const wordsOf = (metric: string): string[] =>
  metric
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

const speed =
  /(?:tok(?:en)?s?|samples?|examples?|images?|imgs?|seqs?|sequences?|steps?|iters?|its?|batch(?:es)?|frames?)[\s_]*(?:\/|_?per_?)[\s_]*s(?:ec(?:ond)?)?(?![a-z])|^(?:throughput|tps|fps|sps)$|[/._-](?:throughput|tps|fps|sps)$/i;
