"""Runs a command in a terminal of its own. Types EARLY once it says READY, and LATE at `Approve?`."""
import fcntl, os, pty, struct, sys, termios

early, late, *command = sys.argv[1:]
reading, writing = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    os.dup2(reading, 3)
    os.set_inheritable(3, True)
    os.execvp(command[0], command)
os.close(reading)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
text = b""


def until(mark):
    global text
    while mark not in text:
        text += os.read(terminal, 4096)


until(b"READY\r\n")
os.write(terminal, early.encode())
# The echo shows that the terminal has what was typed.
until(b"READY\r\n" + early.replace("\n", "\r\n").encode())
os.write(writing, b"ask\n")
os.close(writing)
until(b"Approve?")
os.write(terminal, late.encode())
try:
    while chunk := os.read(terminal, 4096):
        text += chunk
except OSError:  # The command has ended.
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(text)
