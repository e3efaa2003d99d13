"""A PostgreSQL server in a folder, on a socket only, which its program ends; or the one that
PEER_SERVER names, as HOST USER DATABASE."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile


def tool(name):
    found = shutil.which(name)
    return found or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[::-1]), None)


def missing():
    return None if tool("initdb") else "not installed: apt-get install postgresql"


class Server:
    def __init__(self):
        if "PEER_SERVER" in os.environ:
            self.folder = None
            return self.name(*os.environ["PEER_SERVER"].split())
        # A socket's path must be short, and the server refuses to be root.
        self.folder = tempfile.mkdtemp(prefix="peer")
        self.run = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.run = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}",
                        "--clear-groups"]
        self.call("initdb", "-D", self.folder + "/d", "-A", "trust", "-U", "peer", "--no-sync")
        self.call("pg_ctl", "-D", self.folder + "/d", "-w", "-l", self.folder + "/log",
                  "-o", f"-k {self.folder} -c listen_addresses=''", "start")
        self.name(self.folder, "peer", "postgres")

    def name(self, host, user, database):
        self.host, self.user, self.database = host, user, database
        self.conninfo = f"host={host} user={user} dbname={database}"

    def call(self, name, *words):
        subprocess.run(self.run + [tool(name), *words], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL)

    def stop(self):
        if self.folder is None:
            return
        self.call("pg_ctl", "-D", self.folder + "/d", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)
