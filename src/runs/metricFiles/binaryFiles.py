

# Binary files: TensorBoard, W&B, SQLite.

class RecordFile:
    """A file of binary records that grows."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        self.rest = b""
        self.taken = 0  # bytes of the rest
        self.damaged = False

    def skip(self):
        self.records_of_growth()

    def read(self, lines, _is_last):
        for record in self.records_of_growth():
            try:
                row = self.row_of(record)
            except (IndexError, ValueError, struct.error):
                continue
            lines.add(row)

    def records_of_growth(self):
        if self.damaged:
            return []
        with open_file(self.path) as file:
            file.seek(self.offset)
            content = file.read(MAX_RECORD)
        self.offset += len(content)
        self.rest = self.rest[self.taken:] + content
        self.taken = 0
        return list(self.records())

    @property
    def left(self):
        return len(self.rest) - self.taken

    def peek(self, form, at=0):
        return struct.unpack_from(form, self.rest, self.taken + at)

    def take(self, count):
        self.taken += count
        return self.rest[self.taken - count: self.taken]

    def damage(self):
        self.damaged = True
        say("%s is unreadable from byte %d on" % (self.path, self.offset - self.left))


class EventFile(RecordFile):
    """TensorBoard events: length (8 bytes), checksum (4), data, checksum (4)."""

    def records(self):
        while self.left >= 12:
            (length,) = self.peek("<Q")
            if length > MAX_RECORD:
                return self.damage()
            if self.left < length + 16:
                return None
            yield self.take(length + 16)[12:-4]

    def row_of(self, record):
        event = fields(record)
        row = {}
        for summary in values(event, 5):
            for value in values(fields(summary), 1):
                parts = fields(value)
                found = scalar(parts)
                if found is not None:
                    row[values(parts, 1)[0].decode("utf-8", "replace")] = found
        return dict({"step": (values(event, 2) or [0])[0]}, **row) if row else {}


class WandbFile(RecordFile):
    """A W&B transaction log: blocks of 32 KiB as in LevelDB, after a header of 7 bytes."""

    block = 32768

    def __init__(self, path):
        RecordFile.__init__(self, path)
        self.at = 0
        self.parts = b""

    def records(self):
        if self.at == 0:
            if self.left < 7:
                return None
            self.at = len(self.take(7))
        while True:
            left = self.block - self.at % self.block
            if left < 7:
                if self.left < left:
                    return None
                self.at += len(self.take(left))
                continue
            if self.left < 7:
                return None
            length, kind = self.peek("<HB", 4)
            if kind > 4 or 7 + length > left:
                return self.damage()
            if self.left < 7 + length:
                return None
            self.at += 7 + length
            self.parts += self.take(7 + length)[7:]
            if kind in (1, 4):
                record, self.parts = self.parts, b""
                yield record

    def row_of(self, record):
        row = {}
        for history in values(fields(record), 2):
            for item in values(fields(history), 1):
                parts = fields(item)
                names = values(parts, 2) or values(parts, 1)
                name = ".".join(each.decode("utf-8", "replace") for each in names)
                value = json.loads(values(parts, 16)[0].decode("utf-8"))
                if not isinstance(value, dict) or "_type" not in value:  # not an image or the like
                    row[name] = value
        return row


def fields(data):
    """Returns the fields of a protocol buffer: (number, value)."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = float32(data[at: at + 4]), at + 4
        elif kind == 2:
            length, at = varint(data, at)
            if at + length > len(data):
                raise ValueError("a field is longer than its record")
            value, at = data[at: at + length], at + length
        else:
            raise ValueError("a field of the kind %d" % kind)
        found.append((key >> 3, value))
    return found


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def values(found, wanted):
    return [value for number_, value in found if number_ == wanted]


def float32(data):
    """Returns the number with the fewest digits that is this number in 32 bits."""
    (value,) = struct.unpack("<f", data)
    if not math.isfinite(value):
        return value
    for digits in range(6, 10):
        short = float("%.*g" % (digits, value))
        if struct.pack("<f", short) == data:
            return short
    return value


# Data types of tensors: how to read one number, and the field that lists numbers.
TENSORS = {1: ("f", 5), 2: ("d", 6), 3: ("i", 7), 9: ("q", 10)}


def scalar(parts):
    """Returns the number of a value of a summary; None if it is an image, text or the like."""
    simple = values(parts, 2)
    if simple and isinstance(simple[0], float):
        return simple[0]
    for tensor in values(parts, 8):
        inner = fields(tensor)
        code, listed = TENSORS.get((values(inner, 1) or [0])[0], (None, None))
        if code is None:
            continue
        for content in values(inner, 4) + values(inner, listed):
            if not isinstance(content, bytes):
                return content
            if code in "fd" and len(content) == struct.calcsize(code):
                return float32(content) if code == "f" else struct.unpack("<d", content)[0]
            if code in "iq" and content:
                return struct.unpack("<" + code, content)[0] if len(content) == struct.calcsize(code) else varint(content, 0)[0]
    return None


class Sqlite:
    """The table metrics of Trackio, or of MLflow."""

    def __init__(self, path):
        self.path = path
        self.last = 0

    def rows(self):
        database = sqlite3.connect("file:%s?mode=ro" % self.path.replace("?", "%3f").replace("#", "%23"), uri=True, timeout=2)
        try:
            names = [row[1] for row in database.execute("PRAGMA table_info(metrics)")]
            columns = "step, metrics" if "metrics" in names else "step, key, value, is_nan"
            if not set(columns.split(", ")) <= set(names):
                say("%s has no metrics of Trackio or MLflow" % self.path)
                return []
            query = "SELECT rowid, %s FROM metrics WHERE rowid > ? ORDER BY rowid" % columns
            return database.execute(query, (self.last,)).fetchall()
        except sqlite3.OperationalError:
            return []  # Locked, or still being created.
        finally:
            database.close()

    def skip(self):
        self.last = max([row[0] for row in self.rows()] or [0])

    def read(self, lines, _is_last):
        for row in self.rows():
            self.last = row[0]
            step = {} if row[1] is None else {"step": row[1]}
            if len(row) == 3:
                logged = json_object(row[2]) or {}
                numbers = {name: value for name, value in logged.items() if not isinstance(value, (str, dict))}
                lines.add(dict(step, **numbers) if numbers else {})
            else:
                lines.add(dict(step, **{row[2]: float("nan") if row[4] else row[3]}))
