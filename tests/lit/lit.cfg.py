# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the IR tests run; lit.site.cfg.py in the build tree loads this.
import os

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.tilewright_exec_root

tools = config.tilewright_tools_dir
# The longest first: substitutions are applied in order.
for name in ("tilewright-opt", "tilewright-engine", "tilewright-lsp"):
    config.substitutions.append((r"(?<![\w/-])" + name + r"(?![\w-])", os.path.join(tools, name)))
config.substitutions += [
    (r"(?<![\w/-])FileCheck(?![\w-])", config.filecheck),
    (r"(?<![\w/-])split-file(?![\w-])", config.split_file),
    (r"(?<![\w/-])not (?=/)", config.not_tool + " "),
    ("%examples", os.path.join(config.tilewright_source_dir, "resources", "examples")),
    ("%docs", os.path.join(config.tilewright_source_dir, "docs")),
]
config.environment["LC_ALL"] = "C.UTF-8"
