

# Text files: CSV, JSON, and the file store of MLflow.

def number(text):
    """Returns the number of a cell; None if the cell is not a number."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return int(value) if math.isfinite(value) and value == int(value) and re.match(r"\s*-?\d+\s*$", str(text)) else value


def open_file(path):
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


class Rows:
    """The rows of a file that is written again as a whole now and then."""

    def __init__(self):
        self.before = []  # rows of earlier runs
        self.known = []  # rows of this run
        self.is_undecided = False

    def skip(self, rows):
        self.before = [hash(key) for key, _ in rows]

    def append(self, rows):
        self.known += [hash(key) for key, _ in rows]
        return [row for _, row in rows]

    def compare(self, rows, is_last):
        """Returns the new ones of all rows of a file that was written again."""
        keys = [hash(key) for key, _ in rows]
        whole = self.before + self.known
        self.is_undecided = False
        if keys[: len(whole)] == whole:
            return self.append(rows[len(whole):])
        if whole[: len(keys)] == keys and not is_last:
            self.is_undecided = True  # Still being written.
            return []
        # The file was rewritten, so the rows of earlier runs are gone.
        self.before = []
        same = 0
        while same < min(len(keys), len(self.known)) and keys[same] == self.known[same]:
            same += 1
        if same == len(keys):
            return []
        del self.known[same:]
        return self.append(rows[same:])


class TextFile:
    """A text file that grows."""

    def __init__(self, path):
        self.path = path
        self.inode = None
        self.rows = Rows()
        self.restart()

    def restart(self):
        self.offset = 0
        self.rest = b""
        self.header = None

    def skip(self):
        self.rows.skip(self.growth(False))

    def read(self, lines, is_last):
        found = os.stat(self.path)
        is_again = self.inode is not None and (self.inode != found.st_ino or found.st_size < self.offset)
        if is_again or self.rows.is_undecided:
            self.restart()
            rows = self.rows.compare(self.growth(is_last), is_last)
        else:
            rows = self.rows.append(self.growth(is_last))
        for row in rows:
            lines.add(row)

    def growth(self, is_last):
        """Returns the rows after those that were returned before: (text, row)."""
        with open_file(self.path) as file:
            self.inode = os.fstat(file.fileno()).st_ino
            file.seek(self.offset)
            content = file.read()
        self.offset += len(content)
        whole = self.rest + content
        end = len(whole) if is_last else whole.rfind(b"\n") + 1
        self.rest = whole[end:]
        texts = whole[:end].decode("utf-8", "replace").splitlines()
        return [(text, row) for text in texts if text.strip() for row in self.rows_of(text)]


class CsvFile(TextFile):
    def rows_of(self, text):
        if self.header is None:
            text = text.lstrip("\ufeff")
            self.separator = max("\t;,", key=text.count)
            self.header = [name.strip() for name in self.cells(text)]
            if all(number(name) is not None for name in self.header):
                say("%s has no header line with the names of its columns" % self.path)
            return []
        pairs = zip(self.header, self.cells(text))
        row = {name: number(cell) for name, cell in pairs if name and number(cell) is not None}
        return [row] if row else []

    def cells(self, text):
        try:
            return next(csv.reader([text], delimiter=self.separator), [])
        except csv.Error:  # Such as a cell of more than 128 KiB.
            return []


class JsonLines(TextFile):
    def rows_of(self, text):
        value = json_object(text)
        return [] if value is None else [value]


def json_object(text):
    """Returns the object of a text; None if the text is anything else."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class JsonFile:
    """A JSON list of objects, or an object with such a list, written again as a whole."""

    def __init__(self, path):
        self.path = path
        self.stamp = None
        self.last = []
        self.rows = Rows()

    def skip(self):
        self.rows.skip(self.content() or [])

    def read(self, lines, is_last):
        for row in self.rows.compare(self.content() or [], is_last):
            lines.add(row)

    def content(self):
        """Returns all rows; those of the last call if the file has not changed."""
        with open_file(self.path) as file:
            found = os.fstat(file.fileno())
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            if stamp != self.stamp:
                try:
                    self.last = rows_in(json.loads(file.read().decode("utf-8", "replace")))
                    self.stamp = stamp
                except ValueError:
                    return None  # Still being written.
                except RecursionError:
                    say("%s is nested too deeply" % self.path)
                    return None
        return [(json.dumps(row, sort_keys=True), row) for row in self.last]


def rows_in(value):
    """Returns the first list of objects in a JSON value, or the value itself as the only row."""
    inner = list(value.values()) if isinstance(value, dict) else [value]
    for each in inner:
        if isinstance(each, list) and each and all(isinstance(row, dict) for row in each):
            return each
    return [value] if isinstance(value, dict) else []


def is_mlflow(path):
    folder = os.path.dirname(path)
    while os.path.basename(folder) != "metrics" and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.exists(os.path.join(os.path.dirname(folder), "meta.yaml")) and os.path.basename(folder) == "metrics"


class MlflowFile(TextFile):
    """A metric of the file store of MLflow: lines with time, value and step."""

    def rows_of(self, text):
        words = text.split()
        if len(words) < 2 or number(words[1]) is None:
            return []
        _, _, name = self.path.rpartition(os.sep + "metrics" + os.sep)
        step = {"step": number(words[2])} if len(words) > 2 else {}
        return [dict(step, **{name.replace(os.sep, "/"): number(words[1])})]
