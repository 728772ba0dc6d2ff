-- pictures.lua: the last file of the page's prompt: results that are pictures are shown so, by a sequence of the page's
-- own: ESC ] picture;WIDTH;HEIGHT;NUMBERS BEL, or ESC ] svg;TEXT BEL.
local prompt = ...
local strew, results, find, write = prompt.host.strew, prompt.results, string.find, io.write
local concat, gsub, type = table.concat, string.gsub, type

-- A picture as strew.image makes it: uint8[height, width, 3].
local function is_picture(t)
  return strew.type(t) == "tensor" and t.dtype == "uint8" and t:dim() == 3 and t.shape[3] == 3 and t:numel() > 0
end

function prompt.results(is_hidden, ...)
  local first, shown = ..., is_hidden
  if is_hidden then return results(is_hidden, ...) end
  if is_picture(first) then
    shown = concat({"picture", first.shape[2], first.shape[1], concat(first:reshape(-1):tolist(), ",")}, ";")
  elseif type(first) == "string" and find(first, "^<svg ") then
    shown = "svg;" .. gsub(first, "%c", " ")
  end
  if shown then write("\27]", shown, "\7\n") end
  return results(shown ~= false, ...)
end
