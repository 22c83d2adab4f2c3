#!/usr/bin/env python3
"""A demo that is interrupted, whatever it is at, leaves nothing of its own running and no load behind."""

import pathlib
import signal
import subprocess
import sys
import unittest

import support

END_S = 20  # its children have 5 s each to end in order
START_S = 90
LEARN_S = 240  # the listening, and benchmarks that repeat while others disturb them


class DemoInterrupted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def interrupted(self, number, patience_s, is_at_work):
        """Runs the demo until is_at_work(its output, the command lines of its processes)."""
        with support.temporary_folder() as folder:
            data = pathlib.Path(folder) / "demo"
            out, err = pathlib.Path(folder) / "out", pathlib.Path(folder) / "err"
            mark = support.new_mark()
            with open(out, "wb") as out_file, open(err, "wb") as err_file:
                process = subprocess.Popen([support.AUSCULT, "demo", "--fault", "cpu", "--data", data],
                                           stdout=out_file, stderr=err_file,
                                           env=support.environment(**mark))
            try:
                def ready():
                    self.assertIsNone(process.poll(), out.read_text() + err.read_text())
                    return is_at_work(out.read_text(), support.command_lines(mark))

                support.wait_for(ready, patience_s, "the demo at work")
                process.send_signal(number)
                process.wait(END_S)
            finally:
                process.kill()
                process.wait()
            print(out.read_text().splitlines()[-1])
            self.assertEqual(process.returncode, 3, err.read_text())
            self.assertEqual(err.read_text(),
                             "auscult demo: interrupted: everything it started has been stopped\n")
            # fio may end a moment after the agent that it dies with.
            support.wait_for(lambda: not support.marked_processes(mark), 5, "the end of its processes")
            self.assertFalse((data / "scratch").exists(), "its scratch folder is still there")
            self.assertFalse((data / "server.json").exists(), "its server did not stop in order")

    def test_while_it_listens(self):
        self.interrupted(signal.SIGINT, START_S, lambda out, _: "listening to" in out)

    def test_while_it_measures(self):
        self.interrupted(signal.SIGTERM, LEARN_S, lambda _, running: any(
            words[0].endswith("fio") for words in running))

    def test_while_the_host_is_ill(self):
        self.interrupted(signal.SIGINT, LEARN_S, lambda out, running: "FAULT" in out and any(
            "--be-ill" in words for words in running))


if __name__ == "__main__":
    sys.exit(support.main())
