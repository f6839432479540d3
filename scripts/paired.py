"""Shared by the scripts that measure: processor time of runs that take turns on one processor."""
import os
import statistics
import subprocess
import sys


def used(process, command, wanted):
    """The output of a process, whose exit status is the wanted one, and its processor time in seconds, its children's included."""
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != wanted:
        sys.exit(f"{' '.join(command)}: its exit status is not {wanted}:\n{output}")
    return output, usage.ru_utime + usage.ru_stime


def finish(process, command, wanted):
    """Its processor time."""
    return used(process, command, wanted)[1]


def start(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def seconds(commands, wanted, number):
    """Processor time of each of some processes that run at the same time, on one processor: the last but that number."""
    processor = {sorted(os.sched_getaffinity(0))[-1 - number]}
    processes = []
    for command in commands:
        processes.append(start(command))
        os.sched_setaffinity(processes[-1].pid, processor)
    return [finish(process, command, wanted) for process, command in zip(processes, commands)]


def one_round(starts, commands, wanted, number=0):
    """Processor time of each command without its start-up."""
    begin = seconds(starts, wanted, number)
    return [t - t0 for t, t0 in zip(seconds(commands, wanted, number), begin)]


def spread(values):
    """Lower quartile, median, upper quartile: always within the values, however few they are."""
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else 3 * values
