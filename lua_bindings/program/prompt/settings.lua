-- settings.lua: the user's file of settings: Lua that runs when a prompt begins at a terminal. What it returns are
-- options of strew.set_printoptions, and color = false.
local prompt = ...
local host = prompt.host
local open, getenv = io and io.open, os and os.getenv
local error, load, next, pcall, tostring, type, globals = error, load, next, pcall, tostring, type, _G
local find, format, gsub = string.find, string.format, string.gsub
local set_printoptions = host.strew.set_printoptions

-- Returns the path of the file; nil: there is no home. A sandbox has no files.
local function path_of()
  local folder, home = getenv "XDG_CONFIG_HOME", getenv "HOME"
  if folder and find(folder, "^/") then return folder .. "/strew/init.lua" end
  return home and find(home, "^/") and home .. "/.config/strew/init.lua"
end

local function apply(options)
  if options == nil then return end
  if type(options) ~= "table" then error(format("returns %s, expected a table", tostring(options)), 0) end
  local rest, color = {}, options.color
  if color ~= nil and type(color) ~= "boolean" then
    error(format("'color' is %s, expected a boolean", tostring(color)), 0)
  end
  for key, value in next, options do rest[key] = value end
  rest.color = nil
  if next(rest) ~= nil then set_printoptions(rest) end
  if color == false then host.no_color() end
end

-- Runs the file, if there is one. An error is a note: the session begins without the settings.
function prompt.settings()
  local path = open and getenv and path_of()
  local file = path and open(path)
  if not file then return end
  local text, problem = file.read(file, "a")
  file:close()
  local f
  if text then f, problem = load(text, "@" .. path, "t", globals) end
  local ok, message = false, problem
  if f then
    ok, message = pcall(function() apply(f()) end)
  end
  if ok then return end
  message = gsub(tostring(message), "^strew prompt:%d+: ", "")
  host.note(find(message, path, 1, true) and message or path .. ": " .. message)
end
