-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Tilewright's language server in Neovim (0.7 or later): started for the first source, shared by all.
local M = {}

M.options = {
  cmd = { "tilewright-lsp" }, -- program and arguments
  target = "cpu",
  on_attach = nil, -- function(client, buffer), for key maps
  code_lens = true, -- shown above lines; vim.lsp.codelens.run() acts on them
}

--- Before the first source is opened: require("tilewright").setup({ cmd = { "/path/tilewright-lsp" } })
function M.setup(options)
  M.options = vim.tbl_deep_extend("force", M.options, options or {})
end

--- The running server, or nil.
function M.client()
  local client = M.id and vim.lsp.get_client_by_id(M.id)
  if client and not client.is_stopped() then
    return client
  end
end

local function warn(text)
  vim.notify("Tilewright: " .. text, vim.log.levels.WARN)
end
M.warn = warn

local function start(root)
  if vim.fn.executable(M.options.cmd[1]) ~= 1 then
    warn(M.options.cmd[1] .. " was not found: name it with require('tilewright').setup({ cmd = { '…' } })")
    return nil
  end
  return vim.lsp.start_client({
    name = "tilewright",
    cmd = M.options.cmd,
    root_dir = root,
    init_options = { tilewright = {
      target = M.options.target,
      ranges = "positions",
      codeLens = M.options.code_lens,
      commands = { "tilewright.run", "tilewright.verify", "tilewright.openStage", "tilewright.whatIf" },
    } },
    commands = M.client_commands(),
    on_attach = M.options.on_attach,
    on_exit = function(code, signal)
      M.id = nil
      if not M.stopping and (code ~= 0 or signal ~= 0) then
        vim.schedule(function()
          warn("the language server stopped (code " .. code .. ", signal " .. signal .. "); :TilewrightRestart starts it again")
        end)
      end
      M.stopping = false
    end,
  })
end

-- What the server's lenses offer and only an editor can do.
function M.client_commands()
  local function on(name)
    return function(command)
      require("tilewright.commands")[name]({ args = command.arguments[2] or "", fargs = { command.arguments[2] } })
    end
  end
  return {
    ["tilewright.run"] = on("Run"),
    ["tilewright.verify"] = on("Verify"),
    ["tilewright.openStage"] = on("Stages"),
    ["tilewright.whatIf"] = on("WhatIf"),
  }
end

function M.attach(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name:match("^tilewright:") or vim.bo[buffer].buftype ~= "" then
    return
  end
  if not M.client() then
    M.id = start(vim.fn.fnamemodify(name, ":p:h"))
  end
  if not M.id then
    return
  end
  vim.lsp.buf_attach_client(buffer, M.id)
  if M.options.code_lens then
    vim.api.nvim_create_autocmd({ "BufEnter", "CursorHold", "InsertLeave", "BufWritePost" }, {
      group = vim.api.nvim_create_augroup("tilewright_lens_" .. buffer, {}),
      buffer = buffer,
      callback = function()
        if M.client() then
          vim.lsp.codelens.refresh()
        end
      end,
    })
  end
end

function M.restart()
  local client = M.client()
  if client then
    M.stopping = true
    client.stop()
    vim.wait(3000, function()
      return client.is_stopped()
    end, 20)
  end
  M.id = nil
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == "mlir" then
      M.attach(buffer)
    end
  end
end

--- The source a buffer is about: itself, or that of its stage.
function M.source(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  return vim.b[buffer].tilewright_source or vim.uri_from_bufnr(buffer)
end

--- Asks a method of the server; `done(result)` is called if it succeeds, else a person is told.
function M.ask(method, params, done)
  local client = M.client()
  if not client then
    return warn("the language server is not running; open a source (.mlir), or :TilewrightRestart")
  end
  client.request(method, params, function(err, result)
    if err then
      local data = type(err.data) == "table" and err.data or {}
      local text = err.message
      if type(data.hint) == "string" and data.hint ~= "" then
        text = text .. "\n" .. data.hint
      end
      if type(data.code) == "string" and data.code ~= "" then
        text = text .. " [" .. data.code .. "]"
      end
      return warn(text)
    end
    done(result)
  end)
end

return M
