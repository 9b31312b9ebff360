

# The formats of files, and the files that are searched for in a folder.

KINDS = [
    (lambda name: "tfevents" in name, EventFile),
    (lambda name: name.endswith(".wandb"), WandbFile),
    (lambda name: re.search(r"\.(csv|tsv)$", name), CsvFile),
    (lambda name: re.search(r"\.(jsonl|ndjson)$", name), JsonLines),
    (lambda name: name.endswith(".json"), JsonFile),
    (lambda name: re.search(r"\.(db|sqlite3?)$", name), Sqlite),
]
# Names of the files that are read in a folder. Other files of these kinds seldom contain metrics.
IN_FOLDER = re.compile(r"tfevents|\.wandb$|^(metrics|progress|log|history)\.(csv|jsonl)$|^mlflow\.db$")


def is_usual(name, _is_at_top):
    return IN_FOLDER.search(name)


def kind_of(path, is_wanted=True):
    if is_mlflow(path):
        return MlflowFile
    name = os.path.basename(path)
    return next((kind for is_kind, kind in KINDS if is_kind(name)), JsonLines) if is_wanted else None


def found_files(path, is_wanted=is_usual):
    """Yields the files to read of a file or folder, with their kinds."""
    if os.path.isfile(path):
        yield path, kind_of(path)
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
            kind = kind_of(each, is_wanted(name, folder == path))
            if kind is not None and not os.path.islink(each):
                yield each, kind
