"""Coverage of a campaign: the runs' files merged, and a row for each group."""
import json
import subprocess

BATCH = 200  # files of one call
HOLES = 20  # of each group, as examples: a new device has a hundred thousand


def gather(campaign):
    """Merge what runs have written since into coverage.json, and store its groups."""
    whole = campaign.folder / "coverage.json"
    files = sorted((campaign.folder / "programs").glob("*.cov"))
    for at in range(0, len(files), BATCH):
        batch = files[at:at + BATCH]
        subprocess.run([campaign.karat, "cov", "merge", "-o", whole, *([whole] if whole.exists() else []), *batch], check=True, capture_output=True)
        for file in batch:
            file.unlink()
    if not whole.exists():
        return
    done = subprocess.run([campaign.karat, "cov", "report", "--format=json", whole], check=True, capture_output=True)
    campaign.store.do("delete from coverage")
    for group in json.loads(done.stdout)["groups"]:
        campaign.store.do("insert into coverage values (?, ?, ?, ?)",
                          (group["name"], group["hit"], group["bins"] - group["excluded"], json.dumps(group["holes"][:HOLES])))
