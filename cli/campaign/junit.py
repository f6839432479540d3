"""JUnit XML of a campaign: a suite for each core, a case for each run, for the pages of a CI system."""
import xml.etree.ElementTree as tree


def clean(text):
    """Text that XML can hold."""
    return "".join(c for c in str(text or "") if c in "\t\n" or c >= " ")


def junit(store):
    root = tree.Element("testsuites", name=clean(store.get("name")))
    for (core,) in store.rows("select distinct core from runs order by core"):
        rows = store.rows("select runs.*, seconds, bucket, name from runs left join timings using (run) left join failures using (run) "
                          "left join buckets using (bucket) where core = ? order by runs.run", (core,))
        bad = sum(row["verdict"] not in (None, "PASS") for row in rows)
        suite = tree.SubElement(root, "testsuite", name=clean(core), tests=str(len(rows)), failures=str(bad),
                                skipped=str(sum(not row["verdict"] for row in rows)), time=f"{sum(row['seconds'] or 0 for row in rows):.3f}")
        for row in rows:
            case = tree.SubElement(suite, "testcase", classname=clean(core), name=clean(f"{row['program']} seed {row['seed']} run {row['run']}"),
                                   time=f"{row['seconds'] or 0:.3f}")
            if not row["verdict"]:
                tree.SubElement(case, "skipped", message="not run within the budget")
            elif row["verdict"] != "PASS":
                failure = tree.SubElement(case, "failure", type=row["verdict"], message=clean(f"bucket {row['bucket']}: {row['name']}"))
                failure.text = clean(row["problem"])
    tree.indent(root)
    return tree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
