"""Coverage of a campaign: the runs' files merged, and a row for each group."""
import json
import subprocess
import sys

import rtl_points
from run import NoRoom

BATCH = 200  # Files of one call
HOLES = 20  # Of each group, as examples: a new device has a hundred thousand


def merge(campaign, whole, files):
    """Merge files into one; those that cannot be read, as of a core that was killed while it wrote them, are left out and named."""
    done = subprocess.run([campaign.karat, "cov", "merge", "-o", whole, *([whole] if whole.exists() else []), *files], capture_output=True, text=True)
    NoRoom.check(done)
    if done.returncode and len(files) > 1:
        for file in files:
            merge(campaign, whole, [file])
    elif done.returncode:
        print(f"karat campaign: coverage left out: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)


def files_of(campaign, kind, end):
    """The files of that kind that runs before run 'end' have left, by run."""
    found = sorted((campaign.folder / "programs").glob(f"*.{kind}"), key=lambda path: int(path.stem))
    return [path for path in found if int(path.stem) < end]


def add(campaign, end=sys.maxsize):
    """Merge what runs before run 'end' have written since into coverage.json; and RTL coverage, of cores that have it."""
    rtl_points.gather(campaign, files_of(campaign, "rtl", end))
    whole = campaign.folder / "coverage.json"
    files = files_of(campaign, "cov", end)
    for at in range(0, len(files), BATCH):
        batch = files[at:at + BATCH]
        merge(campaign, whole, batch)
        for file in batch:
            file.unlink()


def gather(campaign):
    """Merge all that runs have written since, store its groups, and write the page of RTL coverage."""
    add(campaign)
    rtl_points.write(campaign)
    whole = campaign.folder / "coverage.json"
    if not whole.exists():
        return
    done = subprocess.run([campaign.karat, "cov", "report", "--format=json", whole], check=True, capture_output=True)
    campaign.store.do("delete from coverage")
    for group in json.loads(done.stdout)["groups"]:
        campaign.store.do("insert into coverage values (?, ?, ?, ?)",
                          (group["name"], group["hit"], group["bins"] - group["excluded"], json.dumps(group["holes"][:HOLES])))
