"""Writes the fixtures of systems that are tables, with their own libraries and their own workers:
`python make_rows.py laravel:8.83.26 delayedjob:4.1.9 …`. For SQLite and for PostgreSQL: a task that
is due, one for 2037, and one that failed. PYTHON is the interpreter that has Django.
"""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sources = here.parent.parent / "ForeignTrialTests" / "Programs"
# What a trace of a failure names, on every machine.
programs = Path("/tmp/sluice-fixtures")
python = os.environ.get("PYTHON", sys.executable)
tables = {
    "laravel": ["jobs", "failed_jobs"], "delayedjob": ["delayed_jobs"],
    "symfony": ["messenger_messages"], "djangotasks": ["django_tasks_database_dbtaskresult"],
    "djangoq": ["django_q_ormq", "django_q_task"],
}
apps = {"laravel": ["php", "laravel_app.php"], "delayedjob": ["ruby", "delayedjob_app.rb"],
        "symfony": ["php", "symfony_app.php"]}


def fill(system, url, folder):
    environment = {
        **os.environ, "TRIAL_URL": url, "TRIAL_LOG": f"{folder}/log",
        "PYTHONPATH": str(programs), "PYTHONDONTWRITEBYTECODE": "1", "TRIAL_ATTEMPTS": "1",
    }
    app = apps.get(system) or [python, f"{system}_app.py"]
    app = [app[0], str(programs / app[1])]
    send = [*app, "send"] if system in apps else [python, str(programs / "send.py"), system]

    def run(*words):
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)

    run(*app, "install")
    run(*send, "3", "1", "0", "fail")
    worker = subprocess.Popen(
        [*app, "work"], env=environment, start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    time.sleep(6)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    run(*send, "1", "1", "0")
    if system != "djangoq":
        run(*send, "2", "1", "0", "later")


def sqlite_text(path, names):
    with sqlite3.connect(path) as database:
        for line in database.iterdump():
            if any(re.search(rf'[ "]{name}[ "]', line) for name in names):
                yield line


def postgres_text(server, database, names):
    words = ["pg_dump", "-h", server, "-U", "postgres", "--inserts", "--no-owner", database]
    text = subprocess.run(
        words + [word for name in names for word in ("-t", name)], check=True,
        capture_output=True, text=True).stdout
    for line in text.splitlines():
        if line and not line.startswith(("--", "SET ", "\\", "SELECT pg_catalog.set_config('search")):
            yield line.replace("public.", "")


def main():
    folder = tempfile.mkdtemp()
    shutil.copytree(sources, programs, dirs_exist_ok=True)
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    shutil.chown(folder, "postgres")

    def postgres(command):
        subprocess.run(["su", "postgres", "-c", f"{binaries}/{command}"], check=True,
                       stdout=subprocess.DEVNULL)

    postgres(f"initdb -D {folder}/data -A trust")
    postgres(f"pg_ctl -D {folder}/data -l {folder}/server -w "
             f"-o '-p 54459 -k {folder} -c fsync=off' start")
    os.environ["PGPORT"] = "54459"
    try:
        for word in sys.argv[1:]:
            system, version = word.split(":")
            file = f"{folder}/{system}.db"
            open(file, "w").close()
            fill(system, file, folder)
            subprocess.run(["createdb", "-h", folder, "-U", "postgres", system], check=True)
            fill(system, f"postgres://postgres@127.0.0.1:54459/{system}", folder)
            for engine, lines in (
                ("sqlite", sqlite_text(file, tables[system])),
                ("postgres", postgres_text(folder, system, tables[system])),
            ):
                (here / f"rows-{system}-{engine}.sql").write_text(
                    "\n".join([f"-- {system} {version}, by make_rows.py", *lines])
                    .replace(str(Path(python).parent.parent), "/venv") + "\n")
            print(system, version)
    finally:
        postgres(f"pg_ctl -D {folder}/data -m immediate stop")
        shutil.rmtree(folder)
        shutil.rmtree(programs)


main()
