-- losses.lua: losses of predictions: mean squared error and cross-entropies.
local strew, fail, use, inner = ...
local operands = use "operands.lua"

local reductions = {mean = true, sum = true, none = true}

-- Returns the word of the option `reduction`.
local function reduction_of(word)
  word = word or "mean"
  if not reductions[word] then
    fail("reduction", format('is "%s", expected "mean", "sum" or "none"', word), nil, "value")
  end
  return word
end

local function reduced(losses, reduction) return reduction == "none" and losses or losses[reduction](losses) end

local function check_beside(self, x, name)
  operands.check_device(self, x, name)
  operands.check_shape(x, self.shape, name)
end

-- Returns the dimension of classes, and their number, after a check of target and weight.
local function classes_of(self, target, weight)
  operands.check_float(self, "self")
  operands.check_rank(self, "self", 1, math.huge, "at least 1: classes along dim 1, or 0 of a vector")
  operands.check_device(self, target, "target")
  local dim = self:dim() == 1 and 0 or 1
  local count = self:size(dim)
  if weight then
    operands.check_values(self, weight, "weight")
    operands.check_shape(weight, {count}, "weight")
  end
  return dim, count
end

-- Returns the targets with 0 in place of ignored ones, and where they count; nil: everywhere.
local function targets_of(self, target, ignored, dim, count)
  if operands.is_float(target) or target.dtype == "bool" then
    fail("target", format("is %s, expected integers: classes", target.dtype), 'target:to("int64")', "dtype")
  end
  local shape = self.shape
  table.remove(shape, dim + 1)
  operands.check_shape(target, shape, "target")
  local counts = target:ne(ignored)
  if counts:all():item() then counts = nil end
  local safe = counts and target:masked_fill(counts:logical_not(), 0) or target
  operands.check_none((safe:ge(0) & safe:lt(count)):logical_not(), target, "target", format("0..%d", count - 1))
  return safe:to("int64"), counts
end

-- Returns the losses of log-probabilities, and the weight of each (nil: all weigh 1).
local function picked(logs, dim, safe, counts, weight)
  local losses = -logs:gather(dim, safe:unsqueeze(dim)):squeeze(dim)
  local weights = weight and weight:take(safe)
  if counts then weights = weights and strew.where(counts, weights, 0.0) or counts:to(logs.dtype) end
  if not weights then return losses end
  losses = losses * weights
  return counts and strew.where(counts, losses, 0.0) or losses, weights
end

-- Returns losses of rows reduced; the mean is that by weights.
local function by_weight(losses, weights, reduction)
  if reduction == "mean" and weights then
    return (operands.computed(losses):sum() / operands.computed(weights):sum()):to(losses.dtype)
  end
  return reduced(losses, reduction)
end

-- cross_entropy with a probability for each class
local function of_probabilities(logs, dim, count, target, weight, smoothing, reduction)
  check_beside(logs, target, "target")
  if smoothing > 0 then target = target * (1 - smoothing) + smoothing / count end
  if weight then
    local shape = {}
    for d = 1, logs:dim() do shape[d] = d == dim + 1 and count or 1 end
    target = target * weight:reshape(shape)
  end
  return reduced(-(logs * target):sum(dim), reduction)
end

-- The part of label smoothing: the mean of the losses of all classes.
local function smoothed(logs, dim, safe, counts, weight, reduction)
  local shape = {}
  for d = 1, logs:dim() do shape[d] = d == dim + 1 and -1 or 1 end
  local losses = -(weight and logs * weight:reshape(shape) or logs):sum(dim)
  if counts then losses = strew.where(counts, losses, 0.0) end
  local weights = counts and counts:to(logs.dtype)
  if weight then weights = weights and weight:take(safe) * weights or weight:take(safe) end
  return by_weight(losses, weights, reduction)
end

return {
  mse_loss = {"self:tensor target:tensor reduction=word", function(self, target, reduction)
    reduction = reduction_of(reduction)
    operands.check_float(self, "self")
    check_beside(self, target, "target")
    local losses = reduction == "none" and operands.compute or operands.bound
    losses = losses("square(x - y)", {x = self, y = target}, self:numel())
    return reduction == "none" and losses or losses[reduction](losses)
  end},

  -- -y log(p) - (1 - y) log(1 - p), with logarithms of at least -100
  binary_losses = {"self:tensor target:tensor", function(self, target)
    return operands.compute("(y - 1) * maximum(log1p(-p), -100) - y * maximum(log(p), -100)", {p = self, y = target})
  end},

  binary_cross_entropy = {"self:tensor target:tensor weight=tensor reduction=word",
    function(self, target, weight, reduction)
      reduction = reduction_of(reduction)
      operands.check_float(self, "self")
      check_beside(self, target, "target")
      operands.check_float(target, "target")
      operands.check_none((self:ge(0) & self:le(1)):logical_not(), self, "self", "probabilities, 0 to 1",
        "self:sigmoid()")
      local losses = inner.binary_losses(self, target)
      if weight then
        operands.check_device(self, weight, "weight")
        losses = losses * weight
      end
      return reduced(losses, reduction)
    end},

  nll_loss = {"self:tensor target:tensor weight=tensor ignore_index=integer reduction=word",
    function(self, target, weight, ignored, reduction)
      reduction = reduction_of(reduction)
      local dim, count = classes_of(self, target, weight)
      local safe, counts = targets_of(self, target, ignored or -100, dim, count)
      local losses, weights = picked(self, dim, safe, counts, weight)
      return by_weight(losses, weights, reduction)
    end},

  cross_entropy = {"self:tensor target:tensor weight=tensor ignore_index=integer reduction=word label_smoothing=number",
    function(self, target, weight, ignored, reduction, smoothing)
      reduction, smoothing = reduction_of(reduction), smoothing or 0
      local dim, count = classes_of(self, target, weight)
      if not (smoothing >= 0 and smoothing <= 1) then
        fail("label_smoothing", format("is %s, expected 0 to 1", smoothing), nil, "value", smoothing)
      end
      local logs = self:log_softmax(dim)
      if operands.is_float(target) then
        if ignored then fail("ignore_index", "is given, but target has probabilities") end
        return of_probabilities(logs, dim, count, target, weight, smoothing, reduction)
      end
      local safe, counts = targets_of(self, target, ignored or -100, dim, count)
      local losses, weights = picked(logs, dim, safe, counts, weight)
      local loss = by_weight(losses, weights, reduction)
      if smoothing == 0 then return loss end
      return loss * (1 - smoothing) + smoothed(logs, dim, safe, counts, weight, reduction) * (smoothing / count)
    end},
}
