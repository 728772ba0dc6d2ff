-- A graph convolution learns the two camps of Zachary's karate club from two labelled members: the experiment of
-- T. N. Kipf, M. Welling, Semi-supervised classification with graph convolutional networks, ICLR 2017, with two layers
-- and gradient descent. The weights have the same bits on every device and any number of threads.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

local club = dofile(common.here .. "karate_club.lua")
local members, hidden, steps, rate = club.members, 16, 300, 0.5
local camps = strew.ones(members, {dtype = "int64"}):scatter_(0, strew.tensor(club.instructors) - 1, 0):to "cpu"

-- Messages go along each friendship in both directions, and from each member to itself; each is weighted by
-- 1 / sqrt(degree of its sender * degree of its receiver).
local friends = strew.tensor(club.friends)
local a, b, self = friends:select(1, 0) - 1, friends:select(1, 1) - 1, strew.arange(members)
local senders, receivers = strew.cat{a, b, self}, strew.cat{b, a, self}

local progress = {}

local function train(device)
  local from, to = senders:to(device), receivers:to(device)
  local degree = strew.scatter_count(to):to("float32")
  local weight = (degree:gather(0, from) * degree:gather(0, to)):rsqrt():unsqueeze(1)
  local labelled = strew.tensor({0, members - 1}, {device = device})
  local target = strew.tensor({{0}, {1}}, {device = device})

  local function convolve(features)
    return strew.scatter_sum(features:index_select(0, from) * weight, to, {dim = 0, dim_size = members})
  end

  local function predict(first, second) -- each member's features are its number: their product with `first` is `first`
    return convolve(convolve(first):tanh():mm(second)):log_softmax(1)
  end

  local function loss(first, second)
    return predict(first, second):index_select(0, labelled):gather(1, target):mean() * -1
  end

  strew.manual_seed(1)
  local first = strew.randn(members, hidden, {device = device}) * 0.3
  local second = strew.randn(hidden, 2, {device = device}) * 0.3
  local gradients = strew.value_and_grad(loss)
  progress = {}
  for step = 0, steps do
    local value, of_first, of_second = gradients(first, second)
    if step % 50 == 0 then
      local right = predict(first, second):argmax(1):to("cpu"):eq(camps):sum():item()
      table.insert(progress, ("  step %3d  loss %.4f  right %d of %d"):format(step, value:item(), right, members))
    end
    first:sub_(of_first * rate)
    second:sub_(of_second * rate)
  end
  return {first, second, predict(first, second)}
end

-- A digest of a tensor's bits.
local function digest(...)
  local hash = 0xcbf29ce484222325
  for _, t in ipairs{...} do
    for _, number in ipairs(t:flatten():tolist()) do
      hash = (hash ~ string.unpack("I4", string.pack("f", number))) * 0x100000001b3
    end
  end
  return ("%016x"):format(hash)
end

local threads = strew.get_num_threads()
strew.set_num_threads(1)
local alone = train("cpu")
strew.set_num_threads(threads)
local first, second, scores = table.unpack(common.on_devices(train))
print "Learning from members 1 and 34:"
print(table.concat(progress, "\n"))

local camp = scores:argmax(1):to "cpu"
local right = camp:eq(camps):sum():item()
print "The camps of the 34 members, 0 the instructor's:"
print(table.concat(camp:tolist(), " "))
common.check("at least 32 members are right", right >= 32, true)
common.check("one thread gives the same bits", digest(alone[1], alone[2]) == digest(first, second), true)
print("digest of the weights: " .. digest(first, second))
common.finish()
