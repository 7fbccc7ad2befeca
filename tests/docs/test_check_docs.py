#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of the documentation finds each seeded fault, and none in a sound tree."""
import os
import shutil
import tempfile
import unittest

import check_docs

README = "# T\n\n[other](OTHER) [docs](docs/diagnostics.md)\n\n## Try\n\n```sh\nscripts/run.sh\n```\n"


class SeededTree(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        self.write("core/a.cpp", '// As "TW0999" shows.\nfail("TW0401"); // not TW0998\n')
        self.write("gui/b.cpp", 'fail("what [TW0701]");\n')
        self.write("docs/diagnostics.md", "### TW0401 One\n\nWhat it means, what to do.\n\n"
                   "### TW0701 Two\n\nWhat it means, what to do.\n")
        self.write("docs/protocol.md", "`tilewright/run`\n")
        self.write("lsp/server/Server.cpp", 'on("tilewright/run");\n')
        self.write("core/pass/tile/Cut.cpp", 'StringRef getArgument() const final {\n'
                   '  return "cut-tiles";\n}\n')
        self.write("docs/passes.md", "### tile/cut-tiles\n")
        self.write("README.md", README.replace("OTHER", "README.zh-CN.md"))
        self.write("README.zh-CN.md", README.replace("OTHER", "README.md"))

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def only(self, *parts):
        problems = check_docs.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def test_sound(self):
        self.assertEqual(check_docs.check(self.root), [])

    def test_code_without_section(self):
        self.write("viz/c.cpp", 'fail("TW0500");\n')
        self.only("TW0500", "viz/c.cpp")

    def test_section_without_code(self):
        self.write("gui/b.cpp", "\n")
        self.only("nothing uses TW0701")

    def test_studios_titles_are_no_use(self):
        self.write("gui/b.cpp", "\n")
        self.write("gui/DiagnosticTitles.cpp", '    {"TW0701", "Two"},\n')
        self.only("nothing uses TW0701")

    def test_empty_section(self):
        self.write("docs/diagnostics.md", "### TW0401 One\n\n### TW0701 Two\n\nWhat it means, what.\n")
        self.only("TW0401")

    def test_pass_without_section(self):
        self.write("docs/passes.md", "### tile/other\n")
        self.only("cut-tiles", "core/pass/tile/Cut.cpp")

    def test_dead_link(self):
        self.write("docs/a.md", "[x](nowhere.md#part) [y](https://example.org) [z](#here)\n"
                   "```\n[code](nowhere2.md)\n```\n")
        self.only("docs/a.md", "nowhere.md")

    def test_twins_differ(self):
        self.write("README.zh-CN.md", README.replace("OTHER", "README.md").replace("run", "go"))
        self.only("commands differ")

    def test_method_not_described(self):
        self.write("lsp/server/Server.cpp", 'on("tilewright/run"); on("tilewright/new");\n')
        self.only("tilewright/new")


if __name__ == "__main__":
    unittest.main()
