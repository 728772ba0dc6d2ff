-- pictures.lua: the last file of the page's prompt: a result that is a picture, as strew.image makes it, is shown by a
-- sequence of the page's own: ESC ] picture;WIDTH;HEIGHT;NUMBERS BEL.
local prompt = ...
local strew, results, write, concat = prompt.host.strew, prompt.results, io.write, table.concat

-- uint8[height, width, 3]
local function is_picture(t)
  return strew.type(t) == "tensor" and t.dtype == "uint8" and t:dim() == 3 and t.shape[3] == 3 and t:numel() > 0
end

function prompt.results(is_hidden, ...)
  local first = ...
  if is_hidden or not is_picture(first) then return results(is_hidden, ...) end
  local numbers = concat(first:reshape(-1):tolist(), ",")
  write(("\27]picture;%d;%d;%s\7\n"):format(first.shape[2], first.shape[1], numbers))
  return results(true, ...)
end
