"""The timeline of a failure, for the page: what karat timeline shows of a report's recording, in the cycles that its rerun shows."""
import json
import re
import subprocess

SLOTS = 8  # Warp slots, at most
TRACE = re.compile(r"\+trace-from=(\d+) \+trace-to=(\d+)")


def events(karat, recording, window):
    """Complete events of a recording, by (SM, track), and the tracks' names."""
    done = subprocess.run([karat, "timeline", recording, f"--cycles={window[0]}:{window[1]}"], capture_output=True, text=True)
    found, names = {}, {}
    for event in json.loads(done.stdout)["traceEvents"] if done.returncode == 0 else []:
        key = event["pid"], event.get("tid")
        if event["ph"] == "X":
            found.setdefault(key, []).append(event)
        elif event["name"] == "thread_name":
            names[key] = event["args"]["name"]
    return found, names


def bar(event, window, where):
    """One event as a bar: its place in percent of the window, its class, a text."""
    begin, end = max(event["ts"], window[0]), min(event["ts"] + event["dur"], window[1] + 1)
    args, size = event.get("args", {}), window[1] + 1 - window[0]
    at_fault = args.get("seq") == where.get("seq") and args.get("warp") == f"{where.get('workgroup')}.{where.get('warp')}"
    text = f"{args['seq']}: {args['text']}" if "seq" in args else event["name"]
    return {"left": round(100 * (begin - window[0]) / size, 2), "width": round(100 * (end - begin) / size, 2), "kind": event["cat"],
            "fault": at_fault, "text": f"{text}, cycles {event['ts']} to {event['ts'] + event['dur'] - 1}"}


def timeline(karat, recording, report):
    """The window's cycles, the verdict's place in it in percent, and for each warp slot its name, whether it is the one at fault, and its
    tracks of bars. None: there is no recording, or nothing in the window."""
    failure, match = report.get("failure", {}), TRACE.search(report.get("rerun", ""))
    if not match or not recording.exists():
        return None
    window, where = (int(match[1]), int(match[2])), failure.get("where", {})
    found, names = events(karat, recording, window)
    slots = {}
    for key in sorted(found):
        shown = [e for e in found[key] if e["ts"] <= window[1] and e["ts"] + e["dur"] > window[0]]
        slot = re.match(r"slot (\d+)", names.get(key, ""))
        if shown and slot and key[0] == where.get("sm", 0) + 1:
            slots.setdefault(int(slot[1]), []).append([bar(e, window, where) for e in shown])
    own = where.get("slot")
    kept = sorted(sorted(slots, key=lambda slot: (slot != own, slot))[:SLOTS])
    size = window[1] + 1 - window[0]
    verdict = failure["cycle"] - window[0]
    return {"from": window[0], "to": window[1], "verdict": round(100 * verdict / size, 2) if 0 <= verdict < size else None,
            "slots": [{"name": f"slot {slot}", "fault": slot == own, "tracks": slots[slot]} for slot in kept]} if kept else None
