-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Run by neovim_test.sh inside a headless Neovim. Ends it with 0 or 1.
local work = os.getenv("TILEWRIGHT_WORK")
local file = work .. "/ffn.mlir"
local source = [[
func.func @ffn(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>) -> tensor<128x512xf32> {
  %h = tw.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %y = tw.silu %h : (tensor<128x512xf32>) -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}]]

local said = {}
vim.notify = function(text)
  table.insert(said, text)
end

local passed = 0
local function out(text)
  io.stdout:write(text .. "\n")
end

local function wait(what, check, ms)
  local value
  local good = vim.wait(ms or 30000, function()
    value = check()
    return value and true or false
  end, 20)
  if not good then
    error("waited in vain for " .. what .. "; said: " .. vim.inspect(said))
  end
  return value
end

local function heard(pattern)
  return wait("a message like " .. pattern, function()
    for _, text in ipairs(said) do
      if text:match(pattern) then
        return text
      end
    end
  end)
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), "\n")
end

local function step(what, action)
  said = {}
  action()
  passed = passed + 1
  out("ok " .. passed .. " - " .. what)
end

local function go_to_source(line, column)
  vim.cmd("silent! tabonly")
  vim.cmd("silent! only")
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  vim.api.nvim_win_set_cursor(0, { line or 2, column or 8 })
end

local function pins()
  local handle = io.open(file .. ".pins.json")
  if not handle then
    return {}
  end
  local text = handle:read("*a")
  handle:close()
  return vim.json.decode(text).pins
end

local function run()
  local handle = assert(io.open(file, "w"))
  handle:write(source .. "\n")
  handle:close()
  local tilewright = require("tilewright")

  step("a server that is not there is named", function()
    tilewright.setup({ cmd = { "no-such-tilewright-lsp" } })
    vim.cmd("edit " .. vim.fn.fnameescape(file))
    heard("no%-such%-tilewright%-lsp was not found")
    vim.cmd("bwipeout")
  end)

  step("a source starts the server", function()
    tilewright.setup({ cmd = { os.getenv("TILEWRIGHT_SERVER") } })
    vim.cmd("edit " .. vim.fn.fnameescape(file))
    assert(vim.bo.filetype == "mlir", vim.bo.filetype)
    wait("the server", function()
      local client = tilewright.client()
      return client and client.initialized
    end)
  end)

  step("a typo is found, its fix offered, and it goes with the fix", function()
    vim.api.nvim_buf_set_lines(0, 2, 3, false, { (vim.fn.getline(3):gsub("silu", "sillu")) })
    local found = wait("a diagnostic", function()
      return vim.diagnostic.get(0)[1]
    end)
    assert(found.lnum == 2 and found.message:match("did you mean 'tw.silu'"), vim.inspect(found))
    local params = vim.lsp.util.make_range_params()
    params.range = { start = { line = 2, character = 8 }, ["end"] = { line = 2, character = 8 } }
    params.context = { only = { "quickfix" }, diagnostics = { found.user_data.lsp and {
      range = { start = { line = 2, character = found.col }, ["end"] = { line = 2, character = found.end_col } },
      message = found.message, code = found.user_data.lsp.code or found.code, source = found.source, severity = 1 } } }
    local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 10000)
    local action = answer[tilewright.id].result[1]
    assert(action.title == "Replace by 'tw.silu'", vim.inspect(answer))
    vim.lsp.util.apply_workspace_edit(action.edit, tilewright.client().offset_encoding)
    assert(text_of() == source, text_of())
    vim.cmd("silent write")
    wait("no diagnostic", function()
      return #vim.diagnostic.get(0) == 0
    end)
  end)

  step(":TilewrightStages lists the passes, Enter opens one, gd leads back", function()
    vim.cmd("TilewrightStages")
    wait("the list", function()
      return text_of():match("%* tile/form%-scopes")
    end)
    assert(vim.bo.modifiable == false)
    vim.fn.search("tile/form-scopes")
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<CR>", true, false, true), "x", false)
    wait("its text", function()
      return vim.api.nvim_buf_get_name(0):match("^tilewright:///tile/form%-scopes") and text_of():match("tw%.matmul")
    end)
    vim.fn.search("tw.matmul")
    local here = vim.lsp.util.make_position_params(0, tilewright.client().offset_encoding)
    here.context = { includeDeclaration = true }
    local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", here, 20000)
    assert(vim.inspect(hover):match("Comes from") and vim.inspect(hover):match("tensor<"), vim.inspect(hover))
    vim.fn.search("%", "b")
    here.position = vim.lsp.util.make_position_params(0, tilewright.client().offset_encoding).position
    local found = vim.lsp.buf_request_sync(0, "textDocument/references", here, 20000)
    assert(vim.inspect(found):match("tilewright:///tile/form%-scopes"), vim.inspect(found))
    vim.fn.search("tw.matmul")
    require("tilewright.commands").to_source()
    wait("the source", function()
      return vim.fn.expand("%:t") == "ffn.mlir" and vim.fn.line(".") == 2
    end)
  end)

  step(":TilewrightDiff puts two passes side by side", function()
    go_to_source()
    vim.cmd("TilewrightDiff tile/expand-tiles")
    wait("two windows", function()
      local windows = vim.api.nvim_tabpage_list_wins(0)
      return #windows == 2 and vim.wo[windows[1]].diff and vim.wo[windows[2]].diff and text_of():match("scf%.forall")
        and not text_of(vim.api.nvim_win_get_buf(windows[1])):match("scf%.forall")
        and text_of(vim.api.nvim_win_get_buf(windows[1])):match("tw%.matmul")
    end)
    go_to_source()
    vim.cmd("TilewrightDiff no/such")
    heard("there is no pass no/such")
  end)

  step(":TilewrightExplain tells why", function()
    go_to_source()
    vim.cmd("TilewrightExplain")
    wait("reasons", function()
      return vim.fn.expand("%") == "tilewright-explain" and text_of():match("tile") and text_of():match("ffn/h")
    end)
  end)

  step(":TilewrightWhatIf lists tiles, Enter pins, :TilewrightUnpin takes away", function()
    go_to_source()
    vim.cmd("TilewrightWhatIf ffn/h")
    wait("tiles", function()
      return vim.fn.expand("%") == "tilewright-whatif" and vim.fn.line("$") > 4
    end)
    vim.api.nvim_win_set_cursor(0, { 3, 0 })
    local line = vim.fn.getline(3)
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<CR>", true, false, true), "x", false)
    heard("pinned .* of ffn/h")
    local pin = pins()[1]
    assert(pin.key == "ffn/h" and pin.kind == "tile", vim.inspect(pin))
    assert(line:find(require("tilewright.commands").value_text(pin.value), 1, true), line .. vim.inspect(pin))
    go_to_source()
    vim.cmd("TilewrightUnpin")
    heard("1 pin%(s%) of ffn/h taken away")
    assert(#pins() == 0)
  end)

  step(":TilewrightPin pins what is under the cursor, and says what is wrong with a bad one", function()
    go_to_source()
    vim.cmd("TilewrightPin merge 1")
    heard("pinned merge 1 of ffn/h")
    assert(pins()[1].kind == "merge")
    vim.cmd("TilewrightPin no_such_kind 1")
    heard("%[TW0211%]")
    vim.cmd("TilewrightUnpin merge")
    heard("taken away")
  end)

  step("lenses act", function()
    go_to_source()
    local answer = vim.lsp.buf_request_sync(0, "textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params() }, 20000)
    local titles, pin = {}, nil
    for _, lens in ipairs(answer[tilewright.id].result) do
      table.insert(titles, lens.command.title)
      if lens.command.command == "tilewright.pin" then
        pin = lens.command
      end
    end
    assert(vim.tbl_contains(titles, "Run") and vim.tbl_contains(titles, "What If") and pin, vim.inspect(titles))
    local done = vim.lsp.buf_request_sync(0, "workspace/executeCommand", { command = pin.command, arguments = pin.arguments }, 20000)
    assert(done[tilewright.id].result.changed == 1, vim.inspect(done))
    vim.cmd("TilewrightUnpin")
    heard("taken away")
  end)

  step(":TilewrightTarget tells and chooses", function()
    vim.cmd("TilewrightTarget")
    heard("%* cpu")
    assert(vim.tbl_contains(vim.fn.getcompletion("TilewrightTarget asc", "cmdline"), "ascend-a3"))
    vim.cmd("TilewrightTarget no-such-machine")
    heard("TW0072")
    vim.cmd("TilewrightTarget cpu")
    heard("compiling for cpu")
    assert(vim.tbl_contains(vim.fn.getcompletion("TilewrightOpen tile/ex", "cmdline"), "tile/expand-tiles"))
  end)

  step(":TilewrightRun and :TilewrightVerify", function()
    go_to_source()
    vim.cmd("TilewrightRun ffn")
    heard("ffn: [%d.]+ ms %(measured, best of 7%); result0 is right")
    vim.cmd("TilewrightVerify")
    heard("every stage computes the same")
  end)

  step("a server that is killed is told of, and started again with the text as it is", function()
    go_to_source()
    vim.api.nvim_buf_set_lines(0, 2, 3, false, { (vim.fn.getline(3):gsub("silu", "sillu")) })
    wait("a diagnostic", function()
      return vim.diagnostic.get(0)[1]
    end)
    local old = tilewright.id
    local pid = tilewright.client().rpc.pid or (tilewright.client().rpc.handle and tilewright.client().rpc.handle:get_pid())
    assert(pid, "no pid")
    vim.loop.kill(pid, "sigkill")
    heard("the language server stopped")
    vim.diagnostic.reset()
    vim.cmd("TilewrightRestart")
    local found = wait("the diagnostic again", function()
      return tilewright.id ~= old and vim.diagnostic.get(0)[1]
    end)
    assert(found.message:match("tw%.sillu"), found.message)
    vim.cmd("edit!")
  end)
end

local good, problem = xpcall(run, debug.traceback)
out(good and (passed .. " passed, 0 failed") or ("FAILED after " .. passed .. " steps: " .. tostring(problem)))
vim.cmd(good and "qall!" or "cquit 1")
