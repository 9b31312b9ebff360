

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
