# Keeps a confined command to a list of hosts. Needs Python 3.6. confine.sh starts this text twice,
# from the variable HELIOS_PROXY:
#
#   outside RECORD HOSTS ADVICE PROGRAM ...   becomes PROGRAM (bubblewrap); a child is the proxy
#   inside LC_CTYPE PROGRAM ...               becomes PROGRAM, the command, in the confinement
#
# The confinement has a network of its own, in which "inside" opens a port on 127.0.0.1. It hands
# that port to the proxy, which accepts its connections and opens others in the network of the
# machine. The proxy ends with the last process of the confinement: that holds the descriptor `held`.
#
# HOSTS has one host a line, as policy.ts describes them. RECORD gets a line for each decision before
# it takes effect, and one with the bytes sent and received when a connection ends. No single quotes
# here: the text is an argument of a shell.
import os
import signal
import socket
import sys

hand, held = 98, 99
usual_ports = (80, 443)
clouds = ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
max_head, max_record, max_seen, max_connections = 65536, 1 << 20, 10000, 256


def load():
    # Import late: these modules are slow to load, and the command waits for the code before.
    global ipaddress, re, select, threading
    import ipaddress, re, select, threading


def become(program):
    # Restore the default: Python ignores these signals, and the started program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(program[0], program)
    except OSError as error:
        sys.exit("helios: %s could not be started: %s" % (program[0], error.strerror))


def inside(ctype, *program):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, listener.fileno().to_bytes(4, sys.byteorder))]
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, hand).sendmsg([b"."], message)
    os.environ.pop("HELIOS_PROXY", None)
    # Python changes this variable when it starts, so restore its value.
    os.environ["LC_CTYPE"] = ctype
    address = "http://127.0.0.1:%d" % listener.getsockname()[1]
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        value = "localhost,127.0.0.1,::1" if name == "no_proxy" else address
        os.environ[name] = os.environ[name.upper()] = value
    os.environ["NODE_USE_ENV_PROXY"] = "1"
    become(program)


def outside(record, hosts, advice, *program):
    ours, theirs = socket.socketpair()
    # Create the file before the command begins, so that it exists when the command has ended.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    file = os.open(record, flags, 0o600)
    if os.fork() > 0:
        os.dup2(theirs.fileno(), hand)
        os.dup2(theirs.fileno(), held)
        become(program)
    # Ignore all signals: the proxy ends with the command, which may continue after a signal.
    for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    theirs.close()
    null = os.open(os.devnull, os.O_RDWR)
    for number in set(range(1024)) - {ours.fileno(), file, null}:
        os.dup2(null, number) if number < 3 else os.closerange(number, number + 1)
    os.chdir("/")
    load()
    control = ours.recvmsg(1, socket.CMSG_SPACE(4))[1]
    if control:
        descriptor = int.from_bytes(control[0][2][:4], sys.byteorder)
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
        proxy = Proxy(Record(file), hosts.split("\n"), advice)
        threading.Thread(target=proxy.serve, args=(listener,), daemon=True).start()
        while ours.recv(1):
            pass
    os._exit(0)


class Refused(ValueError):
    pass


class Record:
    def __init__(self, file):
        self.lock = threading.Lock()
        self.seen = set()
        self.file = file

    def add(self, *fields):
        line = "\t".join(str(field) for field in fields) + "\n"
        with self.lock:
            key = fields[:3]
            is_new = key not in self.seen
            if os.fstat(self.file).st_size > max_record and (not is_new or fields[0] == "closed"):
                return
            if is_new and len(self.seen) >= max_seen + (fields[-1] == "many"):
                raise Refused("many", "This command has asked for too many hosts")
            os.write(self.file, line.encode("ascii", "replace"))
            self.seen.add(key)


def split_host(text):
    # Returns host and port, 0 if there is none, of a text such as "a.org", "a.org:80", "[::1]:80".
    form = r"(?:\[([0-9a-f:.]+)\]|([a-z0-9*._-]{1,253}))(?::(\d{1,5}))?"
    match = re.fullmatch(form, text.lower())
    return ((match[1] or match[2]).rstrip("."), int(match[3] or 0)) if match else ("", 0)


def address_of(text):
    # Returns the address. For an IPv6 address that embeds an IPv4 address, returns the IPv4
    # address.
    address = ipaddress.ip_address(text.split("%")[0])
    is_embedding = address.version == 6 and int(address) >> 32 in (0, 0xFFFF, 0x64FF9B << 64)
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if is_embedding else address


def is_public(text):
    address = address_of(text)
    if address.version == 6 and (int(address) >> 125 != 1 or address.sixtofour or address.teredo):
        return False
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified
    return address.is_global and not is_special and not gives_credentials(text)


def gives_credentials(text):
    # Returns whether clouds give credentials to a virtual machine at this address.
    address = address_of(text)
    return address.is_link_local or str(address) in clouds


class Proxy:
    def __init__(self, record, hosts, advice):
        self.record, self.advice = record, advice
        self.listed = [split_host(host) for host in hosts if host]

    def addresses(self, host, port, is_direct):
        # Returns the addresses to connect to. Raises Refused if the list does not allow them.
        name = host if port in usual_ports else "%s:%d" % (host, port)
        entries = [entry for entry in self.listed if matches(entry, host, port)]
        if not entries:
            what = "%s is not on the list of hosts of this command. Add it to %s"
            raise Refused("unlisted", what % (name, self.advice))
        try:
            found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            if is_direct:
                raise
            return []
        # A host that gives out credentials is allowed only by an entry with exactly its address.
        own = (host, port) in entries
        found = [each[4][:2] for each in found]
        usable = [at for at in found if is_public(at[0])] + [
            at for at in found if own and (at[0] == host or not gives_credentials(at[0]))
        ]
        if not usable:
            what = "%s has a private address. If it is meant, add %s:%d to %s"
            raise Refused("private", what % (name, host, port, self.advice))
        return usable

    def serve(self, listener):
        self.free = threading.BoundedSemaphore(max_connections)
        while True:
            self.free.acquire()
            try:
                client = listener.accept()[0]
                threading.Thread(target=self.attend, args=(client,), daemon=True).start()
            except (OSError, RuntimeError):
                self.free.release()

    def attend(self, client):
        try:
            client.settimeout(60)
            self.answer(client)
        except (OSError, ValueError):
            pass
        finally:
            client.close()
            self.free.release()

    def answer(self, client):
        head, rest = read_head(client)
        lines = head.split("\r\n")
        method, target, version = (lines[0].split(" ") + ["", ""])[:3]
        is_tunnel = method == "CONNECT"
        scheme, _, place = target.partition("://")
        authority, _, path = place.partition("/")
        host, port = split_host(target if is_tunnel else authority.split("@")[-1])
        if host == "" or not (is_tunnel or scheme.lower() == "http"):
            return refuse(client, 400, "This is a proxy. It needs the URL of a host")
        port = port or (443 if is_tunnel else 80)
        try:
            through = upstream("https" if is_tunnel else "http", host)
            addresses = self.addresses(host, port, through is None)
            self.record.add("allowed", host, port)
            server = tunnel(through, host, port) if through else first_connected(addresses)
        except Refused as why:
            self.record.add("refused", host, port, why.args[0])
            return refuse(client, 403, why.args[1])
        except (OSError, ValueError) as error:
            self.record.add("allowed", host, port)
            return refuse(client, 502, "%s could not be reached. %s" % (host, error))
        if is_tunnel:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            kept = [line for line in lines[1:] if not is_of_hop(line)]
            name = with_port(host, port) if port != 80 else host
            first = [" ".join([method, "/" + path, version]), "Host: " + name]
            head = "\r\n".join(first + kept + ["Connection: close", "", ""])
            rest = head.encode("latin-1") + rest
        server.sendall(rest)
        sent, received = relay(client, server)
        self.record.add("closed", host, port, sent + len(rest), received)


def with_port(host, port):
    return "%s:%d" % ("[%s]" % host if ":" in host else host, port)


def matches(entry, host, port):
    name, only = entry
    is_name = host.endswith(name[1:]) if name.startswith("*.") else host == name
    return is_name and (port == only if only else port in usual_ports)


def is_of_hop(line):
    name = line.split(":")[0].lower()
    own = ("host", "connection", "keep-alive", "upgrade", "te")
    return name in own or name.startswith("proxy-")


def read_head(client):
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(max_head)
        data += more
        if not more or len(data) > max_head:
            raise ValueError("no request")
    head, _, rest = data.partition(b"\r\n\r\n")
    return head.decode("latin-1"), rest


def refuse(client, code, why):
    # Clients show the first line of this answer if they cannot open a tunnel.
    body = ("Helios: %s.\n" % why).encode("utf-8", "replace")
    lines = ["HTTP/1.1 %d Helios: %s" % (code, why.split(". ")[0]), "Content-Type: text/plain"]
    lines += ["Connection: close", "Content-Length: %d" % len(body), "", ""]
    client.sendall("\r\n".join(lines).encode("latin-1", "replace") + body)
    client.shutdown(socket.SHUT_WR)
    # Read the rest of the request: unread data would reset the connection before the program has
    # read the answer.
    client.settimeout(2)
    for _ in range(64):
        if not client.recv(max_head):
            return


def upstream(scheme, host):
    # Returns the proxy of the machine for a host, as environment variables such as https_proxy name
    # it.
    if not any(name.lower().endswith("_proxy") and value for name, value in os.environ.items()):
        return None
    from urllib.parse import urlsplit
    from urllib.request import getproxies_environment, proxy_bypass_environment

    proxies = getproxies_environment()
    address = proxies.get(scheme) or proxies.get("all")
    if not address or proxy_bypass_environment(host, proxies):
        return None
    return urlsplit(address if "://" in address else "http://" + address)


def tunnel(through, host, port):
    # Returns a connection through the proxy of the machine.
    if through.scheme != "http":
        raise ValueError("the proxy of the machine is not one for HTTP")
    server = socket.create_connection((through.hostname, through.port or 80), 60)
    name = with_port(host, port)
    lines = ["CONNECT %s HTTP/1.1" % name, "Host: " + name]
    if through.username is not None:
        from base64 import b64encode
        from urllib.parse import unquote

        words = unquote("%s:%s" % (through.username, through.password or ""))
        lines.append("Proxy-Authorization: Basic " + b64encode(words.encode()).decode())
    server.sendall("\r\n".join(lines + ["", ""]).encode("latin-1"))
    answer, rest = read_head(server)
    # Fail unless a tunnel is open: otherwise, the proxy would take the data for a request to any
    # host.
    if answer.split(" ")[1:2] != ["200"] or rest:
        raise ValueError("the proxy of the machine answers " + answer.split("\r\n")[0])
    return server


def first_connected(addresses):
    for number, address in enumerate(addresses, 1):
        try:
            return socket.create_connection(address, 20)
        except OSError:
            if number == len(addresses):
                raise


def relay(client, server):
    # Passes bytes in both directions. Returns how many were sent and received.
    counts, over = [0, 0], []

    def pass_on(source, sink, index):
        ready = select.poll()
        ready.register(source, select.POLLIN)
        try:
            # When one direction has ended, end the other one after a minute of silence.
            while True:
                if not ready.poll(60000):
                    if over:
                        break
                    continue
                data = source.recv(65536)
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    break
                sink.sendall(data)
                counts[index] += len(data)
        except OSError:
            for each in (client, server):
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        over.append(index)

    for each in (client, server):
        each.settimeout(None)
        each.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    back = threading.Thread(target=pass_on, args=(server, client, 1), daemon=True)
    back.start()
    pass_on(client, server, 0)
    back.join()
    server.close()
    return counts


if __name__ == "__main__":
    {"inside": inside, "outside": outside}[sys.argv[1]](*sys.argv[2:])
