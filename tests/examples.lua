-- examples.lua: runs the examples of lua_bindings/strew.lua and recipes.lua. As a script, build/strew
-- tests/examples.lua --write, it writes their output into the files: look at the difference before you keep it. Some
-- print help: build in between, and write again.
local path, recipes = "lua_bindings/strew.lua", "lua_bindings/recipes.lua"
local examples = {}

function examples.source(name)
  local file <close> = assert(io.open(name or path))
  return file:read("a")
end

-- Returns the output of an example. Raises the errors that it does not catch.
function examples.run(strew, code)
  local lines, real_print, threads = {}, print, strew.get_num_threads()
  local function print_line(...)
    local values = table.pack(...)
    for i = 1, values.n do values[i] = tostring(values[i]) end
    table.insert(lines, table.concat(values, "\t"))
  end
  _G.print = print_line -- strew.help calls the global print
  local chunk = assert(load(code, "=example", "t", setmetatable({strew = strew, print = print_line}, {__index = _G})))
  local ok, message = pcall(chunk)
  _G.print = real_print
  strew.set_num_threads(threads)
  if not ok then error(message, 0) end
  return table.concat(lines, "\n")
end

local function as_text(output) return (("\n" .. output):gsub("\n", "\n---") .. "\n"):sub(2) end

local function write(strew)
  local text = examples.source():gsub("(%-%-%-```lua\n)(.-)(%-%-%-```\n%-%-%-```text\n).-(%-%-%-```\n)",
    function(head, code, middle, tail)
      return head .. code .. middle .. as_text(examples.run(strew, (code:gsub("%f[^\n\0]%-%-%-", "")))) .. tail
    end)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

-- A recipe ends in two long strings, its code and its output.
local function write_recipes(strew)
  local text = examples.source(recipes):gsub("(%]%],\n  %[%[\n)(.-)(%]%],\n  %[%[)\n?.-(%]%]})",
    function(head, code, middle, tail)
      return head .. code .. middle .. "\n" .. examples.run(strew, code) .. tail
    end)
  local file <close> = assert(io.open(recipes, "w"))
  file:write(text)
end

if arg and arg[1] == "--write" then
  write_recipes(require "strew")
  write(require "strew")
end
return examples
