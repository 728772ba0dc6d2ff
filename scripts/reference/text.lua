-- text.lua: the content of the reference and the manual page: the program's help (lua_bindings/strew.lua, parsed by
-- help.lua), and its options, as printed by --help.
local first = -1 -- of the command line: the program, before its options
while arg[first - 1] do first = first - 1 end
local program = arg[first]

local text = debug.getregistry()["strew.help"]()

-- {{"-d, --device SPEC", "default device ..."}, ...}
function text.options()
  local list = {}
  local pipe <close> = assert(io.popen(("'%s' --help"):format(program)))
  for line in pipe:lines() do
    local option, words = line:match "^  (%S.-)%s%s+(%S.*)$"
    if option then table.insert(list, {option, words}) end
  end
  assert(#list > 0, "--help lists no options")
  return list
end

text.environment = {
  {"STREW_DEVICE", "default device of new tensors, where --device does not say"},
  {"STREW_THREADS", "CPU workers, where --threads does not say"},
  {"STREW_CPU", "the instruction set to use: plain, avx2 or avx512; the best that is there unless set"},
  {"XDG_CACHE_HOME", "kernels compiled for devices are kept in its folder strew; ~/.cache unless set"},
  {"XDG_STATE_HOME", "the prompt's history is kept in its file strew/history; ~/.local/state unless set"},
  {"STREW_EDITOR", "what edits lines at the prompt: readline, edit or none; the first that is there unless set"},
  {"NO_COLOR", "set to anything: no colours"},
  {"LUA_INIT, LUA_PATH, LUA_CPATH", "as for lua; so are their forms that end in _5_4"},
}

-- Writes a whole file.
function text.write(path, contents_of_file)
  local file <close> = assert(io.open(path, "w"))
  assert(file:write(contents_of_file))
end

-- The paragraphs of a body, which are separated by empty lines.
function text.paragraphs(body)
  local list = {""}
  for _, line in ipairs(body) do
    if line == "" then table.insert(list, "") else list[#list] = list[#list] .. " " .. line end
  end
  return list
end

return text
