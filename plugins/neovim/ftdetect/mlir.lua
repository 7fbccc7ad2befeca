-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
vim.cmd([[autocmd BufRead,BufNewFile *.mlir setfiletype mlir]])
