"""A small character language model, trained by plain stochastic gradient descent.

Only the Python 3 standard library is used. The model looks at the last three characters, turns each into a small
vector, passes them through one hidden layer and predicts the next character. Everything, the gradients included, is
written out below: nothing is simulated, and the numbers that are printed are the numbers that were measured.

    python3 train.py --lr 0.01 --momentum 0.0 --hidden 16 --steps 1500 --seed 1
"""

import argparse
import math
import random
import sys
from operator import mul
from pathlib import Path

CONTEXT = 3
EMBEDDING = 6
BATCH = 12


def read_arguments():
    parser = argparse.ArgumentParser(description="Train a small character language model.")
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
    parser.add_argument("--momentum", type=float, default=0.0, help="momentum of the gradient descent, 0 to below 1")
    parser.add_argument("--hidden", type=int, default=16, help="units of the hidden layer")
    parser.add_argument("--steps", type=int, default=1500, help="gradient steps; the learning rate falls linearly to a tenth over them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights and of the order of the examples")
    arguments = parser.parse_args()
    if arguments.lr <= 0 or not 0 <= arguments.momentum < 1 or arguments.hidden < 1 or arguments.steps < 1:
        parser.error("--lr must be above 0, --momentum from 0 to below 1, --hidden and --steps at least 1")
    return arguments


def load_examples():
    """The text as (context, next character) pairs; every tenth stretch of 60 characters is kept for validation."""
    text = " ".join(Path(__file__).with_name("corpus.txt").read_text(encoding="utf-8").split())
    alphabet = sorted(set(text))
    ids = [alphabet.index(character) for character in text]
    train, validation = [], []
    for at in range(CONTEXT, len(ids)):
        example = (ids[at - CONTEXT : at], ids[at])
        (validation if at // 60 % 10 == 5 else train).append(example)
    return train, validation, len(alphabet)


def dot(left, right):
    return sum(map(mul, left, right))


class Model:
    """Embedding, one ReLU layer, softmax. `hidden_rows` and `output_rows` hold one row of weights per unit."""

    def __init__(self, characters, hidden, seed):
        draw = random.Random(seed).gauss
        inputs = CONTEXT * EMBEDDING
        self.embedding = [[draw(0, 1) for _ in range(EMBEDDING)] for _ in range(characters)]
        self.hidden_rows = [[draw(0, math.sqrt(2 / inputs)) for _ in range(inputs)] for _ in range(hidden)]
        self.hidden_bias = [0.0] * hidden
        self.output_rows = [[draw(0, math.sqrt(1 / hidden)) for _ in range(hidden)] for _ in range(characters)]
        self.output_bias = [0.0] * characters

    def parameters(self):
        return [*self.embedding, *self.hidden_rows, *self.output_rows, self.hidden_bias, self.output_bias]

    def forward(self, context):
        """(inputs, hidden activations, probabilities)"""
        inputs = [value for character in context for value in self.embedding[character]]
        hidden = [max(0.0, dot(row, inputs) + bias) for row, bias in zip(self.hidden_rows, self.hidden_bias)]
        logits = [dot(row, hidden) + bias for row, bias in zip(self.output_rows, self.output_bias)]
        top = max(logits)
        powers = [math.exp(logit - top) for logit in logits]
        total = sum(powers)
        return inputs, hidden, [power / total for power in powers]

    def gradient(self, batch):
        """(mean loss, gradient of it in the order of `parameters`)"""
        embedding = [[0.0] * EMBEDDING for _ in self.embedding]
        hidden_rows = [[0.0] * len(row) for row in self.hidden_rows]
        output_rows = [[0.0] * len(row) for row in self.output_rows]
        hidden_bias = [0.0] * len(self.hidden_bias)
        output_bias = [0.0] * len(self.output_bias)
        loss = 0.0
        for context, target in batch:
            inputs, hidden, chances = self.forward(context)
            loss -= log(chances[target]) / len(batch)
            to_hidden = [0.0] * len(hidden)
            for unit, chance in enumerate(chances):
                error = (chance - (unit == target)) / len(batch)
                output_bias[unit] += error
                output_rows[unit] = [g + error * h for g, h in zip(output_rows[unit], hidden)]
                to_hidden = [t + error * w for t, w in zip(to_hidden, self.output_rows[unit])]
            to_inputs = [0.0] * len(inputs)
            for unit, error in enumerate(to_hidden):
                if hidden[unit] == 0.0:
                    continue
                hidden_bias[unit] += error
                hidden_rows[unit] = [g + error * x for g, x in zip(hidden_rows[unit], inputs)]
                to_inputs = [t + error * w for t, w in zip(to_inputs, self.hidden_rows[unit])]
            for place, character in enumerate(context):
                part = to_inputs[place * EMBEDDING : (place + 1) * EMBEDDING]
                embedding[character] = [g + t for g, t in zip(embedding[character], part)]
        return loss, [*embedding, *hidden_rows, *output_rows, hidden_bias, output_bias]


def log(chance):
    return math.log(chance) if chance > 0 else -math.inf if chance == 0 else math.nan


def descend(parameters, velocities, gradients, lr, momentum):
    for weights, velocity, gradient in zip(parameters, velocities, gradients):
        for at, slope in enumerate(gradient):
            velocity[at] = momentum * velocity[at] - lr * slope
            weights[at] += velocity[at]


def evaluate(model, examples):
    """(mean loss, share of the characters that were guessed right)"""
    loss, right = 0.0, 0
    for context, target in examples:
        chances = model.forward(context)[2]
        loss -= log(chances[target]) / len(examples)
        right += chances[target] == max(chances)
    return loss, right / len(examples)


def main():
    arguments = read_arguments()
    train, validation, characters = load_examples()
    model = Model(characters, arguments.hidden, arguments.seed)
    parameters = model.parameters()
    velocities = [[0.0] * len(row) for row in parameters]
    order = random.Random(arguments.seed + 1000)
    smoothed = None
    for step in range(1, arguments.steps + 1):
        loss, gradients = model.gradient(order.choices(train, k=BATCH))
        smoothed = loss if smoothed is None else 0.95 * smoothed + 0.05 * loss
        lr = arguments.lr * (1 - 0.9 * step / arguments.steps)
        descend(parameters, velocities, gradients, lr, arguments.momentum)
        if not math.isfinite(loss):
            print(f"step={step} loss={loss} val_loss=nan acc=0.0", flush=True)
            sys.exit(f"The training diverged at step {step}: the learning rate is too large.")
        if step % 50 == 0 or step == arguments.steps:
            val_loss, accuracy = evaluate(model, validation)
            print(f"step={step} loss={smoothed:.4f} val_loss={val_loss:.4f} acc={accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()
