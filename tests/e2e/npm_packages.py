"""Programs of a test that need packages from npm: installed under build/ by their lock file."""

import pathlib
import shutil
import subprocess
import unittest

import support

HERE = pathlib.Path(__file__).resolve().parent


def install(name, program):
    """The folder in which `node PROGRAM` finds its packages: those of tests/e2e/NAME, fetched once,
    until the lock file changes."""
    for needed in ("node", "npm"):
        if not shutil.which(needed):
            raise unittest.SkipTest(f"{needed} is missing: run tools/setup")
    installed = support.ROOT / "build" / name
    installed.mkdir(parents=True, exist_ok=True)
    done = installed / "installed.json"
    lock = (HERE / name / "package-lock.json").read_bytes()
    if not done.is_file() or done.read_bytes() != lock:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name / file, installed / file)
        npm = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                             cwd=installed, text=True, capture_output=True, check=False)
        if npm.returncode != 0:
            raise unittest.SkipTest(f"npm could not fetch the packages of {name}: {npm.stderr[-300:]}")
        done.write_bytes(lock)
    shutil.copy(HERE / name / program, installed / program)
    return installed
