"""A Slurm of several nodes on this machine, with a key, ports and a folder of its own; everything of it ends with it."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from limits import PATIENCE, wait_for  # noqa: E402

PROGRAMS = ("mungekey", "munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
CONF = """ClusterName=karat
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=15
InactiveLimit=0
KillWait=2
MinJobAge=300
SchedulerParameters=sched_interval=2,batch_sched_delay=1
NodeName=node[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster, or None."""
    gone = [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if gone:
        return f"not installed: {' '.join(gone)} (Debian: slurm-wlm, munge)"
    return None if os.geteuid() == 0 else "only root can start slurmd"


class Cluster:
    def __init__(self, folder, nodes=3):
        self.folder, self.nodes, self.daemons = pathlib.Path(folder).absolute(), nodes, {}
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        self.folder.mkdir(parents=True)
        (self.folder / "state").mkdir()
        self.folder.chmod(0o755)
        port = self.free_ports(nodes + 1)
        conf = self.folder / "slurm.conf"
        conf.write_text(CONF.format(host=socket.gethostname(), folder=self.folder, nodes=nodes, port=port, first=port + 1, last=port + nodes))
        os.environ["SLURM_CONF"] = str(conf)
        subprocess.run(["mungekey", "--create", f"--keyfile={self.folder}/munge.key"], check=True)
        self.start("munged", "munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "slurmctld", "-D")
        for node in range(1, nodes + 1):
            self.start_node(node)
        self.wait(lambda: self.idle() == nodes, "the nodes")

    @staticmethod
    def free_ports(count):
        """The first of so many ports in a row that nothing listens to."""
        for port in range(17000 + os.getpid() % 20000, 60000, count):
            held = [socket.socket() for _ in range(count)]
            try:
                for at, one in enumerate(held):
                    one.bind(("127.0.0.1", port + at))
                return port
            except OSError:
                continue
            finally:
                for one in held:
                    one.close()
        raise RuntimeError("no free ports")

    def start(self, name, *command):
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as out:
            self.daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)

    def start_node(self, node):
        self.start(f"node{node}", "slurmd", "-D", "-N", f"node{node}")

    def idle(self):
        done = subprocess.run(["sinfo", "--noheader", "--states=idle", "--format=%D"], capture_output=True, text=True)
        return sum(int(word) for word in done.stdout.split() if word.isdecimal())

    def wait(self, true, what):
        if not wait_for(true, 0.25):
            raise RuntimeError(f"{what}: nothing for {PATIENCE} s: see {self.folder}")

    def tasks(self, node):
        """Processes of a node's tasks, and what started each: a task's environment names its node."""
        found = set()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes() if entry.name.isdecimal() else b""
                if f"SLURM_CONF={self.folder}/slurm.conf\0".encode() in environment and f"SLURMD_NODENAME=node{node}\0".encode() in environment:
                    found.add(int(entry.name))
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    if pathlib.Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                        found.add(parent)
            except OSError:  # It has ended
                pass
        return found

    def kill_node(self, node):
        """As a node that loses its power: the daemon, and every process of its tasks. Their number."""
        daemon = self.daemons.pop(f"node{node}")
        killed = self.tasks(node)
        daemon.kill()
        daemon.wait()
        for pid in killed | self.tasks(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(killed)

    def close(self):
        subprocess.run(["scancel", "--user=root"], capture_output=True)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
