"""Writes the fixtures of systems that are tables, with their own libraries and their own workers:
`python make_rows.py laravel:8.83.26 delayedjob:4.1.9 …`. For SQLite, PostgreSQL and MariaDB: a task
that is due, one for 2037, and one that failed. PYTHON is the interpreter that has Django; ENGINES
names the databases, where not all of them are meant.
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
sources = here.parent.parent / "ProcessTests" / "ForeignTrials" / "Programs"
# What a trace of a failure names, on every machine.
programs = Path("/tmp/sluice-fixtures")
python = os.environ.get("PYTHON", sys.executable)
engines = os.environ.get("ENGINES", "sqlite postgres mariadb").split()
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


def mariadb_text(folder, database, names):
    text = subprocess.run(
        ["mariadb-dump", "--no-defaults", f"--socket={folder}/socket", "-uapp", "-psecret",
         "--compact", "--skip-extended-insert", database, *names],
        check=True, capture_output=True, text=True).stdout
    return [line for line in text.splitlines() if not line.startswith("/*")]


def start_mariadb(folder):
    own = {"user": "mysql", "group": "mysql", "env": {**os.environ, "TMPDIR": folder}}
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={folder}/my", "--skip-test-db",
         "--auth-root-authentication-method=normal"],
        check=True, stdout=subprocess.DEVNULL, **own)
    Path(f"{folder}/init").write_text(
        "CREATE USER app@'%' IDENTIFIED BY 'secret';\nGRANT ALL ON *.* TO app@'%';\n")
    server = subprocess.Popen(
        ["mariadbd", "--no-defaults", f"--datadir={folder}/my", f"--socket={folder}/socket",
         "--bind-address=127.0.0.1", "--port=54460", "--skip-name-resolve",
         f"--init-file={folder}/init"], stderr=subprocess.DEVNULL, **own)
    while subprocess.run(["mariadb-admin", f"--socket={folder}/socket", "-uapp", "-psecret", "ping"],
                         capture_output=True).returncode:
        time.sleep(0.2)
    return server


def main():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o777)
    shutil.copytree(sources, programs, dirs_exist_ok=True)
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]

    def postgres(command):
        subprocess.run(["su", "postgres", "-c", f"{binaries}/{command}"], check=True,
                       stdout=subprocess.DEVNULL)

    postgres(f"initdb -D {folder}/data -A trust")
    postgres(f"pg_ctl -D {folder}/data -l {folder}/server -w "
             f"-o '-p 54459 -k {folder} -c fsync=off' start")
    os.environ["PGPORT"] = "54459"
    mariadb = start_mariadb(folder)
    try:
        for word in sys.argv[1:]:
            system, version = word.split(":")
            for engine in engines:
                if engine == "sqlite":
                    file = f"{folder}/{system}.db"
                    open(file, "w").close()
                    fill(system, file, folder)
                    lines = sqlite_text(file, tables[system])
                elif engine == "postgres":
                    subprocess.run(["createdb", "-h", folder, "-U", "postgres", system], check=True)
                    fill(system, f"postgres://postgres@127.0.0.1:54459/{system}", folder)
                    lines = postgres_text(folder, system, tables[system])
                else:
                    subprocess.run(
                        ["mariadb", "--no-defaults", f"--socket={folder}/socket", "-uapp",
                         "-psecret", "-e", f"CREATE DATABASE `{system}` CHARACTER SET utf8mb4"],
                        check=True)
                    fill(system, f"mysql://app:secret@127.0.0.1:54460/{system}", folder)
                    lines = mariadb_text(folder, system, tables[system])
                (here / f"rows-{system}-{engine}.sql").write_text(
                    "\n".join([f"-- {system} {version}, by make_rows.py", *lines])
                    .replace(str(Path(python).parent.parent), "/venv") + "\n")
            print(system, version)
    finally:
        postgres(f"pg_ctl -D {folder}/data -m immediate stop")
        mariadb.kill()
        mariadb.wait()
        shutil.rmtree(folder)
        shutil.rmtree(programs)


main()
