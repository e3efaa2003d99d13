import os


def note(number):
    """What a handler was called with, one line in one write."""
    log = os.open(os.environ["TRIAL_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{number}\n".encode())
    os.close(log)
