-- Graph attention tells paths, rings and stars apart: P. Velickovic and others, Graph attention networks, ICLR 2018,
-- two layers over a batch of graphs whose nodes and edges lie one after the other, and Adam. The parameters are a
-- table, and so are their gradients; training stops in the middle, and goes on from a file. The bits are the same on
-- every device.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local kinds, graphs, steps, hidden = {"path", "ring", "star"}, 90, 60, 8

-- Graphs of 4 to 9 nodes, as one: sender and receiver of each edge, the graph of each node, the kind of each graph.
local function batch(first)
  local from, to, graph_of, kind_of, nodes = {}, {}, {}, {}, 0
  local function edge(a, b)
    table.move({nodes + a, nodes + b}, 1, 2, #from + 1, from)
    table.move({nodes + b, nodes + a}, 1, 2, #to + 1, to)
  end
  for g = 0, graphs - 1 do
    local size, kind = 4 + (g * 7 + first) % 6, g % 3
    for a = 1, size - 1 do edge(kind == 2 and 0 or a - 1, a) end
    if kind == 1 then edge(size - 1, 0) end
    for a = 0, size - 1 do
      graph_of[nodes + a + 1], from[#from + 1], to[#to + 1] = g, nodes + a, nodes + a
    end
    kind_of[g + 1], nodes = kind, nodes + size
  end
  return {from = strew.tensor(from), to = strew.tensor(to), graph = strew.tensor(graph_of),
    kind = strew.tensor(kind_of), nodes = nodes}
end

local function attend(layer, x, b)
  local h = x:mm(layer.w)
  local score = strew.leaky_relu((h:mv(layer.from)):gather(0, b.from) + (h:mv(layer.to)):gather(0, b.to), 0.2)
  local weight = strew.scatter_softmax(score, b.to)
  return strew.scatter_sum(h:index_select(0, b.from) * weight:unsqueeze(1), b.to, {dim = 0, dim_size = b.nodes})
end

local function scores(p, b)
  local x = strew.ones(b.nodes, 1, {device = p.out.device}) -- all nodes are alike: the graphs alone differ
  x = strew.cat({x, strew.scatter_count(b.to):to("float32"):unsqueeze(1) / 4}, 1)
  for _, layer in ipairs(p.layers) do x = attend(layer, x, b):tanh() end
  return strew.scatter_mean(x, b.graph, {dim = 0, dim_size = graphs}):mm(p.out)
end

local function on(b, device)
  local moved = {nodes = b.nodes}
  for _, name in ipairs{"from", "to", "graph", "kind"} do moved[name] = b[name]:to(device) end
  return moved
end

local function parameters(device)
  strew.manual_seed(1)
  local p = {layers = {}}
  for k, width in ipairs{2, hidden} do
    p.layers[k] = {w = strew.randn(width, hidden, {device = device}) * 0.5,
      from = strew.randn(hidden, {device = device}) * 0.5, to = strew.randn(hidden, {device = device}) * 0.5}
  end
  p.out = strew.randn(hidden, #kinds, {device = device}) * 0.5
  return p
end

local learning, checking, losses = batch(0), batch(3), {}

local function train(device)
  local p, b, file = parameters(device), on(learning, device), os.tmpname()
  local value_and_grad = strew.value_and_grad(function(q) return strew.cross_entropy(scores(q, b), b.kind) end)
  local o = strew.optim.adam(p, {rate = 0.05})
  losses = {}
  for step = 1, steps do
    local loss, grads = value_and_grad(p)
    o:step(grads)
    losses[step] = loss:item()
    strew.progress(("training, loss %.4f"):format(losses[step]), step / steps)
    if step == steps // 2 then -- the state continues where it was saved
      strew.save(file .. ".safetensors", o:state())
      o = strew.optim.adam(p, {rate = 0.05, state = strew.load(file .. ".safetensors")})
    end
  end
  strew.progress()
  os.remove(file)
  os.remove(file .. ".safetensors")
  return {p.out, p.layers[1].w, p.layers[2].from, scores(p, on(checking, device))}
end

local results = common.on_devices(train)
for _, step in ipairs{1, 10, 20, 40, 60} do print(("  step %3d  loss %.4f"):format(step, losses[step])) end
strew.plot{y = strew.tensor(losses), title = "loss by step", width = 60, height = 12}
local right = results[4]:argmax(1):to("cpu"):eq(checking.kind):sum():item()
common.check(("of %d other graphs, at least 85 are right"):format(graphs), right >= 85, true)
common.finish()
