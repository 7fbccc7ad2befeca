#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker reports each seeded violation, and nothing in a sound tree."""
import os
import shutil
import tempfile
import unittest

import check_architecture

LICENCE = "// " + check_architecture.APACHE + "\n"
GPL = "// " + check_architecture.GPL + "\n"


class SeededTree(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        self.write("core/model/Graph.h", LICENCE + '#include "core/model/Expr.h"\n#include <vector>\n')
        self.write("core/pass/Fuse.cpp", LICENCE + '#include "mlir/IR/Builders.h"\n'
                   '#include "core/model/Graph.h"\n#include "core/dialect/Tile/Tile.h"\n')
        self.write("viz/Layout.cpp", LICENCE + '#include "core/model/Graph.h"\n#include "viz/Layout.h"\n')
        self.write("gui/Window.cpp", GPL + "#include <QWidget>\n#include <Qsci/qsciscintilla.h>\n"
                   '#include "viz/Layout.h"\n#include "lsp/protocol/Message.h"\n')
        self.write("lsp/engine/Engine.cpp", LICENCE + '#include "core/pass/Fuse.h"\n'
                   '#include "llvm/ADT/StringRef.h"\n')
        self.write("core/model/CMakeLists.txt", "tilewright_library(TilewrightModel SOURCES a.cpp)\n")
        self.write("core/pass/CMakeLists.txt",
                   "tilewright_library(TilewrightPass MLIR SOURCES a.cpp DEPS TilewrightModel)\n")
        self.write("viz/CMakeLists.txt",
                   "tilewright_library(TilewrightViz SOURCES a.cpp DEPS TilewrightModel)\n")
        self.write("gui/CMakeLists.txt", "tilewright_executable(tilewright-studio SOURCES a.cpp\n"
                   "  DEPS TilewrightViz Qt6::Widgets)\n")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def only(self, *parts):
        violations = check_architecture.check(self.root)
        self.assertEqual(len(violations), 1, violations)
        for part in parts:
            self.assertIn(part, violations[0])

    def test_sound(self):
        self.assertEqual(check_architecture.check(self.root), [])

    def test_build_trees_do_not_count(self):
        self.write("build-debug/viz/a.cpp", '#include "llvm/ADT/StringRef.h"\n')
        self.write(".git/a.py", "")
        self.test_sound()

    def test_what_has_a_substitute_is_not_called(self):
        self.write("viz/Bad.cpp", LICENCE + "// not std::stable_sort\nllvm::stable_sort(a);\n")
        self.only("viz/Bad.cpp:3", "core/model/StableSort.h")

    def test_model_knows_nobody(self):
        self.write("core/model/Bad.h", LICENCE + '#include "core/target/Target.h"\n')
        self.only("core/model/Bad.h:2", "core/target")

    def test_viz_knows_no_llvm(self):
        self.write("viz/Bad.cpp", LICENCE + '\n#  include "llvm/ADT/StringRef.h"\n')
        self.only("viz/Bad.cpp:3", "LLVM")

    def test_profiler_knows_no_qt(self):
        self.write("profiler/Bad.cpp", LICENCE + "#include <QString>\n")
        self.only("profiler/Bad.cpp", "Qt")

    def test_qt_by_module_path(self):
        self.write("lsp/server/Bad.cpp", LICENCE + "#include <QtCore/QString>\n")
        self.only("lsp/server/Bad.cpp", "Qt")

    def test_scintilla_only_in_gui(self):
        self.write("core/pass/Bad.cpp", LICENCE + "#include <Qsci/qsciscintilla.h>\n")
        self.only("Qsci")

    def test_gui_knows_no_llvm(self):
        self.write("gui/Bad.cpp", GPL + "#include <mlir/IR/Builders.h>\n")
        self.only("gui must not know LLVM")

    def test_gui_knows_no_engine(self):
        self.write("gui/Bad.cpp", GPL + '#include "core/pass/Fuse.h"\n')
        self.only("gui must not depend on core/pass")

    def test_core_knows_no_front(self):
        self.write("core/pass/Bad.cpp", LICENCE + '#include "viz/Layout.h"\n')
        self.only("core must not depend on viz")

    def test_front_knows_no_engine(self):
        self.write("core/tools/tilewright/Bad.cpp", LICENCE + '#include "core/pipeline/Session.h"\n')
        self.only("core/tools/tilewright must not depend on core/pipeline")

    def test_tablegen(self):
        self.write("viz/Bad.td", LICENCE + 'include "mlir/IR/OpBase.td"\n')
        self.only("viz/Bad.td", "LLVM")

    def test_graphviz_is_not_linked(self):
        self.write("viz/Bad.cpp", LICENCE + "#include <graphviz/gvc.h>\n")
        self.only("Graphviz")

    def test_target_uses_mlir(self):
        self.write("profiler/CMakeLists.txt", "tilewright_library(P MLIR SOURCES a.cpp)\n")
        self.only("P must not use MLIR")

    def test_target_uses_mlir_by_function(self):
        self.write("profiler/CMakeLists.txt",
                   "tilewright_library(P SOURCES a.cpp)\ntilewright_use_mlir(P)\n")
        self.only("P must not use MLIR")

    def test_target_links_engine(self):
        self.write("profiler/CMakeLists.txt",
                   "tilewright_library(P SOURCES a.cpp DEPS Tilewright::TilewrightPass)\n")
        self.only("P must not link TilewrightPass")

    def test_target_gets_mlir_from_behind(self):
        self.write("viz/CMakeLists.txt", "tilewright_library(TilewrightViz SOURCES a.cpp)\n"
                   "target_link_libraries(TilewrightViz PRIVATE TilewrightPass)\n")
        violations = check_architecture.check(self.root)
        self.assertEqual(len(violations), 2, violations)
        self.assertIn("TilewrightViz must not link TilewrightPass", violations[0])
        self.assertIn("tilewright-studio gets MLIR through TilewrightPass", violations[1])

    def test_target_made_the_plain_way(self):
        self.write("viz/CMakeLists.txt", "add_library(Plain STATIC a.cpp)\n"
                   "target_link_libraries(Plain PUBLIC Qt6::Gui)\n")
        self.only("Plain must not link Qt6::Gui")

    def test_target_links_qt(self):
        self.write("viz/CMakeLists.txt",
                   "tilewright_library(TilewrightViz SOURCES a.cpp DEPS Qt6::Gui)\n")
        self.only("TilewrightViz must not link Qt6::Gui")

    def test_licence_missing(self):
        self.write("scripts/bad.sh", "#!/bin/sh\n")
        self.only("scripts/bad.sh", "Apache-2.0")

    def test_gui_is_gpl(self):
        self.write("gui/Bad.h", LICENCE)
        self.only("gui/Bad.h", "GPL-3.0-or-later")

    def test_program_loads_llvm(self):
        build = os.path.join(self.root, "build")
        os.makedirs(os.path.join(build, "bin"))
        # Any program will do: what is forbidden is its own C library.
        shutil.copy("/bin/ls", os.path.join(build, "bin", "tilewright"))
        forbidden = dict(check_architecture.PROGRAMS, tilewright=["libc.so"])
        original, check_architecture.PROGRAMS = check_architecture.PROGRAMS, forbidden
        try:
            violations = check_architecture.check(self.root, build)
        finally:
            check_architecture.PROGRAMS = original
        self.assertEqual(len(violations), 1, violations)
        self.assertIn("bin/tilewright: loads libc.so", violations[0])


if __name__ == "__main__":
    unittest.main()
