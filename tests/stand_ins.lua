-- Stands in for the modules in C that busted loads (lfs, system, term), for a Lua for which no package has them:
-- lua5.5 -l tests.stand_ins busted ...
local function first_line(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "l"
end
local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local modes = {["regular file"] = "file", ["regular empty file"] = "file"}
local function attributes(path, name)
  local mode = first_line("stat -L -c %F " .. quoted(path) .. " 2>/dev/null")
  if not mode then return nil, path .. ": no such file" end
  local all = {mode = modes[mode] or mode, modification = 0, size = 0}
  return name and all[name] or all
end

package.preload.lfs = function()
  return {
    attributes = attributes,
    symlinkattributes = attributes,
    currentdir = function() return first_line "pwd" end,
    chdir = function(path) return path == "." end,
    dir = function(path)
      local pipe = assert(io.popen("ls -a " .. quoted(path)))
      return pipe:lines()
    end,
  }
end
package.preload["system.core"] = function()
  return {gettime = os.time, monotime = os.clock, sleep = function() end}
end
package.preload.term = function()
  return {isatty = function() return false end}
end
-- Penlight 1.13 assigns to the variable of a loop, which Lua 5.5 refuses.
package.preload["pl.tablex"] = function(...)
  local path = assert(package.searchpath("pl.tablex", package.path))
  local file <close> = assert(io.open(path))
  local text = file:read("a"):gsub("(for k,v in pairs%(t%) do%s+)(k = )", "%1local %2")
  return assert(load(text, "@" .. path))(...)
end
-- So does the loader of files that are not Lua's.
package.preload["busted.modules.files.moonscript"] = function()
  return {match = function() return false end}
end
