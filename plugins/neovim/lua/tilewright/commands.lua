-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- What the :Tilewright… commands do.
local tilewright = require("tilewright")
local M = {}

local function encode(text, keep)
  return (text:gsub("[^%w%-_%.~" .. keep .. "]", function(c)
    return string.format("%%%02X", c:byte())
  end))
end

--- The name of a stage document. The server writes one slash; with fewer than two Vim takes it for a file.
function M.stage_uri(source, stage)
  return "tilewright:///" .. encode(stage, "/@") .. "?source=" .. encode(source, "/:")
end

function M.parse_stage_uri(uri)
  local stage, source = uri:match("^tilewright:/+([^?]+)%?source=(.+)$")
  if not stage then
    return nil
  end
  local function decode(text)
    return (text:gsub("%%(%x%x)", function(hex)
      return string.char(tonumber(hex, 16))
    end))
  end
  return decode(stage), decode(source)
end

--- A window for what cannot be edited. `keys` maps keys to what they do in it.
local function show(name, lines, keys)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?^$\\") .. "$")
  if buffer == -1 or vim.fn.bufwinid(buffer) == -1 then
    vim.cmd("botright new")
    if buffer == -1 then
      buffer = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_name(buffer, name)
    else
      vim.api.nvim_win_set_buf(0, buffer)
    end
  else
    vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))
  end
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].modifiable = "nofile", false, true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  for key, action in pairs(keys or {}) do
    vim.keymap.set("n", key, action, { buffer = buffer, nowait = true })
  end
  return buffer
end

local function value_text(value)
  if type(value) ~= "table" then
    return tostring(value)
  end
  local words = {}
  for level, sizes in pairs(value) do
    if type(sizes) ~= "table" then
      return vim.json.encode(value)
    end
    for name, size in pairs(sizes) do
      if type(name) ~= "string" or type(size) ~= "number" then
        return vim.json.encode(value)
      end
      table.insert(words, string.format("%s.%s=%d", level, name, size))
    end
  end
  table.sort(words)
  return table.concat(words, " ")
end
M.value_text = value_text

local function seconds_text(seconds)
  for _, unit in ipairs({ { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 } }) do
    if seconds * unit[2] >= 1 then
      return string.format("%.3g %s", seconds * unit[2], unit[1])
    end
  end
  return string.format("%.3g ns", seconds * 1e9)
end

--- Calls `done(key)` with the operation named, or the one under the cursor.
local function with_key(given, done)
  if given and given ~= "" then
    return done(given)
  end
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local client = tilewright.client()
  local encoding = client and client.offset_encoding or "utf-16"
  local params = { uri = tilewright.source(buffer), position = vim.lsp.util.make_position_params(window, encoding).position }
  params.stage = vim.b[buffer].tilewright_stage
  tilewright.ask("tilewright/keyAt", params, function(result)
    local keys = type(result) == "table" and result.keys or {}
    if #keys == 0 then
      return tilewright.warn("there is no operation under the cursor")
    end
    done(keys[1])
  end)
end

local passes_of = {} -- names of the passes, by source: for completion

local function with_stages(source, done)
  tilewright.ask("tilewright/stages", { uri = source }, function(table_)
    passes_of[source] = vim.tbl_map(function(pass)
      return pass.stage .. "/" .. pass.pass
    end, table_.passes)
    done(table_)
  end)
end

--- Fills a buffer named `tilewright:/…` (BufReadCmd).
function M.read(buffer, uri)
  local stage, source = M.parse_stage_uri(uri)
  if not stage then
    return tilewright.warn(uri .. " names no stage")
  end
  vim.b[buffer].tilewright_source, vim.b[buffer].tilewright_stage = source, stage
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].filetype = "nofile", false, "mlir"
  tilewright.ask("tilewright/ir", { uri = source, stage = stage }, function(result)
    if not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, "\n", { plain = true }))
    vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
    -- Hover, references and symbols work as in a source.
    local client = tilewright.client()
    if client then
      vim.lsp.buf_attach_client(buffer, client.id)
    end
    -- To the operation's line of source, as in any other text.
    vim.keymap.set("n", "gd", function()
      M.to_source()
    end, { buffer = buffer })
  end)
end

--- From a stage's text to the source line it comes from.
function M.to_source()
  local buffer = vim.api.nvim_get_current_buf()
  local source = tilewright.source(buffer)
  local client = tilewright.client()
  local position = vim.lsp.util.make_position_params(0, client and client.offset_encoding or "utf-16").position
  tilewright.ask("tilewright/keyAt", { uri = source, stage = vim.b[buffer].tilewright_stage, position = position }, function(result)
    if type(result) ~= "table" or type(result.source) ~= "table" then
      return tilewright.warn("this comes from no line of the source")
    end
    vim.lsp.util.jump_to_location({ uri = source, range = result.source.range }, client.offset_encoding)
  end)
end

local function open(source, stage, how)
  vim.cmd((how or "split") .. " " .. vim.fn.fnameescape(M.stage_uri(source, stage)))
end

local function diff(source, from, to)
  vim.cmd("tabnew")
  open(source, from, "edit")
  local left = vim.api.nvim_get_current_win()
  open(source, to, "rightbelow vsplit")
  for _, window in ipairs({ left, vim.api.nvim_get_current_win() }) do
    vim.api.nvim_win_call(window, function()
      vim.cmd("diffthis")
    end)
  end
end

function M.Stages()
  local source = tilewright.source()
  with_stages(source, function(table_)
    local lines, names = {}, {}
    for _, pass in ipairs(table_.passes) do
      local name = pass.stage .. "/" .. pass.pass
      table.insert(names, name)
      table.insert(lines, string.format("%s %-34s %8.2f ms%s", pass.changed and "*" or " ", name, pass.milliseconds, pass.reused and "  reused" or ""))
    end
    for _, diagnostic in ipairs(table_.complete and {} or table_.diagnostics) do
      table.insert(lines, "! " .. diagnostic.message:gsub("\n", " ") .. " [" .. diagnostic.code .. "]")
    end
    local function chosen()
      return names[vim.api.nvim_win_get_cursor(0)[1]], vim.api.nvim_win_get_cursor(0)[1]
    end
    show("tilewright-stages", lines, {
      ["<CR>"] = function()
        local name = chosen()
        if name then
          open(source, name)
        end
      end,
      d = function()
        local name, at = chosen()
        if name and at > 1 then
          diff(source, names[at - 1], name)
        end
      end,
    })
  end)
end

function M.Open(given)
  if given.args == "" then
    return M.Stages()
  end
  open(tilewright.source(), given.args)
end

function M.Diff(given)
  local source, from, to = tilewright.source(), given.fargs[1], given.fargs[2]
  if from and to then
    return diff(source, from, to)
  end
  if not from then
    return tilewright.warn("name a pass, or two")
  end
  with_stages(source, function()
    local names = passes_of[source]
    for at, name in ipairs(names) do
      if name == from then
        if at == 1 then
          return tilewright.warn(from .. " is the first pass: nothing is before it")
        end
        return diff(source, names[at - 1], name)
      end
    end
    tilewright.warn("there is no pass " .. from)
  end)
end

function M.Target(given)
  if given.args ~= "" then
    return tilewright.ask("tilewright/setTarget", { target = given.args }, function()
      tilewright.options.target = given.args
      vim.notify("Tilewright: compiling for " .. given.args)
    end)
  end
  tilewright.ask("tilewright/targets", { uri = tilewright.source() }, function(list)
    local names = vim.tbl_map(function(target)
      return (target.name == list.current and "* " or "  ") .. target.name .. "  " .. (target.description or "")
    end, list.targets)
    vim.notify(table.concat(names, "\n"))
  end)
end

function M.Explain(given)
  local source = tilewright.source()
  with_key(given.args, function(key)
    tilewright.ask("tilewright/decisions", { uri = source, key = key }, function(list)
      show("tilewright-explain", vim.split(list.explanation or "", "\n", { plain = true }))
    end)
  end)
end

function M.WhatIf(given)
  local source = tilewright.source()
  with_key(given.args, function(key)
    tilewright.ask("tilewright/whatIf", { uri = source, key = key }, function(map)
      local points = {}
      for index, point in ipairs(map.points) do
        if point.legal then
          table.insert(points, { point = point, current = index - 1 == map.current, best = index - 1 == map.best })
        end
      end
      table.sort(points, function(a, b)
        return a.point.seconds < b.point.seconds
      end)
      local lines = { string.format("tiles of %s on %s, estimated; Enter pins", map.key, map.target) }
      for _, entry in ipairs(points) do
        table.insert(lines, string.format("%10s  %-48s %6d tasks  bound by %s%s%s", seconds_text(entry.point.seconds), value_text(entry.point.sizes),
          entry.point.tasks, entry.point.bound, entry.best and "  best" or "", entry.current and "  in force" or ""))
      end
      show("tilewright-whatif", lines, {
        ["<CR>"] = function()
          local entry = points[vim.api.nvim_win_get_cursor(0)[1] - 1]
          if entry then
            tilewright.ask("tilewright/pin", { uri = source, key = map.key, kind = "tile", value = entry.point.sizes, pinTarget = map.target }, function()
              vim.notify("Tilewright: pinned " .. value_text(entry.point.sizes) .. " of " .. map.key)
            end)
          end
        end,
      })
    end)
  end)
end

function M.Pin(given)
  local words = vim.deepcopy(given.fargs)
  local kind = table.remove(words, 1)
  if #words == 0 then
    return tilewright.warn("a pin is KIND VALUE…, such as: tile cache2.m=128")
  end
  local source = tilewright.source()
  with_key(nil, function(key)
    tilewright.ask("tilewright/pin", { uri = source, key = key, kind = kind, words = words }, function()
      vim.notify("Tilewright: pinned " .. kind .. " " .. table.concat(words, " ") .. " of " .. key)
    end)
  end)
end

function M.Unpin(given)
  local source = tilewright.source()
  with_key(nil, function(key)
    local params = { uri = source, key = key }
    params.kind = given.args ~= "" and given.args or nil
    tilewright.ask("tilewright/unpin", params, function(result)
      vim.notify("Tilewright: " .. result.changed .. " pin(s) of " .. key .. " taken away")
    end)
  end)
end

function M.Run(given)
  vim.notify("Tilewright: running …")
  tilewright.ask("tilewright/run", { uri = tilewright.source(), ["function"] = given.args ~= "" and given.args or nil, ["repeat"] = 7, check = true }, function(result)
    local best = math.huge
    for _, ms in ipairs(result.milliseconds) do
      best = math.min(best, ms)
    end
    local text = result["function"] .. (best < math.huge and string.format(": %.3f ms (measured, best of %d)", best, #result.milliseconds) or ": ran (interpreted, no times)")
    for _, check in ipairs(result.checks) do
      if not check.passed then
        return tilewright.warn(string.format("%s is wrong: %g of %g allowed (%s), %s", check.result, check.error, check.tolerance, check.rule, check.worst))
      end
      text = text .. "; " .. check.result .. " is right"
    end
    vim.notify("Tilewright: " .. text)
  end)
end

function M.Verify(given)
  vim.notify("Tilewright: verifying …")
  tilewright.ask("tilewright/verify", { uri = tilewright.source(), ["function"] = given.args ~= "" and given.args or nil }, function(result)
    if result.passed then
      vim.notify(string.format("Tilewright: every stage computes the same (%d passes compared)", #result.passes))
    else
      tilewright.warn(result.firstPass ~= "" and (result.firstPass .. " is the first pass whose results differ, at " .. result.firstKey) or "compiling stopped; see the diagnostics")
    end
  end)
end

function M.Restart()
  tilewright.restart()
end

--- Of what begins with `lead`.
function M.complete(what, lead)
  local names = {}
  if what == "stages" then
    names = passes_of[tilewright.source()] or {}
    if #names == 0 and tilewright.client() then
      -- The first time it is waited for, not long.
      with_stages(tilewright.source(), function() end)
      vim.wait(1000, function()
        return passes_of[tilewright.source()] ~= nil
      end, 20)
      names = passes_of[tilewright.source()] or {}
    end
  elseif what == "targets" and tilewright.client() then
    local answer = tilewright.client().request_sync("tilewright/targets", vim.empty_dict(), 1000)
    for _, target in ipairs(answer and answer.result and answer.result.targets or {}) do
      table.insert(names, target.name)
    end
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names)
end

return M
