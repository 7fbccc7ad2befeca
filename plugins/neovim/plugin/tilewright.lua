-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The commands; what they do is loaded when the first one, or the first source, needs it.
if vim.g.loaded_tilewright then
  return
end
vim.g.loaded_tilewright = true

local function command(name, arguments, complete, describe)
  vim.api.nvim_create_user_command("Tilewright" .. name, function(given)
    require("tilewright.commands")[name](given)
  end, {
    nargs = arguments,
    desc = describe,
    complete = complete and function(...)
      return require("tilewright.commands").complete(complete, ...)
    end or nil,
  })
end

command("Stages", 0, nil, "List the passes; Enter opens one, d compares it with the one before")
command("Open", "?", "stages", "Open the IR after a pass")
command("Diff", "*", "stages", "Compare two passes, or one with the one before")
command("Target", "?", "targets", "Choose the machine to compile for, or tell which it is")
command("Explain", "?", nil, "Tell the decisions on an operation and why; that under the cursor if none is named")
command("WhatIf", "?", nil, "Tell what other tiles of an operation would do; Enter pins")
command("Pin", "+", nil, "Pin: KIND VALUE… on the operation under the cursor")
command("Unpin", "?", nil, "Take the pins of the operation under the cursor away")
command("Run", "?", nil, "Run a function, with its numbers checked")
command("Verify", "?", nil, "Run every stage and compare")
command("Restart", 0, nil, "Restart the language server")

local group = vim.api.nvim_create_augroup("tilewright", {})
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "mlir",
  callback = function(event)
    require("tilewright").attach(event.buf)
  end,
})
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "tilewright:///*",
  callback = function(event)
    require("tilewright.commands").read(event.buf, event.match)
  end,
})
