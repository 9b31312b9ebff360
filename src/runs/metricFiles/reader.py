

KINDS = [
    (lambda name: "tfevents" in name, EventFile),
    (lambda name: name.endswith(".wandb"), WandbFile),
    (lambda name: re.search(r"\.(csv|tsv)$", name), CsvFile),
    (lambda name: re.search(r"\.(jsonl|ndjson)$", name), JsonLines),
    (lambda name: name.endswith(".json"), JsonFile),
    (lambda name: re.search(r"\.(db|sqlite3?)$", name), Sqlite),
]
# Files that are read in a folder; of these kinds, others are seldom metrics.
IN_FOLDER = re.compile(r"tfevents|\.wandb$|^(metrics|progress|log|history)\.(csv|jsonl)$|^mlflow\.db$")


def kind_of(path, is_named):
    name = os.path.basename(path)
    if is_mlflow(path):
        return MlflowFile
    if not is_named and not IN_FOLDER.search(name):
        return None
    return next((kind for is_kind, kind in KINDS if is_kind(name)), JsonLines if is_named else None)


def found_files(path):
    """Yields the files to read of a file or folder, with their kinds."""
    if os.path.isfile(path):
        yield path, kind_of(path, True)
        return
    entries = 0
    for folder, folders, names in os.walk(path):
        folders.sort()
        if folder[len(path):].count(os.sep) >= MAX_DEPTH:
            del folders[:]
        for name in sorted(names):
            entries += 1
            if entries > MAX_ENTRIES:
                say("%s has more than %d files: name a folder with fewer" % (path, MAX_ENTRIES))
                return
            each = os.path.join(folder, name)
            kind = kind_of(each, False)
            if kind is not None and not os.path.islink(each):
                yield each, kind


class Reader:
    def __init__(self, paths):
        self.paths = paths
        self.files = {}
        self.lines = Lines()
        self.search(True)

    def search(self, is_before):
        """Finds files. Skips their present content if the command has not started."""
        for path in self.paths:
            for file, kind in found_files(path):
                if file in self.files:
                    continue
                if len(self.files) >= MAX_FILES:
                    say("more than %d files have metrics: name a folder with fewer" % MAX_FILES)
                    return
                self.files[file] = kind(file)
                if is_before:
                    self.attempt(self.files[file].skip)

    def read(self, is_last):
        for file in list(self.files.values()):
            if not self.lines.is_full:
                self.attempt(file.read, self.lines, is_last)
        return self.lines.flush()

    def attempt(self, work, *arguments):
        try:
            work(*arguments)
        except FileNotFoundError:
            pass  # Removed, or about to be replaced.
        except (OSError, sqlite3.Error, ValueError) as error:
            say(str(error))

    def finish(self):
        self.search(False)
        self.read(True)
        for path in self.paths:
            if not os.path.exists(path):
                say("%s does not exist" % path)
            elif not any(file == path or file.startswith(path + os.sep) for file in self.files):
                say("%s has no metrics in a known format" % path)


def main():
    with open(sys.argv[1]) as file:
        reader = Reader([os.path.abspath(os.path.expanduser(path)) for path in json.load(file)])
    os.write(1, b"\n")
    polls = 0
    while not select.select([0], [], [], POLL_SECONDS)[0]:
        polls += 1
        if polls % SEARCH_EVERY == 0 or not reader.files:
            reader.search(False)
        reader.read(False)
    reader.finish()


main()
