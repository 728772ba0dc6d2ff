-- Runs every command and example of README.md and compares the output: build/strew tests/readme_test.lua
-- ```lua and ```c blocks are run; a ```text block after one is its output. A ```csv block is the file sales.csv. Lines
-- of ```sh blocks are run one by one. In ```console blocks, lines that begin with a prompt are typed, the others are
-- the expected output. The line that runs the tests is left out, because it runs this test.
local build = arg[1] or "build"
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
local readme = assert(io.open("README.md")):read("a")
local passed, failed = 0, 0

local function blocks(text)
  local list = {}
  for kind, body in text:gmatch("```(%a+)\n(.-)```") do table.insert(list, {kind = kind, body = body}) end
  return list
end

local function output(command)
  local pipe <close> = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read("a")
  local ok = pipe:close()
  return text, ok
end

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
end

local function check(name, ok, got, expected)
  if ok and (not expected or got == expected) then
    passed = passed + 1
    return
  end
  failed = failed + 1
  print(("README.md: %s\n  gives\n%s"):format(name, got))
  if expected then print("  and not\n" .. expected) end
end

local run = {}
function run.csv(body) write("sales.csv", body) end
function run.lua(body, expected)
  write("first.lua", body)
  local strew = io.popen("pwd"):read("l") .. "/" .. build
  check("a script, by the program", true, (output(("cd %s && %s/strew first.lua"):format(folder, strew))), expected)
  check("a script, by lua5.4", true,
    (output(("cd %s && LUA_CPATH='%s/?.so' lua5.4 first.lua"):format(folder, strew))), expected)
end
function run.c(body, expected)
  write("host.c", body)
  local cc = os.getenv("CC") or "cc"
  for link in readme:match "In a checkout this links with(.-):\n":gmatch "`(.-)`" do
    local text, ok = output(("%s -std=c11 -Wall -Werror -Iruntime -o %s/host %s/host.c %s && %s/host"):format(cc,
      folder, folder, (link:gsub("build", build)), folder))
    check("a C program, " .. link, ok, text, expected)
  end
end
function run.console(body)
  local typed, expected = {}, {}
  for line in body:gmatch("[^\n]+") do table.insert(line:find("^>>? ") and typed or expected, line) end
  write("typed", table.concat(typed, "\n"):gsub("%f[^\n\0]>>? ", "") .. "\n")
  local text = output(("%s/strew -i <%s/typed"):format(build, folder))
  local got = {}
  for printed in text:gmatch("[^\n]+") do
    local line = printed:gsub("^[> ]*> ?", "")
    if line ~= "" then table.insert(got, line) end
  end
  -- the number of threads and Lua's version depend on the machine
  got[1], expected[1] = got[1] and got[1]:gsub("· .*threads?", ""), expected[1]:gsub("· .*threads?", "")
  check("the prompt", true, table.concat(got, "\n"), table.concat(expected, "\n"))
end
function run.sh(body)
  for line in body:gmatch("[^\n]+") do
    if line:find("setup.sh test", 1, true) then
      print("README.md: '" .. line:match("^[^#]*[^# ]") .. "' is what runs this test: left out")
    else
      local text, ok = output(line)
      check(line, ok and text ~= "", text)
    end
  end
end

local list = blocks(readme)
for i, block in ipairs(list) do
  local next = list[i + 1]
  if run[block.kind] then run[block.kind](block.body, next and next.kind == "text" and next.body or nil) end
end
for path in readme:gmatch "`(%l[%w_]*/[%w_/.]*)`" do
  local folder_of = path:match "^[^/]*"
  local is_source = ("runtime opencl lua_bindings scripts tests"):find(folder_of, 1, true)
  if is_source then check(path, os.rename(path, path), "no such file") end
end
for link in readme:gmatch "%]%(([%w_/.]+)%)" do check(link, os.rename(link, link), "no such file") end
os.execute("rm -r " .. folder)
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
