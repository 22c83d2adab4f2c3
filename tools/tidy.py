#!/usr/bin/env python3
"""House rules no other tool checks. Prints one line per breach; exit status 1 if there is any."""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BANNED = {  # outside base/: text -> what to use instead
    "system_clock::now": "base/clock.h",
    "steady_clock::now": "base/clock.h",
    "sleep_for": "base/loop.h",
    "getenv": "an argument",
    "std::cout": "the stream you were given",
    "FIXME": "finish it, or file an issue",
}


def modules():
    """Module -> every module it may include: itself, its DEPENDS, and theirs."""
    below = {}
    for line in (ROOT / "src/CMakeLists.txt").read_text().splitlines():
        if m := re.match(r"module\(NAME (\w+)(?:\s+DEPENDS ([\w ]+?))?(?: (?:TABLE|LINKS) .*)?\)", line):
            deps = (m[2] or "").split()
            below[m[1]] = {m[1], *deps, *(d for dep in deps for d in below[dep])}
    return below


def breaches(path, below):
    lines = path.read_text().splitlines()
    module, *folders = path.relative_to(ROOT / "src").parts[:-1]
    is_test = path.stem.endswith("_test")
    if folders and not is_test and not path.with_name(path.stem + "_test.cc").exists():
        yield 1, f"no {path.stem}_test.cc beside it"
    if not is_test and not lines[0].startswith(("// ", "#include")):
        yield 1, "say in the first line what this file is"
    for number, line in enumerate(lines, 1):
        if (m := re.match(r'#include "(\w+)/', line)) and m[1] not in below[module]:
            yield number, f"{module} may not include {m[1]}: see src/CMakeLists.txt"
        for text, instead in BANNED.items():
            if module != "base" and text in line:
                yield number, f"{text}: use {instead}"


below = modules()
found = [f"{path.relative_to(ROOT)}:{number}: {text}"
         for path in sorted((ROOT / "src").glob("**/*")) if path.suffix in (".h", ".cc")
         for number, text in breaches(path, below)]
print("\n".join(found))
sys.exit(bool(found))
