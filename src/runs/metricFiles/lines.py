"""Reads the metrics that a run writes to files, and prints them.

    python3 -I -S metrics.py METRICS_FROM

METRICS_FROM is a JSON file that lists the files and folders to read. Prints an empty line when it
knows what they hold: that belongs to earlier runs. Then prints what is added: each line is a JSON
object with the metrics of one step. When its standard input ends, reads the rest and ends. Needs
Python 3.6 and no package.

Formats: CSV with a header line, JSON lines, JSON lists, TensorBoard event files, W&B transaction
logs (*.wandb), metrics of MLflow (files, SQLite), SQLite of Trackio.
"""
import csv
import io
import json
import math
import os
import re
import select
import sqlite3
import struct
import sys

POLL_SECONDS = 0.5
SEARCH_EVERY = 4  # polls
MAX_FILES = 200
MAX_ENTRIES = 20000
MAX_DEPTH = 8
MAX_PENDING = 4 << 20
MAX_RECORD = 64 << 20


def say(text):
    """Writes a sentence to the output of the run, once."""
    if text not in said:
        said.add(text)
        sys.stderr.write("helios: metrics_from: %s\n" % text)
        sys.stderr.flush()


said = set()


class Lines:
    """The lines of the output. What cannot be written, such as on a full disk, is kept."""

    def __init__(self):
        self.pending = b""

    def add(self, row):
        if len(row) > 0:
            self.pending += json.dumps(row).encode() + b"\n"

    @property
    def is_full(self):
        return len(self.pending) > MAX_PENDING

    def flush(self):
        while self.pending:
            try:
                written = os.write(1, self.pending)
            except OSError as error:
                say("metrics cannot be stored: %s" % error.strerror)
                return False
            self.pending = self.pending[written:]
        return True
