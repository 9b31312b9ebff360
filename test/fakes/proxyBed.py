# Answers requests with proxy.py, whose path is the first argument, without a network. Reads JSON:
# a list of {hosts, names, request, tunnel}. `names` has for each name the addresses of each time that
# it is asked for. `limits` replaces limits, and `tunnel` is the answer of the proxy of the machine. Prints for each case what the
# program gets, what the server gets, where the connection went, and the record.
import json
import os
import socket
import sys
import tempfile
import threading

proxy = {"__name__": "proxy"}
exec(open(sys.argv[1]).read(), proxy)
proxy["load"]()


def tried(case):
    def resolve(host, port, *_more):
        found = case["names"].get(host)
        if not found:
            raise socket.gaierror("no such name")
        return [(2, 1, 6, "", (at, port)) for at in (found.pop(0) if len(found) > 1 else found[0])]

    places, got = [], []

    def connect(address, _timeout):
        places.append("%s:%d" % address[:2])
        near, far = socket.socketpair()
        threading.Thread(target=serve, args=(far,), daemon=True).start()
        return near

    def serve(far):
        if case.get("tunnel"):
            got.append(far.recv(65536).decode())
            far.sendall(case["tunnel"].encode())
        got.append(far.recv(65536).decode())
        far.sendall(b"HTTP/1.1 200 OK\r\n\r\nanswer")
        far.close()

    proxy.update(case.get("limits", {}))
    socket.getaddrinfo, socket.create_connection = resolve, connect
    handle, path = tempfile.mkstemp()
    ours, theirs = socket.socketpair()
    keeper = proxy["Proxy"](proxy["Record"](handle), case["hosts"], "the list")
    keeper.free = threading.Semaphore()
    worker = threading.Thread(target=keeper.attend, args=(theirs,), daemon=True)
    worker.start()
    answer = b""
    for part in case["request"]:
        ours.sendall(part.encode())
        more = ours.recv(65536)
        answer += more
        if b" 200 Connection" not in more:
            break
    while more:
        more = ours.recv(65536)
        answer += more
    ours.close()
    worker.join(30)
    record = open(path).read()
    os.unlink(path)
    return {"answer": answer.decode(), "got": got, "places": places, "record": record.split("\n")[:-1]}


print(json.dumps([tried(case) for case in json.load(sys.stdin)]))
