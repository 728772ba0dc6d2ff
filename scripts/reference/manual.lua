-- usage: build/strew scripts/reference/manual.lua FILE
-- Writes the manual page: the program's options, and a line for each function.
local text = dofile "scripts/reference/text.lua"
local strew = require "strew"
local lines = {}

-- Roff treats backslashes, minus signs, and a point or quote at the start of a line specially.
local function escape(words)
  return (words:gsub("\\", "\\e"):gsub("-", "\\-"):gsub("^([.'])", "\\&%1"):gsub("`(.-)`", "\\fB%1\\fR"))
end

local function add(format, ...) table.insert(lines, format:format(...)) end
local function section(title) add(".SH %s", title:upper()) end
local function paragraph(words) add(".PP\n%s", escape(words)) end
local function item(tag, words) add(".TP\n\\fB%s\\fR\n%s", escape(tag), escape(words)) end

add('.TH STREW 1 "" "%s" "User Commands"', strew._VERSION)
section "Name"
add("strew \\- tensors in Lua: scatter, gather and group on the CPU and through OpenCL")
section "Synopsis"
add(".B strew\n[\\fIoptions\\fR] [\\fIscript\\fR [\\fIargs\\fR]]")
section "Description"
paragraph("The Lua 5.4 interpreter with the module strew preset. Without a script it reads standard input: typed, at a "
  .. "prompt, or piped. Options of lua(1) mean here what they mean there.")
paragraph("What is typed is run as an expression, whose results are printed, or as statements, on as many lines as "
  .. "they take. Locals live on, `_` is the last result, a final `;` hides it. `?name` tells about a function, "
  .. "`??word` looks for words, `?which` lists calls by task with their names in other libraries, `?recipes` shows "
  .. "common tasks, `:help` lists what else there is. Tab completes; Ctrl-C stops what runs, Ctrl-D ends the session.")
section "Options"
for _, option in ipairs(text.options()) do item(option[1], option[2]) end
section "Environment"
for _, variable in ipairs(text.environment) do item(variable[1], variable[2]) end
section "Exit status"
paragraph("0, or 1 where an option is wrong, a script ends in an error that it does not catch, or output cannot be "
  .. "written.")
section "The module"
paragraph "In full, with an example each: strew.help(name), and the reference that make doc writes."
for _, group in ipairs(text.groups) do
  add(".SS %s", escape(group.title))
  for _, entry in ipairs(group.entries) do
    if entry.kind == "function" then
      local call = text.signatures(entry)[1]
      item(call, entry.summary)
    elseif entry.kind == "rule" then
      item(entry.name, entry.summary .. " " .. text.paragraphs(entry.body)[1])
    end
  end
end
section "See also"
add(".BR lua (1),\n.BR clinfo (1)")
text.write(assert(arg[1], "usage: manual.lua FILE"), table.concat(lines, "\n") .. "\n")
