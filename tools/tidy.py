#!/usr/bin/env python3
"""House rules no other tool checks. Prints one line per breach; exit status 1 if there is any.

`tools/tidy.py --lengths` lists instead the files past 400 lines: where to look for a second concept.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BANNED = {  # outside base/ and apps/: text -> what to use instead
    "system_clock::now": "base/clock.h",
    "steady_clock::now": "base/clock.h",
    "sleep_for": "base/loop.h",
    "getenv": "an argument",
    "std::cout": "the stream you were given",
    "FIXME": "finish it, or file an issue",
}
FREE = {"base", "apps"}  # where the world comes in
TESTS_MAY = {"getenv", "steady_clock::now"}  # they find data of others, and wait with a deadline
UNTESTED_FOLDERS = {"schema", "testdata"}  # data, not code


def modules():
    """Module -> (every module it may include: itself, its DEPENDS, and theirs; its table folders)."""
    found = {}
    text = re.sub(r"#[^\n]*", "", (ROOT / "src/CMakeLists.txt").read_text())
    for call in re.findall(r"\bmodule\(([^)]*)\)", text):
        parts = {}
        for word in call.split():
            if word in ("NAME", "DEPENDS", "LINKS", "TABLE"):
                parts.setdefault(key := word, [])
            else:
                parts[key].append(word)
        [name] = parts["NAME"]
        below = {name}.union(*(found[dep][0] for dep in parts.get("DEPENDS", [])))
        found[name] = below, set(parts.get("TABLE", [])[::2])
    return found


def is_test(path):
    """x_test.cc, unless it has a test itself: ks_test.cc computes the Kolmogorov-Smirnov test."""
    return path.stem.endswith("_test") and not path.with_name(path.stem + "_test.cc").exists()


def layer_breaches(path, lines, module, known):
    below, tables = known[module]
    folder = path.parent.name
    if path.suffix == ".cc" and folder in tables and not is_test(path):
        golden = list((path.parent / "testdata").glob(path.stem + ".*"))
        if not golden and not path.with_name(path.stem + "_test.cc").exists():
            yield 1, f"no {path.stem}_test.cc beside it, no testdata/{path.stem}.*"
    for number, line in enumerate(lines, 1):
        if (m := re.match(r'#include "(\w+)/', line)) and m[1] not in below:
            yield number, f"{module} may not include {m[1]}: see src/CMakeLists.txt"


def text_breaches(path, lines, module):
    test = is_test(path)
    if path.suffix == ".h":
        if not lines[0].startswith("// "):
            yield 1, "say in the first line what this file is"
        if "#pragma once" not in lines:
            yield 1, "#pragma once is missing"
    elif not test and not lines[0].startswith(("// ", "#include")):
        yield 1, "say in the first line what this file is, or include your own header"
    for number, line in enumerate(lines, 1):
        for text, instead in BANNED.items():
            if text not in line or (module in FREE and text != "FIXME"):
                continue
            if not (test and text in TESTS_MAY):
                yield number, f"{text}: use {instead}"


def sources():
    for folder in ("src", "apps", "nccl"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc") and not UNTESTED_FOLDERS & set(path.parts):
                yield path


def breaches(path, known):
    lines = path.read_text().splitlines() or [""]
    top, second, *_ = path.relative_to(ROOT).parts
    if top != "src":
        yield from text_breaches(path, lines, top)
    elif second not in known:
        yield 1, f"{second} is no module: see src/CMakeLists.txt"
    else:
        yield from layer_breaches(path, lines, second, known)
        yield from text_breaches(path, lines, second)


def main():
    if sys.argv[1:] == ["--lengths"]:
        for path in sources():
            if (n := len(path.read_text().splitlines())) > 400:
                print(f"{n:5} {path.relative_to(ROOT)}")
        return 0
    known = modules()
    found = [f"{path.relative_to(ROOT)}:{number}: {text}"
             for path in sources() for number, text in breaches(path, known)]
    print("\n".join(found) if found else "tidy: no breach")
    return int(bool(found))


sys.exit(main())
