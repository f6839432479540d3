"""The arguments that the tests of karat campaign share."""
import argparse
import os


def parser(about):
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--karat", required=True, type=os.path.abspath)
    made.add_argument("--core", required=True, type=os.path.abspath)
    made.add_argument("--size", default="8:8", help="of the core: WARPS:THREADS (8:8)")
    made.add_argument("--vectors", required=True, type=os.path.abspath, help="folder of the assembled programs")
    return made
