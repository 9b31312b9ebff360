

# Reads results that were made outside Helios, and prints them:
#
#     python3 -I - PATH
#
# Each line is a letter and JSON. `H`: a run begins, with its name, file and state. `R`: a row of this
# run. `L`: a ledger with a line per experiment. `P`: a problem with a part. `F`: nothing is imported.
# Opens regular files only, follows no link, and writes nothing but a copy of a database, in a
# temporary folder that is removed.

import shutil
import signal
import stat
import tempfile

MAX_SECONDS = 120
MAX_TEXT_FILE = 64 << 20
MAX_BINARY_FILE = 512 << 20
MAX_LEDGER = 4 << 20
MAX_ROWS = 500000
MAX_OUTPUT = 64 << 20
MAX_WORDS = 500


class Refused(Exception):
    """Ends the import. The text says why."""


def say(text):
    if text not in said:
        said.add(text)
        put("P", text)


def put(letter, value):
    global printed
    line = letter + json.dumps(value, default=str) + "\n"
    printed += len(line)
    if printed > MAX_OUTPUT:
        raise Refused("it has more than %d MiB of values: name one run of it" % (MAX_OUTPUT >> 20))
    sys.stdout.write(line)


printed = 0


def open_file(path):
    """Opens a regular file that is not too large, to read it."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    found = os.fstat(file.fileno())
    is_binary = re.search(r"tfevents|\.(wandb|db|sqlite3?)(-\w+)?$", os.path.basename(path))
    most = MAX_BINARY_FILE if is_binary else MAX_TEXT_FILE
    problem = None
    if not stat.S_ISREG(found.st_mode):
        problem = "%s is no regular file" % path
    elif found.st_size > most:
        problem = "%s has more than %d MiB" % (path, most >> 20)
    if problem is not None:
        file.close()
        raise ValueError(problem)
    return file


class RunRows:
    """Takes the rows of a run. Prints its head before the first one."""

    total = 0

    def __init__(self, head):
        self.head = head
        self.is_empty = True

    def add(self, row):
        if len(row) == 0:
            return
        if self.is_empty:
            self.is_empty = False
            put("H", self.head)
        RunRows.total += 1
        if RunRows.total > MAX_ROWS:
            raise Refused("it has more than %d rows: name one run of it" % MAX_ROWS)
        put("R", row)


class ImportedWandb(WandbFile):
    """A W&B log, with the name of the run and how it ended."""

    def __init__(self, path):
        WandbFile.__init__(self, path)
        self.name = ""
        self.state = "unknown"

    def row_of(self, record):
        found = fields(record)
        for run in values(found, 17):
            parts = fields(run)
            for name in values(parts, 8)[-1:] or values(parts, 1)[-1:]:
                self.name = name.decode("utf-8", "replace")
        for end in values(found, 18):
            self.state = "failed" if any(values(fields(end), 1)) else "ok"
        return WandbFile.row_of(self, record)


class Kept(list):
    """Takes rows in memory."""

    def add(self, row):
        if len(row) > 0:
            self.append(row)
        if len(self) > MAX_ROWS:
            raise Refused("it has more than %d rows in a file" % MAX_ROWS)


def all_rows(file):
    """Returns every row of a file."""
    rows = Kept()
    while True:
        before = getattr(file, "offset", None)
        file.read(rows, True)
        if before is None or file.offset == before:
            return rows


def milliseconds(path):
    return int(os.lstat(path).st_mtime * 1000)


def head(name, path, form, **more):
    whole = dict({"state": "unknown", "note": ""}, **more)
    whole.update(name=name[:MAX_WORDS], file=path, format=form, modifiedMs=milliseconds(path))
    return whole


# Column names that mark a ledger of experiments: STATUS and ABOUT. STEPS mark a table of steps.
STATUS = {"status", "decision", "verdict", "outcome"}
ABOUT = {"commit", "hash", "sha", "description", "notes", "note", "hypothesis", "idea", "change"}
STEPS = {"step", "steps", "epoch", "iter", "iteration", "global_step"}


def ledger_of(path):
    """Returns the lines of a ledger as cells; None if the file is a table of steps."""
    with open_file(path) as file:
        start = file.read(1 << 16).decode("utf-8", "replace").lstrip("\ufeff\r\n \t")
        header = re.split(r"\r\n?|\n", start)[0]
        separator = max("\t;,", key=header.count)
        names = {name.strip().strip('"').lower() for name in header.split(separator)}
        if not names & STATUS or not (names & ABOUT or not names & STEPS):
            return None
        if os.fstat(file.fileno()).st_size > MAX_LEDGER:
            raise ValueError("%s has more than %d MiB, which is too much for a ledger" % (path, MAX_LEDGER >> 20))
        file.seek(0)
        text = file.read().decode("utf-8", "replace").lstrip("\ufeff")
    if separator == "\t":  # A quote in such a ledger is a character like any other.
        return [line.split("\t") for line in re.split(r"\r\n?|\n", text)]
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise ValueError("%s is no table: %s" % (path, error))


# States of runs in the files of MLflow and in its database.
MLFLOW_STATES = {"3": "ok", "FINISHED": "ok", "4": "failed", "FAILED": "failed", "5": "failed", "KILLED": "failed"}


def mlflow_about(folder):
    """Returns what meta.yaml says about a run; None if the run was deleted."""
    with open_file(os.path.join(folder, "meta.yaml")) as file:
        text = file.read(1 << 16).decode("utf-8", "replace")
    about = dict(re.findall(r"^(\w+):[ \t]*['\"]?(.*?)['\"]?[ \t]*$", text, re.M))
    if about.get("lifecycle_stage") == "deleted":
        return None
    return about.get("run_name", ""), MLFLOW_STATES.get(about.get("status", ""), "unknown")


def copied(path, folder):
    """Returns the path of a copy of a database, with what is not yet merged into it."""
    for ending in ("", "-wal", "-journal"):
        try:
            with open_file(path + ending) as file, open(os.path.join(folder, "copy.db" + ending), "wb") as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
        except FileNotFoundError:
            if ending == "":
                raise
    return os.path.join(folder, "copy.db")


def database_runs(path):
    """Yields the runs of a database of Trackio or MLflow: (name, state, rows)."""
    folder = tempfile.mkdtemp(prefix="helios-import-")
    try:
        # Open a copy, because SQLite writes files next to a database even to read it.
        database = sqlite3.connect(copied(path, folder))
        try:
            yield from runs_in(database, path)
        finally:
            database.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def runs_in(database, path):
    names = {row[1] for row in database.execute("PRAGMA table_info(metrics)")}
    if {"run_name", "step", "metrics"} <= names:
        query = "SELECT run_name, step, metrics FROM metrics ORDER BY rowid"
        about = {}
    elif {"run_uuid", "step", "key", "value", "is_nan"} <= names:
        query = "SELECT run_uuid, step, key, value, is_nan FROM metrics ORDER BY rowid"
        runs = "SELECT run_uuid, name, status, lifecycle_stage FROM runs"
        about = {row[0]: row[1:] for row in attempt_query(database, runs)}
    else:
        raise ValueError("%s has no metrics of Trackio or MLflow" % path)
    found = {}
    for count, (run, step, *logged) in enumerate(database.execute(query)):
        if count > MAX_ROWS:
            raise Refused("it has more than %d rows" % MAX_ROWS)
        row = {} if step is None else {"step": step}
        if len(logged) == 1:
            row.update((name, value) for name, value in (json_object(logged[0]) or {}).items() if not isinstance(value, str))
        else:
            row[str(logged[0])] = float("nan") if logged[2] else logged[1]
        found.setdefault(run, []).append(row)
    for run, rows in found.items():
        name, status, stage = about.get(run, (run, None, None))
        if stage != "deleted":
            yield str(name or run), MLFLOW_STATES.get(str(status), "unknown"), rows


def attempt_query(database, query):
    try:
        return list(database.execute(query))
    except sqlite3.Error:
        return []


def is_wanted(name, is_at_top):
    return (
        IN_FOLDER.search(name)
        or re.search(r"^results\.(csv|tsv)$|^trainer_state\.json$", name)
        or is_at_top and re.search(r"\.(csv|tsv|jsonl|ndjson)$", name)
    )


class Import:
    def __init__(self, root):
        self.root = root
        self.groups = {}  # Runs that several files make: folder → (format, files).
        self.count = 0

    def name_of(self, path):
        name = os.path.relpath(path, self.root)
        return os.path.basename(path) if name == "." else name

    def read(self):
        for path, kind in found_files(self.root, is_wanted):
            self.count += 1
            if self.count > 10 * MAX_FILES:
                raise Refused("it has more than %d files with metrics: name a folder with fewer" % (10 * MAX_FILES))
            if kind is MlflowFile:
                run = path.rpartition(os.sep + "metrics" + os.sep)[0]
                self.groups.setdefault(run, ("MLflow", []))[1].append(MlflowFile(path))
            elif kind is EventFile:
                self.groups.setdefault(os.path.dirname(path), ("TensorBoard", []))[1].append(EventFile(path))
            else:
                self.attempt(self.read_file, path, kind)
        for folder, (form, files) in self.groups.items():
            self.attempt(self.read_group, folder, form, files)
        if self.count == 0:
            raise Refused("it has no metrics in a known format: name a file in it")

    def attempt(self, work, *arguments):
        try:
            work(*arguments)
        except (OSError, sqlite3.Error, ValueError, RecursionError) as error:
            say(str(error))

    def read_file(self, path, kind):
        name = self.name_of(path)
        if kind is Sqlite:
            for run, state, rows in database_runs(path):
                self.print_rows(head(run, path, "database", state=state), rows)
            return
        if kind is CsvFile:
            lines = ledger_of(path)
            if lines is not None:
                put("L", {"name": name, "file": path, "modifiedMs": milliseconds(path), "lines": lines})
                return
        if kind is WandbFile:
            file = ImportedWandb(path)
            rows = all_rows(file)
            self.print_rows(head(name, path, "W&B", state=file.state, note=file.name[:MAX_WORDS]), rows)
            return
        form = {CsvFile: "table", JsonLines: "JSON lines", JsonFile: "JSON"}[kind]
        self.print_rows(head(name, path, form), all_rows(kind(path)))

    def read_group(self, folder, form, files):
        rows = [row for file in files for row in all_rows(file)]
        more = {}
        if form == "MLflow":
            about = mlflow_about(folder)
            if about is None:
                return
            more = {"note": about[0][:MAX_WORDS], "state": about[1]}
        self.print_rows(head(self.name_of(folder), files[-1].path, form, **more), rows)

    def print_rows(self, about, rows):
        out = RunRows(about)
        for row in rows:
            out.add(row)
        if out.is_empty:
            say("%s has no values" % about["file"])


def checked(path):
    """Returns the path if it can be read. Raises `Refused`."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            raise Refused("it is a link: name what it leads to")
        if stat.S_ISDIR(found.st_mode):
            os.listdir(path)
        else:
            open_file(path).close()
    except FileNotFoundError:
        raise Refused("it does not exist")
    except OSError as error:
        raise Refused(error.strerror or str(error))
    except ValueError as error:
        raise Refused(str(error).replace(path, "it"))
    return path


def main():
    signal.alarm(MAX_SECONDS)
    try:
        Import(checked(sys.argv[1])).read()
    except Refused as error:
        put_last(str(error))
    sys.stdout.flush()


def put_last(text):
    sys.stdout.write("F" + json.dumps(text) + "\n")


main()
