---@meta strew
-- strew.lua: the one text behind strew.help, the prompt's ?name, the reference (make doc), the manual page and the
-- documentation in editors (LuaCATS, read by lua-language-server). It is never run: editors and help.lua parse it.
--
-- A line of dashes with a title begins a group. A block of lines with three dashes is an entry: a summary of one
-- sentence, then rules, an example and its output (a test runs all examples). The declaration below the block names
-- the entry. A block that begins with "---# title" is a rule and has no declaration.
-- A function's other names (the method, and both in-place forms, with an underscore) are those of the module: the text
-- for editors has them (scripts/reference/luacats.lua).
-- If an argument's text begins with a "name" in quotes, messages and signatures call the argument by that name.

----------------------------------------------------------------------------------------------------------------- Rules

---# counting
---Tensors count from 0: dimensions, positions, and the values in index tensors. Lua tables count from 1.
---
---Dimensions and positions may be negative: -1 is the last. The values in an index tensor may be negative only with
---`mode = "wrap"`. `strew.tensor{...}` and `t:tolist()` convert between tensors and Lua tables. A position out of range
---is an error, never nil: loop with `for i = 0, #t - 1`.
---
---```lua
---local t = strew.tensor{10, 20, 30}
---print(t[0], t[-1], t:tolist()[1])
---```
---```text
---10	30	10
---```

---# names
---Every operation `f` is a function `strew.f(t, ...)` and a method `t:f(...)`; `t:f_(...)` works in place.
---
---`t:f_(...)` and `strew.f_(t, ...)` write the result into `t` and return `t`. Without the underscore the result is a
---new tensor, and `t` does not change. Names and rules are PyTorch's if PyTorch has the operation. It is an error if
---`t` has the wrong dtype or shape for the result; nothing is written then. A view in place, like `t:squeeze_()`,
---changes the shape of `t` itself.
---
---```lua
---local t = strew.tensor{1, 2, 3}
---print(t:add(1):tolist()[1], t:add_(1) == t, strew.add(t, t):tolist()[1])
---```
---```text
---2	true	4
---```

---# options
---Arguments are passed by position, or by name in a table as the last argument.
---
---All may be passed by name, `t:scatter{dim = 0, index = i, src = s}`, `strew.cat{tensors = {a, b}, dim = 1}`, except a
---table that is data, the first argument of `tensor`, `columns`, `rows`, `sort_by` and `words`, and the coordinates of
---`set`. An unknown key is an error; the message lists the known keys. `nil` means that an argument is omitted.
---
---```lua
---local t = strew.tensor{{1.0, 2.0}, {3.0, 4.0}}
---print(t:sum(0, true))
---print(t:sum{dim = 0, keepdim = true})
---print(select(2, pcall(t.sum, t, {dims = 0})))
---```
---```text
---float32[1, 2] cpu
--- 4  6
---float32[1, 2] cpu
--- 4  6
---example:4: sum: 'options' has unknown key "dims", expected dim, keepdim, skip_nan, dtype
---  hint  did you mean 'dim'?
---```

---# which
---Lists the call for each task, and its names in PyTorch, torch_scatter, NumPy, pandas, JAX, MindSpore and OneFlow.
---
---`?which masks` at the prompt, `strew.help "which masks"`, lists the tasks with that word; `??segment_sum` looks for a
---name of another library. A call that ends in an underscore works in place; without the underscore the result is new.
---Rules differ between libraries: the help of each call has strew's.
---
---```lua
---strew.help "jax.ops.segment_sum"
---```
---```text
---  strew.scatter_sum(v, index)
---      sum of each group. PyTorch index_add, scatter_add; torch_scatter
---      scatter_sum, scatter_add, scatter; NumPy np.add.at, np.bincount; pandas
---      groupby.sum; JAX jax.ops.segment_sum, x.at[index].add; MindSpore
---      unsorted_segment_sum
---  strew.segment_coo(v, ids)
---      sum of each segment, by a sorted index. torch_scatter segment_coo,
---      segment_sum_coo; JAX jax.ops.segment_sum
---```

---# recipes
---Lists common tasks with a few lines of code each, and what these print.
---
---`?recipes median` at the prompt, `strew.help "recipes median"`, shows those with that word in the title, else in text
---or code; `??median` finds them, too. Each runs as it stands.
---
---```lua
---strew.help "recipes shares"
---```
---```text
---Shares
---The sum of its group for each element, as `sums[group]`, divides the element:
---the shares of a group add up to 1. Running sums, from the largest element, give
---cumulative shares; a count of words has its own.
---> local x = strew.table{team = {0, 1, 0, 1, 1}, points = strew.tensor{3.0, 2, 1, 4, 2}}
---> x = x:sort_by("points", true)
---> local g = x:group_by("team")
---> x.share = x.points / g:sum(x.points)[g.ids]
---> x.cumulative = g:cumsum(x.share)
---> print(x:rows(x.team:eq(1)))
---> print(strew.value_counts(strew.tensor{7, 9, 7, 7}, {shares = true}).share:to("float32"))
---table: 3 rows, 4 columns, cpu
---  points   team  cumulative    share
--- float32  int64     float32  float32
---       4      1        0.50     0.50
---       2      1        0.75     0.25
---       2      1        1.00     0.25
---float32[2] cpu
--- 0.7500  0.2500
---```

---# views
---A view shares the elements of a tensor; every other result is new memory, even if it has the same values.
---
---Views are the results of `t[i]`, `view`, `permute`, `transpose`, `swapaxes`, `movedim`, `moveaxis`, `t`, `squeeze`,
---`unsqueeze`, `expand`, `expand_as`, `broadcast_to`, `select`, `narrow`, `slice` with a positive step, `diagonal`,
---`as_strided`, `split`, `chunk`, `tensor_split`, `unstack` and `meshgrid`, those of `reshape` and `flatten` where
---strides allow, and those of `to` and `contiguous` where there is nothing to convert. A write into a view is a write
---into the tensor. A view keeps the memory, after `t:free()` too. The scatter family, sorts, joins and arithmetic return
---new memory and take operands of any strides. Scatters by position, gathers, and sums, means and extremes of groups do
---not copy an expanded index or src.
---
---```lua
---local t, rows = strew.tensor{{1, 2}, {3, 4}}, strew.tensor{0}
---t:narrow(0, 1, 1):fill_(7)        -- a view: t changes
---t:index_select(0, rows):fill_(9)  -- new memory: t does not
---print(t)
---```
---```text
---int64[2, 2] cpu
--- 1  2
--- 7  7
---```

---# operators
---The operators `+ - * / // % ^ & | ~` work element by element on tensors and numbers.
---
---Each operator calls a function, whose rules hold: broadcasting, promotion, division by zero. In place, use the
---method: `t:add_(u)`. Comparisons have no operators, because Lua would turn their result into a single boolean. There
---is none to shift or to concatenate.
---
---```lua
---local t = strew.tensor{7, -8, 9}
---print(t // 2 + t % 2 * 10)
---print(t:gt(0) & ~t:eq(9))
---```
---```text
---int64[3] cpu
--- 13  -4  14
---bool[3] cpu
---  true  false  false
---```
---| + # `t + u`: add
---| - # `t - u`: sub; `-t`: neg
---| * # `t * u`: mul, element by element; the matrix product is matmul
---| / # `t / u`: div, always a float
---| // # `t // u`: floor_divide, rounded toward minus infinity
---| % # `t % u`: remainder, with the sign of `u`; a zero keeps that of `t`
---| ^ # `t ^ u`: pow
---| & # `t & u`: bitwise_and, for integers and bools
---| | # `t | u`: bitwise_or
---| ~ # `t ~ u`: bitwise_xor; `~t`: bitwise_not
---| << # `t << u`: bitwise_left_shift, for integers; `t >> u`: bitwise_right_shift, which keeps the sign
---| # # `#t`: the size of dimension 0
---| == # identity; use `t:eq(u)` for elements, `strew.equal(t, u)` for whole tensors
---| < # an error, like `<= > >=`; use `t:lt(u)`, `t:le(u)`, `t:gt(u)`, `t:ge(u)`

---# tensors
---Tensors have the rules of PyTorch and torch_scatter, tables those of pandas, NumPy and SQL (?tables).
---
---Of tensors are `t:f()`, `strew.f(t)`, `scatter_*`, `segment_*` and `strew.expr`; of tables methods of groupings, `agg`,
---`pivot`, `rolling`, `ranges`, `describe` and texts of columns. `correction` and `unbiased = false`, which is a
---correction of 0, are options of every variance and deviation.
---
---```lua
---local v, g = strew.tensor{1.0, 10, 3, 2}, strew.tensor{0, 0, 0, 0}
---print(v:median())
---print(strew.scatter_median(v, g))
---print(strew.group_by(g):median(v))
---```
---```text
---float32[] cpu  2
---float32[1] cpu
--- 2
---float32[1] cpu
--- 2.5000
---```
---| sum # of integers int64, of uint64 uint64, wraps; `scatter_sum`: src's dtype. Tables: of unsigned ones uint64; an error where it leaves 64 bits
---| mean # of integers an error without `{dtype = "float64"}`; `scatter_mean` rounds down. Tables: float64
---| median # the lower of the two middle ones, of self's dtype. Tables: their mean
---| quantile # of floats. Tables: of integers, too, in float64
---| var # divisor n - correction; `scatter_var`: at least 1. Tables: NaN unless n is larger than the correction
---| std # the root of var; `scatter_std`: torch_scatter's divisor, max(n - 1, 1) + 1e-6. Tables: the root of var

---# times
---A time is a dtype of its own: microseconds since 1970-01-01 UTC, years -290308 to 294247. NaT is no time.
---
---`strew.time` reads times from text, `strew.load` with `dates`, .npy and .npz as NumPy's datetime64. In scripts a time is
---its text: `t[i]`, `item` and `tolist` give it ("NaT" for none), and where a call takes times it takes their text.
---A string by itself is a word, whatever it looks like; it is a time beside times, and with `dtype = "time"`.
---`t:to("int64")` gives microseconds, `to("time")` the times back. Views, indexing, `cat`, `where`, scatter without a
---reduction or by an extreme, sorting, `unique`, `searchsorted`, `min`, `max`, comparisons, `rolling`, keys and columns of
---tables take times, and so do `scatter_min`, `scatter_max`, `first`, `last`, `count` and `nunique`. `mean`, `median` and
---`quantile` are times, `std`, `var` and `diff` seconds: of all, of groups (`g:mean`, `agg`, `pivot`), of windows (`rolling`,
---`ranges`) and in `describe`. A mean is exact, rounded to the nearest microsecond, a half to even; in tables the median is
---the mean of the two middle times. `skip_nan` leaves NaT out. All else is an error.
---
---The difference of two times is float64 seconds, exact in microseconds before it is rounded. A time plus or minus seconds
---is a time: floats are rounded to the nearest microsecond, halves to even. A sum that is out of range, or with NaN or
---NaT, is NaT. NaT is to times what NaN is to floats: it equals nothing and sorts last, `min` and `max` of it are NaT;
---`isnan` finds it. It prints as nothing, as in a .csv.
---
---```lua
---local t = strew.time{"2024-02-29T12:30", "1969-07-20T20:17:40Z", "2024-05-17 14:00:00+02:00"}
---print((t:sort()))
---print(t - t[1])
---print(t:lt("2000-01-01"))
---print(strew.floor_time(t + 86400, "month"))
---```
---```text
---time[3] cpu
--- 1969-07-20T20:17:40     2024-02-29T12:30     2024-05-17T12:00
---float64[3] cpu
--- 1723392740           0  1730130140
---bool[3] cpu
--- false   true  false
---time[3] cpu
--- 2024-03-01  1969-07-01  2024-05-01
---```

---# texts
---A text is a tensor of words: int32 codes 0, 1, ... and the list of different words that they stand for.
---
---`strew.tensor` of strings makes one; in scripts an element is a string: `t[i]`, `item` and `tolist` give it, and where a
---call takes text it takes strings. `t.words` is the list, as a sequence, and `t:codes()` the codes; `strew.text` makes text
---of both, and of numbers. Views, indexing, `cat`, `where`, scatter without a reduction and all else that moves elements take
---text; where texts with other lists meet, the result's list has the words of all, those of the first one in their places. A
---list may have words that no element has. `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `isin`, sorting, `unique`, `searchsorted`,
---`min`, `max`, their scatters and segments, `first`, `last`, `nunique`, `rolling`, `group_by` and `value_counts` take text
---in the order of the words' bytes, and expressions `x == "word"`. All else is an error. A missing word is the empty one, which
---`skip_nan` leaves out.
---
---`contains`, `starts_with`, `ends_with`, `upper`, `lower`, `length` and `t:to("float64")`, to other numbers, to "bool" or
---"time" work on each word once. A word that is no number is an error that names its position; of floats the empty word
---is NaN.
---
---```lua
---local t = strew.tensor{"Oslo", "Rome", "Bergen", "Oslo"}
---print((t:sort()))
---print(t:lt("C"))
---t[1] = "Paris"
---print(table.concat(t.words, " "))
---print(strew.tensor{"1.5", "", "2"}:to("float32"))
---```
---```text
---text[4] cpu
--- "Bergen"    "Oslo"    "Oslo"    "Rome"
---bool[4] cpu
--- false  false   true  false
---Oslo Rome Bergen Paris
---float32[3] cpu
--- 1.5000     nan  2.0000
---```

---# broadcasting
---Elementwise calls take operands of different shapes: sizes are aligned at the last dimension, and size 1 repeats.
---
---A number broadcasts to every shape. The position form of the scatter family does not broadcast: its operands have
---equal ranks.
---
---```lua
---print(strew.tensor{{1}, {2}} + strew.tensor{10, 20, 30})
---```
---```text
---int64[2, 3] cpu
--- 11  21  31
--- 12  22  32
---```

---# promotion
---Operands of different dtypes are converted to a common dtype: bool < integers < floats.
---
---For two tensors of the same kind the wider dtype wins; float16 with bfloat16 gives float32. An unsigned
---integer with a signed one that is not wider gives the next wider signed dtype: uint8 with int8 gives int16, uint64
---with a signed one float64. Ranks do not matter: int8 + `strew.tensor(1)`, which is int64, gives int64. A number takes
---the tensor's dtype unless its kind is higher: int64 + 1 stays int64, float16 + 0.5 stays float16, int64 + 0.5 gives
---float32, but in texts of columns float64: `?expressions`. `strew.result_type` returns the common dtype. The scatter family does not promote: `src` has the dtype of
---`t`.
---
---In place, self keeps its dtype: it is an error if the result's dtype is one to which self's would be promoted. A
---tensor of rank 0 that is stored (`t[i] = v`, `masked_fill`, `index_fill`, `index_put`) counts as its number.
---
---Operands are converted before the operation: beside bfloat16, int64 257 becomes 256. Exception, as in PyTorch: a
---number that multiplies or divides 16-bit floats is used as float32. A number that the common dtype cannot hold is an
---error in every call, also in place. Comparisons of tensors compare in the common dtype, so integers of any two dtypes
---by their values. They take any number: integers compare with its exact value, floats with the rounded value, or with
---the exact value if it is out of their range.
---
---```lua
---local t = strew.ones(2, {dtype = "int8"})
---print((t + 1).dtype, (t + 0.5).dtype, (t + strew.ones(2, {dtype = "int32"})).dtype, (t / 2).dtype)
---print((t + strew.tensor(1)).dtype, t:lt(300):all():item(), t:gt(0.5):all():item())
---print(select(2, pcall(t.add, t, 300)))
---print(select(2, pcall(t.add_, t, strew.tensor{1, 2})))
---```
---```text
---int8	float32	int32	float32
---int64	true	true
---example:4: add: 'other' is 300, which int8 cannot hold: expected an integer in its range
---  self  int8[2] cpu
---example:5: add_: 'self' is int8, which does not hold a result of int64
---  self   int8[2] cpu
---  other  int64[2] cpu
---  hint   self:to("int64") holds it; without the underscore the result is a new tensor
---```

---# bits
---The same inputs give the same bits on any number of threads, in every run and on every device.
---
---This holds for every operation; only a NaN's payload is not included. The scatter family adds in row-major order of
---`index`, like a plain loop; sums along a dimension add in an order that depends on the shape alone; products of
---matrices add in order of the inner dimension, by fused multiply-adds. `strew.devices()` says what a device lacks or
---needs slower code for; `strew.deterministic(false)` lets float sums join in any order.
---
---```lua
---local index, src = strew.zeros(3, {dtype = "int64"}), strew.tensor{1e8, 1.0, -1e8}
---print(strew.scatter(src, index):item()) -- in order: in float32, 1e8 + 1 is 1e8
---```
---```text
---0.0
---```

---# errors
---Every error says what failed, where, with which value, and what to do.
---
---A message has one line of facts, a line for each tensor, and at most one hint. Errors are plain strings for `pcall`;
---`strew.last_error()` returns the same as a table. A call that fails changes nothing: all index values are checked, on
---every device, before the first element is written. Exception: an interrupted call in place may have written a part
---of its result; on the CPU the message says so.
---
---```lua
---local t = strew.zeros(3)
---print(select(2, pcall(t.scatter_add_, t, 0, strew.tensor{1, 2, 3}, strew.ones(3))))
---```
---```text
---example:2: scatter_add_: 'index' has value 3 at [2], out of range for dim 0 of self (size 3, valid 0..2)
---  self   float32[3] cpu
---  index  int64[3] cpu
---  src    float32[3] cpu
---  hint   all values lie in 1..3: were they counted from 1? index - 1 counts from 0
---```

---# limits
---Limits of scripts, tensors and texts.
---
---`strew --memory 500M --time 10 --sandbox script.lua` runs an untrusted script. `--memory` counts the memory of Lua
---and of tensors; `--time` holds for Lua code, native operations and OpenCL. A script may catch the first error and
---clean up; then it ends. `--sandbox` leaves it only strew and pure Lua: no files, processes, modules, bytecode, debug
---library or finalizers. `string.upper`, `lower`, `reverse`, `format` and `pack`, `utf8.len` and `offset`, `os.date`,
---`math.max` and `min`, and `collectgarbage` take texts of 1 MiB in all at most.
---
---A tensor has at most 16 dimensions, and sizes whose product int64 holds. Ctrl-C stops a call; `strew.memory()` returns
---the memory of tensors, `t:free()` returns it before the collector does.
---
---```lua
---local sizes = {}
---for d = 1, 17 do sizes[d] = 1 end
---local ok, message = pcall(strew.zeros, sizes)
---print(message)
---```
---```text
---example:3: zeros: 'shape' has more than 16 entries, the greatest rank
---```

---# ranks
---Tensors are distributed over processes and machines by MPI and `require "strew.mpi"`, with the bits of one process.
---
---`mpirun -n 4 strew script.lua` runs a script on four ranks; without mpirun there is one. All ranks make the same calls
---in the same order. A distributed tensor has its rows (dimension 0) in contiguous blocks of near equal size, one on
---each rank. `index`, of any length, and `src` are each rank's own part of a whole. `index` has one dimension, and
---counts rows of all of `d`; or it has the rank of `d`, and names elements as in the position form. Contributions join
---in rank order, and on a rank in row-major order of `index`: the result does not depend on the number of ranks.
---
---Words, modes and errors are those of the scatter family. An error on one rank, a limit or Ctrl-C there, is the same
---error on all ranks and names that rank; nothing is written anywhere, and the next call works. A rank that ends with
---an error ends the job. Tensors on devices are sent through host memory. strew.mpi is built where mpicc is found;
---lua_bindings/mpi/README.md has costs and limits.
---
---```lua
---local index, src = strew.tensor{{3, 0}, {3, 1}}, strew.tensor{{1.0, 2.0}, {4.0, 8.0}}
---local function on_rank(mpi, r) -- on two ranks, with mpi = require "strew.mpi" and r = mpi.rank()
---  return mpi.zeros(4):scatter_add_(index[r], src[r]):collect()
---end
---print(strew.zeros(4):scatter_add_(0, index:flatten(), src:flatten())) -- the result on both
---```
---```text
---float32[4] cpu
--- 2  8  0  5
---```
---| mpi.rank() # the number of this rank, from 0; `mpi.size()`: the number of ranks
---| mpi.barrier() # returns when all ranks have called it
---| mpi.bcast(t,root) # the tensor `t` of rank `root`, on all ranks
---| mpi.sum(t) # the sum of the ranks' tensors, added in rank order, on all ranks
---| mpi.zeros(n,...) # a distributed tensor of zeros; arguments as for strew.zeros
---| mpi.distribute(t) # a distributed tensor from `t`, which all ranks have; each keeps its block
---| mpi.load(path) # the same from a .npy file; each rank reads its own block
---| mpi.sent_bytes() # the bytes of elements that this rank has sent to others
---| d:block() # the rank's own block, a new view; writes to its elements are writes to `d`
---| d:collect() # all of `d`, on all ranks, a tensor; `d.shape`, `d.dtype` and `d.device` are those of all of it
---| d:scatter_(index,src) # also with a number; options `{reduce =, mode =}`
---| d:scatter_add_(index,src) # options `{mode =}`
---| d:scatter_reduce_(index,src,reduce) # options `{include_self =, mode =}`; without the underscore these make new ones
---| d:gather(index) # the rows or elements, for each rank's own index; options `{mode =}`
---| mpi.group_by(k1,...) # groups by the ranks' keys, as strew.group_by; option `{order =}`
---| g.ids # the group of each of this rank's keys; `g.n`, `g.counts`, `g.positions`, `g.keys` are those of all ranks
---| g:agg{...} # as of a grouping, with the ranks' own tensors; the result is on all ranks

---The element type of a tensor.
---
---Lua integers become int64, floats float32, booleans bool; `{dtype = ...}` selects another dtype. Integers wrap on
---overflow. A number that the dtype cannot hold is an error, in arithmetic and in fills; comparisons take any number.
---float16 and bfloat16 are stored in 16 bits, computed in float32 and rounded once. Some devices lack float64; see
---`strew.devices()`.
---
---```lua
---print(strew.tensor{1, 2}.dtype, strew.tensor{1, 2.5}.dtype, strew.tensor{true}.dtype)
---print(strew.tensor({255}, {dtype = "uint8"}) + 1)
---```
---```text
---int64	float32	bool
---uint8[1] cpu
--- 0
---```
---@alias strew.dtype
---| "float32" # default for Lua floats
---| "float64"
---| "float16" # IEEE half precision
---| "bfloat16" # the upper 16 bits of a float32
---| "int64" # default for Lua integers
---| "int32"
---| "int16"
---| "int8"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64" # prints in full; an element above 2^63 - 1 is no Lua integer: item and tolist refuse it
---| "bool" # sum counts true elements
---| "time" # microseconds since 1970-01-01 UTC: see times
---| "text" # words: see texts

---The device that stores a tensor and computes with it.
---
---All tensors of a call are on one device. There is no silent fallback: an unknown device is an error that lists the
---available ones. A new tensor is created on the device of `{device = ...}`, else of the program's option `--device`,
---else of `$STREW_DEVICE`, else on the CPU. `t:to(device)` copies a tensor to another device.
---
---```lua
---print(strew.zeros(2, {device = "cpu"}).device)
---```
---```text
---cpu
---```
---@alias strew.device
---| "cpu"
---| "opencl" # the first usable OpenCL device
---| "opencl:0.0" # platform.device, with the numbers that clinfo -l prints
---| string # "opencl:WORD": part of the platform's or the device's name, case ignored; two matches are an error

---The operation that combines values with the same index.
---
---Values are combined one by one, in row-major order of the index. amax and amin return NaN if one of the values is
---NaN; 0 is greater than -0. The mean (average) of integers rounds toward minus infinity; bool has no mean.
---
---```lua
---local src, index = strew.tensor{3, 1, 2}, strew.tensor{0, 0, 1}
---for _, word in ipairs{"sum", "prod", "mean", "amax", "amin"} do
---  print(word, table.unpack(strew.scatter(src, index, {reduce = word}):tolist()))
---end
---```
---```text
---sum	4	2
---prod	3	2
---mean	2	2
---amax	3	2
---amin	1	2
---```
---@alias strew.reduce_word
---| "sum"
---| "add" # the same as sum
---| "prod" # product
---| "multiply" # the same as prod
---| "mul" # the same as prod
---| "mean" # average
---| "amax" # maximum
---| "max" # the same as amax
---| "amin" # minimum
---| "min" # the same as amin

---The reductions of `g:agg` and `strew.pivot`, as the methods of a grouping.
---
---```lua
---print(strew.group_by(strew.tensor{7, 5, 7}):agg{n = "count", largest = {"max", strew.tensor{1, 2, 3}}})
---```
---```text
---table: 2 rows, 3 columns, cpu
---   key  largest      n
--- int64    int64  int64
---     5        2      1
---     7        3      2
---```
---@alias strew.aggregate
---| "sum"
---| "prod" # product
---| "mean" # average
---| "var" # variance
---| "std" # standard deviation
---| "min" # minimum
---| "max" # maximum
---| "any" # true if one element is not 0
---| "all" # true if no element is 0
---| "first" # the first element
---| "last" # the last element
---| "median" # of two in the middle their mean
---| "lower_median" # of two in the middle the lower one
---| "quantile" # with q = ...
---| "count" # the number of elements; alone: the size of the group
---| "nunique" # the number of different elements
---| "logsumexp" # the logarithm of the sum of exponentials

---The treatment of index values that are out of range for a dimension of size n.
---
---```lua
---local t, index = strew.tensor{10, 20, 30}, strew.tensor{0, -1, 7}
---print(pcall(t.gather, t, 0, index))
---print(t:gather(0, index, {mode = "clip"}))
---print(t:gather(0, index, {mode = "drop"}))
---```
---```text
---false	example:2: gather: 'index' has value -1 at [1], out of range for dim 0 of self (size 3, valid 0..2)
---  self   int64[3] cpu
---  index  int64[3] cpu
---  hint   mode = "wrap" counts negative values from the end, "drop" skips them, as padding
---int64[3] cpu
--- 10  10  30
---int64[3] cpu
--- 10   0   0
---```
---@alias strew.index_mode
---| "error" # the default: a value outside of 0..n-1 is an error, and nothing is written
---| "wrap" # negative values count from the end: -n..n-1 are valid, others an error
---| "clip" # values are clipped to 0..n-1
---| "drop" # values out of range are skipped; gather returns 0 there

---The format of a file: its name's extension, ignoring case, or the option `format`.
---
---```lua
---local name = os.tmpname()
---strew.save(name, strew.tensor{{1, 2}, {3, 4}}, {format = "csv"})
---print(io.open(name):read("a"))
---os.remove(name)
---```
---```text
---1,2
---3,4
---
---```
---@alias strew.file_format
---| "npy" # a tensor, as NumPy writes it
---| "npz" # a table of tensors, as NumPy writes it
---| "safetensors" # a table of tensors, as model files have them
---| "csv" # columns, with commas between cells
---| "tsv" # columns, with tabs between cells
---| "png" # a picture
---| "npy.gz" # compressed by gzip
---| "csv.gz"
---| "tsv.gz"

------------------------------------------------------------------------------------------------------------ The tensor

---A tensor: elements of one dtype, on one device, in 0 to 16 dimensions.
---
---`t[i]` is position i of dimension 0: a view, or a Lua number or boolean if `t` has one dimension. `t[i] = v` writes a
---number there, or a tensor that broadcasts. `#t` is the size of dimension 0. `==` is identity: use `strew.equal`, or
---`t:eq(u)` element by element. `&`, `|`, `~` take integers and bools; `<` and `<=` raise an error. `tostring` and
---`print` show the elements; of more than 1000 elements, only the edges. `local t <close> = ...` frees the tensor at
---the end of the block.
---
---`t[mask]`, with a bool tensor of `t`'s first sizes, is a new tensor of the elements, or rows, where it is true, in
---row-major order. `t[index]`, with a tensor of integers of any rank, is a new tensor of rows: index's shape, then
---`t`'s other sizes. `t[mask] = v` and `t[index] = v` write a number, or a tensor of `t`'s dtype that broadcasts to
---those rows; if a row repeats, the last one wins. A value out of range is an error, and nothing is written. A mask of
---rank 0 selects all of `t`, as one row, or nothing.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t.dtype, t.device, #t, table.concat(t.shape, " x "))
---t[0] = t[1] * 10
---t[1][2] = -6
---print(t)
---print(t[t:gt(4)])
---```
---```text
---int64	cpu	2	2 x 3
---int64[2, 3] cpu
--- 40  50  60
---  4   5  -6
---int64[4] cpu
--- 40  50  60   5
---```
---@class strew.Tensor
---@field shape integer[] the sizes, as a Lua sequence; `{}` for rank 0
---@field dtype strew.dtype the element type
---@field device string the device's full name: "opencl:0.0"
---@field words? string[] of text: the words of its codes; of other tensors an error
---@field [integer] any this position of dimension 0
---@operator add(strew.Tensor|number): strew.Tensor
---@operator sub(strew.Tensor|number): strew.Tensor
---@operator mul(strew.Tensor|number): strew.Tensor
---@operator div(strew.Tensor|number): strew.Tensor
---@operator idiv(strew.Tensor|number): strew.Tensor
---@operator mod(strew.Tensor|number): strew.Tensor
---@operator pow(strew.Tensor|number): strew.Tensor
---@operator unm: strew.Tensor
---@operator band(strew.Tensor|integer|boolean): strew.Tensor
---@operator bor(strew.Tensor|integer|boolean): strew.Tensor
---@operator bxor(strew.Tensor|integer|boolean): strew.Tensor
---@operator bnot: strew.Tensor
---@operator len: integer
local Tensor = {}

---The module, a global variable in the program; elsewhere `local strew = require "strew"`.
---
---```lua
---print((strew._VERSION:gsub("%d", "N")))
---```
---```text
---strew N.N.N
---```
---@class strew
---@field _VERSION string "strew " and the version
strew = {}

---Options of new tensors.
---@class strew.new_options
---@field dtype? strew.dtype
---@field device? strew.device default: the program's device

---Creates a tensor from a number, a boolean or a nested sequence, or copies a tensor.
---
---Integers alone give int64; one float makes all float32; booleans give bool. It is an error if sequences of one level
---differ in length, or if numbers and booleans mix. With an integer dtype, floats lose their fraction. A number that
---the dtype cannot hold is an error.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}})
---print(strew.tensor({1, 2}, {dtype = "float64"}))
---print(strew.tensor(0.5))
---print(pcall(strew.tensor, {{1, 2}, {3}}))
---```
---```text
---int64[2, 3] cpu
--- 1  2  3
--- 4  5  6
---float64[2] cpu
--- 1  2
---float32[] cpu  0.5000
---false	example:4: tensor: 'x' is ragged, x[2] has 1 element where x[1] has 2
---```
---@param x any a number, a boolean, a nested Lua sequence of them, or a tensor
---@param dtype? strew.dtype
---@param device? strew.device
---@return strew.Tensor t
---@overload fun(x: any, options: strew.new_options): strew.Tensor
function strew.tensor(x, dtype, device) end

------------------------------------------------------------------------------------------------------- Creating tensors

---Creates a tensor filled with zeros.
---
---```lua
---print(strew.zeros(2, 3))
---print(strew.zeros({2}, {dtype = "int64"}))
---```
---```text
---float32[2, 3] cpu
--- 0  0  0
--- 0  0  0
---int64[2] cpu
--- 0  0
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence; none: rank 0
---@return strew.Tensor t default float32
function strew.zeros(...) end

---Creates a tensor filled with ones.
---
---```lua
---print(strew.ones(3))
---```
---```text
---float32[3] cpu
--- 1  1  1
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t default float32
function strew.ones(...) end

---Creates a tensor without initializing its elements.
---
---Write every element before you read it. In a sandbox the elements are 0.
---
---```lua
---print(strew.empty(2, 3):fill_(7))
---```
---```text
---float32[2, 3] cpu
--- 7  7  7
--- 7  7  7
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t default float32
function strew.empty(...) end

---Creates a tensor filled with one value.
---
---```lua
---print(strew.full({2, 2}, -1))
---print(strew.full(2, true))
---```
---```text
---int64[2, 2] cpu
--- -1  -1
--- -1  -1
---bool[2] cpu
--- true  true
---```
---@param shape integer|integer[] one size, or a sequence of sizes
---@param value number|boolean integers give int64, floats float32, booleans bool; error: the dtype cannot hold it
---@param options? strew.new_options
---@return strew.Tensor t
function strew.full(shape, value, options) end

---Creates zeros with the shape, dtype and device of a tensor.
---
---```lua
---print(strew.tensor{1.5, 2}:zeros_like())
---```
---```text
---float32[2] cpu
--- 0  0
---```
---@param self strew.Tensor any dtype
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t
function strew.zeros_like(self, options) end

---Creates ones with the shape, dtype and device of a tensor.
---
---```lua
---print(strew.tensor{1.5, 2}:ones_like{dtype = "int64"})
---```
---```text
---int64[2] cpu
--- 1  1
---```
---@param self strew.Tensor any dtype
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t
function strew.ones_like(self, options) end

---Creates a tensor like `strew.empty`, with the shape, dtype and device of another one.
---
---```lua
---print(strew.tensor{1.5, 2}:empty_like():fill_(3))
---```
---```text
---float32[2] cpu
--- 3  3
---```
---@param self strew.Tensor any dtype
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t elements are undefined
function strew.empty_like(self, options) end

---Creates a tensor of one value, with the shape, dtype and device of another one.
---
---```lua
---print(strew.tensor{1.5, 2}:full_like(7))
---```
---```text
---float32[2] cpu
--- 7  7
---```
---@param self strew.Tensor any dtype
---@param value number|boolean error: the dtype cannot hold it
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t
function strew.full_like(self, value, options) end

---Options of eye.
---@class strew.eye_options: strew.new_options
---@field k? integer the diagonal, default 0: the main one; positive: above it

---Creates a matrix with ones on the diagonal and zeros elsewhere (the identity matrix).
---
---```lua
---print(strew.eye(2, 3))
---print(strew.eye(2, 3, {k = 1}))
---```
---```text
---float32[2, 3] cpu
--- 1  0  0
--- 0  1  0
---float32[2, 3] cpu
--- 0  1  0
--- 0  0  1
---```
---@param n integer number of rows
---@param m? integer number of columns, default n
---@param options? strew.eye_options
---@return strew.Tensor t default float32
---@overload fun(n: integer, options: {m?: integer, k?: integer, dtype?: strew.dtype, device?: strew.device}): strew.Tensor
function strew.eye(n, m, options) end

---Creates the numbers from start up to, but not including, stop.
---
---Integers are exact; floats are `start + i * step` in float64, rounded once. No element reaches stop; nor, except
---start, stop rounded to the dtype: `strew.arange(1, 1.3, 0.1)` has 3. `linspace` includes its end.
---
---```lua
---print(strew.arange(4))
---print(strew.arange(1, 2, 0.25))
---```
---```text
---int64[4] cpu
--- 0  1  2  3
---float32[4] cpu
--- 1.0000  1.2500  1.5000  1.7500
---```
---@param start number the first number
---@param stop number the end, not included
---@param step? number default 1; error: 0, or away from stop
---@param options? strew.new_options
---@return strew.Tensor t [n]; default int64 if all arguments are integers, else float32
---@overload fun(stop: number, options?: strew.new_options): strew.Tensor
---@overload fun(start: number, stop: number, options: {step?: number, dtype?: strew.dtype, device?: strew.device}): strew.Tensor
function strew.arange(start, stop, step, options) end

---Options of strew.linspace.
---@class strew.linspace_options: strew.new_options
---@field endpoint? boolean default true: stop is the last number

---Creates evenly spaced numbers from start to stop, both included.
---
---They are `start + i * (stop - start) / (steps - 1)` in float64, rounded once; the last one is exactly stop. An integer
---dtype drops the fraction: `strew.linspace(0, 10, 4, {dtype = "int64"})` is 0 3 6 10; between integers that is exact.
---With `endpoint = false` they are `start + i * (stop - start) / steps`, and stop is not among them.
---
---```lua
---print(strew.linspace(0, 1, 5))
---print(strew.linspace(0, 360, 4, {endpoint = false}))
---```
---```text
---float32[5] cpu
--- 0.0000  0.2500  0.5000  0.7500  1.0000
---float32[4] cpu
---   0   90  180  270
---```
---@param start number
---@param stop number
---@param steps integer how many numbers
---@param options? strew.linspace_options
---@return strew.Tensor t [steps], default float32
function strew.linspace(start, stop, steps, options) end

---Creates powers of a base with evenly spaced exponents, `base^start` to `base^stop`.
---
---They are computed in float64 and rounded once. An integer dtype drops the fraction; powers of an integer by integers are
---exact, and one that the dtype cannot hold is an error.
---
---```lua
---print(strew.logspace(0, 3, 4))
---print(strew.logspace(0, 3, 4, 2))
---```
---```text
---float32[4] cpu
---    1    10   100  1000
---float32[4] cpu
--- 1  2  4  8
---```
---@param start number the first exponent
---@param stop number the last exponent
---@param steps integer number of elements; error: negative
---@param base? number default 10
---@param options? strew.new_options
---@return strew.Tensor t default float32
---@overload fun(start: number, stop: number, steps: integer, options: {base?: number, dtype?: strew.dtype, device?: strew.device}): strew.Tensor
function strew.logspace(start, stop, steps, base, options) end

---Options of meshgrid.
---@class strew.meshgrid_options
---@field indexing? string "ij" (default): dimension k goes along line k; "xy": the first two dimensions are exchanged

---Returns grids of coordinates: for each of n lines a tensor of n dimensions, as multiple results.
---
---They are views: expanded lines.
---
---```lua
---local rows, columns = strew.meshgrid{strew.arange(2), strew.arange(3)}
---print(rows)
---print(columns)
---```
---```text
---int64[2, 3] cpu
--- 0  0  0
--- 1  1  1
---int64[2, 3] cpu
--- 0  1  2
--- 0  1  2
---```
---@param tensors strew.Tensor[] a sequence, each with at most one dimension
---@param options? strew.meshgrid_options
---@return strew.Tensor ... a view for each line
function strew.meshgrid(tensors, options) end

---Returns the positions of the lower triangle of a matrix: row numbers, column numbers.
---
---```lua
---print(strew.tril_indices(3))
---```
---```text
---int64[2, 6] cpu
--- 0  1  1  2  2  2
--- 0  0  1  0  1  2
---```
---@param n integer number of rows
---@param m? integer number of columns, default n
---@param offset? integer the diagonal that ends the triangle, default 0; positive: above the main one
---@param options? strew.new_options
---@return strew.Tensor t [2, count], default int64
---@overload fun(n: integer, options: {m?: integer, offset?: integer, dtype?: strew.dtype, device?: strew.device}): strew.Tensor
function strew.tril_indices(n, m, offset, options) end

---Returns the positions of the upper triangle of a matrix: row numbers, column numbers.
---
---```lua
---print(strew.triu_indices(3, 3, 1))
---```
---```text
---int64[2, 3] cpu
--- 0  0  1
--- 1  2  2
---```
---@param n integer number of rows
---@param m? integer number of columns, default n
---@param offset? integer the diagonal that begins the triangle, default 0; positive: above the main one
---@param options? strew.new_options
---@return strew.Tensor t [2, count], default int64
---@overload fun(n: integer, options: {m?: integer, offset?: integer, dtype?: strew.dtype, device?: strew.device}): strew.Tensor
function strew.triu_indices(n, m, offset, options) end

---Creates random numbers, uniform in [0, 1).
---
---The generator is Philox 4x32-10. After the same `strew.manual_seed` it yields the same numbers on every device and
---thread count.
---
---```lua
---strew.manual_seed(1)
---print(strew.rand(3))
---```
---```text
---float32[3] cpu
--- 0.8903  0.8947  0.5857
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t a float dtype, default float32
function strew.rand(...) end

---Creates random numbers, uniform from low up to high.
---
---They are `low + (high - low) * u`, with u of `strew.rand`; rounding may give high itself.
---
---```lua
---strew.manual_seed(1)
---print(strew.uniform(-1, 1, 3))
---```
---```text
---float32[3] cpu
--- 0.7805  0.7894  0.1715
---```
---@param low number|strew.Tensor
---@param high number|strew.Tensor error: less than low
---@param ... integer|integer[]|strew.new_options "shape..." sizes of numbers, as numbers or one sequence; not beside tensors
---@return strew.Tensor t a float dtype, default float32
function strew.uniform(low, high, ...) end

---Creates random numbers from the standard normal distribution.
---
---```lua
---strew.manual_seed(1)
---print(strew.randn(3))
---```
---```text
---float32[3] cpu
--- 0.2786  0.2671  1.3676
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t a float dtype, default float32
function strew.randn(...) end

---Creates random numbers from normal distributions.
---
---Tensors as mean and standard deviation broadcast, and give the shape, dtype and device.
---
---```lua
---strew.manual_seed(1)
---print(strew.normal(10, 2, 3))
---print(strew.normal(strew.tensor{0.0, 100}, 1))
---```
---```text
---float32[3] cpu
--- 10.5573  10.5343  12.7351
---float32[2] cpu
---   0.9463  100.3210
---```
---@param mean number|strew.Tensor
---@param std number|strew.Tensor 0 or more
---@param ... integer|integer[]|strew.new_options "shape..." sizes of numbers, as numbers or one sequence; not beside tensors
---@return strew.Tensor t a float dtype, default float32
function strew.normal(mean, std, ...) end

---Creates random numbers from exponential distributions, of mean 1 / rate.
---
---```lua
---strew.manual_seed(1)
---print(strew.exponential(2, 3))
---```
---```text
---float32[3] cpu
--- 1.1048  1.1254  0.4406
---```
---@param rate number|strew.Tensor above 0
---@param ... integer|integer[]|strew.new_options "shape..." sizes of numbers, as numbers or one sequence; not beside tensors
---@return strew.Tensor t a float dtype, default float32
function strew.exponential(rate, ...) end

---Creates random counts from Poisson distributions, of mean rate.
---
---They are computed on the CPU, in float64, and moved to the device.
---
---```lua
---strew.manual_seed(1)
---print(strew.poisson(4, 8))
---```
---```text
---float32[8] cpu
--- 7  5  6  5  4  7  1  1
---```
---@param rate number|strew.Tensor 0 to 1e15
---@param ... integer|integer[]|strew.new_options "shape..." sizes of numbers, as numbers or one sequence; not beside tensors
---@return strew.Tensor t any dtype, default float32 or that of rate
function strew.poisson(rate, ...) end

---Creates ones with probability p, and zeros.
---
---```lua
---strew.manual_seed(1)
---print(strew.bernoulli(0.25, 8))
---```
---```text
---float32[8] cpu
--- 0  0  0  0  0  0  0  0
---```
---@param p number|strew.Tensor probabilities, 0 to 1
---@param ... integer|integer[]|strew.new_options "shape..." sizes of numbers, as numbers or one sequence; not beside tensors
---@return strew.Tensor t any dtype, default float32 or that of p
function strew.bernoulli(p, ...) end

---Creates random numbers, uniform in [0, 1), with the shape, dtype and device of a tensor.
---
---```lua
---strew.manual_seed(1)
---print(strew.zeros(3):rand_like())
---```
---```text
---float32[3] cpu
--- 0.8903  0.8947  0.5857
---```
---@param self strew.Tensor a float dtype, or any with options.dtype
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t
function strew.rand_like(self, options) end

---Creates random numbers from the standard normal distribution, with the shape, dtype and device of a tensor.
---
---```lua
---strew.manual_seed(1)
---print(strew.zeros(3):randn_like())
---```
---```text
---float32[3] cpu
--- 0.2786  0.2671  1.3676
---```
---@param self strew.Tensor a float dtype, or any with options.dtype
---@param options? strew.new_options default self's dtype and device
---@return strew.Tensor t
function strew.randn_like(self, options) end

---Creates random integers, uniform in low..high-1.
---
---```lua
---strew.manual_seed(1)
---print(strew.randint(1, 7, 10))
---```
---```text
---int64[10] cpu
--- 6  5  6  4  4  6  1  1  4  6
---```
---@param low integer the smallest value; 0 if the second argument is the shape, as a sequence
---@param high integer the largest value plus 1
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t default int64
---@overload fun(high: integer, shape: integer[], options?: strew.new_options): strew.Tensor
function strew.randint(low, high, ...) end

---Creates a random permutation of the integers 0..n-1.
---
---```lua
---strew.manual_seed(1)
---print(strew.randperm(8))
---```
---```text
---int64[8] cpu
--- 4  3  1  2  0  5  6  7
---```
---@param n integer
---@param options? strew.new_options
---@return strew.Tensor t [n], default int64
function strew.randperm(n, options) end

---Options of choice.
---@class strew.random_choice_options
---@field replace? boolean false: each row at most once; default true
---@field p? strew.Tensor the weight of each row, 0 or more

---Returns random rows of a tensor, or random integers below n.
---
---```lua
---strew.manual_seed(1)
---print(strew.tensor{10, 20, 30}:choice(5))
---print(strew.choice(5, 3, {replace = false}))
---```
---```text
---int64[5] cpu
--- 30  30  30  20  20
---int64[3] cpu
--- 2  3  0
---```
---@param self strew.Tensor|integer a tensor, or n; error: nothing to choose from
---@param ... integer|integer[]|strew.random_choice_options "shape..." how many, as numbers or one sequence
---@return strew.Tensor t rows in this shape, a copy, or int64
function strew.choice(self, ...) end

---Returns random positions, with probabilities in proportion to weights.
---
---```lua
---strew.manual_seed(1)
---print(strew.tensor{1.0, 0, 3}:multinomial(6, true))
---```
---```text
---int64[6] cpu
--- 2  2  2  2  2  2
---```
---@param self strew.Tensor weights, 0 or more, one dimension, or rows of them
---@param num_samples integer at least 1
---@param replacement? boolean true: positions may repeat; default false
---@return strew.Tensor t int64, num_samples for each row
---@overload fun(self: strew.Tensor, num_samples: integer, options: {replacement?: boolean}): strew.Tensor
function strew.multinomial(self, num_samples, replacement) end

---Returns the rows in random order; in place self.
---
---```lua
---strew.manual_seed(1)
---print(strew.arange(5):shuffle())
---```
---```text
---int64[5] cpu
--- 4  3  1  2  0
---```
---@param self strew.Tensor any dtype
---@param dim? integer default 0
---@return strew.Tensor t a copy
function strew.shuffle(self, dim) end

---Seeds the random number generator.
---
---```lua
---strew.manual_seed(7)
---local a = strew.rand(100)
---strew.manual_seed(7)
---print(strew.equal(a, strew.rand(100)))
---```
---```text
---true
---```
---@param seed integer
function strew.manual_seed(seed) end

------------------------------------------------------------------------------------------------ Properties and elements

---Returns the sizes of all dimensions, as several results, or the size of one dimension.
---
---```lua
---local t = strew.zeros(2, 3)
---print(t:size())
---print(t:size(-1))
---```
---```text
---2	3
---3
---```
---@param self strew.Tensor
---@param dim? integer
---@return integer ...
function strew.size(self, dim) end

---Returns the strides of all dimensions in elements, as several results, or the stride of one dimension.
---
---```lua
---print(strew.zeros(2, 3):stride())
---print(strew.zeros(2, 3):t():stride(1))
---```
---```text
---3	1
---3
---```
---@param self strew.Tensor
---@param dim? integer
---@return integer ...
function strew.stride(self, dim) end

---Returns the number of dimensions (the rank).
---
---```lua
---print(strew.zeros(2, 3):dim(), strew.tensor(5):dim())
---```
---```text
---2	0
---```
---@param self strew.Tensor
---@return integer rank 0..16
function strew.dim(self) end

---Returns the number of elements.
---
---```lua
---print(strew.zeros(2, 3):numel())
---```
---```text
---6
---```
---@param self strew.Tensor
---@return integer n
function strew.numel(self) end

---Returns true if the elements are contiguous in memory, in row-major order.
---
---```lua
---local t = strew.zeros(2, 3)
---print(t:is_contiguous(), t:t():is_contiguous())
---```
---```text
---true	false
---```
---@param self strew.Tensor
---@return boolean
function strew.is_contiguous(self) end

---Returns the dtype to which operands are promoted: see `?promotion`.
---
---```lua
---local t = strew.tensor({1, 2}, {dtype = "int8"})
---print(strew.result_type(t, 1), strew.result_type(t, 0.5), strew.result_type(t, "uint8"))
---```
---```text
---int8	float32	int16
---```
---@param a strew.Tensor|strew.dtype|number|boolean
---@param ... strew.Tensor|strew.dtype|number|boolean
---@return strew.dtype
function strew.result_type(a, ...) end

---Returns the limits of a float dtype: a table with `bits`, `eps` (the step after 1), `max`, `min` and `smallest_normal`.
---
---`strew.pi`, `strew.inf` and `strew.nan` are numbers.
---
---```lua
---print(strew.finfo("float16").max, strew.finfo("float16").eps)
---```
---```text
---65504.0	0.0009765625
---```
---@param dtype strew.dtype error: not a float dtype
---@return table limits
function strew.finfo(dtype) end

---Returns the limits of an integer dtype: a table with `bits`, `max` and `min`. uint64's `max` is no Lua integer: it is
---the float nearest to it, 2.0^64.
---
---```lua
---print(strew.iinfo("int8").min, strew.iinfo("uint8").max)
---```
---```text
----128	255
---```
---@param dtype strew.dtype error: not an integer dtype
---@return table limits
function strew.iinfo(dtype) end

---Returns "tensor" for a tensor, nil for any other value.
---
---```lua
---print(strew.type(strew.zeros(1)), strew.type({}))
---```
---```text
---tensor	nil
---```
---@param x any
---@return "tensor"|nil
function strew.type(x) end

---Returns the only element as a Lua number or boolean.
---
---It waits for the device. It is an error if the tensor does not have exactly one element.
---
---```lua
---print(strew.tensor{3, 4}:sum():item())
---```
---```text
---7
---```
---@param self strew.Tensor with one element
---@return number|boolean
function strew.item(self) end

---Returns all elements as nested Lua tables; of a tensor of rank 0, its value.
---
---The tables count from 1.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:tolist()[2][1])
---```
---```text
---3
---```
---@param self strew.Tensor
---@return any
function strew.tolist(self) end

---Returns the element at a position as a Lua number or boolean.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}
---print(t:get(1, 0), t:get(-1, -1))
---```
---```text
---3	4
---```
---@param self strew.Tensor
---@param ... integer|integer[] "position..." one integer for each dimension, -1 is the last; error: out of range
---@return number|boolean
function strew.get(self, ...) end

---Writes one element.
---
---The value is the last argument, after one integer for each dimension. Returns nothing.
---
---```lua
---local t = strew.zeros(2, 2)
---t:set(0, 1, 5)
---print(t)
---```
---```text
---float32[2, 2] cpu
--- 0  5
--- 0  0
---```
---@param self strew.Tensor
---@param ... integer|number|boolean "position..., value" error: out of range, or a value that the dtype cannot hold
function strew.set(self, ...) end

---Converts to another dtype, copies to another device, or both.
---
---Floats become integers by truncation toward 0; values out of range are clipped, NaN becomes 0. Integers wrap. A float
---too large for the dtype becomes infinite. bool is x ~= 0. If dtype and device are self's, the result is a view of
---self.
---
---```lua
---print(strew.tensor{1.75, -1.75, 300}:to("int8"))
---print(strew.tensor{0, 2}:to("bool"))
---print(strew.tensor{1}:to("cpu", "float64"))
---```
---```text
---int8[3] cpu
---   1   -1  127
---bool[2] cpu
--- false   true
---float64[1] cpu
--- 1
---```
---@param self strew.Tensor
---@param target? strew.dtype|strew.device "dtype or device" one of the two
---@param other? strew.dtype|strew.device "device or dtype" the other one
---@param options? strew.new_options the same by name
---@return strew.Tensor t
function strew.to(self, target, other, options) end

---Returns a copy in new memory, in row-major order.
---
---```lua
---local t = strew.zeros(2)
---local copy = t:clone()
---t:fill_(1)
---print(copy)
---```
---```text
---float32[2] cpu
--- 0  0
---```
---@param self strew.Tensor
---@return strew.Tensor t
function strew.clone(self) end

---Returns a contiguous tensor of the same values: a view of self if it is contiguous, else a copy in row-major order.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}:t()
---print(t:contiguous():stride())
---```
---```text
---2	1
---```
---@param self strew.Tensor
---@return strew.Tensor t a view, or a copy
function strew.contiguous(self) end

---Copies the values of src into self's shape and dtype: broadcasts, and converts like `to`.
---
---The two tensors may be on different devices.
---
---```lua
---local t = strew.zeros(2, 3)
---print(t:copy_(strew.tensor{1, 2, 3}))
---```
---```text
---float32[2, 3] cpu
--- 1  2  3
--- 1  2  3
---```
---@param self strew.Tensor
---@param src strew.Tensor error: its shape does not broadcast to self's
---@return strew.Tensor t
function strew.copy(self, src) end

---Returns a tensor of self's shape and dtype filled with one value.
---
---```lua
---local t = strew.zeros(2, 3)
---t:select(1, 0):fill_(9)
---print(t)
---```
---```text
---float32[2, 3] cpu
--- 9  0  0
--- 9  0  0
---```
---@param self strew.Tensor
---@param value number|boolean error: the dtype cannot hold it
---@return strew.Tensor t
function strew.fill(self, value) end

---Returns a tensor of self's shape and dtype filled with zeros.
---
---```lua
---print(strew.ones(3):zero_())
---```
---```text
---float32[3] cpu
--- 0  0  0
---```
---@param self strew.Tensor
---@return strew.Tensor t
function strew.zero(self) end

---Frees the tensor now, without waiting for Lua's garbage collector.
---
---Using the tensor afterwards is an error; views of it stay valid, and keep the memory.
---
---```lua
---local t = strew.zeros(1000)
---t:free()
---print(pcall(t.sum, t))
---```
---```text
---false	example:3: sum: 'self' was freed
---```
---@param self strew.Tensor
function strew.free(self) end

------------------------------------------------------------------------------------------------------------------ Views

---Returns a view with another shape.
---
---```lua
---print(strew.arange(6):view(2, -1))
---```
---```text
---int64[2, 3] cpu
--- 0  1  2
--- 3  4  5
---```
---@param self strew.Tensor error: its strides do not allow the shape without a copy
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; one may be -1: it is inferred
---@return strew.Tensor t a view of self's elements
function strew.view(self, ...) end

---Returns the same values with another shape: a view if possible, else a copy.
---
---```lua
---local t = strew.arange(6):view(2, 3)
---print(t:t():reshape(6))
---```
---```text
---int64[6] cpu
--- 0  3  1  4  2  5
---```
---@param self strew.Tensor
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; one may be -1: it is inferred
---@return strew.Tensor t a view of self's elements where its strides allow, else a copy
function strew.reshape(self, ...) end

---Merges adjacent dimensions into one.
---
---```lua
---print(table.unpack(strew.zeros(2, 3, 4):flatten(1).shape))
---```
---```text
---2	12
---```
---@param self strew.Tensor
---@param start_dim? integer the first one, default 0
---@param end_dim? integer the last one, default -1
---@return strew.Tensor t a view if possible, else a copy
---@overload fun(self: strew.Tensor, options: {start_dim?: integer, end_dim?: integer}): strew.Tensor
function strew.flatten(self, start_dim, end_dim) end

---Reorders the dimensions.
---
---```lua
---print(table.unpack(strew.zeros(2, 3, 4):permute(2, 0, 1).shape))
---```
---```text
---4	2	3
---```
---@param self strew.Tensor
---@param ... integer|integer[] "dims..." each dimension once, as numbers or one sequence
---@return strew.Tensor t a view of self's elements
function strew.permute(self, ...) end

---Moves dimensions to other places; the others keep their order.
---
---```lua
---local shape = strew.zeros(2, 3, 4):movedim(0, -1).shape
---print(table.concat(shape, " "))
---```
---```text
---3 4 2
---```
---@param self strew.Tensor any dtype
---@param source integer|integer[] the dimensions to move; error: the same twice
---@param destination integer|integer[] where each of them goes; error: the same twice
---@return strew.Tensor t a view
function strew.movedim(self, source, destination) end

---Moves dimensions to other places: NumPy's name of `movedim`.
---
---```lua
---local shape = strew.zeros(2, 3, 4):moveaxis({0, 1}, {2, 0}).shape
---print(table.concat(shape, " "))
---```
---```text
---3 4 2
---```
---@param self strew.Tensor any dtype
---@param source integer|integer[] the dimensions to move; error: the same twice
---@param destination integer|integer[] where each of them goes; error: the same twice
---@return strew.Tensor t a view
function strew.moveaxis(self, source, destination) end

---Swaps two dimensions.
---
---```lua
---print(table.unpack(strew.zeros(2, 3, 4):transpose(0, -1).shape))
---```
---```text
---4	3	2
---```
---@param self strew.Tensor
---@param dim0 integer
---@param dim1 integer
---@return strew.Tensor t a view of self's elements
function strew.transpose(self, dim0, dim1) end

---Exchanges two dimensions: NumPy's name of `transpose`.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:swapaxes(0, 1))
---```
---```text
---int64[3, 2] cpu
--- 1  4
--- 2  5
--- 3  6
---```
---@param self strew.Tensor any dtype
---@param dim0 integer
---@param dim1 integer
---@return strew.Tensor t a view; in place self
function strew.swapaxes(self, dim0, dim1) end

---Transposes a matrix.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:t())
---```
---```text
---int64[3, 2] cpu
--- 1  4
--- 2  5
--- 3  6
---```
---@param self strew.Tensor 2 dimensions; with fewer, the result equals self; error: more than 2
---@return strew.Tensor t a view of self's elements
function strew.t(self) end

---Removes dimensions of size 1.
---
---```lua
---local t = strew.zeros(1, 3, 1)
---print(#t:squeeze().shape, #t:squeeze(0).shape, #t:squeeze(1).shape)
---```
---```text
---1	2	3
---```
---@param self strew.Tensor
---@param dim? integer|integer[] removes these, where their size is 1; default: all of size 1
---@return strew.Tensor t a view of self's elements
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[]}): strew.Tensor
function strew.squeeze(self, dim) end

---Inserts a dimension of size 1 before dimension dim.
---
---```lua
---print(strew.tensor{1, 2}:unsqueeze(-1))
---```
---```text
---int64[2, 1] cpu
--- 1
--- 2
---```
---@param self strew.Tensor
---@param dim integer position of the new dimension, -rank-1..rank
---@return strew.Tensor t a view of self's elements
function strew.unsqueeze(self, dim) end

---Repeats dimensions of size 1, without copying (stride 0).
---
---An expanded view cannot be written in place, because its elements share memory. As index or src of a scatter it is
---never copied.
---
---```lua
---print(strew.tensor{{1}, {2}}:expand(2, 3))
---print(strew.tensor{{1}, {2}}:expand(-1, 3):stride())
---```
---```text
---int64[2, 3] cpu
--- 1  1  1
--- 2  2  2
---1	0
---```
---@param self strew.Tensor
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; -1 keeps a size; new dimensions come first
---@return strew.Tensor t a view of self's elements
function strew.expand(self, ...) end

---Expands to the shape of another tensor.
---
---```lua
---local src = strew.ones(2, 3)
---print(strew.tensor{1, 0}:unsqueeze(-1):expand_as(src))
---```
---```text
---int64[2, 3] cpu
--- 1  1  1
--- 0  0  0
---```
---@param self strew.Tensor
---@param other strew.Tensor
---@return strew.Tensor t a view of self's elements
function strew.expand_as(self, other) end

---Repeats along dimensions without a copy: another name of `expand`.
---
---```lua
---print(strew.tensor{1, 2}:broadcast_to(2, 2))
---```
---```text
---int64[2, 2] cpu
--- 1  2
--- 1  2
---```
---@param self strew.Tensor any dtype
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; -1 keeps a size
---@return strew.Tensor t a view
function strew.broadcast_to(self, ...) end

---Returns one position of a dimension, without that dimension.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:select(1, 0))
---```
---```text
---int64[2] cpu
--- 1  3
---```
---@param self strew.Tensor
---@param dim integer
---@param position integer -1 is the last; error: out of range
---@return strew.Tensor t a view of self's elements
function strew.select(self, dim, position) end

---Returns `length` positions of a dimension, from `start` on.
---
---```lua
---print(strew.arange(6):narrow(0, 2, 3))
---```
---```text
---int64[3] cpu
--- 2  3  4
---```
---@param self strew.Tensor
---@param dim integer
---@param start integer -1 is the last
---@param length integer error: start + length exceeds the size
---@return strew.Tensor t a view of self's elements
function strew.narrow(self, dim, start, length) end

---Returns positions start, start + step, ... of a dimension, before stop, like Python's `t[start:stop:step]`.
---
---start and stop are clipped to the dimension. A negative step goes backwards, from the end on; the result is a copy.
---
---```lua
---print(strew.arange(6):slice(0, 1, -1, 2))
---print(strew.arange(6):slice(0, {stop = 2}))
---print(strew.arange(6):slice(0, {step = -2}))
---```
---```text
---int64[2] cpu
--- 1  3
---int64[2] cpu
--- 0  1
---int64[3] cpu
--- 5  3  1
---```
---@param self strew.Tensor
---@param dim integer
---@param start? integer default 0, with a negative step the last; negative values count from the end
---@param stop? integer default: the end, with a negative step before 0; negative values count from the end
---@param step? integer default 1; error: 0
---@return strew.Tensor t a view of self's elements, with a negative step a copy
---@overload fun(self: strew.Tensor, dim: integer, options: {start?: integer, stop?: integer, step?: integer}): strew.Tensor
function strew.slice(self, dim, start, stop, step) end

---Returns a view of self's memory with any shape, strides and offset.
---
---```lua
---print(strew.arange(5):as_strided({3, 3}, {1, 1})) -- windows that overlap
---```
---```text
---int64[3, 3] cpu
--- 0  1  2
--- 1  2  3
--- 2  3  4
---```
---@param self strew.Tensor
---@param shape integer|integer[]
---@param strides integer|integer[] in elements, 0 or more, one for each size; error: they reach beyond the memory
---@param offset? integer first element, counted from the start of the memory; default: self's first element
---@return strew.Tensor t a view of self's elements
---@overload fun(self: strew.Tensor, shape: integer|integer[], strides: integer|integer[], options: {offset?: integer}): strew.Tensor
function strew.as_strided(self, shape, strides, offset) end

---------------------------------------------------------------------------------------------------- Joining, splitting

---Concatenates tensors along a dimension.
---
---```lua
---local t = strew.tensor{{1, 2}}
---print(strew.cat{t, t * 10})
---print(t:cat(t * 10, 1))
---```
---```text
---int64[2, 2] cpu
---  1   2
--- 10  20
---int64[1, 4] cpu
---  1   2  10  20
---```
---@param tensors strew.Tensor[] one or more, with equal sizes except along dim; dtypes are promoted
---@param dim? integer default 0
---@return strew.Tensor t
---@overload fun(self: strew.Tensor, ...: strew.Tensor|integer): strew.Tensor
function strew.cat(tensors, dim) end

---Joins tensors along a dimension, as `cat`; of tables of columns the rows, below one another (append).
---
---`strew.concat({a, b, ...}, {fill = true})` takes tables. Columns belong together by their names, or by their numbers if
---they have none; they are in the order in which they first occur. Numbers are promoted as by `cat`, words merged; text,
---times and numbers do not mix. An integer that the promoted dtype does not hold is an error, and so it is in `strew.melt`.
---Tables without rows have no part in the dtype. A column that a table lacks is an error, or with `fill = true` missing
---there as in `strew.join`; a number as `fill` is that call's.
---
---```lua
---print(strew.concat{strew.tensor{1, 2}, strew.tensor{3}})
---local jan = strew.table{city = {"Oslo", "Rome"}, rain = {2, 5}}
---local feb = strew.table{city = {"Rome"}, rain = {1.5}, wind = {7}}
---print(strew.concat({jan, feb}, {fill = true}))
---```
---```text
---int64[3] cpu
--- 1  2  3
---table: 3 rows, 3 columns, cpu
--- city     rain     wind
--- text  float64  float64
--- Oslo      2.0      nan
--- Rome      5.0      nan
--- Rome      1.5        7
---```
---@param tensors strew.Tensor[]|table[] a sequence, or tensors as arguments
---@param dim? integer default 0; of tables options: {fill = true}, {fill = 0}
---@return any t a tensor, or a new table of columns; error: tables on two devices
function strew.concat(tensors, dim) end

---Joins tensors along a dimension: NumPy's name of `cat`.
---
---```lua
---print(strew.concatenate{strew.tensor{1, 2}, strew.tensor{3}})
---```
---```text
---int64[3] cpu
--- 1  2  3
---```
---@param tensors strew.Tensor[] a sequence, or the tensors as arguments
---@param dim? integer default 0
---@return strew.Tensor t
function strew.concatenate(tensors, dim) end

---Stacks tensors of one shape along a new dimension.
---
---```lua
---print(strew.stack{strew.tensor{1, 2}, strew.tensor{3, 4}})
---```
---```text
---int64[2, 2] cpu
--- 1  2
--- 3  4
---```
---@param tensors strew.Tensor[] one or more; dtypes are promoted
---@param dim? integer position of the new dimension, default 0
---@return strew.Tensor t
---@overload fun(self: strew.Tensor, ...: strew.Tensor|integer): strew.Tensor
function strew.stack(tensors, dim) end

---Joins tensors side by side: vectors one after the other, others along dimension 1.
---
---```lua
---print(strew.hstack{strew.tensor{{1}, {2}}, strew.tensor{{3, 4}, {5, 6}}})
---```
---```text
---int64[2, 3] cpu
--- 1  3  4
--- 2  5  6
---```
---@param tensors strew.Tensor[] a sequence
---@return strew.Tensor t
function strew.hstack(tensors) end

---Joins tensors one above the other; a vector is a row.
---
---```lua
---print(strew.vstack{strew.tensor{1, 2}, strew.tensor{{3, 4}, {5, 6}}})
---```
---```text
---int64[3, 2] cpu
--- 1  2
--- 3  4
--- 5  6
---```
---@param tensors strew.Tensor[] a sequence
---@return strew.Tensor t
function strew.vstack(tensors) end

---Joins tensors side by side; a vector is a column.
---
---```lua
---print(strew.column_stack{strew.tensor{1, 2}, strew.tensor{3, 4}})
---```
---```text
---int64[2, 2] cpu
--- 1  3
--- 2  4
---```
---@param tensors strew.Tensor[] a sequence
---@return strew.Tensor t
function strew.column_stack(tensors) end

---Splits into views of one length, or of the lengths in a sequence.
---
---```lua
---local views = strew.arange(5):split(2)
---print(#views)
---print(views[3])
---print(strew.arange(5):split({1, 4})[2])
---```
---```text
---3
---int64[1] cpu
--- 4
---int64[4] cpu
--- 1  2  3  4
---```
---@param self strew.Tensor
---@param size integer|integer[] length of each view (the last may be shorter); or all lengths, their sum dim's size
---@param dim? integer default 0
---@return strew.Tensor[] views a Lua sequence, counted from 1
---@overload fun(self: strew.Tensor, size: integer|integer[], options: {dim?: integer}): strew.Tensor[]
function strew.split(self, size, dim) end

---Splits into a number of views of equal length; the last view may be shorter, and there may be fewer views.
---
---```lua
---for _, view in ipairs(strew.arange(5):chunk(3)) do print(view) end
---```
---```text
---int64[2] cpu
--- 0  1
---int64[2] cpu
--- 2  3
---int64[1] cpu
--- 4
---```
---@param self strew.Tensor
---@param chunks integer number of views, 1 or more; at most 1048576 if the dimension has size 0
---@param dim? integer default 0
---@return strew.Tensor[] views a Lua sequence, counted from 1
---@overload fun(self: strew.Tensor, chunks: integer, options: {dim?: integer}): strew.Tensor[]
function strew.chunk(self, chunks, dim) end

---Splits into a number of parts whose sizes differ by at most 1, or before given positions.
---
---```lua
---for _, part in ipairs(strew.arange(5):tensor_split(2)) do print(part) end
---print(#strew.arange(5):tensor_split{1, 3})
---```
---```text
---int64[3] cpu
--- 0  1  2
---int64[2] cpu
--- 3  4
---3
---```
---@param self strew.Tensor any dtype
---@param sections integer|integer[] the number of parts, or a sequence of positions, negative ones from the end
---@param dim? integer default 0
---@return strew.Tensor[] parts views
function strew.tensor_split(self, sections, dim) end

---Splits into the parts at each position of a dimension, without it.
---
---```lua
---local first, second = table.unpack(strew.tensor{{1, 2}, {3, 4}}:unstack())
---print(second)
---```
---```text
---int64[2] cpu
--- 3  4
---```
---@param self strew.Tensor any dtype
---@param dim? integer default 0
---@return strew.Tensor[] parts views
function strew.unstack(self, dim) end

--------------------------------------------------------------------------------------------------- Scatter by position

---Options of the scatter family.
---@class strew.mode_options
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Options of scatter.
---@class strew.scatter_options
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field reduce? strew.reduce_word combines src with self's values; by default src replaces them

---Options of scatter_reduce.
---@class strew.scatter_reduce_options
---@field include_self? boolean default true; false: self's values do not count where src arrives
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Writes src, or a number, into self at the positions given by index along dim.
---
---For each position p of index, in row-major order: `self[p with p[dim] = index[p]] = src[p]`. If index values repeat,
---the last one wins, on every device. `{reduce = ...}` combines instead, like `scatter_reduce`. If the second argument
---is a tensor, this is the group form: `strew.scatter(src, index, {dim =, reduce =, ...})`, see `scatter_sum`.
---
---Ranks are equal. No size of index exceeds src's, nor, except along dim, self's. A larger src is read at index's
---positions only; a warning says so after `warn("@on")`. An empty index changes nothing. In place, self must not
---overlap in memory with itself, index or src.
---
---```lua
---local t = strew.zeros(2, 3)
---print(t:scatter(1, strew.tensor{{2, 0}, {1, 1}}, strew.tensor{{1.0, 2}, {3, 4}}))
---print(t:scatter(1, strew.tensor{{2}, {0}}, 1)) -- one-hot
---print(strew.scatter(strew.tensor{1.5, 2, 3}, strew.tensor{0, 1, 0})) -- sums by group
---```
---```text
---float32[2, 3] cpu
--- 2  0  1
--- 0  4  0
---float32[2, 3] cpu
--- 0  0  1
--- 1  0  0
---float32[2] cpu
--- 4.5000  2.0000
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers; error: a value out of range
---@param src strew.Tensor|number|boolean a tensor of self's dtype, or a number that this dtype can hold
---@param options? strew.scatter_options
---@return strew.Tensor t self's shape and dtype
---@overload fun(src: strew.Tensor, index: strew.Tensor, options?: strew.group_scatter_options): strew.Tensor
function strew.scatter(self, dim, index, src, options) end

---Adds src to self at the positions given by index along dim.
---
---For each position p of index, in row-major order: `self[p with p[dim] = index[p]] += src[p]`. The result has the bits
---of a plain loop, on every device and thread count. Shapes are as for `scatter`. For bool, the sum is a logical or.
---
---```lua
---print(strew.zeros(3):scatter_add_(0, strew.tensor{0, 2, 2}, strew.tensor{1.0, 2.0, 3.0}))
---local rows = strew.tensor{1, 0, 1}:unsqueeze(-1):expand(3, 2) -- whole rows
---print(strew.zeros(2, 2):scatter_add_(0, rows, strew.tensor{{1.0, 2}, {3, 4}, {5, 6}}))
---```
---```text
---float32[3] cpu
--- 1  0  5
---float32[2, 2] cpu
--- 3  4
--- 6  8
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers; error: a value out of range
---@param src strew.Tensor|number a tensor of self's dtype, or a number that this dtype can hold
---@param options? strew.mode_options
---@return strew.Tensor t self's shape and dtype
function strew.scatter_add(self, dim, index, src, options) end

---Combines src with self at the positions given by index along dim: sum, prod, mean, amax or amin.
---
---Shapes are as for `scatter`, order and NaN as in `reduction`. The mean counts self's value as one more value, unless
---`include_self = false`. Elements without an index value do not change.
---
---```lua
---local t, index = strew.tensor{10, 20, 30}, strew.tensor{0, 0, 2}
---print(t:scatter_reduce(0, index, strew.tensor{4, 6, 50}, "amax"))
---print(t:scatter_reduce(0, index, strew.tensor{4, 6, 50}, "mean", {include_self = false}))
---```
---```text
---int64[3] cpu
--- 10  20  50
---int64[3] cpu
---  5  20  50
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers; error: a value out of range
---@param src strew.Tensor|number a tensor of self's dtype, or a number that this dtype can hold
---@param reduce strew.reduce_word
---@param options? strew.scatter_reduce_options
---@return strew.Tensor t self's shape and dtype
function strew.scatter_reduce(self, dim, index, src, reduce, options) end

---Reads self at the positions given by index along dim.
---
---For each position p of index: `out[p] = self[p with p[dim] = index[p]]`. In one dimension, `t:gather(0, index)` is a
---table lookup. For rows of a matrix, use `t:index_select(0, rows)`.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t:gather(1, strew.tensor{{2, 0}, {1, 1}}))
---print(t:gather(1, strew.tensor{{-1}, {-2}}, {mode = "wrap"}))
---```
---```text
---int64[2, 2] cpu
--- 3  1
--- 5  5
---int64[2, 1] cpu
--- 3
--- 5
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers, self's rank, no larger than self except along dim; error: out of range
---@param options? strew.mode_options
---@return strew.Tensor t index's shape, self's dtype
function strew.gather(self, dim, index, options) end

------------------------------------------------------------------------------------------------------ Scatter by group

---Options of the group form; dim, out and dim_size may also be passed by position.
---@class strew.group_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number|boolean value of empty groups; default 0, for scatter_mul 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Options of sums, products and means by group.
---@class strew.group_sum_options: strew.group_options
---@field dtype? strew.dtype computed and returned in: "float64", or of integers and bools "int64"; default: src's

---Options of strew.scatter in the group form.
---@class strew.group_scatter_options: strew.group_sum_options
---@field reduce? strew.reduce_word default "sum"

---Options of the group form after dim, out and dim_size by position.
---@class strew.fill_options
---@field fill? number|boolean value of empty groups; default 0, for scatter_mul 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, for sums, products and means.
---@class strew.sum_options: strew.fill_options
---@field dtype? strew.dtype computed and returned in: "float64", or of integers and bools "int64"; default: src's

---Returns the sum of each group of rows of src (group by), with the rules of torch_scatter.
---
---`index` holds the group of each row: `out[index[p]] += src[p]` along dim, in row-major order. An index of one
---dimension is applied along dim. An index of higher rank is aligned with src's leading dimensions. Sizes of 1 expand.
---An empty group holds `fill`. Integers wrap in src's dtype; with `{dtype = "int64"}` in that one. `g:sum(src)` of a
---grouping never wraps.
---
---```lua
---local station, rain = strew.tensor{0, 2, 0, 2}, strew.tensor{1.5, 0.25, 2.5, 0.5}
---print(strew.scatter_sum(rain, station))
---print(strew.scatter_sum(rain, station, {dim_size = 5, fill = -1}))
---```
---```text
---float32[3] cpu
--- 4.0000  0.0000  0.7500
---float32[5] cpu
---  4.0000  -1.0000   0.7500  -1.0000  -1.0000
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.sum_options
---@return strew.Tensor out src's dtype, or that of the option; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_sum_options): strew.Tensor
function strew.scatter_sum(src, index, dim, out, dim_size, options) end

---Returns the product of each group of rows of src.
---
---Shapes, order and wrapping are as for `scatter_sum`. An empty group holds 1 by default.
---
---```lua
---print(strew.scatter_mul(strew.tensor{2, 3, 4}, strew.tensor{0, 2, 0}))
---```
---```text
---int64[3] cpu
--- 8  1  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.sum_options
---@return strew.Tensor out src's dtype, or that of the option; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_sum_options): strew.Tensor
function strew.scatter_mul(src, index, dim, out, dim_size, options) end

---Returns the mean (average) of each group of rows of src.
---
---Shapes and order are as for `scatter_sum`. The mean of integers is an integer: it rounds toward minus infinity, and
---its sum wraps in src's dtype. For the exact mean use `{dtype = "float64"}` or `g:mean(src)` of a grouping; without it
---a warning says so once, at the prompt or after `warn("@on")`. With `out` it is `(out + sum) / count`, as in
---torch_scatter.
---
---```lua
---local class, length = strew.tensor{1, 0, 1}, strew.tensor{{1, 10}, {2, 20}, {4, 40}}
---print(strew.scatter_mean(length, class, {dim = 0, dtype = "float64"}))
---```
---```text
---float64[2, 2] cpu
---  2.0000  20.0000
---  2.5000  25.0000
---```
---@param src strew.Tensor error: bool without option dtype
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.sum_options
---@return strew.Tensor out src's dtype, or that of the option; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_sum_options): strew.Tensor
function strew.scatter_mean(src, index, dim, out, dim_size, options) end

---Returns the minimum of each group of rows of src, and its position (argmin).
---
---Shapes are as for `scatter_sum`. NaN is less than any number, -0 is less than 0.
---
---```lua
---local values, positions = strew.scatter_min(strew.tensor{5.0, 2.5, 2.5, 4.0}, strew.tensor{0, 0, 0, 2})
---print(values)
---print(positions)
---```
---```text
---float32[3] cpu
--- 2.5000  0.0000  4.0000
---int64[3] cpu
--- 1  4  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.fill_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@return strew.Tensor arg int64, the position of the first minimum along dim; for an empty group, src's size along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_options): strew.Tensor, strew.Tensor
function strew.scatter_min(src, index, dim, out, dim_size, options) end

---Returns the maximum of each group of rows of src, and its position (argmax).
---
---Shapes are as for `scatter_sum`. NaN is greater than any number, 0 is greater than -0.
---
---```lua
---local values, positions = strew.scatter_max(strew.tensor{5.0, 2.5, 7.0, 4.0}, strew.tensor{0, 0, 0, 2})
---print(values)
---print(positions)
---```
---```text
---float32[3] cpu
--- 7  0  4
---int64[3] cpu
--- 2  4  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.fill_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@return strew.Tensor arg int64, the position of the first maximum along dim; for an empty group, src's size along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_options): strew.Tensor, strew.Tensor
function strew.scatter_max(src, index, dim, out, dim_size, options) end

---Options of scatter_var and scatter_std.
---@class strew.variance_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field unbiased? boolean default true; false: a correction of 0
---@field correction? number the divisor is max(count - correction, 1), default 1; not with `unbiased`
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false
---@field dtype? strew.dtype "float64" computes and returns the result in float64; default: src's dtype

---The same, after dim by position.
---@class strew.variance_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field unbiased? boolean default true; false: a correction of 0
---@field correction? number the divisor is max(count - correction, 1), default 1; not with `unbiased`
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false
---@field dtype? strew.dtype "float64" computes and returns the result in float64; default: src's dtype

---Returns the variance of each group of src.
---
---The sum of squares about the mean is divided by max(count - 1, 1); with `unbiased = false`, by the count. A group of
---one element, or of none, gives 0; with `g:var`, `agg`, `pivot`, ... NaN, as in pandas (?tables). Two passes, means and then squares, in float64, rounded once: a common offset costs
---no precision. For a device without float64 they are computed on the CPU.
---
---```lua
---print(strew.scatter_var(strew.tensor{1.0, 3, 5, 7}, strew.tensor{0, 0, 0, 2}))
---print(strew.scatter_var(strew.tensor{1.0, 3, 5, 7}, strew.tensor{0, 0, 0, 2}, {unbiased = false}))
---```
---```text
---float32[3] cpu
--- 4  0  0
---float32[3] cpu
--- 2.6667  0.0000  0.0000
---```
---@param src strew.Tensor a float dtype; any dtype with `dtype = "float64"`
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.variance_more_options
---@return strew.Tensor out src's dtype or float64; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.variance_options): strew.Tensor
function strew.scatter_var(src, index, dim, options) end

---Returns the standard deviation of each group of src.
---
---The square root of the variance, with torch_scatter's divisor: max(count - 1, 1) + 1e-6. A group of one element, or
---of none, gives 0. `g:std`, `agg`, `pivot`, `rolling` and `ranges` have pandas' rule: the root of `g:var`, without 1e-6,
---and NaN for one element (?tables). As exact as scatter_var; squares may overflow or underflow without an effect on the
---result.
---
---```lua
---print(strew.scatter_std(strew.tensor{1.0, 3, 5, 7}, strew.tensor{0, 0, 0, 2}))
---print(strew.scatter_std(strew.tensor{1.0, 3, 5, 7}, strew.tensor{0, 0, 0, 2}, {unbiased = false}))
---```
---```text
---float32[3] cpu
--- 2.0000  0.0000  0.0000
---float32[3] cpu
--- 1.6330  0.0000  0.0000
---```
---@param src strew.Tensor a float dtype; any dtype with `dtype = "float64"`
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.variance_more_options
---@return strew.Tensor out src's dtype or float64; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.variance_options): strew.Tensor
function strew.scatter_std(src, index, dim, options) end

---Options of scatter_logsumexp.
---@class strew.logsumexp_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number value of empty groups, default 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.logsumexp_more_options
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number value of empty groups, default 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the logarithm of the sum of exponentials of each group, without overflow.
---
---The maximum of each group is subtracted first. A group of -inf alone gives -inf; an empty group holds `fill`, 0 by
---default as in torch_scatter.
---
---```lua
---print(strew.scatter_logsumexp(strew.tensor{1000.0, 1000, -1 / 0, 2}, strew.tensor{0, 0, 1, 3}))
---```
---```text
---float32[4] cpu
--- 1000.6932       -inf     0.0000     2.0000
---```
---@param src strew.Tensor a float dtype
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.logsumexp_more_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.logsumexp_options): strew.Tensor
function strew.scatter_logsumexp(src, index, dim, options) end

---Options of scatter_softmax and scatter_log_softmax.
---@class strew.group_softmax_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---The same, after dim by position.
---@class strew.softmax_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Returns the softmax within each group: exponentials that add up to 1.
---
---The maximum of each group is subtracted first. As in PyTorch, a group of -inf alone gives NaN. With `mode = "drop"`,
---elements without a group give 0.
---
---```lua
---print(strew.scatter_softmax(strew.tensor{1.0, 1, 5, -1 / 0}, strew.tensor{0, 0, 1, 1}))
---```
---```text
---float32[4] cpu
--- 0.5000  0.5000  1.0000  0.0000
---```
---@param src strew.Tensor a float dtype
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.softmax_more_options
---@return strew.Tensor out src's dtype and shape
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_softmax_options): strew.Tensor
function strew.scatter_softmax(src, index, dim, options) end

---Returns the logarithm of the softmax within each group.
---
---It is exact where the softmax itself would be rounded to 0. Elements without a group give 0.
---
---```lua
---print(strew.scatter_log_softmax(strew.tensor{1.0, 1, 5, -1 / 0}, strew.tensor{0, 0, 1, 1}))
---```
---```text
---float32[4] cpu
--- -0.6931  -0.6931   0.0000     -inf
---```
---@param src strew.Tensor a float dtype
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.softmax_more_options
---@return strew.Tensor out src's dtype and shape
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.group_softmax_options): strew.Tensor
function strew.scatter_log_softmax(src, index, dim, options) end

---Options of scatter_quantile.
---@class strew.group_quantile_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field interpolation? string "linear" (default), "lower", "higher", "midpoint" or "nearest"
---@field fill? number|boolean value of empty groups; default NaN, for other dtypes than floats 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.quantile_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field interpolation? string "linear" (default), "lower", "higher", "midpoint" or "nearest"
---@field fill? number|boolean value of empty groups; default NaN, for other dtypes than floats 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the q-quantile of each group, interpolated like NumPy's.
---
---The quantile lies at position q * (count - 1) of the sorted group. Between two elements, `interpolation` decides:
---"linear" and "midpoint" mix them and take floats only, "lower", "higher" and "nearest" (ties to even) choose one. A
---group with a NaN gives NaN. A mix of a finite element and an infinite one may be NaN, as in NumPy. The elements are
---sorted twice: scratch is about 24 bytes for each element of src.
---
---```lua
---local src, index = strew.tensor{4.0, 1, 2, 9}, strew.tensor{0, 0, 0, 2}
---print(strew.scatter_quantile(src, index, 0.25))
---print(strew.scatter_quantile(src, index, 0.25, {interpolation = "lower", fill = -1}))
---```
---```text
---float32[3] cpu
--- 1.5000     nan  9.0000
---float32[3] cpu
---  1  -1   9
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param q number from 0 to 1
---@param dim? integer
---@param options? strew.quantile_more_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, q: number, options: strew.group_quantile_options): strew.Tensor
function strew.scatter_quantile(src, index, q, dim, options) end

---Options of scatter_median.
---@class strew.median_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number|boolean value of empty groups; default NaN, for other dtypes than floats 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.median_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number|boolean value of empty groups; default NaN, for other dtypes than floats 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the median of each group: of two middle elements the lower one, as in PyTorch.
---
---A group with a NaN gives NaN. `g:median`, and "median" in `agg`, `pivot`, `rolling` and `ranges`, is the mean of the two,
---as in pandas; `g:lower_median` and "lower_median" are this one (?tables).
---
---```lua
---print(strew.scatter_median(strew.tensor{4, 1, 2, 3}, strew.tensor{0, 0, 0, 2}))
---```
---```text
---int64[3] cpu
--- 2  0  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.median_more_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.median_options): strew.Tensor
function strew.scatter_median(src, index, dim, options) end

---Options of scatter_count.
---@class strew.count_options
---@field dim_size? integer the result's size, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Counts how often each value occurs in index.
---
---`dim_size` sets the number of counts.
---
---```lua
---print(strew.scatter_count(strew.tensor{0, 2, 2}, {dim_size = 4}))
---```
---```text
---int64[4] cpu
--- 1  0  2  0
---```
---@param index strew.Tensor|strew.Grouping of integers; error: a value out of range
---@param options? strew.count_options
---@return strew.Tensor counts int64, one dimension
function strew.scatter_count(index, options) end

---Options of scatter_any and scatter_all.
---@class strew.truth_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.truth_more_options
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---True for each group of which at least one element is not zero.
---
---An empty group gives false. NaN is not zero.
---
---```lua
---print(strew.scatter_any(strew.tensor{1, 0, 0, 5}, strew.tensor{0, 0, 1, 3}))
---```
---```text
---bool[4] cpu
---  true  false  false   true
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.truth_more_options
---@return strew.Tensor out bool; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.truth_options): strew.Tensor
function strew.scatter_any(src, index, dim, options) end

---True for each group of which every element is not zero.
---
---An empty group gives true. NaN is not zero.
---
---```lua
---print(strew.scatter_all(strew.tensor{1, 0, 0, 5}, strew.tensor{0, 0, 1, 3}))
---```
---```text
---bool[4] cpu
--- false  false   true   true
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.truth_more_options
---@return strew.Tensor out bool; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.truth_options): strew.Tensor
function strew.scatter_all(src, index, dim, options) end

---Options of scatter_first and scatter_last.
---@class strew.choice_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number|boolean value of empty groups, default 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.choice_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field fill? number|boolean value of empty groups, default 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the first element of each group, by position along dim.
---
---An empty group holds `fill`.
---
---```lua
---print(strew.scatter_first(strew.tensor{4, 1, 2, 3}, strew.tensor{0, 0, 2, 2}))
---```
---```text
---int64[3] cpu
--- 4  0  2
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.choice_more_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.choice_options): strew.Tensor
function strew.scatter_first(src, index, dim, options) end

---Returns the last element of each group, by position along dim.
---
---An empty group holds `fill`.
---
---```lua
---print(strew.scatter_last(strew.tensor{4, 1, 2, 3}, strew.tensor{0, 0, 2, 2}))
---```
---```text
---int64[3] cpu
--- 1  0  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.choice_more_options
---@return strew.Tensor out src's dtype; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.choice_options): strew.Tensor
function strew.scatter_last(src, index, dim, options) end

---Options of scatter_nunique.
---@class strew.nunique_options
---@field dim? integer the dimension of src that is grouped, default -1
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---The same, after dim by position.
---@class strew.nunique_more_options
---@field dim_size? integer the result's size along dim, default max(index) + 1
---@field mode? strew.index_mode treatment of index values out of range, default "error"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Counts the distinct values of each group.
---
---All NaN are one value, and so are both zeros.
---
---```lua
---print(strew.scatter_nunique(strew.tensor{4, 4, 2, 3}, strew.tensor{0, 0, 2, 2}))
---```
---```text
---int64[3] cpu
--- 1  0  2
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor|strew.Grouping of integers, as in scatter_sum; error: a value out of range
---@param dim? integer
---@param options? strew.nunique_more_options
---@return strew.Tensor counts int64; src's sizes except along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor|strew.Grouping, options: strew.nunique_options): strew.Tensor
function strew.scatter_nunique(src, index, dim, options) end

-------------------------------------------------------------------------------------------------------------- Groupings

---A grouping assigns each element to one of n groups: make it once, use it for any number of reductions.
---
---strew.grouping and strew.group_by make one. It never changes: its tensors are read-only, clone them to write. Derived
---tensors are made when first needed, and kept. strew.scatter(src, g) and all scatter_*(src, g) take it as their index,
---without dim_size and mode; src has its length along dim.
---
---Methods, with the options of scatter_NAME: `g:sum(src)`, `prod`, `mean`, `var`, `std`, `min`, `max` (with positions),
---`any`, `all`, `first`, `last`, `median`, `lower_median`, `quantile(src, q)`, `nunique`, `logsumexp`, `softmax`, `log_softmax`;
---`g:count([src [, {skip_nan}]])`. Of one dimension: `g:argsort(src [, descending])`, positions group after group, in order
---within each; `g:rank(src [, descending])`, each element's place in its group from 0 on; `g:topk(src, k [, largest])`,
---values, positions and groups of the k largest of each group; `g:cumsum(src [, {dtype, skip_nan}])`, running sums;
---with skip_nan NaN adds nothing to them. Ties are ordered by position; NaN, NaT and the empty word come last in both
---directions, or first with `nulls = "first"`. `g:order()` has the positions of all elements,
---group after group; `g:starts()` where each group begins in it, then the end. `g:to(device)`, `g:free()`.
---
---Methods and `g:agg` have the rules of tables, which differ from scatter_NAME's in `median`, `std`, `var` and `quantile`
---of integers: ?tables. And they never wrap. Sums, products and running sums of integers and bools are int64,
---of unsigned ones uint64. One that this cannot hold is an error that names its group; a partial one may leave it, except of a
---running sum. Their mean is float64: the exact sum, rounded once, divided by the count. `{dtype = "float64"}` computes
---sums and products in floats, `"int64"` a mean that rounds toward minus infinity; src's own dtype must hold the
---result. An `out` of integers has that dtype, or int64 unless src is uint64, and counts as the first element of each group.
---
---A group without elements, or with `skip_nan` without a number, has NaN as mean, min, max, var, std, first, last, median
---and quantile of floats, and as mean, var, std, median and quantile of integers; 0 as sum, count, nunique and logsumexp, 1 as product, false as any,
---true as all, and 0 as other reductions of integers. `fill` gives it another value.
---
---```lua
---local g = strew.group_by(strew.tensor{7, 5, 7, 5, 7})
---local v = strew.tensor{1.0, 2, 3, 4, 5}
---print(g.ids)
---print(g:mean(v))
---local values, positions, groups = g:topk(v, 1)
---print(positions)
---```
---```text
---int64[5] cpu
--- 1  0  1  0  1
---float32[2] cpu
--- 3  3
---int64[2] cpu
--- 3  4
---```
---@class strew.Grouping
---@field n integer the number of groups
---@field length integer the number of elements
---@field device string the device's full name
---@field ids strew.Tensor int64: the group of each element, -1 if it has none
---@field counts strew.Tensor int64: the number of elements of each group
---@field positions strew.Tensor int64: the position of each group's first element; of an empty group `length`
---@field keys strew.Tensor[] the keys of the groups, a tensor for each key; of a table by column
local Grouping = {}

---Options of grouping.
---@class strew.grouping_options
---@field dim_size? integer the number of groups, default max(index) + 1
---@field mode? strew.index_mode treatment of values out of range, default "error"; "drop": these belong to no group

---Returns the grouping of ids, which it copies and checks once.
---
---```lua
---local g = strew.grouping(strew.tensor{0, 2, 2}, {dim_size = 4})
---print(g:sum(strew.tensor{1.0, 2, 3}))
---print(g.counts)
---```
---```text
---float32[4] cpu
--- 1  0  5  0
---int64[4] cpu
--- 1  0  2  0
---```
---@param index strew.Tensor of integers, one dimension; error: a value out of range
---@param options? strew.grouping_options
---@return strew.Grouping g
function strew.grouping(index, options) end

---Options of group_by.
---@class strew.group_by_options
---@field order? string numbers of groups: "sorted" (default), by their keys; "first", by their first elements

---Returns the grouping by keys: elements whose keys are all equal share a group.
---
---Keys are tensors of one dimension and one length, of any dtypes. Floats compare by value: all NaN share a group, the
---last one, and so do -0 and +0. Several keys sort like words in a dictionary. A key of a group is that of its first
---element.
---
---Of a table the keys are columns: `strew.group_by(x, "city")`, `strew.group_by(x, {"city", "year"})`; a string that is
---none is an expression of columns: `strew.group_by(x, "year // 10")`. Text is grouped and sorted by its words, in the
---order of bytes, whatever their codes. `g.keys` is a new table of the keys, which are read-only, and `g:agg` takes names
---of x's columns.
---
---Memory: 1, 2 or 4 bytes for each element (8 on a device), and 8 more from the first `g.ids`, use of g as an index or
---reduction like g:sum on. To make g of one key of numbers takes up to 32 bytes for each element.
---
---```lua
---local year, size = strew.tensor{2001, 2000, 2001, 2000}, strew.tensor{1.5, 1.5, 2, 1.5}
---local g = strew.group_by(year, size)
---print(g.ids)
---print(g.keys[1])
---print(g.keys[2])
---print(strew.group_by(year, {order = "first"}).keys[1])
---local x = strew.columns({city = strew.tensor{0, 1, 0}, rain = strew.tensor{4, 2, 3}}, nil, {city = {"Rome", "Oslo"}})
---print(strew.group_by(x, "city"):agg{rain = {"sum", "rain"}})
---```
---```text
---int64[4] cpu
--- 1  0  2  0
---int64[3] cpu
--- 2000  2001  2001
---float32[3] cpu
--- 1.5000  1.5000  2.0000
---int64[2] cpu
--- 2001  2000
---table: 2 rows, 2 columns, cpu
--- city   rain
--- text  int64
--- Oslo      2
--- Rome      7
---```
---@param keys strew.Tensor|strew.Tensor[] one dimension, any dtype; or a sequence of keys
---@param options? strew.group_by_options
---@return strew.Grouping g
---@overload fun(keys: strew.Tensor, ...: strew.Tensor|strew.group_by_options): strew.Grouping
---@overload fun(x: table, by: any, options?: strew.group_by_options): strew.Grouping
function strew.group_by(keys, options) end

---# agg
---Several reductions of a grouping at once, `g:agg{NAME = {WORD, src, OPTION = ...}, ...}`.
---
---A sequence `g:agg{{NAME, WORD, src, OPTION = ...}, ...}` gives the columns in its order.
---
---The result is a table of columns, keys first. The words are those of the methods: sum, prod, mean, var, std, min, max,
---any, all, first, last, median, lower_median, quantile (with q = ...), count, nunique and logsumexp, each with its
---method's options. Medians, deviations and quantiles are pandas': ?tables.
---`"count"` alone is the size of the groups. The keys are the columns "key", or "key1", "key2", ...; the others follow in
---alphabetical order. Sums, products, means, extremes and counts share one pass over the elements.
---
---If the groups are those of a table, src may be the name of one of its columns, or an expression of them as
---`{"sum", "price * n"}` (?expressions), and the keys keep their names and words. A text column has the reductions first,
---last, min and max (by its words), count, and nunique, the number of different words. A reduction of one's own stands in
---the place of a word: `{r, "price"}`, or `{r, {a = v, b = w}}` with tensors as its sources (?reduction).
---
---Sums and products of integers and bools are int64, of unsigned ones uint64, and never wrap; their mean is float64. With
---`skip_nan`, a group whose elements are all NaN is as an empty one: NaN for most words, 0 for a sum, 1 for a product, or
---`fill`. The rules are those of the methods: ?Grouping.
---
---```lua
---local g = strew.group_by(strew.tensor{7, 5, 7, 5, 7})
---local v = strew.tensor{1, 2, 3, 4, 6}
---print(g:agg{total = {"sum", v}, average = {"mean", v}, n = "count"})
---```
---```text
---table: 2 rows, 4 columns, cpu
---   key   average      n  total
--- int64   float64  int64  int64
---     5  3.000000      2      6
---     7  3.333333      3     10
---```

-------------------------------------------------------------------------------------------------------------- Segments

---Options of segment_csr.
---@class strew.segment_csr_options
---@field reduce? strew.reduce_word default "sum"
---@field out? strew.Tensor overwritten and returned

---Reduces segments of consecutive elements, given by their ends (CSR), with the rules of torch_scatter.
---
---Segment i is `src[indptr[i]]` to `src[indptr[i + 1] - 1]` along dimension `indptr:dim() - 1`. Leading dimensions of
---indptr broadcast. Empty segments give 0, for products 1. Minima and maxima also return their positions. A value of
---indptr that is out of range, or less than the one before it, is an error that names the first.
---
---The elements of a segment join in order: results have the bits of the group form. Scratch does not grow with the
---operands. (OpenCL: 4 bytes for each element of the result if it is a sum, product or mean of 16-bit floats that is
---too long for one launch.)
---
---```lua
---local src = strew.tensor{1.0, 2, 3, 4, 5, 6}
---print(strew.segment_csr(src, strew.tensor{0, 2, 5, 5, 6}))
---local values, positions = strew.segment_csr(src, strew.tensor{0, 2, 5, 5, 6}, {reduce = "max"})
---print(values)
---print(positions)
---```
---```text
---float32[4] cpu
---  3  12   0   6
---float32[4] cpu
--- 2  5  0  6
---int64[4] cpu
--- 1  4  6  5
---```
---@param src strew.Tensor any dtype and strides
---@param indptr strew.Tensor of integers, not decreasing, 0 to the size of src; its dimensions are src's first; or empty
---@param options? strew.segment_csr_options
---@return strew.Tensor out src's dtype; one row for each segment
---@return strew.Tensor? arg int64, positions of the extremes; for an empty segment, src's size
function strew.segment_csr(src, indptr, options) end

---Repeats the value of each segment for all its elements: the reverse of segment_csr.
---
---indptr begins with 0; its last value is the result's size. It needs no scratch.
---
---```lua
---print(strew.gather_csr(strew.tensor{10, 20, 30}, strew.tensor{0, 2, 2, 5}))
---```
---```text
---int64[5] cpu
--- 10  10  30  30  30
---```
---@param src strew.Tensor any dtype and strides
---@param indptr strew.Tensor of integers, one value more than src has segments, or empty; error: the first that decreases
---@return strew.Tensor t src's dtype
function strew.gather_csr(src, indptr) end

---Options of segment_coo.
---@class strew.segment_coo_options
---@field reduce? strew.reduce_word default "sum"
---@field out? strew.Tensor written in place and returned; its values are combined too, empty groups keep theirs
---@field dim_size? integer the result's size along dim, default max(index) + 1

---Reduces segments of consecutive elements, given by a sorted index (COO), with the rules of torch_scatter.
---
---It is the group form, along dimension `index:dim() - 1`, for an index whose values do not decrease. Other values are
---an error that names the first descent. A new result needs scratch of 8 bytes for each segment.
---
---```lua
---print(strew.segment_coo(strew.tensor{1.0, 2, 3, 4}, strew.tensor{0, 0, 1, 3}, {reduce = "mean"}))
---```
---```text
---float32[4] cpu
--- 1.5000  3.0000  0.0000  4.0000
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor of integers, sorted; error: a value out of range
---@param options? strew.segment_coo_options
---@return strew.Tensor out src's dtype; one row for each segment
---@return strew.Tensor? arg int64, positions of the extremes; for an empty segment, src's size
function strew.segment_coo(src, index, options) end

---Repeats the value of each segment for all its elements, by a sorted index.
---
---`out[i] = src[index[i]]` along dimension `index:dim() - 1`. Values that decrease are an error that names the first.
---
---```lua
---print(strew.gather_coo(strew.tensor{10, 20, 30}, strew.tensor{0, 0, 2, 2}))
---```
---```text
---int64[4] cpu
--- 10  10  30  30
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor of integers, sorted; error: a value out of range
---@return strew.Tensor t src's dtype
function strew.gather_coo(src, index) end

---Options of segment_reduce.
---@class strew.segment_reduce_options
---@field lengths? strew.Tensor of integers; they add up to the size of data along axis
---@field offsets? strew.Tensor of integers, instead of lengths: the ends, as in segment_csr
---@field axis? integer the last dimension of lengths or offsets, default 0
---@field initial? number|boolean joined with each segment first

---Reduces segments of consecutive elements, given by their lengths, with the rules of PyTorch.
---
---Empty segments give `initial`, else 0 for a sum, 1 for a product, -inf and inf for maximum and minimum (for integers
---the lowest and highest value), NaN for a mean (for integers 0). A mean does not count `initial`. Lengths that are
---negative, or do not add up to the size of data, are errors. Scratch: 8 bytes for each length.
---
---```lua
---local data = strew.tensor{1.0, 2, 3, 4, 5, 6}
---print(strew.segment_reduce(data, "max", {lengths = strew.tensor{2, 3, 0, 1}}))
---print(strew.segment_reduce(data, "sum", {lengths = strew.tensor{2, 3, 0, 1}, initial = 10}))
---```
---```text
---float32[4] cpu
---    2     5  -inf     6
---float32[4] cpu
--- 13  22  10  16
---```
---@param data strew.Tensor any dtype and strides
---@param reduce strew.reduce_word how the elements of a segment are combined
---@param options? strew.segment_reduce_options
---@return strew.Tensor out data's dtype; one row for each segment
function strew.segment_reduce(data, reduce, options) end

------------------------------------------------------------------------------------------ Selecting, counting, moving

---Selects rows, columns, ...: the positions along a dimension given by index, in the order of index.
---
---`index` has at most one dimension; along dim the result has its size. Values may repeat. Values out of range are
---treated as `mode` says.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t:index_select(1, strew.tensor{2, 0, 2}))
---```
---```text
---int64[2, 3] cpu
--- 3  1  3
--- 6  4  6
---```
---@param self strew.Tensor any dtype
---@param dim integer
---@param index strew.Tensor of integers; error: a value out of range
---@param options? strew.mode_options
---@return strew.Tensor t self's dtype; along dim, index's size
function strew.index_select(self, dim, index, options) end

---Returns the elements where mask is true, in row-major order, in one dimension (a filter).
---
---self and mask broadcast. Scratch: an int64 for each selected element. For whole rows of a matrix, use
---`t:index_select(0, mask:nonzero():squeeze(1))`.
---
---```lua
---local t = strew.tensor{3, -1, 4, -1, 5}
---print(t:masked_select(t:gt(0)))
---```
---```text
---int64[3] cpu
--- 3  4  5
---```
---@param self strew.Tensor any dtype
---@param mask strew.Tensor bool; error: does not broadcast with self
---@return strew.Tensor t self's dtype, one dimension
function strew.masked_select(self, mask) end

---Options of bincount.
---@class strew.bincount_options
---@field weights? strew.Tensor one weight for each value, added instead of 1
---@field minlength? integer the minimum size of the result, default 0

---Counts how often each of 0, 1, 2, ... occurs (a histogram of integers); with weights, adds up the weights.
---
---The result has one element for every value from 0 to the largest. Negative values are an error.
---
---```lua
---print(strew.tensor{0, 2, 2, 5}:bincount())
---print(strew.bincount(strew.tensor{1, 1, 0}, {weights = strew.tensor{0.5, 0.25, 2}, minlength = 3}))
---```
---```text
---int64[6] cpu
--- 1  0  2  0  0  1
---float32[3] cpu
--- 2.0000  0.7500  0.0000
---```
---@param self strew.Tensor of integers, one dimension
---@param options? strew.bincount_options
---@return strew.Tensor counts int64, or the weights' dtype
function strew.bincount(self, options) end

---Counts the elements that are not zero, or not the empty word, of all or along dimensions. NaN is not zero.
---
---```lua
---print(strew.tensor{{0, 1, 2}, {0, 0, 3}}:count_nonzero(1))
---```
---```text
---int64[2] cpu
--- 2  1
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor counts int64
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.count_nonzero(self, dim, keepdim, options) end

---Options of isin.
---@class strew.isin_options
---@field invert? boolean true: tells whether it is not; default false

---Tells for each element whether it is among others.
---
---Numbers compare by value, in the common dtype; NaN is among none.
---
---```lua
---local city = strew.tensor{3, 1, 7, 3}
---print(city:isin{3, 7})
---print(city[city:isin(strew.tensor{1, 9})])
---```
---```text
---bool[4] cpu
---  true  false   true   true
---int64[1] cpu
--- 1
---```
---@param self strew.Tensor|number any dtype and shape
---@param test_elements strew.Tensor|number|number[] any shape
---@param options? strew.isin_options
---@return strew.Tensor t bool, self's shape
function strew.isin(self, test_elements, options) end

---Returns the coordinates of row-major positions: a tensor for each dimension of a shape, as multiple results.
---
---```lua
---local row, column = strew.tensor{1, 5}:unravel_index{2, 3}
---print(row)
---print(column)
---```
---```text
---int64[2] cpu
--- 0  1
---int64[2] cpu
--- 1  2
---```
---@param self strew.Tensor integers; error: out of range
---@param shape integer|integer[] sizes, 1 or more
---@return strew.Tensor ... int64, self's shape
function strew.unravel_index(self, shape) end

---Returns the row-major positions of coordinates in a shape.
---
---```lua
---print(strew.ravel_multi_index({strew.tensor{0, 1}, strew.tensor{1, 2}}, {2, 3}))
---```
---```text
---int64[2] cpu
--- 1  5
---```
---@param indices strew.Tensor[] integers, one for each dimension of shape; they broadcast; error: out of range
---@param shape integer|integer[] sizes, 1 or more
---@return strew.Tensor t int64
function strew.ravel_multi_index(indices, shape) end

---Counts the elements in equal bins between min and max (a histogram of floats).
---
---Elements outside, and NaN, are not counted; max belongs to the last bin. If min and max are equal, the range is
---self's own; elements that are all equal are then in the middle bin.
---
---```lua
---print(strew.histc(strew.tensor{1.0, 2, 1}, 4, 0, 3))
---```
---```text
---float32[4] cpu
--- 0  2  1  0
---```
---@param self strew.Tensor a float dtype; error: without min and max, infinities or NaN
---@param bins? integer default 100; error: less than 1
---@param min? number default 0; error: not finite, or too large for the dtype
---@param max? number default 0; error: the same, or less than min
---@return strew.Tensor counts self's dtype
---@overload fun(self: strew.Tensor, options: {bins?: integer, min?: number, max?: number}): strew.Tensor
function strew.histc(self, bins, min, max) end

---Options of histogram.
---@class strew.histogram_options
---@field range? number[] {low, high} of equal bins, default the extremes of self
---@field weights? strew.Tensor adds these in place of counting; self's shape and dtype
---@field density? boolean divides by the sum and by the size of each bin; default false

---Counts the elements in bins; also returns their edges.
---
---A bin has its lower edge, the last one both. Elements outside, and NaN, are not counted.
---
---```lua
---local counts, edges = strew.tensor{1.0, 2, 1, 4}:histogram(3)
---print(counts)
---print(edges)
---print((strew.tensor{1.0, 2, 1, 4}:histogram{0, 1.5, 9}))
---```
---```text
---float32[3] cpu
--- 2  1  1
---float32[4] cpu
--- 1  2  3  4
---float32[2] cpu
--- 2  2
---```
---@param self strew.Tensor a float dtype; error: without edges and range, infinities or NaN
---@param bins integer|number[]|strew.Tensor the number of equal bins, or the edges in ascending order
---@param options? strew.histogram_options
---@return strew.Tensor counts self's dtype
---@return strew.Tensor edges self's dtype, one more than bins
function strew.histogram(self, bins, options) end

---Options of histogramdd.
---@class strew.histogramdd_options
---@field range? number[] {low, high, low, high, ...}, default the extremes of each column
---@field weights? strew.Tensor adds these in place of counting; one for each row, self's dtype
---@field density? boolean divides by the sum and by the size of each bin; default false

---Counts points in bins of several dimensions; also returns the edges of each dimension.
---
---Rules are those of `histogram`.
---
---```lua
---local points = strew.tensor{{0.0, 1.0}, {0.1, 2.0}, {1.0, 1.0}}
---local counts, edges = points:histogramdd{2, 2}
---print(counts)
---print(edges[2])
---```
---```text
---float32[2, 2] cpu
--- 1  1
--- 1  0
---float32[3] cpu
--- 1.0000  1.5000  2.0000
---```
---@param self strew.Tensor a float dtype, two dimensions: a row is a point
---@param bins integer|table the number of equal bins in each dimension, or a sequence of numbers or edges, one for each
---@param options? strew.histogramdd_options
---@return strew.Tensor counts self's dtype, a dimension for each column
---@return strew.Tensor[] edges of each dimension
function strew.histogramdd(self, bins, options) end

---Options of one_hot.
---@class strew.one_hot_options
---@field num_classes? integer the size of the new dimension, default max(self) + 1

---Returns the one-hot encoding: each value v becomes a row of zeros with a 1 at position v, in a new last dimension.
---
---```lua
---print(strew.tensor{1, 0, 2}:one_hot())
---```
---```text
---int64[3, 3] cpu
--- 0  1  0
--- 1  0  0
--- 0  0  1
---```
---@param self strew.Tensor of integers; error: negative values
---@param options? strew.one_hot_options
---@return strew.Tensor t int64
function strew.one_hot(self, options) end

---Returns true for each element that is missing, else false: NaN, NaT among times, the empty word in text.
---
---Integers and bools have no missing element. In texts of expressions, too: `isnan(city)`.
---
---```lua
---print(strew.tensor{1, 0 / 0, 2}:isnan())
---print(strew.tensor{"Oslo", "", "Rome"}:isnan())
---```
---```text
---bool[3] cpu
--- false   true  false
---bool[3] cpu
--- false   true  false
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t bool
function strew.isnan(self) end

---Returns true for each element that is infinite, else false. No time is.
---
---```lua
---print(strew.tensor{1, 1 / 0, -1 / 0, 0 / 0}:isinf())
---```
---```text
---bool[4] cpu
--- false   true   true  false
---```
---@param self strew.Tensor any dtype; error: text
---@return strew.Tensor t bool
function strew.isinf(self) end

---Returns true for each element that is neither infinite nor NaN, else false; for each time that is not NaT.
---
---```lua
---print(strew.tensor{1, 1 / 0, -1 / 0, 0 / 0}:isfinite())
---```
---```text
---bool[4] cpu
---  true  false  false  false
---```
---@param self strew.Tensor any dtype; error: text
---@return strew.Tensor t bool
function strew.isfinite(self) end

---Replaces NaN by a number, 0 by default, and infinities by the largest and smallest finite numbers.
---
---Integers and bools stay as they are.
---
---```lua
---print(strew.tensor{1, 0 / 0, -1 / 0}:nan_to_num(0, 9, -9))
---```
---```text
---float32[3] cpu
---  1   0  -9
---```
---@param self strew.Tensor any dtype; error: text, times
---@param nan? number default 0; error, here and below: not a number of the dtype
---@param posinf? number in place of inf, default: the largest number of the dtype
---@param neginf? number in place of -inf, default: the smallest
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {nan?: number, posinf?: number, neginf?: number}): strew.Tensor
function strew.nan_to_num(self, nan, posinf, neginf) end

---Moves the elements along dimensions; those that leave at one end enter at the other (a rotation).
---
---Without dims, the tensor is rolled as if it had one dimension.
---
---```lua
---print(strew.tensor{1, 2, 3, 4, 5}:roll(2))
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:roll({1, -1}, {0, 1}))
---```
---```text
---int64[5] cpu
--- 4  5  1  2  3
---int64[2, 3] cpu
--- 5  6  4
--- 2  3  1
---```
---@param self strew.Tensor any dtype
---@param shifts integer|integer[] positions to move by, toward the end; negative: toward the start
---@param dims? integer|integer[] one for each shift, error: other counts; default: the tensor is flattened
---@return strew.Tensor t a copy
---@overload fun(self: strew.Tensor, shifts: integer|integer[], options: {dims?: integer|integer[]}): strew.Tensor
function strew.roll(self, shifts, dims) end

---Repeats a tensor as a whole, a number of times along each dimension.
---
---Counts are aligned with the last dimensions. Leading dimensions without a count are not repeated; additional counts
---make new dimensions in front.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:tile(3))
---print(strew.tensor{1, 2}:tile(2, 2))
---```
---```text
---int64[2, 6] cpu
--- 1  2  1  2  1  2
--- 3  4  3  4  3  4
---int64[2, 4] cpu
--- 1  2  1  2
--- 1  2  1  2
---```
---@param self strew.Tensor any dtype
---@param ... integer|integer[] "dims..." counts, as numbers or one sequence; error: negative
---@return strew.Tensor t a copy
function strew.tile(self, ...) end

---Repeats a tensor as a whole, like `tile`, with at least one count for each dimension.
---
---The name is a keyword of Lua: write `strew["repeat"](t, 2)`, or use `tile`, which takes fewer counts, too.
---
---```lua
---print(strew["repeat"](strew.tensor{1, 2}, 2, 3))
---```
---```text
---int64[2, 6] cpu
--- 1  2  1  2  1  2
--- 1  2  1  2  1  2
---```
---@param self strew.Tensor any dtype
---@param ... integer|integer[] "repeats..." counts, as numbers or one sequence; error: negative, fewer than dimensions
---@return strew.Tensor t a copy
strew["repeat"] = function(self, ...) end

---Options of repeat_interleave.
---@class strew.repeat_interleave_options
---@field output_size? integer the size along dim; error: the repeats add up to another

---Repeats each element, or each row along a dimension, a number of times.
---
---`repeats` is one number for all, or a tensor with a number for each. Without `repeats`, self holds the numbers, and
---the result is the positions, repeated.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}
---print(t:repeat_interleave(2))
---print(t:repeat_interleave(strew.tensor{1, 2}, 0))
---print(strew.repeat_interleave(strew.tensor{0, 3, 1}))
---```
---```text
---int64[8] cpu
--- 1  1  2  2  3  3  4  4
---int64[3, 2] cpu
--- 1  2
--- 3  4
--- 3  4
---int64[4] cpu
--- 1  1  1  2
---```
---@param self strew.Tensor any dtype
---@param repeats? integer|strew.Tensor 0 or more; integers, 0 or 1 dimension
---@param dim? integer default: the tensor is flattened
---@param options? strew.repeat_interleave_options
---@return strew.Tensor t a copy
---@overload fun(self: strew.Tensor, repeats: integer|strew.Tensor, options: {dim?: integer, output_size?: integer}): strew.Tensor
function strew.repeat_interleave(self, repeats, dim, options) end

---Returns the matrix with a vector on its diagonal, or the diagonal of a matrix.
---
---A positive `diagonal` counts diagonals above the main one, a negative one below.
---
---```lua
---print(strew.tensor{1, 2}:diag())
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:diag(1))
---```
---```text
---int64[2, 2] cpu
--- 1  0
--- 0  2
---int64[2] cpu
--- 2  6
---```
---@param self strew.Tensor any dtype, 1 or 2 dimensions; error: more
---@param diagonal? integer default 0
---@return strew.Tensor t a copy
---@overload fun(self: strew.Tensor, options: {diagonal?: integer}): strew.Tensor
function strew.diag(self, diagonal) end

---Returns the lower triangle of a matrix: the elements above a diagonal become 0.
---
---The matrices are the last two dimensions. A positive `diagonal` counts diagonals above the main one, a negative one
---below.
---
---```lua
---print(strew.arange(1, 10):view(3, 3):tril())
---```
---```text
---int64[3, 3] cpu
--- 1  0  0
--- 4  5  0
--- 7  8  9
---```
---@param self strew.Tensor any dtype, 2 or more dimensions; error: fewer
---@param diagonal? integer default 0
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {diagonal?: integer}): strew.Tensor
function strew.tril(self, diagonal) end

---Returns the upper triangle of a matrix: the elements below a diagonal become 0.
---
---The matrices are the last two dimensions. A positive `diagonal` counts diagonals above the main one, a negative one
---below.
---
---```lua
---print(strew.arange(1, 10):view(3, 3):triu())
---```
---```text
---int64[3, 3] cpu
--- 1  2  3
--- 0  5  6
--- 0  0  9
---```
---@param self strew.Tensor any dtype, 2 or more dimensions; error: fewer
---@param diagonal? integer default 0
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {diagonal?: integer}): strew.Tensor
function strew.triu(self, diagonal) end

---Reverses the order of the elements along one or more dimensions; without any, along all of them.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:flip(1))
---```
---```text
---int64[2, 3] cpu
--- 3  2  1
--- 6  5  4
---```
---@param self strew.Tensor any dtype
---@param ... integer|integer[] "dims..." the dimensions, as numbers or one sequence, which may be empty; error: the same twice
---@return strew.Tensor t a copy
function strew.flip(self, ...) end

---Rotates by quarter turns in the plane of two dimensions, from the first toward the second.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:rot90())
---```
---```text
---int64[2, 2] cpu
--- 2  4
--- 1  3
---```
---@param self strew.Tensor any dtype
---@param k? integer number of quarter turns, default 1; negative: the other way
---@param dims? integer[] the two dimensions, default {0, 1}
---@return strew.Tensor t
function strew.rot90(self, k, dims) end

---Returns a copy with elements before and after those of self, or without some of them.
---
---`pad` begins with the last dimension: {before, after, before, after, ...}. Negative numbers remove elements.
---
---```lua
---local t = strew.tensor{{1, 2, 3}}
---print(t:pad{1, 2})
---print(t:pad({0, 1, 1, 0}, "constant", 9))
---print(t:pad({2, 2}, "reflect"))
---```
---```text
---int64[1, 6] cpu
--- 0  1  2  3  0  0
---int64[2, 4] cpu
--- 9  9  9  9
--- 1  2  3  9
---int64[1, 7] cpu
--- 3  2  1  2  3  2  1
---```
---@param self strew.Tensor any dtype
---@param pad integer[] two numbers for each of the last dimensions
---@param mode? string how: "constant" (default), "reflect" (mirrored at the border element), "replicate" or "circular"
---@param value? number|boolean|string of constant, default 0, of text the empty word, of times NaT; error: the dtype cannot hold it
---@return strew.Tensor t a copy
---@overload fun(self: strew.Tensor, pad: integer[], options: {mode?: string, value?: number|boolean|string}): strew.Tensor
function strew.pad(self, pad, mode, value) end

---Options of diff.
---@class strew.diff_options
---@field prepend? strew.Tensor|number elements before the first one along dim, of self's dtype
---@field append? strew.Tensor|number elements after the last one

---Returns the differences of adjacent elements along a dimension: `out[i] = self[i + 1] - self[i]`.
---
---For bools: true where adjacent elements differ.
---
---```lua
---print(strew.tensor{1, 4, 9, 16}:diff())
---print(strew.tensor{1, 4, 9, 16}:diff(2))
---```
---```text
---int64[3] cpu
--- 3  5  7
---int64[2] cpu
--- 2  2
---```
---@param self strew.Tensor any dtype
---@param n? integer how often differences are taken, default 1; error: negative
---@param dim? integer default -1, the last
---@param options? strew.diff_options
---@return strew.Tensor t self's dtype; n elements fewer along dim
function strew.diff(self, n, dim, options) end

------------------------------------------------------------------------------------------------------- Writing by index
---Options of index_add.
---@class strew.index_add_options
---@field alpha? number|boolean a factor of source, default 1; for integers a whole number, which wraps in the dtype
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Options of index_put and put.
---@class strew.accumulate_options
---@field accumulate? boolean add to self instead of replacing its elements, default false
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Adds source to the rows, columns, ... of self that index names along a dimension.
---
---`source` has self's shape, except that its size along dim is the number of index values. Repeated values add up in the
---order of index: the result has the bits of a plain loop. With alpha, `alpha * source` is added; it takes memory of
---source's size.
---
---```lua
---local t = strew.zeros(3, 2)
---print(t:index_add_(0, strew.tensor{2, 0, 2}, strew.tensor{{1.0, 2}, {3, 4}, {5, 6}}))
---print(t:index_add(1, strew.tensor{0}, strew.ones(3, 1), {alpha = -1}))
---```
---```text
---float32[3, 2] cpu
--- 3  4
--- 0  0
--- 6  8
---float32[3, 2] cpu
---  2   4
--- -1   0
---  5   8
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers, at most one dimension; error: a value out of range
---@param source strew.Tensor self's dtype
---@param options? strew.index_add_options
---@return strew.Tensor t self's shape and dtype
function strew.index_add(self, dim, index, source, options) end

---Copies source to the rows, columns, ... of self that index names along a dimension.
---
---`source` has self's shape, except that its size along dim is the number of index values. If a value occurs twice, the
---last one stays.
---
---```lua
---print(strew.zeros(3, 2):index_copy(0, strew.tensor{2, 0}, strew.tensor{{1.0, 2}, {3, 4}}))
---```
---```text
---float32[3, 2] cpu
--- 3  4
--- 0  0
--- 1  2
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers, at most one dimension; error: a value out of range
---@param source strew.Tensor self's dtype
---@param options? strew.mode_options
---@return strew.Tensor t self's shape and dtype
function strew.index_copy(self, dim, index, source, options) end

---Combines source with the rows, columns, ... of self that index names: sum, prod, mean, amax or amin.
---
---`source` has self's shape, except that its size along dim is the number of index values. Order, means and NaN are as in
---`scatter_reduce`.
---
---```lua
---local t, index = strew.tensor{2, 2, 2}, strew.tensor{0, 2, 0}
---print(t:index_reduce(0, index, strew.tensor{3, 4, 5}, "prod"))
---print(t:index_reduce(0, index, strew.tensor{3, 4, 5}, "amin", {include_self = false}))
---```
---```text
---int64[3] cpu
--- 30   2   8
---int64[3] cpu
--- 3  2  4
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers, at most one dimension; error: a value out of range
---@param source strew.Tensor self's dtype
---@param reduce strew.reduce_word how source is combined with self
---@param options? strew.scatter_reduce_options
---@return strew.Tensor t self's shape and dtype
function strew.index_reduce(self, dim, index, source, reduce, options) end

---Fills the rows, columns, ... of self that index names along a dimension with one value.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:index_fill(1, strew.tensor{0, 2}, -1))
---```
---```text
---int64[2, 3] cpu
--- -1   2  -1
--- -1   5  -1
---```
---@param self strew.Tensor any dtype and strides
---@param dim integer the dimension along which index is applied
---@param index strew.Tensor of integers, at most one dimension; error: a value out of range
---@param value number|boolean|strew.Tensor a number that self's dtype can hold, or a tensor of rank 0 with such a number
---@param options? strew.mode_options
---@return strew.Tensor t self's shape and dtype
function strew.index_fill(self, dim, index, value, options) end

---Writes values to the elements of self that several index tensors name, one tensor per dimension.
---
---The tensors broadcast together and address the leading dimensions of self: `self[i1[p], i2[p], ...] = values[p]` for
---each position p, in row-major order. If an element is named twice, the last one stays, or all are added with
---`accumulate = true`. A bool tensor stands for the positions of its true elements, and as many dimensions as it has.
---
---Scratch: with two or more index tensors, an int64 for each position p. Values that repeat along a part of the
---positions are copied; so is self in place, if the addressed dimensions cannot be viewed as one (a transposed view).
---
---```lua
---local t = strew.zeros({2, 3}, {dtype = "int64"})
---print(t:index_put({strew.tensor{0, 1, 1}, strew.tensor{2, 0, 0}}, strew.tensor{5, 6, 7}))
---print(t:index_put_({strew.tensor{true, false}}, strew.tensor{1, 2, 3}, {accumulate = true}))
---```
---```text
---int64[2, 3] cpu
--- 0  0  5
--- 7  0  0
---int64[2, 3] cpu
--- 1  2  3
--- 0  0  0
---```
---@param self strew.Tensor any dtype and strides
---@param indices strew.Tensor[] int64, int32 or bool; error: a value out of range of its dimension
---@param values strew.Tensor|number|boolean a tensor of self's dtype that broadcasts, or a number, or one of rank 0
---@param options? strew.accumulate_options
---@return strew.Tensor t self's shape and dtype
function strew.index_put(self, indices, values, options) end

---Writes source to the elements of self that index names by their row-major position.
---
---If a position occurs twice, the last one stays, or all are added with `accumulate = true`. A tensor with gaps or in
---another order than row-major is copied first: self, index or source.
---
---```lua
---print(strew.tensor{{4, 3, 5}, {6, 7, 8}}:put(strew.tensor{1, 3}, strew.tensor{9, 10}))
---```
---```text
---int64[2, 3] cpu
---  4   9   5
--- 10   7   8
---```
---@param self strew.Tensor any dtype and strides
---@param index strew.Tensor of integers; error: a value out of range
---@param source strew.Tensor self's dtype, as many elements as index
---@param options? strew.accumulate_options
---@return strew.Tensor t self's shape and dtype
function strew.put(self, index, source, options) end

---Returns the elements of self at row-major positions, in index's shape.
---
---```lua
---print(strew.tensor{{4, 3, 5}, {6, 7, 8}}:take(strew.tensor{{0, 2}, {5, 5}}))
---```
---```text
---int64[2, 2] cpu
--- 4  5
--- 8  8
---```
---@param self strew.Tensor any dtype
---@param index strew.Tensor of integers; error: a value out of range
---@param options? strew.mode_options
---@return strew.Tensor t index's shape, self's dtype
function strew.take(self, index, options) end

---Reads self at the positions given by index along dim; the other dimensions broadcast.
---
---It sorts a tensor by the result of `argsort`, or picks what `argmax` found. Without dim, both are flattened first.
---
---```lua
---local t = strew.tensor{{3, 1, 2}, {4, 6, 5}}
---print(t:take_along_dim(t:argsort(1), 1))
---print(t:take_along_dim(t:argmax(1, true), 1))
---```
---```text
---int64[2, 3] cpu
--- 1  2  3
--- 4  5  6
---int64[2, 1] cpu
--- 3
--- 6
---```
---@param self strew.Tensor any dtype
---@param index strew.Tensor of integers, self's rank; error: a value out of range
---@param dim? integer default: none, self and index are flattened
---@param options? strew.mode_options
---@return strew.Tensor t self's dtype
function strew.take_along_dim(self, index, dim, options) end

---Options of gather_nd.
---@class strew.gather_nd_options
---@field batch_dims? integer how many leading dimensions self and indices have in common, default 0
---@field mode? strew.index_mode treatment of index values out of range, default "error"

---Writes updates to the elements or rows of self whose coordinates are in the last dimension of indices.
---
---A row of k coordinates addresses the first k dimensions of self: `self[indices[p]] = updates[p]`, in row-major order.
---`updates` has the shape of indices without its last dimension, then self's other dimensions. Without `reduce` the last
---one stays. `strew.scatter_nd(indices, updates, shape)` writes to new zeros; there, `reduce` is "sum" by default.
---Scratch: an int64 for each row of two or more coordinates.
---
---```lua
---local indices = strew.tensor{{0, 1}, {1, 2}, {0, 1}}
---print(strew.scatter_nd(indices, strew.tensor{1, 2, 3}, {2, 3}))
---print(strew.ones(2, 3):scatter_nd_(indices, strew.tensor{4.0, 5, 6}))
---print(strew.zeros(3, 2):scatter_nd(strew.tensor{{2}, {0}}, strew.ones(2, 2)))
---```
---```text
---int64[2, 3] cpu
--- 0  4  0
--- 0  0  2
---float32[2, 3] cpu
--- 1  6  1
--- 1  1  5
---float32[3, 2] cpu
--- 1  1
--- 0  0
--- 1  1
---```
---@param self strew.Tensor any dtype and strides
---@param indices strew.Tensor of integers; error: a coordinate out of range
---@param updates strew.Tensor self's dtype
---@param options? strew.scatter_options
---@return strew.Tensor t self's shape and dtype
---@overload fun(indices: strew.Tensor, updates: strew.Tensor, shape: integer[], options?: strew.scatter_options): strew.Tensor
function strew.scatter_nd(self, indices, updates, options) end

---Returns the elements or rows of self whose coordinates are in the last dimension of indices.
---
---A row of k coordinates addresses k dimensions of self, after the batch dimensions, which self and indices have in
---common: `out[p] = self[indices[p]]`. Scratch: an int64 for each row of two or more coordinates.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t:gather_nd(strew.tensor{{0, 1}, {1, 2}}))
---print(t:gather_nd(strew.tensor{{1}, {0}}))
---print(t:gather_nd(strew.tensor{{1}, {0}}, {batch_dims = 1}))
---```
---```text
---int64[2] cpu
--- 2  6
---int64[2, 3] cpu
--- 4  5  6
--- 1  2  3
---int64[2] cpu
--- 2  4
---```
---@param self strew.Tensor any dtype
---@param indices strew.Tensor of integers; error: a coordinate out of range
---@param options? strew.gather_nd_options
---@return strew.Tensor t self's dtype
function strew.gather_nd(self, indices, options) end

---Writes the elements of source, in row-major order, to where mask is true.
---
---`mask` broadcasts; without the underscore, self too. It is an error if source has fewer elements than mask selects.
---Scratch: an int64 for each selected element.
---
---```lua
---local t, mask = strew.zeros(2, 3), strew.tensor{true, false, true}
---print(t:masked_scatter(mask, strew.tensor{1.0, 2, 3, 4}))
---```
---```text
---float32[2, 3] cpu
--- 1  0  2
--- 3  0  4
---```
---@param self strew.Tensor any dtype and strides
---@param mask strew.Tensor bool
---@param source strew.Tensor self's dtype, any shape
---@return strew.Tensor t self's dtype
function strew.masked_scatter(self, mask, source) end

---Returns self with the part at one position along dim replaced by src.
---
---```lua
---print(strew.zeros(2, 3):select_scatter(strew.ones(3), 0, 1))
---```
---```text
---float32[2, 3] cpu
--- 0  0  0
--- 1  1  1
---```
---@param self strew.Tensor any dtype
---@param src strew.Tensor self's dtype, the shape of `self:select(dim, position)`; error: another
---@param dim integer
---@param position integer negative: from the end; error: out of range
---@return strew.Tensor t self's shape and dtype
function strew.select_scatter(self, src, dim, position) end

---Returns self with a slice along dim replaced by src.
---
---```lua
---print(strew.zeros(2, 4):slice_scatter(strew.ones(2, 2), 1, 0, 4, 2))
---```
---```text
---float32[2, 4] cpu
--- 1  0  1  0
--- 1  0  1  0
---```
---@param self strew.Tensor any dtype
---@param src strew.Tensor self's dtype, the shape of `self:slice(dim, start, stop, step)`; error: another
---@param dim? integer default 0
---@param start? integer default 0
---@param stop? integer default the end; not included
---@param step? integer default 1
---@return strew.Tensor t self's shape and dtype
function strew.slice_scatter(self, src, dim, start, stop, step) end

---Returns a view of a diagonal of two dimensions, as a new last dimension.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t:diagonal())
---print(t:diagonal(1))
---print(t:diagonal(-1))
---```
---```text
---int64[2] cpu
--- 1  5
---int64[2] cpu
--- 2  6
---int64[1] cpu
--- 4
---```
---@param self strew.Tensor any dtype, at least two dimensions
---@param offset? integer default 0; positive: above the main diagonal, negative: below it
---@param dim1? integer default 0
---@param dim2? integer default 1; error: the same as dim1
---@return strew.Tensor view empty if offset is beyond the matrix
function strew.diagonal(self, offset, dim1, dim2) end

---Returns self with a diagonal replaced by src.
---
---```lua
---print(strew.zeros(3, 3):diagonal_scatter(strew.tensor{1.0, 2}, 1))
---```
---```text
---float32[3, 3] cpu
--- 0  1  0
--- 0  0  2
--- 0  0  0
---```
---@param self strew.Tensor any dtype, at least two dimensions
---@param src strew.Tensor self's dtype, the shape of `self:diagonal(offset, dim1, dim2)`; error: another
---@param offset? integer default 0; positive: above the main diagonal, negative: below it
---@param dim1? integer default 0
---@param dim2? integer default 1; error: the same as dim1
---@return strew.Tensor t self's shape and dtype
function strew.diagonal_scatter(self, src, offset, dim1, dim2) end

------------------------------------------------------------------------------------------------------- Arithmetic, bits

---Adds element by element: `self + other`.
---
---For bools, the sum is a logical or.
---
---```lua
---print(strew.tensor{1, 2} + strew.tensor{0.5, 1.5})
---```
---```text
---float32[2] cpu
--- 1.5000  3.5000
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.add(self, other) end

---Subtracts element by element: `self - other`.
---
---```lua
---print(10 - strew.tensor{1, 2})
---```
---```text
---int64[2] cpu
--- 9  8
---```
---@param self strew.Tensor|number integers and floats; error: bool
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.sub(self, other) end

---Multiplies element by element: `self * other`.
---
---For bools, the product is a logical and.
---
---```lua
---print(strew.tensor{1, 2} * 2.5)
---```
---```text
---float32[2] cpu
--- 2.5000  5.0000
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.mul(self, other) end

---Divides element by element: `self / other`.
---
---The result is a float, of integers and bools float32. x / 0 is inf, -inf or nan.
---
---```lua
---print(strew.tensor{1, 2} / 2)
---print(strew.tensor{1, 0} / 0)
---```
---```text
---float32[2] cpu
--- 0.5000  1.0000
---float32[2] cpu
--- inf  nan
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t a float dtype
function strew.div(self, other) end

---Divides element by element and rounds toward minus infinity: `self // other`.
---
---Floats are divided as in PyTorch and NumPy, by the remainder, where Lua rounds the quotient of two numbers:
---`1.0 // 0.1` is 9 for a tensor and 10.0 for numbers, `math.huge // 2` is nan and inf, `1 // -math.huge` is -1 and -0.0.
---
---```lua
---print(strew.tensor{7, -7} // 2)
---```
---```text
---int64[2] cpu
---  3  -4
---```
---@param self strew.Tensor|number integers and floats; error: integers divided by 0
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.floor_divide(self, other) end

---Returns the remainder of floor_divide, with the sign of other: `self % other`.
---
---A remainder of zero keeps the sign of self: `-0.0 % 2` is -0.0, as in Lua and PyTorch.
---
---```lua
---print(strew.tensor{7, -7} % 3)
---```
---```text
---int64[2] cpu
--- 1  2
---```
---@param self strew.Tensor|number integers and floats; error: integers divided by 0
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.remainder(self, other) end

---Raises self to the power other, element by element: `self ^ other`.
---
---Of floats, the error is below 0.8 units in the last place; the bits are the same on every device.
---
---With these numbers, `t ^ 2` has exactly the bits of `t * t` and, of floats, `t ^ -1` those of `1 / t`.
---
---```lua
---print(strew.tensor{1, 2, 3} ^ 2)
---print(strew.tensor{4, 9} ^ 0.5)
---```
---```text
---int64[3] cpu
--- 1  4  9
---float32[2] cpu
--- 2  3
---```
---@param self strew.Tensor|number integers and floats; error: an integer to a negative power
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.pow(self, other) end

---Returns the angle of the point (other, self), from -pi to pi.
---
---The error is below 0.75 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1, 0, -1}:atan2(strew.tensor{1, -1, -1}))
---```
---```text
---float32[3] cpu
---  0.7854   3.1416  -2.3562
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype, float32 for integers and bools
function strew.atan2(self, other) end

---Returns sqrt(self^2 + other^2), without overflow.
---
---The error is below 0.75 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{3, 1e30}:hypot(strew.tensor{4, 1e30}))
---```
---```text
---float32[2] cpu
--- 5.0000e+00  1.4142e+30
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype, float32 for integers and bools
function strew.hypot(self, other) end

---Returns log(e^self + e^other), without overflow.
---
---The error is below one unit in the last place of the larger number or the result; the bits are the same on every
---device.
---
---```lua
---print(strew.tensor{0, 1000}:logaddexp(strew.tensor{0, 1000}))
---```
---```text
---float32[2] cpu
---    0.6931  1000.6932
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype, float32 for integers and bools
function strew.logaddexp(self, other) end

---Returns the smaller of two elements, element by element; NaN if one of them is NaN.
---
----0 is less than 0.
---
---```lua
---print(strew.tensor{1, 5}:minimum(3))
---```
---```text
---int64[2] cpu
--- 1  3
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.minimum(self, other) end

---Returns the larger of two elements, element by element; NaN if one of them is NaN.
---
---0 is greater than -0.
---
---```lua
---print(strew.tensor{1, 5}:maximum(strew.tensor{{0}, {3}}))
---```
---```text
---int64[2, 2] cpu
--- 1  5
--- 3  5
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.maximum(self, other) end

---Negates element by element: `-self`.
---
---```lua
---print(-strew.tensor{1, -2})
---```
---```text
---int64[2] cpu
--- -1   2
---```
---@param self strew.Tensor integers (the smallest wraps) and floats
---@return strew.Tensor t self's dtype
function strew.neg(self) end

---Returns the absolute value.
---
---```lua
---print(strew.tensor{1, -2}:abs())
---```
---```text
---int64[2] cpu
--- 1  2
---```
---@param self strew.Tensor integers and floats
---@return strew.Tensor t self's dtype
function strew.abs(self) end

---Rounds down, toward minus infinity.
---
---```lua
---print(strew.tensor{1.5, -1.5}:floor())
---```
---```text
---float32[2] cpu
---  1  -2
---```
---@param self strew.Tensor integers and floats
---@return strew.Tensor t self's dtype
function strew.floor(self) end

---Rounds up, toward plus infinity.
---
---```lua
---print(strew.tensor{1.5, -1.5}:ceil())
---```
---```text
---float32[2] cpu
---  2  -1
---```
---@param self strew.Tensor integers and floats
---@return strew.Tensor t self's dtype
function strew.ceil(self) end

---Rounds to the nearest integer, or to that many digits after the point, halves to even, as NumPy.
---
---Floats are multiplied by 10^digits, rounded, and divided by it, in their dtype (16 bits: in float32); what has no such
---digits stays as it is. Integers are exact, and wrap where the result leaves the dtype.
---
---```lua
---print(strew.tensor{0.5, 1.5, -2.7}:round())
---print(strew.tensor{3.14159, 2.5}:round(2))
---print(strew.tensor{1234, 25, 15}:round(-1))
---```
---```text
---float32[3] cpu
---  0   2  -3
---float32[2] cpu
--- 3.1400  2.5000
---int64[3] cpu
--- 1230    20    20
---```
---@param self strew.Tensor integers and floats
---@param digits? integer default 0; negative: before the point, of integers -18 or more
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {digits?: integer}): strew.Tensor
function strew.round(self, digits) end

---Returns max(x, 0): negative elements become 0.
---
---```lua
---print(strew.tensor{-1, 2}:relu())
---```
---```text
---int64[2] cpu
--- 0  2
---```
---@param self strew.Tensor integers and floats
---@return strew.Tensor t self's dtype
function strew.relu(self) end

---Limits elements to the range from min to max (clip).
---
---```lua
---print(strew.arange(5):clamp(1, 3))
---print(strew.arange(5):clamp({max = 2}))
---```
---```text
---int64[5] cpu
--- 1  1  2  3  3
---int64[5] cpu
--- 0  1  2  2  2
---```
---@param self strew.Tensor any dtype
---@param min? strew.Tensor|number the lower limit; error: neither min nor max
---@param max? strew.Tensor|number the upper limit; it wins if it is less than min
---@return strew.Tensor t of the promoted dtype
---@overload fun(self: strew.Tensor, options: {min?: strew.Tensor|number, max?: strew.Tensor|number}): strew.Tensor
function strew.clamp(self, min, max) end

---Returns the exponential, e ^ x.
---
---The error is below 0.8 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1}:exp())
---```
---```text
---float32[2] cpu
--- 1.0000  2.7183
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.exp(self) end

---Returns the natural logarithm: -inf for 0, nan for negative numbers.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1.0, 0.0, -1.0}:log())
---```
---```text
---float32[3] cpu
---    0  -inf   nan
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.log(self) end

---Returns the logarithm to base 2; nan for negative numbers.
---
---The error is below 0.8 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{8, 0.5, 0}:log2())
---```
---```text
---float32[3] cpu
---    3    -1  -inf
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.log2(self) end

---Returns the logarithm to base 10; nan for negative numbers.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1000, 0.1, 0}:log10())
---```
---```text
---float32[3] cpu
---    3    -1  -inf
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.log10(self) end

---Returns log(1 + x), accurate for small x; nan below -1.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1e-10, 1, -1}:log1p())
---```
---```text
---float32[3] cpu
--- 1.0000e-10  6.9315e-01        -inf
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.log1p(self) end

---Returns e^x - 1, accurate for small x.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1e-10, 1, -1}:expm1())
---```
---```text
---float32[3] cpu
---  1.0000e-10   1.7183e+00  -6.3212e-01
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.expm1(self) end

---Returns the sign of each element: -1, 0 or 1.
---
---0 and -0 give 0, nan gives nan. A bool stays as it is.
---
---```lua
---print(strew.tensor{-2.5, 0, 3}:sign())
---```
---```text
---float32[3] cpu
--- -1   0   1
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype
function strew.sign(self) end

---Returns the square root, correctly rounded; nan for negative numbers.
---
---```lua
---print(strew.tensor{4, 2}:sqrt())
---```
---```text
---float32[2] cpu
--- 2.0000  1.4142
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.sqrt(self) end

---Returns the reciprocal of the square root, 1 / sqrt(x).
---
---```lua
---print(strew.tensor{4, 16}:rsqrt())
---```
---```text
---float32[2] cpu
--- 0.5000  0.2500
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.rsqrt(self) end

---Returns the sine of an angle in radians.
---
---The error is below 0.8 units in the last place, of large angles too; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, math.pi / 6}:sin())
---```
---```text
---float32[2] cpu
--- 0.0000  0.5000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.sin(self) end

---Returns the cosine of an angle in radians.
---
---The error is below 0.8 units in the last place, of large angles too; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, math.pi / 3}:cos())
---```
---```text
---float32[2] cpu
--- 1.0000  0.5000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.cos(self) end

---Returns the hyperbolic tangent.
---
---The error is below one unit in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1}:tanh())
---```
---```text
---float32[2] cpu
--- 0.0000  0.7616
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.tanh(self) end

---Returns the tangent of angles in radians.
---
---The error is below 0.95 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 0.5, 1}:tan())
---```
---```text
---float32[3] cpu
--- 0.0000  0.5463  1.5574
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.tan(self) end

---Returns the arcsine, an angle from -pi / 2 to pi / 2; nan beyond -1 and 1.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 0.5, 2}:asin())
---```
---```text
---float32[3] cpu
--- 0.0000  0.5236     nan
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.asin(self) end

---Returns the arccosine, an angle from 0 to pi; nan beyond -1 and 1.
---
---The error is below 0.65 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{-1, 0.5, 2}:acos())
---```
---```text
---float32[3] cpu
--- 3.1416  1.0472     nan
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.acos(self) end

---Returns the arctangent, an angle from -pi / 2 to pi / 2.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1, 1e9}:atan())
---```
---```text
---float32[3] cpu
--- 0.0000  0.7854  1.5708
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.atan(self) end

---Returns the hyperbolic sine.
---
---The error is below 0.85 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1, -2}:sinh())
---```
---```text
---float32[3] cpu
---  0.0000   1.1752  -3.6269
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.sinh(self) end

---Returns the hyperbolic cosine.
---
---The error is below 0.6 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1, -2}:cosh())
---```
---```text
---float32[3] cpu
--- 1.0000  1.5431  3.7622
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.cosh(self) end

---Returns the inverse hyperbolic sine.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 1, -2}:asinh())
---```
---```text
---float32[3] cpu
---  0.0000   0.8814  -1.4436
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.asinh(self) end

---Returns the inverse hyperbolic cosine; nan below 1.
---
---The error is below 0.65 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{1, 2, 0}:acosh())
---```
---```text
---float32[3] cpu
--- 0.0000  1.3170     nan
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.acosh(self) end

---Returns the inverse hyperbolic tangent; nan beyond -1 and 1.
---
---The error is below 0.7 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 0.5, 1}:atanh())
---```
---```text
---float32[3] cpu
--- 0.0000  0.5493     inf
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.atanh(self) end

---Returns 2^x.
---
---The error is below 0.8 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{-1, 0.5, 10}:exp2())
---```
---```text
---float32[3] cpu
---    0.5000     1.4142  1024.0000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.exp2(self) end

---Returns the error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
---
---The error is below 0.85 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 0.5, -2}:erf())
---```
---```text
---float32[3] cpu
---  0.0000   0.5205  -0.9953
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.erf(self) end

---Returns 1 - erf(x), accurate for large x.
---
---The error is below 0.85 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{0, 0.5, 5}:erfc())
---```
---```text
---float32[3] cpu
--- 1.0000e+00  4.7950e-01  1.5375e-12
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.erfc(self) end

---Returns x Phi(x), where Phi is the normal distribution: the Gaussian error linear unit.
---
---The error is below 0.85 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{-1, 0, 2}:gelu())
---```
---```text
---float32[3] cpu
--- -0.1587   0.0000   1.9545
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.gelu(self) end

---Returns the cube root.
---
---The error is below 0.55 units in the last place; the bits are the same on every device.
---
---```lua
---print(strew.tensor{-27, 2, 1000}:cbrt())
---```
---```text
---float32[3] cpu
--- -3.0000   1.2599  10.0000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.cbrt(self) end

---Returns the remainder of a division that rounds toward 0: self - trunc(self / other) * other, without rounding.
---
---It has the sign of self; that of `%`, remainder, has the sign of other.
---
---```lua
---print(strew.tensor{7, -7}:fmod(3))
---```
---```text
---int64[2] cpu
---  1  -1
---```
---@param self strew.Tensor|number error: bool
---@param other strew.Tensor|number one of the two is a tensor; error: 0 beside integers
---@return strew.Tensor t of the promoted dtype
function strew.fmod(self, other) end

---Returns the magnitude of self with the sign of other. -0 is negative; nan is positive.
---
---```lua
---print(strew.tensor{1.5, -2}:copysign(strew.tensor{-0.0, 3}))
---```
---```text
---float32[2] cpu
--- -1.5000   2.0000
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype, float32 for integers and bools
function strew.copysign(self, other) end

---Returns the next value of the dtype from self toward other; other if the two are equal.
---
---```lua
---local one = strew.ones(2)
---print(one:nextafter(strew.tensor{2, 0}) - one)
---print(strew.ones(1, {dtype = "bfloat16"}):nextafter(strew.inf))
---```
---```text
---float32[2] cpu
---  1.1921e-07  -5.9605e-08
---bfloat16[1] cpu
--- 1.0078
---```
---@param self strew.Tensor|number floats; error: integers and bools
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.nextafter(self, other) end

---Returns true for negative elements and -0, false for every nan.
---
---```lua
---print(strew.tensor{-2.5, -0.0, 0}:signbit())
---```
---```text
---bool[3] cpu
---  true   true  false
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t bool
function strew.signbit(self) end

---Shifts the bits of each element to the left. What is shifted out is lost: all of them give 0.
---
---```lua
---print(strew.tensor{5, -1, 1}:bitwise_left_shift(strew.tensor{1, 4, 64}))
---```
---```text
---int64[3] cpu
---  10  -16    0
---```
---@param self strew.Tensor|number integers
---@param other strew.Tensor|number integers; one of the two is a tensor; negative numbers give 0
---@return strew.Tensor t of the promoted dtype
function strew.bitwise_left_shift(self, other) end

---Shifts the bits of each element to the right, which rounds x / 2^n down. Negative elements stay negative.
---
---```lua
---print(strew.tensor{5, -1, 1}:bitwise_right_shift(1))
---```
---```text
---int64[3] cpu
---  2  -1   0
---```
---@param self strew.Tensor|number integers
---@param other strew.Tensor|number integers; one of the two is a tensor; negative numbers shift out all bits
---@return strew.Tensor t of the promoted dtype
function strew.bitwise_right_shift(self, other) end

---Returns the greatest common divisor of two elements. That of 0 and 0 is 0.
---
---```lua
---print(strew.tensor{12, -18, 0}:gcd(8))
---```
---```text
---int64[3] cpu
--- 4  2  8
---```
---@param self strew.Tensor|number integers
---@param other strew.Tensor|number integers; one of the two is a tensor
---@return strew.Tensor t of the promoted dtype; not negative, unless it wraps
function strew.gcd(self, other) end

---Returns the least common multiple of two elements; 0 if one of them is 0.
---
---```lua
---print(strew.tensor{12, -18, 0}:lcm(8))
---```
---```text
---int64[3] cpu
--- 24  72   0
---```
---@param self strew.Tensor|number integers
---@param other strew.Tensor|number integers; one of the two is a tensor
---@return strew.Tensor t of the promoted dtype; not negative, unless it wraps
function strew.lcm(self, other) end

---Returns each element as it is: unary +.
---
---```lua
---print(strew.tensor{-1, 2}:positive())
---```
---```text
---int64[2] cpu
--- -1   2
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype
function strew.positive(self) end

---Returns an approximation of gelu by tanh: x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; -0 for -inf.
---
---```lua
---print(strew.tensor{-1.0, 0, 2}:gelu_tanh())
---```
---```text
---float32[3] cpu
--- -0.1588   0.0000   1.9546
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.gelu_tanh(self) end

---Returns the square of each element, x * x.
---
---```lua
---print(strew.tensor{-1.5, 2}:square())
---```
---```text
---float32[2] cpu
--- 2.2500  4.0000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype
function strew.square(self) end

---Returns 1 / x.
---
---```lua
---print(strew.tensor{2, -4, 0}:reciprocal())
---```
---```text
---float32[3] cpu
---  0.5000  -0.2500      inf
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.reciprocal(self) end

---Rounds each element toward 0.
---
---```lua
---print(strew.tensor{-1.5, 0.7, 2}:trunc())
---```
---```text
---float32[3] cpu
--- -1   0   2
---```
---@param self strew.Tensor error: bool
---@return strew.Tensor t self's dtype
function strew.trunc(self) end

---Returns x sigmoid(x): the sigmoid linear unit; -0 for -inf.
---
---```lua
---print(strew.tensor{-1, 0, 2}:silu())
---```
---```text
---float32[3] cpu
--- -0.2689   0.0000   1.7616
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.silu(self) end

---Returns log(1 + e^x), without overflow: a smooth relu.
---
---```lua
---print(strew.tensor{-1, 0, 100}:softplus())
---```
---```text
---float32[3] cpu
---   0.3133    0.6931  100.0000
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.softplus(self) end

---Returns x above 0, else alpha (e^x - 1): the exponential linear unit.
---
---```lua
---print(strew.tensor{-1, 0, 2}:elu())
---```
---```text
---float32[3] cpu
--- -0.6321   0.0000   2.0000
---```
---@param self strew.Tensor any dtype
---@param alpha? number default 1
---@return strew.Tensor t self's dtype, float32 for integers and bools
---@overload fun(self: strew.Tensor, options: {alpha?: number}): strew.Tensor
function strew.elu(self, alpha) end

---Returns x above 0, else x times the slope.
---
---```lua
---print(strew.tensor{-1, 0, 2}:leaky_relu(0.1))
---```
---```text
---float32[3] cpu
--- -0.1000   0.0000   2.0000
---```
---@param self strew.Tensor floats
---@param slope? number default 0.01
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {slope?: number}): strew.Tensor
function strew.leaky_relu(self, slope) end

---Returns self + (other - self) * weight: points between two.
---
---```lua
---print(strew.tensor{0.0, 10}:lerp(strew.tensor{1.0, 20}, 0.25))
---```
---```text
---float32[2] cpu
---  0.2500  12.5000
---```
---@param self strew.Tensor floats
---@param other strew.Tensor|number the three broadcast
---@param weight strew.Tensor|number 0 gives self, 1 other
---@return strew.Tensor t of the promoted dtype
function strew.lerp(self, other, weight) end

---Returns 0 below 0, 1 above, and other at 0.
---
---```lua
---print(strew.tensor{-1.5, 0, 2}:heaviside(0.5))
---```
---```text
---float32[3] cpu
--- 0.0000  0.5000  1.0000
---```
---@param self strew.Tensor any dtype
---@param other strew.Tensor|number the two broadcast
---@return strew.Tensor t of other's dtype; 0 for nan
function strew.heaviside(self, other) end

---Returns true where one of two elements is not 0, but not both.
---
---```lua
---print(strew.tensor{1, 2, 0}:logical_xor(strew.tensor{0, 1, 0}))
---```
---```text
---bool[3] cpu
---  true  false  false
---```
---@param self strew.Tensor any dtype
---@param other strew.Tensor|number the two broadcast
---@return strew.Tensor t bool
function strew.logical_xor(self, other) end

---Returns the logistic function, 1 / (1 + exp(-x)).
---
---```lua
---print(strew.tensor{0, 2}:sigmoid())
---```
---```text
---float32[2] cpu
--- 0.5000  0.8808
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t self's dtype, float32 for integers and bools
function strew.sigmoid(self) end

---Returns the bitwise and: `self & other`.
---
---```lua
---print(strew.tensor{6, 3} & 5)
---```
---```text
---int64[2] cpu
--- 4  1
---```
---@param self strew.Tensor|number integers and bools
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.bitwise_and(self, other) end

---Returns the bitwise or: `self | other`.
---
---```lua
---print(strew.tensor{6, 3} | 1)
---```
---```text
---int64[2] cpu
--- 7  3
---```
---@param self strew.Tensor|number integers and bools
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.bitwise_or(self, other) end

---Returns the bitwise exclusive or: `self ~ other`.
---
---```lua
---print(strew.tensor{6, 3} ~ 5)
---```
---```text
---int64[2] cpu
--- 3  6
---```
---@param self strew.Tensor|number integers and bools
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.bitwise_xor(self, other) end

---Inverts all bits: `~self`; for bool, the logical not.
---
---```lua
---print(~strew.tensor{0, 5})
---print(~strew.tensor{true})
---```
---```text
---int64[2] cpu
--- -1  -6
---bool[1] cpu
--- false
---```
---@param self strew.Tensor integers and bools
---@return strew.Tensor t self's dtype
function strew.bitwise_not(self) end

--------------------------------------------------------------------------------------------------- Comparing, selecting

---Compares element by element: true if self equals other. NaN equals nothing.
---
---A condition of Lua needs a boolean: `if a:eq(b):all():item() then`. `a == b` is true only of the same tensor.
---
---```lua
---print(strew.tensor{1, 2}:eq(2))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.eq(self, other) end

---Compares element by element: true if self differs from other.
---
---A condition of Lua needs a boolean: `if a:ne(b):all():item() then`. `a ~= b` is false only of the same tensor.
---
---```lua
---print(strew.tensor{1, 2}:ne(2))
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.ne(self, other) end

---Compares element by element: true if self is less than other.
---
---A condition of Lua needs a boolean: `if a:lt(b):all():item() then`.
---
---```lua
---print(strew.tensor{1, 2, 3}:lt(2))
---```
---```text
---bool[3] cpu
---  true  false  false
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.lt(self, other) end

---Compares element by element: true if self is less than or equal to other.
---
---A condition of Lua needs a boolean: `if a:le(b):all():item() then`.
---
---```lua
---print(strew.tensor{1, 2, 3}:le(2))
---```
---```text
---bool[3] cpu
---  true   true  false
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.le(self, other) end

---Compares element by element: true if self is greater than other.
---
---A condition of Lua needs a boolean: `if a:gt(b):all():item() then`.
---
---```lua
---print(strew.tensor{1, 2, 3}:gt(2))
---```
---```text
---bool[3] cpu
--- false  false   true
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.gt(self, other) end

---Compares element by element: true if self is greater than or equal to other.
---
---A condition of Lua needs a boolean: `if a:ge(b):all():item() then`.
---
---```lua
---print(strew.tensor{1, 2, 3}:ge(2))
---```
---```text
---bool[3] cpu
--- false   true   true
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.ge(self, other) end

---Returns the logical and, element by element: true if both elements are nonzero.
---
---```lua
---print(strew.tensor{0, 2}:logical_and(strew.tensor{1, 1}))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.logical_and(self, other) end

---Returns the logical or, element by element: true if at least one of two elements is nonzero.
---
---```lua
---print(strew.tensor{0, 2}:logical_or(0))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.logical_or(self, other) end

---Returns the logical not, element by element: true if the element is 0.
---
---```lua
---print(strew.tensor{0, 2}:logical_not())
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t bool; in place 0 or 1 in self's dtype
function strew.logical_not(self) end

---Returns true if two tensors have the same shape and equal elements.
---
---The result is one Lua boolean. NaN equals nothing, -0 equals 0.
---
---```lua
---print(strew.equal(strew.tensor{1, 2}, strew.tensor{1, 2}), strew.equal(strew.tensor{1}, strew.tensor{1, 1}))
---```
---```text
---true	false
---```
---@param self strew.Tensor any dtype
---@param other strew.Tensor error: another dtype or device
---@return boolean
function strew.equal(self, other) end

---Returns true if all elements of two tensors are close: equal within a tolerance.
---
---The test is `|self - other| <= atol + rtol * |other|` for every element, after broadcasting. Infinities equal
---themselves, NaN equals nothing.
---
---```lua
---local t, u = strew.tensor{1.0}, strew.tensor{1.1}
---print(strew.allclose(t, t + 1e-6), strew.allclose(t, u), strew.allclose(t, u, {rtol = 0.2}))
---```
---```text
---true	false	true
---```
---@param self strew.Tensor any dtype
---@param other strew.Tensor error: another dtype or device
---@param rtol? number relative tolerance, default 1e-5
---@param atol? number absolute tolerance, default 1e-8
---@return boolean
---@overload fun(self: strew.Tensor, other: strew.Tensor, options: {rtol?: number, atol?: number}): boolean
function strew.allclose(self, other, rtol, atol) end

---Returns true for each pair of elements that are close: equal within a tolerance.
---
---The test is that of `allclose`. With `equal_nan`, NaN is close to NaN.
---
---```lua
---local t, u = strew.tensor{1, 100, 0 / 0}, strew.tensor{1.1, 100.0001, 0 / 0}
---print(t:isclose(u))
---print(t:isclose(u, {rtol = 0.2, equal_nan = true}))
---```
---```text
---bool[3] cpu
--- false   true  false
---bool[3] cpu
--- true  true  true
---```
---@param self strew.Tensor any dtype
---@param other strew.Tensor error: another dtype or device
---@param rtol? number relative tolerance, default 1e-5
---@param atol? number absolute tolerance, default 1e-8
---@param equal_nan? boolean default false
---@return strew.Tensor t bool
---@overload fun(self: strew.Tensor, other: strew.Tensor, options: {rtol?: number, atol?: number, equal_nan?: boolean}): strew.Tensor
function strew.isclose(self, other, rtol, atol, equal_nan) end

---Selects element by element: a where condition is true, else b.
---
---The three operands broadcast. In place: `t:where_(condition, other)` keeps t's elements where condition is true.
---
---```lua
---local t = strew.tensor{-1, 2, -3}
---print(strew.where(t:gt(0), t, 0), t:where_(t:gt(0), 0) == t)
---```
---```text
---int64[3] cpu
--- 0  2  0	true
---```
---@param condition strew.Tensor bool
---@param a strew.Tensor|number
---@param b strew.Tensor|number
---@return strew.Tensor t of the promoted dtype
function strew.where(condition, a, b) end

---Replaces the elements where mask is true by a value.
---
---```lua
---local t = strew.tensor{-1, 2, -3}
---print(t:masked_fill_(t:lt(0), 0))
---```
---```text
---int64[3] cpu
--- 0  2  0
---```
---@param self strew.Tensor any dtype
---@param mask strew.Tensor bool; broadcasts with self, in place to self
---@param value number|boolean|strew.Tensor a number that self's dtype can hold, or a tensor of rank 0 with such a number
---@return strew.Tensor t self's dtype
function strew.masked_fill(self, mask, value) end

------------------------------------------------------------------------------------------------------------- Reductions

---Options of reductions.
---@class strew.nan_options
---@field skip_nan? boolean leave NaN out: of NaN alone the sum is 0, the product 1, an extreme, mean or median NaN

---Options of sum, prod and mean.
---@class strew.total_options
---@field skip_nan? boolean leave NaN out: of NaN alone the sum is 0, the product 1, the mean NaN
---@field dtype? strew.dtype of the elements, which are converted first, and of the result; of mean a float one

---Returns the sum of the elements, of all or along dimensions.
---
---The order of additions depends on the shape alone: the bits are the same everywhere. The sum of no elements is 0.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}
---print(t:sum())
---print(t:sum(0))
---print(strew.tensor{1.0, 0 / 0, 2.0}:sum{skip_nan = true})
---```
---```text
---int64[] cpu  10
---int64[2] cpu
--- 4  6
---float32[] cpu  3
---```
---@param self strew.Tensor any dtype; of bools, the number of true elements
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.total_options
---@return strew.Tensor t uint64 for uint64, int64 for other integers and bools, else self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean, dtype?: strew.dtype}): strew.Tensor
function strew.sum(self, dim, keepdim, options) end

---Returns the product of the elements, of all or along dimensions.
---
---The product of no elements is 1.
---
---```lua
---print(strew.tensor{2, 3, 4}:prod())
---```
---```text
---int64[] cpu  24
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.total_options
---@return strew.Tensor t uint64 for uint64, int64 for other integers and bools, else self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean, dtype?: strew.dtype}): strew.Tensor
function strew.prod(self, dim, keepdim, options) end

---Returns the mean (average) of the elements, of all or along dimensions.
---
---It is the sum divided by the count: infinite if the sum overflows. The mean of no elements is nan.
---
---```lua
---print(strew.tensor{{1.0, 2.0}, {3.0, 4.0}}:mean(1))
---```
---```text
---float32[2] cpu
--- 1.5000  3.5000
---```
---@param self strew.Tensor a float dtype or time; error: integers, without `{dtype = "float64"}`
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.total_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean, dtype?: strew.dtype}): strew.Tensor
function strew.mean(self, dim, keepdim, options) end

---Options of var and std.
---@class strew.correction_options
---@field correction? number the divisor is max(n - correction, 0); default 1
---@field unbiased? boolean default true; false: a correction of 0; not with `correction`
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the variance of the elements, of all or along dimensions.
---
---The first element is subtracted from all before the mean is taken, so a common offset costs no precision.
---
---```lua
---local t = strew.tensor{1.0, 2.0, 6.0}
---print(t:var())
---print(t:var({correction = 0}))
---```
---```text
---float32[] cpu  7
---float32[] cpu  4.6667
---```
---@param self strew.Tensor a float dtype, or time: in seconds
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.correction_options
---@return strew.Tensor t self's dtype; of times float64
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, correction?: number, unbiased?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.var(self, dim, keepdim, options) end

---Returns the standard deviation, the square root of the variance.
---
---It is correct wherever the dtype can hold it, even if the variance overflows or underflows.
---
---```lua
---print(strew.tensor{1.0, 2.0, 6.0}:std())
---```
---```text
---float32[] cpu  2.6458
---```
---@param self strew.Tensor a float dtype, or time: in seconds
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.correction_options
---@return strew.Tensor t self's dtype; of times float64
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, correction?: number, unbiased?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.std(self, dim, keepdim, options) end

---Returns the smallest element (minimum), of all or along dimensions; NaN if there is a NaN.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:amin(1))
---```
---```text
---int64[2] cpu
--- 1  2
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.amin(self, dim, keepdim, options) end

---Returns the largest element (maximum), of all or along dimensions; NaN if there is a NaN.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:amax({0, 1}))
---```
---```text
---int64[] cpu  4
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.amax(self, dim, keepdim, options) end

---Returns the smallest element (minimum); along a dimension also its position; of two tensors, the same as minimum.
---
---As in the scatter family, NaN is less than any number and -0 is less than 0. If the minimum repeats, the position is
---that of the first. (In PyTorch -0 and 0 are equal; the position may differ there.)
---
---```lua
---local t = strew.tensor{{3, 1}, {2, 4}}
---print(t:min())
---local values, positions = t:min(1)
---print(values)
---print(positions)
---print(t:min(strew.tensor{2, 2}))
---```
---```text
---int64[] cpu  1
---int64[2] cpu
--- 1  2
---int64[2] cpu
--- 1  0
---int64[2, 2] cpu
--- 2  1
--- 2  2
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; default: all elements
---@param keepdim? boolean true: keeps it, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64, only with dim
---@overload fun(self: strew.Tensor, other: strew.Tensor|number): strew.Tensor
function strew.min(self, dim, keepdim, options) end

---Returns the largest element (maximum); along a dimension also its position; of two tensors, the same as maximum.
---
---As in the scatter family, NaN is greater than any number and 0 is greater than -0. If the maximum repeats, the
---position is that of the first. (In PyTorch -0 and 0 are equal; the position may differ there.)
---
---```lua
---local t = strew.tensor{{3, 1}, {2, 4}}
---print(t:max())
---local values, positions = t:max(1)
---print(values)
---print(positions)
---print(t:max(strew.tensor{2, 2}))
---```
---```text
---int64[] cpu  4
---int64[2] cpu
--- 3  4
---int64[2] cpu
--- 0  1
---int64[2, 2] cpu
--- 3  2
--- 2  4
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; default: all elements
---@param keepdim? boolean true: keeps it, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64, only with dim
---@overload fun(self: strew.Tensor, other: strew.Tensor|number): strew.Tensor
function strew.max(self, dim, keepdim, options) end

---Returns the position of the smallest element: the first minimum, or the first NaN. -0 is less than 0.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:argmin())
---print(strew.tensor{{3, 1}, {2, 4}}:argmin(1))
---```
---```text
---int64[] cpu  1
---int64[2] cpu
--- 1  0
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; default: the position among all elements, in row-major order
---@param keepdim? boolean true: keeps the dimensions, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.argmin(self, dim, keepdim, options) end

---Returns the position of the largest element: the first maximum, or the first NaN. -0 is less than 0.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:argmax())
---print(strew.tensor{{3, 1}, {2, 4}}:argmax(1))
---```
---```text
---int64[] cpu  3
---int64[2] cpu
--- 0  1
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; default: the position among all elements, in row-major order
---@param keepdim? boolean true: keeps the dimensions, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.argmax(self, dim, keepdim, options) end

---Returns true if all elements are nonzero.
---
---For no elements it is true. The result is a tensor, which Lua takes for true: `if t:gt(0):all():item() then`.
---
---```lua
---print(strew.tensor{{1, 0}, {1, 2}}:all(1))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t bool
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.all(self, dim, keepdim, options) end

---Returns true if at least one element is nonzero.
---
---For no elements it is false. The result is a tensor, which Lua takes for true: `if t:gt(0):any():item() then`.
---
---```lua
---print(strew.tensor{{0, 0}, {1, 2}}:any(1))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t bool
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.any(self, dim, keepdim, options) end

---Returns the norm of all elements, or along dimensions: by default the Euclidean one, `sqrt(sum(x^2))`.
---
---In general it is `sum(|x|^p)^(1/p)`. p = math.huge gives the largest magnitude, -math.huge the smallest, 0 the number
---of elements that are not 0. Powers may overflow or underflow without an effect on the result.
---
---```lua
---local t = strew.tensor{{3.0, -4.0}, {0.0, 2.0}}
---print(t:norm())
---print(t:norm(1, 1))
---print(t:norm(math.huge))
---```
---```text
---float32[] cpu  5.3852
---float32[2] cpu
--- 7  2
---float32[] cpu  4
---```
---@param self strew.Tensor a float dtype; error: others
---@param p? number default 2
---@param dim? integer|integer[] the dimensions to reduce, default: all; {}: none
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {p?: number, dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.norm(self, p, dim, keepdim, options) end

---Returns the median of all elements, or along a dimension, with its position; of two in the middle the lower.
---
---Tables have the mean of the two: ?tables.
---
---NaN if there is a NaN. Of equal elements, `indices` names one by the order of a stable sort; of NaN the first.
---
---```lua
---print(strew.tensor{5, 1, 4, 2}:median())
---local values, positions = strew.tensor{{3, 1, 2}, {6, 5, 9}}:median(1)
---print(values)
---print(positions)
---```
---```text
---int64[] cpu  2
---int64[2] cpu
--- 2  6
---int64[2] cpu
--- 2  0
---```
---@param self strew.Tensor integers, floats and times; error: bool
---@param dim? integer default: all elements
---@param keepdim? boolean true: keeps it, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor values self's dtype
---@return strew.Tensor? indices int64; absent without dim
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean, skip_nan?: boolean}): strew.Tensor, strew.Tensor?
function strew.median(self, dim, keepdim, options) end

---Options of quantile.
---@class strew.quantile_options
---@field interpolation? string default "linear"
---@field skip_nan? boolean leave NaN out, as if those elements were not there; default false

---Returns the q-th quantiles (percentiles) of all elements, or along a dimension.
---
---A quantile lies at position `q * (n - 1)` of the sorted elements, computed in their dtype. Between two of them it is
---interpolated: "linear", "lower", "higher", "midpoint" or "nearest". NaN if there is a NaN; a mix of a finite element
---and an infinite one may be NaN, too, as in NumPy. Several q give a new first dimension. Sorts a copy of self.
---
---```lua
---local t = strew.tensor{4.0, 1.0, 2.0, 8.0}
---print(t:quantile(0.5))
---print(t:quantile{0, 0.25, 1})
---print(t:quantile(0.5, {interpolation = "lower"}))
---```
---```text
---float32[] cpu  3
---float32[3] cpu
--- 1.0000  1.7500  8.0000
---float32[] cpu  2
---```
---@param self strew.Tensor a float dtype or time; error: others, or no elements: of integers t:to("float64")
---@param q number|number[]|strew.Tensor a number, several, or a tensor of self's dtype; error: not in 0 to 1
---@param dim? integer default: all elements
---@param keepdim? boolean true: keeps it, with size 1; default false
---@param options? strew.quantile_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, q: number|number[]|strew.Tensor, options: {dim?: integer, keepdim?: boolean, interpolation?: string, skip_nan?: boolean}): strew.Tensor
function strew.quantile(self, q, dim, keepdim, options) end

---Options of percentile.
---@class strew.percentile_options
---@field interpolation? string as in quantile

---Returns percentiles of all elements, or along a dimension: `quantile` of q / 100.
---
---```lua
---print(strew.tensor{1.0, 2, 3, 4}:percentile(50))
---```
---```text
---float32[] cpu  2.5000
---```
---@param self strew.Tensor a float dtype
---@param q number|number[]|strew.Tensor 0 to 100; several, or a tensor of one dimension, add a dimension in front
---@param dim? integer default all elements
---@param keepdim? boolean true: keeps dim, with size 1; default false
---@param options? strew.percentile_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, q: number|number[]|strew.Tensor, options: {dim?: integer, keepdim?: boolean, interpolation?: string}): strew.Tensor
function strew.percentile(self, q, dim, keepdim, options) end

---Options of nansum and nanmean.
---@class strew.dtype_options
---@field dtype? strew.dtype of the elements, which are converted first, and of the result; of nanmean a float one

---Sums the elements that are not NaN, of all or along dimensions.
---
---```lua
---print(strew.tensor{{1, 0/0}, {2, 3}}:nansum(1))
---```
---```text
---float32[2] cpu
--- 1  5
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.dtype_options
---@return strew.Tensor t as of sum; 0 if all are NaN
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, dtype?: strew.dtype}): strew.Tensor
function strew.nansum(self, dim, keepdim, options) end

---Returns the mean of the elements that are not NaN, of all or along dimensions.
---
---```lua
---print(strew.tensor{{1, 0/0}, {2, 3}}:nanmean(1))
---```
---```text
---float32[2] cpu
--- 1.0000  2.5000
---```
---@param self strew.Tensor a float dtype
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.dtype_options
---@return strew.Tensor t self's dtype; NaN if all are NaN
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, dtype?: strew.dtype}): strew.Tensor
function strew.nanmean(self, dim, keepdim, options) end

---Options of nanstd.
---@class strew.nanstd_options
---@field correction? number subtracted from the count, default 0
---@field unbiased? boolean true: a correction of 1, false: of 0; not with `correction`

---Returns the standard deviation of the elements that are not NaN, of all or along dimensions.
---
---As in NumPy, and other than in `std`, the default divides by the count: `correction = 0`.
---
---```lua
---print(strew.tensor{{1, 0/0, 3}, {2, 3, 4}}:nanstd(1))
---```
---```text
---float32[2] cpu
--- 1.0000  0.8165
---```
---@param self strew.Tensor a float dtype
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nanstd_options
---@return strew.Tensor t self's dtype; NaN if too few are left
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, correction?: number, unbiased?: boolean}): strew.Tensor
function strew.nanstd(self, dim, keepdim, options) end

---Returns the largest of the elements that are not NaN, of all or along dimensions.
---
---```lua
---print(strew.tensor{{1, 0/0}, {2, 3}}:nanmax(1))
---```
---```text
---float32[2] cpu
--- 1  3
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@return strew.Tensor t self's dtype; NaN if all are NaN
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.nanmax(self, dim, keepdim) end

---Returns the smallest of the elements that are not NaN, of all or along dimensions.
---
---```lua
---print(strew.tensor{{1, 0/0}, {2, 3}}:nanmin(1))
---```
---```text
---float32[2] cpu
--- 1  2
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@return strew.Tensor t self's dtype; NaN if all are NaN
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.nanmin(self, dim, keepdim) end

---Returns the lower median of the elements that are not NaN, of all or along a dimension.
---
---```lua
---print((strew.tensor{{1, 0/0, 4}, {2, 3, 5}}:nanmedian(1)))
---```
---```text
---float32[2] cpu
--- 1  3
---```
---@param self strew.Tensor integers or floats
---@param dim? integer default all elements
---@param keepdim? boolean true: keeps dim, with size 1; default false
---@return strew.Tensor values self's dtype; NaN if all are NaN
---@return strew.Tensor indices int64, only with dim
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean}): strew.Tensor, strew.Tensor
function strew.nanmedian(self, dim, keepdim) end

---Options of cov.
---@class strew.cov_options
---@field correction? integer subtracted from the count, default 1
---@field fweights? strew.Tensor integers: how often each column counts
---@field aweights? strew.Tensor the weight of each column

---Returns the covariances of variables: the rows of a matrix, whose columns are observations.
---
---```lua
---print(strew.tensor{{1.0, 2, 3}, {3, 2, 1}}:cov())
---```
---```text
---float32[2, 2] cpu
---  1  -1
--- -1   1
---```
---@param self strew.Tensor at most two dimensions; integers become float32
---@param options? strew.cov_options
---@return strew.Tensor t a matrix, or a number for one variable
function strew.cov(self, options) end

---Returns the correlation coefficients of variables: the rows of a matrix, whose columns are observations.
---
---```lua
---print(strew.tensor{{1.0, 2, 3}, {3, 2, 1}}:corrcoef())
---```
---```text
---float32[2, 2] cpu
---  1  -1
--- -1   1
---```
---@param self strew.Tensor at most two dimensions; integers become float32
---@return strew.Tensor t a matrix, or a number for one variable
function strew.corrcoef(self) end

---Options of trapz.
---@class strew.trapz_options
---@field dx? number the distance of elements without x, default 1
---@field dim? integer default -1

---Returns the integral along a dimension by the trapezoidal rule.
---
---```lua
---print(strew.tensor{1.0, 2, 4}:trapz())
---print(strew.tensor{1.0, 2, 4}:trapz(strew.tensor{0.0, 1, 3}))
---```
---```text
---float32[] cpu  4.5000
---float32[] cpu  7.5000
---```
---@param self strew.Tensor at least one dimension
---@param x? strew.Tensor positions of the elements: self's shape, or one dimension
---@param options? strew.trapz_options
---@return strew.Tensor t self's dtype, float32 for integers
function strew.trapz(self, x, options) end

---Options of interp.
---@class strew.interp_options
---@field left? number the value before xp, default fp[0]
---@field right? number the value behind xp, default fp[-1]

---Returns values of the line through points (xp, fp), at the positions self.
---
---Self and xp may both be times: the line is in seconds, the result float64.
---
---```lua
---print(strew.tensor{0.5, 1.5, 9}:interp(strew.tensor{0.0, 1, 2}, strew.tensor{0.0, 10, 0}))
---```
---```text
---float32[3] cpu
--- 5  5  0
---```
---@param self strew.Tensor any shape; error: times beside an xp of numbers
---@param xp strew.Tensor one dimension, in ascending order, at least one
---@param fp strew.Tensor xp's shape
---@param options? strew.interp_options
---@return strew.Tensor t the common dtype of the three, float32 for integers; NaN where self is
function strew.interp(self, xp, fp, options) end

---Returns log(sum(exp(x))) along dimensions, without overflow.
---
---The largest element is subtracted first.
---
---```lua
---print(strew.tensor{{1000.0, 1000.0}, {0.0, 1.0}}:logsumexp(1))
---```
---```text
---float32[2] cpu
--- 1000.6932     1.3133
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] the dimensions to reduce, default all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@param options? strew.nan_options
---@return strew.Tensor t self's dtype, float32 for integers and bools
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, skip_nan?: boolean}): strew.Tensor
function strew.logsumexp(self, dim, keepdim, options) end

---Options of softmax.
---@class strew.softmax_options
---@field dtype? strew.dtype a float dtype, to which self is converted first

---Returns exp(x) divided by its sum along a dimension, without overflow: positive numbers whose sum is 1.
---
---The largest element is subtracted first.
---
---```lua
---print(strew.tensor{{1000.0, 1000.0}, {0.0, 1.0}}:softmax(1))
---```
---```text
---float32[2, 2] cpu
--- 0.5000  0.5000
--- 0.2689  0.7311
---```
---@param self strew.Tensor a float dtype, or any with dtype; error: others
---@param dim integer
---@param options? strew.softmax_options
---@return strew.Tensor t self's dtype, or dtype
function strew.softmax(self, dim, options) end

---Options of log_softmax.
---@class strew.log_softmax_options
---@field dtype? strew.dtype a float dtype, to which self is converted first

---Returns the logarithm of `softmax`, computed without its rounding to 0.
---
---The largest element is subtracted first.
---
---```lua
---print(strew.tensor{{1000.0, 1000.0}, {0.0, 1.0}}:log_softmax(1))
---```
---```text
---float32[2, 2] cpu
--- -0.6931  -0.6931
--- -1.3133  -0.3133
---```
---@param self strew.Tensor a float dtype, or any with dtype; error: others
---@param dim integer
---@param options? strew.log_softmax_options
---@return strew.Tensor t self's dtype, or dtype
function strew.log_softmax(self, dim, options) end

---Options of mse_loss.
---@class strew.mse_loss_options
---@field reduction? string "mean" (default), "sum" or "none": a loss for each element

---Returns the mean squared error of predictions.
---
---```lua
---print(strew.tensor{1.0, 2, 3}:mse_loss(strew.tensor{1.0, 2, 5}))
---```
---```text
---float32[] cpu  1.3333
---```
---@param self strew.Tensor a float dtype
---@param target strew.Tensor self's shape
---@param options? strew.mse_loss_options
---@return strew.Tensor loss a number, or self's shape
function strew.mse_loss(self, target, options) end

---Options of cross_entropy.
---@class strew.cross_entropy_options
---@field weight? strew.Tensor of each class, self's dtype
---@field ignore_index? integer the target of rows that do not count, default -100
---@field reduction? string "mean" (default), "sum" or "none": a loss for each row
---@field label_smoothing? number the part of each target that all classes share, 0 (default) to 1

---Returns the cross-entropy of scores and classes: `nll_loss` of the logarithm of their softmax.
---
---Classes are along dimension 1, or 0 of a vector. Target has the class of each row, or floats: a probability for each
---class. The mean of classes is that by weight, without ignored ones.
---
---```lua
---local scores = strew.tensor{{2.0, 0, 0}, {0, 1, 3}}
---print(scores:cross_entropy(strew.tensor{0, 2}))
---```
---```text
---float32[] cpu  0.2047
---```
---@param self strew.Tensor scores, a float dtype
---@param target strew.Tensor integers, self's shape without the classes, error: out of range; or floats of self's shape
---@param options? strew.cross_entropy_options
---@return strew.Tensor loss a number, or a loss for each row
function strew.cross_entropy(self, target, options) end

---Options of nll_loss.
---@class strew.nll_loss_options
---@field weight? strew.Tensor of each class, self's dtype
---@field ignore_index? integer the target of rows that do not count, default -100
---@field reduction? string "mean" (default), "sum" or "none": a loss for each row

---Returns the negative logarithm of the probability of each row's class.
---
---Classes are along dimension 1, or 0 of a vector.
---
---```lua
---local logs = strew.tensor{{2.0, 0, 0}, {0, 1, 3}}:log_softmax(1)
---print(logs:nll_loss(strew.tensor{0, 2}))
---```
---```text
---float32[] cpu  0.2047
---```
---@param self strew.Tensor logarithms of probabilities, a float dtype
---@param target strew.Tensor integers, self's shape without the classes; error: out of range
---@param options? strew.nll_loss_options
---@return strew.Tensor loss a number, or a loss for each row
function strew.nll_loss(self, target, options) end

---Options of binary_cross_entropy.
---@class strew.binary_cross_entropy_options
---@field weight? strew.Tensor factors of the losses, of a shape that broadcasts
---@field reduction? string "mean" (default), "sum" or "none": a loss for each element

---Returns the cross-entropy of probabilities: `-(target * log(self) + (1 - target) * log(1 - self))`.
---
---Logarithms are at least -100, as in PyTorch.
---
---```lua
---print(strew.tensor{0.9, 0.2}:binary_cross_entropy(strew.tensor{1.0, 0}))
---```
---```text
---float32[] cpu  0.1643
---```
---@param self strew.Tensor probabilities, a float dtype; error: below 0 or above 1
---@param target strew.Tensor a float dtype, self's shape
---@param options? strew.binary_cross_entropy_options
---@return strew.Tensor loss a number, or self's shape
function strew.binary_cross_entropy(self, target, options) end

---Options of cumsum and cumprod; not in place.
---@class strew.cumulative_options
---@field dtype? strew.dtype of the elements, which are converted first, and of the result
---@field include_initial? boolean begins with the value of no elements, 0 or 1: one more element along dim

---Returns the cumulative sum along a dimension: element i is the sum of elements 0..i.
---
---Floats are added one after the other in halves of 8 elements, and the sum before a half is a pair of floats
---(double-float): rounding errors do not grow with the length. Within 8 elements, rounding and overflow are those of a
---plain loop, so the last one may differ from `sum`, which adds in another order. The bits depend on the shape alone.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:cumsum(1))
---```
---```text
---int64[2, 3] cpu
---  1   3   6
---  4   9  15
---```
---@param self strew.Tensor any dtype
---@param dim integer
---@param options? strew.cumulative_options
---@return strew.Tensor t uint64 for uint64, int64 for other integers and bools, else self's dtype; in place always self's
function strew.cumsum(self, dim, options) end

---Returns the cumulative product along a dimension: element i is the product of elements 0..i.
---
---Elements are multiplied in order, as in a plain loop.
---
---```lua
---print(strew.tensor{{1, 2, 3}, {4, 5, 6}}:cumprod(1))
---```
---```text
---int64[2, 3] cpu
---   1    2    6
---   4   20  120
---```
---@param self strew.Tensor any dtype
---@param dim integer error: out of range
---@param options? strew.cumulative_options
---@return strew.Tensor t uint64 for uint64, int64 for other integers and bools, else self's dtype; in place always self's
function strew.cumprod(self, dim, options) end

---Returns log(sum(exp(x))) of elements 0..i along a dimension, without overflow.
---
---Elements are combined in order, by `logaddexp`.
---
---```lua
---print(strew.tensor{1000.0, 1000, 0}:logcumsumexp(0))
---```
---```text
---float32[3] cpu
--- 1000.0000  1000.6932  1000.6932
---```
---@param self strew.Tensor a float dtype
---@param dim integer error: out of range
---@return strew.Tensor t self's dtype
function strew.logcumsumexp(self, dim) end

---Returns the largest element so far along a dimension, and its position: the last one if several are equal.
---
---From the first NaN on, the results are NaN.
---
---```lua
---local values, positions = strew.tensor{2, 3, 1, 3, 0}:cummax(0)
---print(values)
---print(positions)
---```
---```text
---int64[5] cpu
--- 2  3  3  3  3
---int64[5] cpu
--- 0  1  1  3  3
---```
---@param self strew.Tensor any dtype
---@param dim integer error: out of range
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
function strew.cummax(self, dim) end

---Returns the smallest element so far along a dimension, and its position: the last one if several are equal.
---
---From the first NaN on, the results are NaN.
---
---```lua
---local values, positions = strew.tensor{2, 3, 1, 3, 0}:cummin(0)
---print(values)
---print(positions)
---```
---```text
---int64[5] cpu
--- 2  2  1  1  0
---int64[5] cpu
--- 0  0  2  2  4
---```
---@param self strew.Tensor any dtype
---@param dim integer error: out of range
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
function strew.cummin(self, dim) end

------------------------------------------------------------------------------------------------------- Sorting, finding

---Sorts along a dimension; also returns the original positions (argsort).
---
---The sort is stable: equal elements keep their order. NaN is the greatest value.
---
---```lua
---local values, positions = strew.tensor{3, 1, 2}:sort()
---print(values)
---print(positions)
---print((strew.tensor{3, 1, 2}:sort({descending = true})))
---```
---```text
---int64[3] cpu
--- 1  2  3
---int64[3] cpu
--- 1  2  0
---int64[3] cpu
--- 3  2  1
---```
---@param self strew.Tensor any dtype
---@param dim? integer default -1
---@param descending? boolean default false
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, descending?: boolean}): strew.Tensor, strew.Tensor
function strew.sort(self, dim, descending) end

---Returns the positions of the elements in sorted order, along a dimension.
---
---The sort is stable: equal elements keep their order. NaN is the greatest value.
---
---```lua
---local t = strew.tensor{3, 1, 2}
---print(t:argsort())
---print(t:gather(0, t:argsort()))
---```
---```text
---int64[3] cpu
--- 1  2  0
---int64[3] cpu
--- 1  2  3
---```
---@param self strew.Tensor any dtype
---@param dim? integer default -1
---@param descending? boolean default false
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, descending?: boolean}): strew.Tensor
function strew.argsort(self, dim, descending) end

---Returns the k largest elements along a dimension, in descending order, and their positions.
---
---```lua
---local values, positions = strew.tensor{3, 1, 4, 1, 5}:topk(2)
---print(values)
---print(positions)
---print((strew.tensor{3, 1, 4, 1, 5}:topk(2, {largest = false})))
---```
---```text
---int64[2] cpu
--- 5  4
---int64[2] cpu
--- 4  2
---int64[2] cpu
--- 1  1
---```
---@param self strew.Tensor any dtype
---@param k integer 0 to the size of dim
---@param dim? integer default -1
---@param largest? boolean default true; false: the k smallest, in ascending order
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, k: integer, options: {dim?: integer, largest?: boolean}): strew.Tensor, strew.Tensor
function strew.topk(self, k, dim, largest) end

---Returns the k-th smallest element along a dimension, and its position.
---
---Of equal elements the first comes first; NaN is the largest.
---
---```lua
---local value, position = strew.tensor{30, 10, 20}:kthvalue(2)
---print(value:item(), position:item())
---```
---```text
---20	2
---```
---@param self strew.Tensor any dtype
---@param k integer 1 (the smallest) to the size of dim
---@param dim? integer default -1
---@param keepdim? boolean true: keeps dim, with size 1; default false
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, k: integer, options: {dim?: integer, keepdim?: boolean}): strew.Tensor, strew.Tensor
function strew.kthvalue(self, k, dim, keepdim) end

---Returns the most frequent value along a dimension, the smallest of several, and its last position.
---
---NaN equals nothing: only a line of NaN alone has it.
---
---```lua
---local value, position = strew.tensor{3, 1, 3, 1, 2}:mode()
---print(value:item(), position:item())
---```
---```text
---1	3
---```
---@param self strew.Tensor any dtype
---@param dim? integer default -1
---@param keepdim? boolean true: keeps dim, with size 1; default false
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean}): strew.Tensor, strew.Tensor
function strew.mode(self, dim, keepdim) end

---Options of unique.
---@class strew.unique_options
---@field dim? integer distinct parts along a dimension, ordered as words in a dictionary, where all NaN are equal;
---default: distinct elements
---@field return_index? boolean also returns the first position of each value, before the others; default false
---@field return_inverse? boolean also returns the position of each element's value, in self's shape; default false
---@field return_counts? boolean also returns how often each value occurs; default false

---Returns the distinct values, in ascending order.
---
---```lua
---local words = strew.tensor{7, 3, 7, 7}
---print(words:unique())
---local values, inverse, counts = words:unique{return_inverse = true, return_counts = true}
---print(values:gather(0, inverse))
---print(counts)
---print(strew.tensor{{1, 2}, {0, 5}, {1, 2}}:unique{dim = 0})
---```
---```text
---int64[2] cpu
--- 3  7
---int64[4] cpu
--- 7  3  7  7
---int64[2] cpu
--- 1  3
---int64[2, 2] cpu
--- 0  5
--- 1  2
---```
---@param self strew.Tensor any dtype and shape
---@param options? strew.unique_options
---@return strew.Tensor values self's dtype, one dimension, or self's with dim
---@return strew.Tensor index int64, only with return_index
---@return strew.Tensor inverse int64, only with return_inverse
---@return strew.Tensor counts int64, only with return_counts
function strew.unique(self, options) end

---Returns the positions of the nonzero elements, in row-major order.
---
---To filter a tensor by a mask, use `masked_select`.
---
---```lua
---print(strew.tensor{{0, 7}, {8, 0}}:nonzero())
---```
---```text
---int64[2, 2] cpu
--- 0  1
--- 1  0
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t int64[n, rank], one row for each nonzero element
function strew.nonzero(self) end

---Returns the positions of the nonzero elements: NumPy's name of `nonzero`.
---
---```lua
---print(strew.tensor{0, 3, 5}:argwhere())
---```
---```text
---int64[2, 1] cpu
--- 1
--- 2
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t int64, a row for each element
function strew.argwhere(self) end

---Options of bucketize.
---@class strew.search_options
---@field right? boolean after equal elements; default false, before them

---Options of searchsorted.
---@class strew.sorter_options: strew.search_options
---@field sorter? strew.Tensor integers of sorted's shape: the positions that sort it, as argsort gives them

---Returns where each value has to be inserted to keep a sequence sorted (binary search).
---
---Sequences lie along the last dimension of sorted. One sequence serves values of any shape; several have the leading
---sizes of values. NaN is the largest value. If a sequence is not sorted, the positions are unspecified, without an
---error.
---
---```lua
---print(strew.searchsorted(strew.tensor{1, 3, 5}, strew.tensor{3, 4, 9}))
---print(strew.searchsorted(strew.tensor{1, 3, 5}, 3, {right = true}))
---```
---```text
---int64[3] cpu
--- 1  2  3
---int64[] cpu  2
---```
---@param sorted strew.Tensor any dtype, sorted along the last dimension
---@param values strew.Tensor|number any dtype: two dtypes are promoted; error: other leading sizes
---@param options? strew.sorter_options
---@return strew.Tensor positions int64, of values' shape
function strew.searchsorted(sorted, values, options) end

---Returns the number of the bucket of each value: how many boundaries lie below it.
---
---A value equal to a boundary belongs to the lower bucket; with `right = true`, to the upper one. Boundaries in a table
---take values' dtype; beside integers, fractions are float64.
---
---```lua
---print(strew.bucketize(strew.tensor{0.5, 1, 7}, {1, 5}))
---```
---```text
---int64[3] cpu
--- 0  0  2
---```
---@param values strew.Tensor|number any dtype: two dtypes are promoted
---@param boundaries strew.Tensor|number[] any dtype, one dimension, sorted; error: more dimensions
---@param options? strew.search_options
---@return strew.Tensor positions int64, of values' shape
function strew.bucketize(values, boundaries, options) end

----------------------------------------------------------------------------------- Products of matrices, linear algebra

---Returns the matrix product of matrices, vectors or batches of matrices, as in PyTorch.
---
---The product of two vectors is a number. A vector is a row as first operand, a column as second operand. Leading
---dimensions broadcast. Integer sums wrap. Each float is summed in order by fused multiply-adds, in float32 for 16-bit
---floats: the same bits on every device.
---
---```lua
---local a = strew.tensor{{1, 2}, {3, 4}}
---print(a:matmul(a))
---print(a:matmul(strew.tensor{1, 1}))
---```
---```text
---int64[2, 2] cpu
---  7  10
--- 15  22
---int64[2] cpu
--- 3  7
---```
---@param self strew.Tensor 1 dimension or more, any dtype except bool
---@param other strew.Tensor the same dtype; error: inner sizes differ
---@return strew.Tensor t
function strew.matmul(self, other) end

---Returns the products of all pairs of elements of two vectors, a matrix.
---
---```lua
---print(strew.tensor{1, 2}:outer(strew.tensor{10, 20, 30}))
---```
---```text
---int64[2, 3] cpu
--- 10  20  30
--- 20  40  60
---```
---@param self strew.Tensor any dtype, one dimension; error: others
---@param other strew.Tensor the same
---@return strew.Tensor t the promoted dtype
function strew.outer(self, other) end

---Returns the product of two matrices.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:mm(strew.tensor{{0, 1}, {1, 0}}))
---```
---```text
---int64[2, 2] cpu
--- 2  1
--- 4  3
---```
---@param self strew.Tensor [n, k]
---@param other strew.Tensor [k, m], the same dtype
---@return strew.Tensor t [n, m]
function strew.mm(self, other) end

---Returns the product of a matrix and a vector.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:mv(strew.tensor{1, 10}))
---```
---```text
---int64[2] cpu
--- 21  43
---```
---@param self strew.Tensor [n, k]
---@param other strew.Tensor [k], the same dtype
---@return strew.Tensor t [n]
function strew.mv(self, other) end

---Returns the dot product of two vectors.
---
---The order of additions depends on the length alone.
---
---```lua
---print(strew.tensor{1, 2, 3}:dot(strew.tensor{4, 5, 6}))
---```
---```text
---int64[] cpu  32
---```
---@param self strew.Tensor [k]
---@param other strew.Tensor [k], the same dtype
---@return strew.Tensor t rank 0
function strew.dot(self, other) end

---Returns the inverses of square matrices.
---
---Each matrix of a batch, the last two dimensions, by elimination with exchanges of rows. To solve equations, solve is
---faster and rounds less.
---
---```lua
---local m = strew.tensor{{2.0, 0.0}, {1.0, 4.0}}
---print(m:inv())
---print(m:inv():matmul(m))
---```
---```text
---float32[2, 2] cpu
---  0.5000   0.0000
--- -0.1250   0.2500
---float32[2, 2] cpu
--- 1  0
--- 0  1
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others; singular ones, which the message names
---@return strew.Tensor t self's dtype and shape
function strew.inv(self) end

---Returns x with self @ x = other, of square matrices.
---
---Leading dimensions broadcast. other is one vector, or matrices, whose columns are right sides.
---
---```lua
---local m = strew.tensor{{2.0, 0.0}, {1.0, 4.0}}
---print(m:solve(strew.tensor{2.0, 9.0}))
---print(m:solve(strew.eye(2)))
---```
---```text
---float32[2] cpu
--- 1  2
---float32[2, 2] cpu
---  0.5000   0.0000
--- -0.1250   0.2500
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others; singular ones, which the message names
---@param other strew.Tensor [n] or [..., n, k], self's dtype
---@return strew.Tensor t [..., n] or [..., n, k]
function strew.solve(self, other) end

---Returns the determinants of square matrices.
---
---The product of the pivots of elimination; 0 for singular matrices. slogdet neither overflows nor underflows.
---
---```lua
---print(strew.tensor{{2.0, 0.0}, {1.0, 4.0}}:det())
---print(strew.ones(3, 2, 2):det())
---```
---```text
---float32[] cpu  8
---float32[3] cpu
--- 0  0  0
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others
---@return strew.Tensor t [...], self's dtype
function strew.det(self) end

---Returns the signs of determinants, and the logarithms of their magnitudes.
---
---```lua
---local sign, logabsdet = strew.tensor{{0.0, 2.0}, {1.0, 4.0}}:slogdet()
---print(sign)
---print(logabsdet)
---```
---```text
---float32[] cpu  -1
---float32[] cpu  0.6931
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others
---@return strew.Tensor sign [...]: 1, -1, or 0 for a singular matrix
---@return strew.Tensor logabsdet [...]: -inf for a singular matrix
function strew.slogdet(self) end

---Returns the lower triangle L with L @ L:t() = self, of symmetric positive definite matrices.
---
---One triangle of self is read, the one of the result.
---
---```lua
---print(strew.tensor{{4.0, 2.0}, {2.0, 5.0}}:cholesky())
---print(strew.tensor{{4.0, 2.0}, {2.0, 5.0}}:cholesky(true))
---```
---```text
---float32[2, 2] cpu
--- 2  0
--- 1  2
---float32[2, 2] cpu
--- 2  1
--- 0  2
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: one is not positive definite
---@param upper? boolean true: the upper triangle U with U:t() @ U = self; default false
---@return strew.Tensor t self's dtype and shape
---@overload fun(self: strew.Tensor, options: {upper?: boolean}): strew.Tensor
function strew.cholesky(self, upper) end

---Returns Q, of orthonormal columns, and R, an upper triangle, with Q @ R = self.
---
---By reflections; the signs are those of NumPy and PyTorch.
---
---```lua
---local q, r = strew.tensor{{3.0, 1.0}, {4.0, 2.0}}:qr()
---print(q)
---print(r)
---```
---```text
---float32[2, 2] cpu
--- -0.6000  -0.8000
--- -0.8000   0.6000
---float32[2, 2] cpu
--- -5.0000  -2.2000
---  0.0000   0.4000
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others
---@param mode? string default "reduced": [..., m, k] and [..., k, n], k the least; "complete": k is m; "r": r alone
---@return strew.Tensor q not for "r"
---@return strew.Tensor r
---@overload fun(self: strew.Tensor, options: {mode?: string}): strew.Tensor, strew.Tensor
function strew.qr(self, mode) end

---Returns the eigenvalues of symmetric matrices, in ascending order, and their eigenvectors, the columns of matrices.
---
---One triangle of self is read. An eigenvector's sign is either one.
---
---```lua
---local values, vectors = strew.tensor{{2.0, 1.0}, {1.0, 2.0}}:eigh()
---print(values)
---print(vectors:abs())
---```
---```text
---float32[2] cpu
--- 1  3
---float32[2, 2] cpu
--- 0.7071  0.7071
--- 0.7071  0.7071
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others; elements that are not finite
---@param upper? boolean true: the upper triangle is read; default false, the lower one
---@return strew.Tensor values [..., n]
---@return strew.Tensor vectors [..., n, n], orthonormal columns
---@overload fun(self: strew.Tensor, options: {upper?: boolean}): strew.Tensor, strew.Tensor
function strew.eigh(self, upper) end

---Returns the eigenvalues of symmetric matrices in ascending order.
---
---```lua
---print(strew.tensor{{2.0, 1.0}, {1.0, 2.0}}:eigvalsh())
---```
---```text
---float32[2] cpu
--- 1  3
---```
---@param self strew.Tensor a float dtype, [..., n, n]; error: others; elements that are not finite
---@param upper? boolean true: the upper triangle is read; default false, the lower one
---@return strew.Tensor values [..., n]
---@overload fun(self: strew.Tensor, options: {upper?: boolean}): strew.Tensor
function strew.eigvalsh(self, upper) end

---Returns the singular value decomposition: u, s and vh with (u * s) @ vh = self.
---
---u has orthonormal columns, vh orthonormal rows; s is in descending order. A column and its row have
---either sign. `self:svd(false)` has no more vectors than the product needs.
---
---```lua
---local m = strew.tensor{{3.0, 0.0}, {4.0, 5.0}}
---local u, s, vh = m:svd()
---print(s)
---print((u * s):matmul(vh))
---```
---```text
---float32[2] cpu
--- 6.7082  2.2361
---float32[2, 2] cpu
---  3.0000e+00  -2.5720e-08
---  4.0000e+00   5.0000e+00
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others; elements that are not finite
---@param full_matrices? boolean default true: u is [..., m, m], vh [..., n, n]; false: [..., m, k] and [..., k, n]
---@return strew.Tensor u
---@return strew.Tensor s [..., k], k the least of m and n
---@return strew.Tensor vh
---@overload fun(self: strew.Tensor, options: {full_matrices?: boolean}): strew.Tensor, strew.Tensor, strew.Tensor
function strew.svd(self, full_matrices) end

---Returns the singular values of matrices in descending order.
---
---```lua
---print(strew.tensor{{3.0, 0.0}, {4.0, 5.0}}:svdvals())
---```
---```text
---float32[2] cpu
--- 6.7082  2.2361
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others; elements that are not finite
---@return strew.Tensor s [..., k], k the least of m and n
function strew.svdvals(self) end

---Returns x with the least norm of self @ x - other; of several the x of least norm.
---
---By singular values, so that matrices may be of any rank.
---
---```lua
---local m = strew.tensor{{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}}
---local x, residuals, rank = m:lstsq(strew.tensor{1.0, 3.0, 5.0})
---print(x)
---print(rank)
---```
---```text
---float32[2] cpu
--- 1.0000  2.0000
---int64[] cpu  2
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others
---@param other strew.Tensor [m] or [..., m, k], self's dtype
---@param rcond? number singular values up to rcond times the largest one are 0; default max(m, n) * eps of finfo
---@return strew.Tensor x [..., n] or [..., n, k]
---@return strew.Tensor residuals sums of squares, [..., k]; none unless all ranks are n, and m > n
---@return strew.Tensor rank int64, [...]
---@return strew.Tensor s the singular values
---@overload fun(self: strew.Tensor, options: {other: strew.Tensor, rcond?: number}): strew.Tensor, strew.Tensor, strew.Tensor, strew.Tensor
function strew.lstsq(self, other, rcond) end

---Returns the pseudo-inverses of matrices, which may be of any shape and rank.
---
---```lua
---print(strew.tensor{{1.0, 2.0}, {2.0, 4.0}}:pinv())
---```
---```text
---float32[2, 2] cpu
--- 0.0400  0.0800
--- 0.0800  0.1600
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others
---@param rtol? number|strew.Tensor singular values up to rtol times the largest one are 0; default max(m, n) * eps of finfo; a tensor: [...]
---@return strew.Tensor t [..., n, m]
---@overload fun(self: strew.Tensor, options: {rtol?: number|strew.Tensor}): strew.Tensor
function strew.pinv(self, rtol) end

---Returns the ranks of matrices: the number of singular values that do not count as 0.
---
---```lua
---print(strew.tensor{{1.0, 2.0}, {2.0, 4.0}}:matrix_rank())
---```
---```text
---int64[] cpu  1
---```
---@param self strew.Tensor a float dtype, [..., m, n]; error: others
---@param rtol? number|strew.Tensor singular values up to rtol times the largest one are 0; default max(m, n) * eps of finfo; a tensor: [...]
---@return strew.Tensor t int64, [...]
---@overload fun(self: strew.Tensor, options: {rtol?: number|strew.Tensor}): strew.Tensor
function strew.matrix_rank(self, rtol) end

---Returns norms of matrices.
---
---"fro": the root of the sum of squares; "nuc": the sum of singular values; 2, -2: the largest, the smallest of these;
---1, -1: of the sums of magnitudes of columns; math.huge, -math.huge: of rows.
---
---```lua
---local m = strew.tensor{{3.0, 0.0}, {4.0, 5.0}}
---print(m:matrix_norm())
---print(m:matrix_norm(math.huge))
---```
---```text
---float32[] cpu  7.0711
---float32[] cpu  9
---```
---@param self strew.Tensor a float dtype, at least two dimensions; error: others
---@param ord? string|number default "fro"
---@param dim? integer|integer[] two dimensions, of rows and of columns; default the last two
---@param keepdim? boolean true: keeps them, with size 1; default false
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {ord?: string|number, dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.matrix_norm(self, ord, dim, keepdim) end

---Returns the norm of all elements, or of lines: norm, by the name of other libraries.
---
---```lua
---print(strew.tensor{3.0, 4.0}:vector_norm())
---```
---```text
---float32[] cpu  5
---```
---@param self strew.Tensor a float dtype; error: others
---@param ord? number the power, as norm's p; default 2
---@param dim? integer|integer[] the dimensions to reduce, default: all
---@param keepdim? boolean true: keeps them, with size 1; default false
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {ord?: number, dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.vector_norm(self, ord, dim, keepdim) end

---Returns the matrix product of n copies of each square matrix.
---
---n 0 gives the identity, n below 0 powers of the inverse.
---
---```lua
---print(strew.tensor{{1, 1}, {1, 0}}:matrix_power(10))
---```
---```text
---int64[2, 2] cpu
--- 89  55
--- 55  34
---```
---@param self strew.Tensor [..., n, n], any dtype but bool; floats for n below 0
---@param n integer
---@return strew.Tensor t self's dtype and shape
---@overload fun(self: strew.Tensor, options: {n: integer}): strew.Tensor
function strew.matrix_power(self, n) end

---Returns the sums of the diagonals of matrices, the last two dimensions.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:trace())
---```
---```text
---int64[] cpu  5
---```
---@param self strew.Tensor [..., m, n]; error: fewer dimensions
---@param offset? integer above 0: a diagonal above the main one, below 0: below it; default 0
---@return strew.Tensor t [...]; integers give int64
---@overload fun(self: strew.Tensor, options: {offset?: integer}): strew.Tensor
function strew.trace(self, offset) end

---Returns the dot products of vectors along a dimension.
---
---```lua
---print(strew.tensor{{1, 2}, {3, 4}}:vecdot(strew.tensor{10, 1}))
---```
---```text
---int64[2] cpu
--- 12  34
---```
---@param self strew.Tensor any dtype but bool
---@param other strew.Tensor broadcasts with self
---@param dim? integer of the two as broadcast; default -1
---@return strew.Tensor t the promoted dtype; integers wrap
---@overload fun(self: strew.Tensor, options: {other: strew.Tensor, dim?: integer}): strew.Tensor
function strew.vecdot(self, other, dim) end

---Returns the cross products of vectors of three elements along a dimension.
---
---```lua
---print(strew.tensor{1, 0, 0}:cross(strew.tensor{{0, 1, 0}, {0, 0, 1}}))
---```
---```text
---int64[2, 3] cpu
---  0   0   1
---  0  -1   0
---```
---@param self strew.Tensor size 3 along dim; error: others
---@param other strew.Tensor broadcasts with self
---@param dim? integer of the two as broadcast; default -1
---@return strew.Tensor t the promoted dtype
---@overload fun(self: strew.Tensor, options: {other: strew.Tensor, dim?: integer}): strew.Tensor
function strew.cross(self, other, dim) end

---Returns the Kronecker product: other times each element of self, in its place.
---
---```lua
---print(strew.tensor{{1, 2}}:kron(strew.tensor{{1, 0}, {0, 1}}))
---```
---```text
---int64[2, 4] cpu
--- 1  0  2  0
--- 0  1  0  2
---```
---@param self strew.Tensor at most 8 dimensions
---@param other strew.Tensor the same
---@return strew.Tensor t sizes are the products of the sizes
function strew.kron(self, other) end

---Returns sums of products over pairs of dimensions of two tensors.
---
---The other dimensions stay: self's, then other's.
---
---```lua
---local a = strew.tensor{{1, 2}, {3, 4}}
---print(a:tensordot(a, 1))
---print(a:tensordot(a, {{0, 1}, {0, 1}}))
---```
---```text
---int64[2, 2] cpu
---  7  10
--- 15  22
---int64[] cpu  30
---```
---@param self strew.Tensor any dtype but bool
---@param other strew.Tensor the same dtype
---@param dims? integer|table n: self's last with other's first n; {those of self, those of other}; default 2
---@return strew.Tensor t their dtype; integers wrap
---@overload fun(self: strew.Tensor, options: {other: strew.Tensor, dims?: integer|table}): strew.Tensor
function strew.tensordot(self, other, dims) end

---Returns sums of products of tensors by subscripts, as NumPy's and PyTorch's.
---
---A letter names a dimension; letters that are not in the result are summed over. Without "->" the result has those that
---occur once, in the order of the alphabet. "..." stands for any leading dimensions, which broadcast. Operands are
---multiplied from the first on, two at a time, as matrix products.
---
---```lua
---local a = strew.tensor{{1, 2}, {3, 4}}
---print(strew.einsum("ij,jk->ik", a, a))
---print(strew.einsum("ii", a))
---print(strew.einsum("ij->ji", {a}))
---```
---```text
---int64[2, 2] cpu
---  7  10
--- 15  22
---int64[] cpu  5
---int64[2, 2] cpu
--- 1  3
--- 2  4
---```
---@param equation string a term for each operand, between commas, then maybe -> and that of the result
---@param a strew.Tensor|strew.Tensor[] the first operand, or all of them in a sequence
---@param b? strew.Tensor of the same dtype, not bool
---@param c? strew.Tensor
---@param d? strew.Tensor more than four: in a sequence
---@return strew.Tensor t their dtype; integers wrap
function strew.einsum(equation, a, b, c, d) end

---Returns the distances between all pairs of rows of two matrices: the norms of their differences.
---
---With p 1 and 2 the differences are never stored.
---
---```lua
---local a = strew.tensor{{0.0, 0.0}, {3.0, 4.0}}
---print(a:cdist(a))
---print(a:cdist(strew.tensor{{1.0, 1.0}}, 1))
---```
---```text
---float32[2, 2] cpu
--- 0  5
--- 5  0
---float32[2, 1] cpu
--- 2
--- 5
---```
---@param self strew.Tensor a float dtype, [..., m, k]; error: others
---@param other strew.Tensor [..., n, k], the same dtype; leading dimensions broadcast
---@param p? number 0 or more, as norm's; default 2
---@return strew.Tensor t [..., m, n]
---@overload fun(self: strew.Tensor, options: {other: strew.Tensor, p?: number}): strew.Tensor
function strew.cdist(self, other, p) end

------------------------------------------------------------------------------------------------- Expressions, gradients

---# expressions
---A text such as `"(x - mean(x)) / std(x)"` is computed in one pass over its inputs, with the results of single calls.
---
---`strew.expr` parses it, `strew.rows`, `strew.assign`, `strew.sort_by`, `strew.group_by` and `g:agg` take one for columns
---of a table. The grammar is that of Lua's expressions, with its precedences: numbers, `true` and `false`, names, `+ - * / // % ^`, unary
---`-` and `~`, `& | ~`, comparisons, which give bools, `and`, `or` and `not` of bools, parentheses, and calls:
---
---- elementwise functions by their names, with arguments in order: `exp(x)`, `maximum(a, b)`, `where(c, a, b)`,
---  `clamp(x, 0, 1)`, `clamp(x, 0)`, `isnan(x)`
---
---- dtypes, as `to`: `float32(x)`
---
---- reductions, computed first: `sum mean var std min max amin amax any all prod` of `(x [, dim [, keepdim]])`, and
---  without NaN `nansum nanmean nanmax nanmin nanstd`
---
---- `median` and `nanmedian` of the same: of columns as in tables, the mean of the two middle ones, of tensors the lower;
---  and `round(x, digits)` with constant digits. With these each operation is a call
---
---- `m[i]`: rows of m chosen by an index or a grouping, as in `"x - mean[g]"`
---
---- `city == "Rome"`, `city < "Rome"`, `when >= "2024-05-01"`: words in quotes compare with text and with times
---
---Dtypes, results and errors are those of the same calls made one by one, and so are gradients. Errors mark the place in
---the text. Nothing of a text runs as Lua; length, depth and operations are limited.
---
---A text of columns is one that a table's function takes, or whose inputs are a table of columns (`strew.expr(text)(x)`,
---f:with(x)). There integers of 32 and 64 bits are float64, as in pandas, where they meet a fraction or become one:
---`cents / 100`, `cents * 0.01`, `sqrt(cents)`, `where(c, cents, 0.5)`; `mean`, `var` and `std` take integers and bools. With
---tensors by name these are float32 or an error, as in calls: `?promotion`. `float64(n)` says it in any text.
---
---What means something else in other languages is an error that says what to write: comparisons of a comparison
---(`a == b == c`) or of one with a number, `&` and `|` between a comparison and a number, `a > 1 & b > 2`, `not a == b` of
---numbers; `max(v, 0)`, which is `maximum(v, 0)`, or `max(v, 0, false)` along dim 0, so with `min`, `amax`, `amin`; `--`,
---which begins a comment in Lua: `a - -b`.
---
---```lua
---local x = strew.tensor{1.0, 2.0, 6.0}
---print(strew.expr("(x - mean(x)) * 2 > k"){x = x, k = 1})
---print(select(2, pcall(strew.expr, "x + * 2")))
---```
---```text
---bool[3] cpu
--- false  false   true
---example:3: expr: 'text' has '*', expected a value
---  text  x + * 2
---            ^
---```

---Parses an expression, which is then computed in one pass for any inputs.
---
---`f(inputs [, {out =, device =}])` computes it. `inputs` is a table that has each name: tensors, which broadcast, numbers,
---booleans, and groupings, which stand for the ids of their elements; a table of columns will do. The result is a new
---tensor, or is written to `out`, which may be an input. `f.inputs` is the sequence of names, `f.text` the text.
---
---`f:with(inputs)` binds the inputs without computing anything; where times or the order of words are compared, it binds
---the result. Any call reads the result in the place of a tensor:
---`strew.scatter(e, index)`, `g:sum(e)`, `t:copy_(e)`, `e:sum(0)`. Folds and, on the CPU, groups, segments and
---the calls that scatter its elements compute blocks of it as they read; other calls store it first.
---`e.dtype` and `e.shape` are those of the result, and `e + 1` is a tensor. Nothing can be written to it.
---
---```lua
---local f = strew.expr("price * (1 + tax) * pieces")
---print(f)
---local x = {price = strew.tensor{3.5, 2.0, 4.0}, pieces = strew.tensor{2, 1, 3}, tax = 0.5}
---print(f(x))
---local e = f:with(x)
---print(e.dtype, e:sum():item())
---print(strew.scatter_sum(e, strew.tensor{0, 1, 0}))
---```
---```text
---expression of price, tax, pieces: price * (1 + tax) * pieces
---float32[3] cpu
--- 10.5000   3.0000  18.0000
---float32	31.5
---float32[2] cpu
--- 28.5000   3.0000
---```
---@param text string error: not an expression; the message marks the place
---@return any f with f(inputs), f:with(inputs), f.inputs and f.text
function strew.expr(text) end

---Options of reduction.
---@class strew.reduction_options
---@field init any the first value: a number or boolean; of several accumulators a table of them by name
---@field combine any a text for the next value; of several accumulators a table of texts by name
---@field finish? string a text for the result, default "acc"; of several accumulators it is required
---@field dtype? any of the accumulators: a word, or a table of words by name

---Returns a reduction of one's own: accumulators that change with each element, one element after the other.
---
---`combine` is an expression of the accumulators as they were before the element (one alone is called `acc`), of the
---element `x`, and of `i`, its position along the dimension; `finish` is one of the accumulators alone. Elements are
---combined in row-major order of the index: a combination need not be associative, and has the same bits on every number
---of threads and device. Where nothing arrives, the result is `finish` of `init`. Texts have no reductions and no `m[i]`.
---
---r stands in the place of a word such as "sum": `strew.scatter(src, index, {reduce = r})`, `t:scatter_reduce_(dim, index,
---src, r)`, `segment_csr(src, indptr, {reduce = r})`, `g:reduce(src, r [, dim])`, `g:agg{e = {r, "column"}}`,
---`t:reduce(r [, dim [, keepdim]])`; `t:scan(r, dim)` and `g:scan(src, r [, dim])` give all partial results. In the place
---of src, a table of tensors gives several sources by name: `strew.reduce({price = p, n = k}, r)`. `include_self` and
---`out` give one accumulator its first value; destinations of the position form that nothing reaches keep self's.
---
---Integers are seen as int64, those of uint64 as uint64; where both meet, as int64, but they are not compared. 16-bit
---floats are seen as float32, to which a float16 or bfloat16 result is rounded. An accumulator is, unless `dtype` is
---given, of integers if `init` and `combine` are, bool if they are bools; else float32 if all sources are of floats of
---at most 32 bits, float64 if not. Its integers are uint64 if `combine` gives it, no source is signed, and `init` is
---not negative; else int64. Integers that leave the range of their dtype wrap, and are never computed in floats. There
---are no gradients.
---
---```lua
---local decay = strew.reduction{init = 0, combine = "acc * 0.5 + x"}
---local v = strew.tensor{1.0, 2, 3, 4}
---print(v:scan(decay, 0))
---print(strew.scatter(v, strew.tensor{0, 1, 0, 1}, {reduce = decay}))
---local latest = strew.reduction{init = {best = 0, at = -1}, finish = "at",
---                               combine = {best = "maximum(best, x)", at = "where(x >= best, i, at)"}}
---print(strew.group_by(strew.tensor{7, 5, 7, 5}):reduce(v, latest))
---```
---```text
---float32[4] cpu
--- 1.0000  2.5000  4.2500  6.1250
---float32[2] cpu
--- 3.5000  5.0000
---int64[2] cpu
--- 3  2
---```
---@param options strew.reduction_options error: a text that is no expression; the message marks the place
---@return any r
function strew.reduction(options) end

---Returns a reduction of one's own of all elements, or along a dimension.
---
---```lua
---local r = strew.reduction{init = 0, combine = "acc * 10 + x"}
---print(strew.tensor{{1, 2}, {3, 4}}:reduce(r, 1))
---```
---```text
---int64[2] cpu
--- 12  34
---```
---@param src any a tensor, or a table of tensors of one shape by the names of sources
---@param reduce any a reduction as of strew.reduction
---@param dim? integer default: all elements, in row-major order
---@param keepdim? boolean true: reduced dimensions stay, of size 1
---@return strew.Tensor t
function strew.reduce(src, reduce, dim, keepdim) end

---Returns the partial results of a reduction of one's own along a dimension: that of elements 0..i at i.
---
---```lua
---print(strew.tensor{1, 2, 3}:scan(strew.reduction{init = 0, combine = "acc * 10 + x"}, 0))
---```
---```text
---int64[3] cpu
---   1   12  123
---```
---@param src any a tensor, or a table of tensors of one shape by the names of sources
---@param reduce any a reduction as of strew.reduction
---@param dim integer
---@return strew.Tensor t
function strew.scan(src, reduce, dim) end

---# gradients
---The gradients of a result with respect to the arguments come from the function that `strew.grad` makes.
---
---While the function runs, strew records each call that depends on a float tensor among the arguments; a rule for each
---call gives its gradients. Other tensors are constants, and so are comparisons, positions, counts, integers, and
---`floor`, `ceil`, `round`, `sign`. Calls without a rule (`unique`, `item`, `tolist`, `t[i]` of a number, bits) raise an
---error that names them; `t:detach()` returns a tensor as a constant. Until the gradients are made, a tensor that a
---recorded call used cannot be written to or freed, nor can a grouping be freed; `t:f_(...)` may write into a new one:
---`strew.zeros(3):scatter_add_(0, i, x)`.
---
---The gradient of an assignment goes to the last element, which stayed. `amax` and `amin`, over dimensions and as
---reduce words of the position form, share it evenly among all elements that equal the result; `max` and `min` with
---positions, and those of groups, give it to the winner. `minimum`, `maximum` and `clamp` by tensors share it between
---two equal elements. The gradient of a factor is the product of the others, even beside zeros, infinities and NaN.
---
---Gradients are added in the order of the calls: the bits are the same on every device and number of threads. Gradients
---may be differentiated again. A recorded call keeps its operands and its result until the gradients are returned.
---
---```lua
---local x, w = strew.tensor{{1.0, 2}, {3, 4}}, strew.tensor{0.5, -1}
---local function loss(w) return (x:mv(w) - strew.tensor{1.0, 0}):pow(2):mean() end
---local value_and_grad = strew.value_and_grad(loss)
---for step = 1, 3 do
---  local value, g = value_and_grad(w)
---  print(step, ("%.4f"):format(value:item()), ("%.2f %.2f"):format(g[0], g[1]))
---  w = w - g * 0.05
---end
---```
---```text
---1	6.2500	-10.00 -15.00
---2	2.1250	5.50 7.00
---3	1.1131	-2.15 -3.85
---```

---Returns a function that calls f and returns the gradients of its result.
---
---It returns one for each float tensor among the arguments, in their order; other arguments are passed on to f. See
---`gradients`.
---
---```lua
---local g = strew.grad(function(x, y) return (x * y):sum() end)
---local of_x, of_y = g(strew.tensor{1.0, 2}, strew.tensor{3.0, 4})
---print(of_x)
---print(of_y)
---```
---```text
---float32[2] cpu
--- 3  4
---float32[2] cpu
--- 1  2
---```
---@param f function error: its result is not a float tensor of one element; a call in it has no gradient
---@return function gradients fun(...): strew.Tensor...
function strew.grad(f) end

---Returns a function that calls f and returns its result, then the gradients of the result.
---
---```lua
---local value, gradient = strew.value_and_grad(function(x) return x * x end)(strew.tensor(3.0))
---print(value:item(), gradient:item())
---```
---```text
---9.0	6.0
---```
---@param f function as for grad
---@return function value_and_gradients fun(...): strew.Tensor, strew.Tensor...
function strew.value_and_grad(f) end

---Returns the tensor as a constant: a view of the same memory, through which no gradient passes.
---
---```lua
---print(strew.grad(function(x) return (x * x:detach()):sum() end)(strew.tensor{3.0}))
---```
---```text
---float32[1] cpu
--- 3
---```
---@param self strew.Tensor
---@return strew.Tensor t
function strew.detach(self) end

------------------------------------------------------------------------------------------------------------------ Files

---Options of strew.load and strew.chunks.
---@class strew.read_options
---@field device? strew.device default: the program's device
---@field header? boolean .csv: true if the first line holds names; default: if it has no number, and a word above a number
---@field separator? string .csv: the character between cells, default ",", for .tsv a tab; "blanks": runs of blanks and tabs
---@field dtype? strew.dtype|table<string,string> .csv: dtype of the columns of numbers, or dtypes by column, as {ok = "bool"},
---  where a word is an error; default int64 or float64
---@field text? (string|integer)[] .csv: columns to read as text, even if they look like numbers
---@field decimal? "."|"," .csv: the decimal point, default "."; a comma needs `separator`, usually ";"
---@field dates? (string|integer)[]|table<string,string>|true .csv: columns of ISO 8601 dates and times, read as times, or of a
---  format by column, as {day = "%d.%m.%Y"}: see strew.time; true: all whose first element is one of ISO 8601
---@field columns? (string|integer)[] the columns of the .csv, or the tensors of the .npz or .safetensors, in this order; default: all
---@field names? string[] .csv: names of all columns, instead of those in the file
---@field missing? (string|number)[] .csv: cells to read as empty, as {"?", "-", -999}: words as they are written, numbers by
---  their value in all columns but those of text
---@field skip? integer .csv: lines to skip at the beginning; default 0
---@field comment? string .csv: a character, as "#": lines that begin with it are skipped
---@field thousands? string .csv: a character between groups of three digits, as "," in 1,234,567
---@field unit? table<string,string> .csv: by column a unit before or after its numbers, as {p = "%", price = "$"}: left out
---@field format? strew.file_format overrides the name's extension

---Options of strew.load.
---@class strew.load_options: strew.read_options
---@field map? boolean .npy and .safetensors on the CPU: true maps the file: pages are read on first use, writes stay in memory
---@field rows? integer .csv: rows of the table, at most; no more of the file is read

---Options of strew.chunks.
---@class strew.chunks_options: strew.read_options
---@field rows? integer rows of a chunk, at most; default 1000000
---@field member? string .npz: the name of a tensor, unless it has only one

---Reads tensors from a file. The file name's extension, or `format`, gives the format.
---
---.npy: a tensor. .npz and .safetensors: a table of tensors by name. .png: uint8, or uint16 if
---it has 16 bits; the shape is [height, width] if it is grey, else [height, width, channels]. .tsv: as .csv, with tabs.
---.npy.gz, .csv.gz, .tsv.gz: compressed by gzip.
---
---"-" is standard input, and needs `format`: `strew.load("-", {format = "csv"})`. Standard input and named pipes are
---read to their end first; Ctrl-C and time limits stop the waiting. "~/x.csv" is in the home folder, that of $HOME.
---
---.csv: a table of columns, by name if the first line has names, else by number. It has if none of its cells is a
---number, and a word is above a number of the second line, or of the next, up to line 8, while the column has none but
---missing cells; `header = true` or `false` decides otherwise. An empty name becomes the column's number, a repeated
---one gets a number, as x_2: with warnings on, one warning says so.
---
---Columns of integers become int64, of other numbers float64; an empty cell becomes nan. Words become text,
---a dtype whose tensors carry their words. `x.names` is the order of the columns. `strew.columns(x)` returns the same, even
---if a column is called "names".
---
---No number changes: `load` fails for an integer that int64, or float64 in a column with fractions or empty cells, does not
---hold, and for a number beyond float64, as 1e999. With `dtype = "float64"` integers are rounded. Fractions always are.
---
---`load` fails where numbers would silently become words: if the first word of a column is a date, or a number with a
---decimal comma, as 1,5, with marks between thousands, or with a unit, as 12.5% and $5; for a line of units between
---names and numbers; and for a number below words as "-", "?" and "unknown", or as 110 001, which may be a postal code.
---It also fails for an integer with leading zeros, as the zip code 00501, or with a plus and 7 digits or more, as
---+4912345, unless `dtype` is given. `text = {"price"}` reads the column as words, `decimal = ","` numbers with commas,
---`thousands = ","` numbers as 1,234,567, `unit = {p = "%"}` 20% as 20, `missing = {"-", -999}` such words, and numbers
---equal to -999, as empty cells, `dtype = {ok = "bool"}` true, false, 1 and 0 as bools, `dates = {"when"}` dates:
---2024-05-17, 2024-05-17T12:30 or 2024-05-17 12:30:00.25+02:00, `dates = {when = "%d.%m.%Y"}` those of another form,
---by the letters of `strew.time`. They become times, in UTC unless they have an offset; an empty cell becomes NaT.
---
---A column is named by its name, or by its number from 1 on, unless that is another one's name: `text = {2}`.
---`separator = "blanks"` reads columns between runs of blanks and tabs, which lines may also begin and end with.
---
---`skip = 2` and `comment = "#"` leave out lines, `rows = 10` reads ten rows, and `names = {"a", "b"}` names the columns,
---instead of the file's names if it has some.
---
---A table prints as rows, with words. Above 20 rows it shows only the first and the last ones (`edgeitems` of
---`set_printoptions`; `threshold = math.huge`: all). Middle columns that do not fit the line are left out. float64 has
---up to 6 digits after the point, or `precision` if that is less than 4.
---
---`strew.rows`, `strew.sort_by` and `strew.columns` choose from a table. It stays a Lua table: `x.half = x.rain / 2` adds a
---column, `x.year = 2024` one with a number, boolean or word in all rows, `pairs` visits the columns, and a name that it
---lacks is nil. Only a name that looks like a misspelt column is an error; `rawget(x, name)` never is.
---
---A truncated or invalid file is an error that names the position; a false size in it allocates no memory. .npz needs
---the library libzip, .png libpng, .gz zlib; if one is missing, the error names the package.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("city,rain\nOslo,1.5\nBergen,4\nOslo,2.5\n"):flush()
---local x = strew.load(name .. ".csv", {header = true})
---print(x)
---print(strew.group_by(x, "city"):agg{rain = {"mean", "rain"}})
---print(x.city[1], x.words.city[2])
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---table: 3 rows, 2 columns, cpu
--- city       rain
--- text    float64
--- Oslo        1.5
--- Bergen      4.0
--- Oslo        2.5
---table: 2 rows, 2 columns, cpu
--- city       rain
--- text    float64
--- Bergen        4
--- Oslo          2
---Bergen	Bergen
---```
---@param path string
---@param options? strew.load_options
---@return any x a tensor, or a table of tensors; error: names the file, the position and the reason
function strew.load(path, options) end

---Options of strew.map.
---@class strew.map_options
---@field dtype? strew.dtype of an element; default uint8
---@field shape? integer|integer[] -1 in dimension 0, the default: as many records as the file has
---@field offset? integer bytes before the first element; default 0
---@field strides? integer|integer[] bytes from one element to the next, in each dimension; default: row-major
---@field byte_order? "little"|"big" default: this machine's

---Maps raw records of a file into memory, as a tensor on the CPU.
---
---Pages are read on first use, and writes stay in memory, as with `strew.load` and `map`. Offset and strides are in bytes,
---so that one field of a struct is a view of the file. Elements that cannot be used in place (another byte order, or an
---offset or stride that is no multiple of their size) are copied.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name, "wb"))
---for i = 1, 3 do file:write(string.pack("=i4 i4 d", i, -i, i / 2)) end
---file:flush()
---print(strew.map(name, {dtype = "int32", strides = 16}))
---print(strew.map(name, {dtype = "float64", offset = 8, strides = 16}))
---os.remove(name)
---```
---```text
---int32[3] cpu
--- 1  2  3
---float64[3] cpu
--- 0.5000  1.0000  1.5000
---```
---@param path string a regular file; error: records beyond its end
---@param options? strew.map_options
---@return strew.Tensor t
function strew.map(path, options) end

---Reads a file in chunks of rows, for data larger than memory.
---
---`for chunk in strew.chunks(path) do` gets tables of columns from .csv and .tsv, as `strew.load` returns, and tensors from
---.npy and members of .npz: the first dimension has the rows. .gz is inflated on the way. "-" is standard input; pipes
---are read as they come, and Ctrl-C and time limits stop the waiting. Memory is one chunk, 8 MiB that a thread reads
---ahead, and the words of text columns. Of .csv, 2 lines are read before the first chunk, and up to 8 while missing cells
---leave open whether there are names.
---
---The first chunk decides the dtypes of columns. A later cell that does not fit, as a word among numbers or a fraction
---among integers, is an error that names line and column, and the option to use: `text` or `dtype`. Words keep their
---codes from chunk to chunk; `chunk.words` holds those of all chunks so far. Sums over chunks have the bits of one sum
---over the whole file: `scatter_add_`, and `out` of the group form, add in order.
---
---A row of another width, a file that ends in the middle of a row or that changes meanwhile is an error; earlier chunks
---stay valid. The loop closes the file at its end, at break and after an error. The result can be called: `chunks()`
---returns the next chunk or nil; `local chunks <close> = strew.chunks(path)` closes it. .npz needs a regular file.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("city,rain\nOslo,1.5\nBergen,4\nOslo,2.5\nRome,8\n"):flush()
---local kt, sums = strew.key_table(), strew.zeros(4, {dtype = "float64"})
---for chunk in strew.chunks(name .. ".csv", {header = true, rows = 3}) do
---  strew.scatter_sum(chunk.rain, kt:ids(chunk, "city"), {out = sums})
---end
---local x = kt.keys
---x.rain = sums:narrow(0, 0, kt.n)
---print(x)
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---table: 3 rows, 2 columns, cpu
--- city       rain
--- text    float64
--- Oslo          4
--- Bergen        4
--- Rome          8
---```
---@param path string
---@param options? strew.chunks_options
---@return any chunks an iterator, and the other values of a generic for; error: as those of `strew.load`
function strew.chunks(path, options) end

---Makes a growing table of keys, which numbers keys across chunks.
---
---`kt:ids(k1, ..., kn)` returns the int64 id of each row of n tensors [rows]. New keys are numbered in order of appearance,
---equal ones share their id: floats compare by value, with one key for all nan and one for both zeros. The dtypes are
---those of the first call. `kt:ids(x, "city")` and `kt:ids(x, {"city", "year"})` take columns of a table. Keys may be
---times and text, whose words are the keys, not their codes in this list. A failed call adds no key.
---
---`kt.n` is the number of keys. `kt.keys` has them by id: a sequence of n tensors, or, of columns of tables, a table of
---columns. Keys on an OpenCL device are made distinct there, and only the distinct ones are copied.
---
---```lua
---local kt = strew.key_table(2)
---print(kt:ids(strew.tensor{7, 7, 3}, strew.tensor{0.5, 1, 0.5}))
---print(kt:ids(strew.tensor{3, 7, 8}, strew.tensor{0.5, 0.5, 2}))
---print(kt.n)
---print(kt.keys[1])
---print(kt.keys[2])
---```
---```text
---int64[3] cpu
--- 0  1  2
---int64[3] cpu
--- 2  0  3
---4
---int64[4] cpu
--- 7  7  3  8
---float32[4] cpu
--- 0.5000  1.0000  0.5000  2.0000
---```
---@param n? integer columns of a key, 1 to 16; default 1
---@return any kt with kt:ids(...), kt.n and kt.keys
function strew.key_table(n) end

---Options of strew.save.
---@class strew.save_options
---@field compress? boolean .npz: true compresses: smaller, and slower to write; default false
---@field header? boolean .csv: true writes a first line of names; default: true if the columns have names
---@field separator? string .csv: the character between cells, default ",", for .tsv a tab
---@field names? (string|integer)[] .csv: the order of the columns; default: the order of the loaded table
---@field words? table .csv: {column = {word, ...}}, columns not in x are ignored; default: the loaded table's words
---@field format? strew.file_format overrides the name's extension
---@field missing? string .csv: the text of NaN and NaT, as "nan"; default: an empty cell
---@field decimal? "."|"," .csv: the decimal point, default "."; a comma needs `separator`, usually ";"

---Writes a tensor, or a table of tensors, to a file. The extension, or `format`, gives the format.
---
---.npy takes a tensor, .npz and .safetensors a table of tensors, .csv and .tsv a matrix or a table of columns, .png a
---tensor with a shape and dtype that `load` returns for .png. .npy.gz, .csv.gz and .tsv.gz are compressed by gzip. NumPy's
---formats have no bfloat16, which .safetensors has. Text is NumPy's `<U` in .npy and .npz, times are `<M8[us]`; in .csv they
---are words, and dates as 2024-05-17T12:30. .safetensors has neither: both are errors. `words = {}` saves codes of text. A
---word that is not UTF-8, of a file in another encoding or of NumPy's `S`, can be saved to .csv alone. NaN and NaT are
---empty cells of a .csv.
---
---"-" is standard output, for .csv and .tsv, and needs `format`: `strew.save("-", x, {format = "csv"})`.
---
---Saving is atomic: strew writes a new file beside the old one and renames it when it is complete. An error, a full
---disk or a crash leaves the old file unchanged. The next save into the folder removes the unfinished files of killed
---processes.
---
---```lua
---local name = os.tmpname()
---strew.save(name .. ".npy", strew.tensor{{1, 2}, {3, 4}})
---print(strew.load(name .. ".npy"))
---os.remove(name)
---os.remove(name .. ".npy")
---```
---```text
---int64[2, 2] cpu
--- 1  2
--- 3  4
---```
---@param path string
---@param x strew.Tensor|table<string|integer, strew.Tensor>
---@param options? strew.save_options
function strew.save(path, x, options) end

---Options of strew.to_dlpack.
---@class strew.dlpack_options
---@field versioned? boolean false: a struct of DLPack before 1.0; default true

---Gives a tensor on the CPU to another library of the process, by DLPack, without a copy.
---
---The result is the address of a DLManagedTensorVersioned of DLPack 1.x, or with `versioned = false` of the
---DLManagedTensor of older versions, which capsules named "dltensor" hold. It belongs to the library that takes it: the
---tensor's memory stays until that library calls the deleter. Both see what the other one writes. Memory that may only
---be read is marked so.
---
---```lua
---local t = strew.tensor({1, 2, 3}, {device = "cpu"})
---local same = strew.from_dlpack(t:to_dlpack())
---same[0] = 10
---print(t)
---```
---```text
---int64[3] cpu
--- 10   2   3
---```
---@param self strew.Tensor error: on a device other than the CPU; read-only with `versioned = false`
---@param options? strew.dlpack_options
---@return lightuserdata managed
function strew.to_dlpack(self, options) end

---Makes a tensor on the CPU over the memory of another library of the process, by DLPack, without a copy.
---
---`managed` is the address of a struct of either kind, see `strew.to_dlpack`; the tensor owns it, and calls its deleter
---once, when the last view is freed. A tensor that the struct marks as read-only cannot be written. A wrong address ends
---the process; a sandbox has no such calls.
---
---```lua
---local t = strew.ones(2, 2, {device = "cpu"}):t()
---print(strew.from_dlpack(t:to_dlpack{versioned = false}))
---```
---```text
---float32[2, 2] cpu
--- 1  1
--- 1  1
---```
---@param managed lightuserdata|integer
---@return strew.Tensor t error: memory of another device, complex numbers, negative strides
function strew.from_dlpack(managed) end

---Gives a table of columns, or a tensor of one dimension, to another library of the process, by Arrow's C data interface.
---
---The results are an ArrowArray and an ArrowSchema, userdata whose addresses a host passes on. Who imports them moves
---them, and releases them; others are released when they are collected. Numbers that are contiguous and on the CPU are
---shared without a copy. Bools become bits, text columns dictionaries of their words. NaN stays NaN. A table becomes a
---struct of arrays, a tensor an array.
---
---```lua
---local x = {n = strew.tensor{1, 2, 3}, half = strew.tensor{0.5, 1, 1.5}}
---local y = strew.from_arrow(strew.to_arrow(x))
---print(y.n, y.half:sum():item())
---```
---```text
---int64[3] cpu
--- 1  2  3	3.0
---```
---@param x strew.Tensor|table error: bfloat16, columns of other shapes than one dimension and one length
---@return userdata array
---@return userdata schema
function strew.to_arrow(x) end

---Makes a table of columns, or a tensor, from an array of another library of the process, by Arrow's C data interface.
---
---Both arguments are addresses, or what `strew.to_arrow` returns; both are moved, which leaves them empty. Numbers, dates,
---times and durations without missing elements are read-only tensors over the array's memory; `t:clone()` may be written.
---Timestamps become times, those in other units than microseconds new ones; dates, times of day and durations stay the
---integers that Arrow has, in the unit of their column. Decimals become float64, each rounded once; those without digits
---behind the point int64 if it holds them all, as a sum of integers in DuckDB. Text and dictionaries of text become text.
---Missing elements are NaN, for which other numbers become float64, NaT, and the empty word. Of two columns `x` the second one is `x_2`. A wrong address ends the process; a sandbox has no such calls.
---
---```lua
---print(strew.from_arrow(strew.to_arrow(strew.tensor{true, false})))
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param array lightuserdata|integer|userdata
---@param schema lightuserdata|integer|userdata
---@return any x error: lists and other formats; an integer beside missing elements that float64 does not hold
function strew.from_arrow(array, schema) end

---Gives a table or a tensor to another library of the process, by Arrow's C stream interface.
---
---The result is an ArrowArrayStream of one array, that of `strew.to_arrow`: a userdata whose address a host passes on. Who
---imports it moves it, and releases it; others are released when they are collected.
---
---```lua
---for chunk in strew.from_arrow_stream(strew.to_arrow_stream{n = strew.tensor{1, 2, 3}}) do
---  print(chunk.n)
---end
---```
---```text
---int64[3] cpu
--- 1  2  3
---```
---@param x strew.Tensor|table error: those of `strew.to_arrow`
---@return userdata stream
function strew.to_arrow_stream(x) end

---Gets tables of columns, or tensors, from a stream of another library of the process, by Arrow's C stream interface.
---
---`for chunk in strew.from_arrow_stream(stream) do` gets each array of the stream as `strew.from_arrow` returns it.
---`stream` is an address, or what `strew.to_arrow_stream` returns; it is moved, which leaves it empty. Words have the
---same codes from chunk to chunk; `chunk.words` holds those of all chunks so far. The first chunk with rows decides
---dtypes: integers are float64 if some are missing there; if some are missing only later, that is an error, which names
---the column; so are integers of decimals beyond int64 only later. An error of the stream has its message; earlier chunks
---stay valid. The loop releases the stream at its end and at break; an error does, too. The result can be called:
---`chunks()` returns the next chunk or nil;
---`local chunks <close> = strew.from_arrow_stream(stream)` releases the stream. A wrong address ends the process; a
---sandbox has no such calls.
---
---```lua
---local x = strew.columns({city = strew.tensor{1, 0, 1}}, nil, {city = {"Oslo", "Rome"}})
---local chunks <close> = strew.from_arrow_stream(strew.to_arrow_stream(x))
---print(chunks().city, chunks())
---```
---```text
---text[3] cpu
--- "Rome"  "Oslo"  "Rome"	nil
---```
---@param stream lightuserdata|integer|userdata
---@return any chunks an iterator, and the other values of a generic for; error: as those of `strew.from_arrow`
function strew.from_arrow_stream(stream) end

----------------------------------------------------------------------------------------------------------------- Tables

---# tables
---Tables have the rules of pandas, NumPy and SQL, tensors those of PyTorch and torch_scatter (?tensors).
---
---Of tables are methods of groupings, `agg`, `pivot`, `rolling`, `ranges`, `describe` and texts of columns, which agree
---with one another; of tensors `t:f()`, `strew.f(t)`, `scatter_*`, `segment_*` and `strew.expr`.
---
---```lua
---local x = strew.table{g = {1, 1, 1, 1, 2}, n = {1, 10, 3, 2, 5}}
---print(x:group_by("g"):agg{middle = {"median", "n"}, std = {"std", "n"}})
---print(strew.scatter_median(x.n, x.g))
---```
---```text
---table: 2 rows, 3 columns, cpu
---     g   middle       std
--- int64  float64   float64
---     1      2.5  4.082483
---     2      5.0       nan
---int64[3] cpu
--- 0  2  5
---```
---| sum # of integers int64, of unsigned ones uint64; one that leaves it is an error with the group, window or cell
---| mean # of integers and bools float64. Tensors: an error without `{dtype = "float64"}`
---| median # the mean of the two middle ones; of integers and bools float64. Tensors: the lower one
---| lower_median # the lower of the two middle ones, of the column's dtype
---| quantile # linear; of integers and bools float64, of their values as float64. Tensors: floats alone
---| var # divisor n - 1, or n - correction: NaN unless n is larger; of integers and bools float64. `scatter_var`: 0
---| std # the root of var. `scatter_std`: torch_scatter's divisor, max(n - 1, 1) + 1e-6
---| correction # default 1; `unbiased = false` is a correction of 0. The same for tensors

---Returns the names of a table's columns, or a table of some of its columns.
---
---The names are in the order in which `strew.save` writes the columns: that of the file, then others by the alphabet. A
---table of columns is one that `strew.load` returns, or any `{name = tensor, ...}` or sequence of tensors. With `which`
---the result has these columns, in this order, with their words; the tensors are shared, not copied. Columns without
---names are numbered anew. `words` makes text columns of integers: code c becomes the word `words[column][c + 1]`. A
---code without a word is an error.
---
---```lua
---local x = {size = strew.tensor{7, 9}, id = strew.tensor{1, 0}, kb = strew.tensor{0.5, 5000.25}}
---print(table.concat(strew.columns(x), " "))
---print(strew.columns(x, {"size", "id"}, {id = {"small", "large"}}))
---```
---```text
---id kb size
---table: 2 rows, 2 columns, cpu
---  size  id
--- int64  text
---     7  large
---     9  small
---```
---@param x table of columns; error: empty
---@param which? any a column's name or number, or a sequence of them; error: unknown, or twice; default: all
---@param words? table {column = {word, ...}}, instead of words that x has; columns without words are ignored
---@return table columns the names of the columns, or numbers if they have none; with `which` or `words` a table of columns
function strew.columns(x, which, words) end

---Makes a table of columns of sequences, as of a script's or a host's rows, and of tensors.
---
---A column is a sequence of numbers, booleans or words, or a tensor, which is shared. Integers become int64, numbers of
---which one has a fraction float64 as in files (float32 on devices without it). Lua's tables have no order: columns by name
---are in that of the alphabet; a sequence of {name, values} keeps its own.
---
---All functions of tables are methods of the result, unless a column has the name: `x:rows(mask)`, `x:group_by("city")`,
---`x:join(y, "city")`, `x:describe()`. `#x` is the number of rows, `x[mask]` and `x[index]` are rows, `x.city` is a column.
---`x.half = t` adds a column of the table's length, a number, boolean or word fills one. In place of a column that x has,
---Lua stores a value as it is: the next call that takes x fills a column with it, or says what is wrong.
---
---```lua
---local x = strew.table{{"city", {"Oslo", "Rome", "Bari"}}, {"rain", {1.5, 4, 2}}}
---x.year = 2024
---print(x:rows(x.rain:gt(1.75)), #x)
---print(strew.table{when = strew.time{"2024-05-17"}, ok = {true}})
---```
---```text
---table: 2 rows, 3 columns, cpu
--- city     rain   year
--- text  float64  int64
--- Rome        4   2024
--- Bari        2   2024	3
---table: 1 row, 2 columns, cpu
---   ok        when
--- bool        time
--- true  2024-05-17
---```
---@param columns table {name = values, ...}, or {{name, values}, ...}; error: columns of different lengths
---@return table x a table of columns
function strew.table(columns) end

---Chooses rows of a table: the same ones of all its columns.
---
---A bool tensor chooses the rows where it is true, and so does a condition on columns as text (?expressions). An index
---gives their positions, in its order, and may repeat them. The result is a new table with the order and the words of x;
---it prints as rows, and `strew.save` writes its words. All columns have one length; a column of more dimensions has its
---rows along the first. With a table that strew made, `x[which]` returns the same, and `#x` is the number of rows (of
---columns, if these have no names).
---
---```lua
---local x = {id = strew.arange(5), kb = strew.tensor{3.5, 1, 4, 1, 5}}
---print(strew.rows(x, x.kb:gt(3)))
---print(strew.rows(x, strew.tensor{4, 0}).id)
---print(strew.rows(x, "kb > 1 and id < 4").id)
---```
---```text
---table: 3 rows, 2 columns, cpu
---    id       kb
--- int64  float32
---     0      3.5
---     2      4.0
---     4      5.0
---int64[2] cpu
--- 4  0
---int64[2] cpu
--- 0  2
---```
---@param x table of columns; error: columns of different lengths or devices
---@param which any [n], bool with an element for each row, or integers; or a text; error: out of range
---@return table rows a new table of columns
function strew.rows(x, which) end

---Returns the first rows of a table.
---
---```lua
---local x = strew.table{n = strew.arange(100), v = strew.arange(100) / 2}
---print(strew.head(x, 2))
---```
---```text
---table: 2 rows, 2 columns, cpu
---     n        v
--- int64  float32
---     0      0.0
---     1      0.5
---```
---@param x table of columns; error: columns of different lengths or devices
---@param n? integer their number, or all rows if there are fewer; default 5
---@return table rows a new table of columns
function strew.head(x, n) end

---Returns the last rows of a table.
---
---```lua
---local x = strew.table{n = strew.arange(100), v = strew.arange(100) / 2}
---print(x:tail(2))
---```
---```text
---table: 2 rows, 2 columns, cpu
---     n        v
--- int64  float32
---    98     49.0
---    99     49.5
---```
---@param x table of columns; error: columns of different lengths or devices
---@param n? integer their number, or all rows if there are fewer; default 5
---@return table rows a new table of columns
function strew.tail(x, n) end

---Summarizes a table: a row for each column, with its dtype, missing elements, mean, extremes and quartiles.
---
---"count" are the elements that are not missing, "missing" those that are: NaN, the empty word, NaT. The numbers leave
---them out, and are float64; on devices without it float32, and integers that it does not hold are an error. "std", of
---times in seconds, and quartiles are those of `agg` (?tables). Text and columns of more
---dimensions have no such numbers: NaN. Beside a column of times all but "std" are words; of times
---alone they are times, and of the other columns, `x:columns{"a", "b"}:describe()`, numbers.
---
---```lua
---local x = strew.table{{"city", {"Oslo", "", "Bari"}}, {"rain", {1.5, strew.nan, 2}}}
---local d = strew.describe(x)
---print(d:columns{"column", "dtype", "count", "missing"})
---print(d:columns{"mean", "std", "min", "25%", "50%", "75%", "max"})
---```
---```text
---table: 2 rows, 4 columns, cpu
--- column  dtype    count  missing
--- text    text     int64    int64
--- city    text         2        1
--- rain    float64      2        1
---table: 2 rows, 7 columns, cpu
---    mean       std      min      25%      50%      75%      max
--- float64   float64  float64  float64  float64  float64  float64
---     nan       nan      nan      nan      nan      nan      nan
---    1.75  0.353553      1.5    1.625     1.75    1.875        2
---```
---@param x table of columns; error: columns of different lengths or devices
---@return table summary a new table of columns: column, dtype, count, missing, mean, std, min, 25%, 50%, 75%, max
function strew.describe(x) end

---Returns a new table with x's columns and further ones, which texts compute from columns.
---
---A text is an expression (?expressions), and may use columns that others of the same call define: these come first, also
---in the result. One that uses its own name means x's column. A result without dimensions, as of `"sum(price)"`, fills the
---column, and so do a number and a boolean. A tensor becomes the column, and the name of a column copies it.
---
---```lua
---local x = {price = strew.tensor{3.5, 2, 4}, n = strew.tensor{2, 1, 3}}
---print(strew.assign(x, {share = "total / sum(total)", total = "price * n"}))
---```
---```text
---table: 3 rows, 4 columns, cpu
---     n    price    total     share
--- int64  float32  float64   float64
---     2      3.5        7  0.333333
---     1      2.0        2  0.095238
---     3      4.0       12  0.571429
---```
---@param x table of columns; error: columns of different lengths or devices
---@param what table {name = text, ...}; error: texts that need one another
---@return table x a new table of columns
function strew.assign(x, what) end

---Options of strew.sort_by.
---@class strew.sort_by_options
---@field nulls? "first"|"last" where missing elements are; default "last"

---Sorts the rows of a table by one or several columns.
---
---The first of the columns is the most important one. The sort is stable: rows that are equal in these columns keep their
---order. Text columns are sorted by their words, in the order of bytes: upper case precedes lower case. Missing elements,
---NaN, NaT and the empty word, come last in both directions, or first with `nulls = "first"`; in `t:sort`, of a tensor, NaN
---is the greatest value. `by` may have expressions of columns (?expressions); "-size" is `size` in descending order, also of
---words and times. The result is a new table, like that of `strew.rows`.
---
---```lua
---local x = {size = strew.tensor{2, 1, 2, 1}, id = strew.arange(4)}
---print(strew.sort_by(x, {"size", "id"}, {false, true}))
---print(strew.sort_by(x, "size", {descending = true}).id)
---print(strew.sort_by(x, {"-size", "id"}).id)
---print(strew.sort_by(x, "size * 3 - id").id)
---```
---```text
---table: 4 rows, 2 columns, cpu
---    id   size
--- int64  int64
---     3      1
---     1      1
---     2      2
---     0      2
---int64[4] cpu
--- 0  2  1  3
---int64[4] cpu
--- 0  2  1  3
---int64[4] cpu
--- 3  1  2  0
---```
---@param x table of columns; error: columns of different lengths or devices
---@param by any a column's name or number, an expression, or a sequence of them; error: unknown, or not of one dimension
---@param descending? any true: the largest first; a sequence: one for each column; default false
---@param options? strew.sort_by_options
---@return table sorted a new table of columns
---@overload fun(x: table, by: any, options: {descending?: any, nulls?: string}): table
function strew.sort_by(x, by, descending, options) end

---Options of strew.join.
---@class strew.join_options
---@field how? "inner"|"left"|"right"|"outer"|"semi"|"anti" the rows of the result, see strew.join; default "inner"
---@field suffixes? string[] two endings of names that both tables have, default {"_x", "_y"}
---@field fill? number|boolean value of missing numbers and booleans, which keep their dtype; default: NaN

---Joins two tables: the rows of `a`, each beside the rows of `b` with the same key (merge, database join).
---
---The rows are in `a`'s order; several rows of `b` for one of `a` are in `b`'s order. `key` names columns of both tables,
---and all of them must be equal. Text is compared by its words, not by its codes. Numbers are compared by value, so
---int64 and float64 columns match; NaN equals NaN, 0 equals -0. Text, numbers and booleans do not match each other: an
---error.
---
---The result has `a`'s columns, then `b`'s without its keys. If both have a column of one name, it becomes NAME_x and
---NAME_y, as in pandas, or ends in the two `suffixes`.
---
---`how = "inner"` (the default) leaves out rows without a match. "left" keeps those of `a`; "right" those of `b`, and is in
---`b`'s order, rows with one of `b` in `a`'s; "outer" (full) keeps both: the rows of "left", then those of `b` without a match.
---"semi" gives the rows of `a` that have a match, once each and without `b`'s columns, "anti" the others.
---
---Missing numbers are NaN, missing times NaT, missing text is the empty word, an empty cell of a file. If one is missing among
---integers or booleans, their column becomes float64 (float32 on devices without float64), as in pandas; without a
---missing element it keeps its dtype. An integer that the float cannot hold is an error. `fill = 0` puts 0 in the place of
---NaN, and no column of numbers changes its dtype: large ids stay integers.
---
---```lua
---local sales = strew.columns({city = strew.tensor{0, 1, 2, 0}, pieces = strew.tensor{5, 2, 7, 1}}, {"city", "pieces"},
---  {city = {"Rome", "Oslo", "Bari"}})
---local cities = strew.columns({city = strew.tensor{0, 1}, people = strew.tensor{700, 2800}}, {"city", "people"},
---  {city = {"Oslo", "Rome"}})
---print(strew.join(sales, cities, "city"))
---print(strew.join(sales, cities, "city", {how = "left"}).people)
---```
---```text
---table: 3 rows, 3 columns, cpu
--- city  pieces  people
--- text   int64   int64
--- Rome       5    2800
--- Oslo       2     700
--- Rome       1    2800
---float64[4] cpu
--- 2800   700   nan  2800
---```
---@param a table of columns; error: columns of different lengths or devices
---@param b table of columns, on a's device
---@param key any the name of a column of both tables, or a sequence of names; tables without names: numbers
---@param options? strew.join_options
---@return table joined a new table of columns; error: two columns of one name
function strew.join(a, b, key, options) end

---Options of strew.asof.
---@class strew.asof_options
---@field by? any columns that must be equal, as the key of `strew.join`
---@field direction? "backward"|"forward"|"nearest" the last row of b at or before, the first at or after, or the nearest; default "backward"
---@field tolerance? number the largest distance, of times in seconds; farther rows are missing; default: any
---@field suffixes? string[] two endings of names that both tables have, default {"_x", "_y"}
---@field fill? number|boolean value of missing numbers and booleans, which keep their dtype; default: NaN
---@field strict? boolean true: no row of b with an equal value, as the price before a trade at the same time; default false

---Joins to each row of `a` the row of `b` whose `on` is nearest: the last price before a trade (merge_asof).
---
---Both tables are sorted by `on`, numbers or times, without missing ones: `strew.sort_by`. The result has `a`'s rows and
---columns, then `b`'s without `on` and `by`. Of equal values in `b`, "backward" takes the last row, "forward" the first;
---"nearest" prefers the one before, if both are as far. Rows of `a` without one have missing elements, as in `strew.join`.
---
---```lua
---local trades = strew.table{at = {2, 5, 9}, shares = {10, 20, 30}}
---local prices = strew.table{at = {1, 4, 5, 10}, price = {1.25, 2, 3, 4}}
---print(strew.asof(trades, prices, "at"))
---print(strew.asof(trades, prices, "at", {direction = "nearest", tolerance = 1}).price)
---```
---```text
---table: 3 rows, 3 columns, cpu
---    at  shares    price
--- int64   int64  float64
---     2      10     1.25
---     5      20     3.00
---     9      30     3.00
---float64[3] cpu
--- 1.2500  3.0000  4.0000
---```
---@param a table of columns; error: the position where `on` descends
---@param b table of columns, on a's device; error: the position where `on` descends
---@param on any the name or number of a column of both tables: numbers or times
---@param options? strew.asof_options
---@return table joined a new table of columns with a's rows
function strew.asof(a, b, on, options) end

---Options of strew.melt.
---@class strew.melt_options
---@field variable_name? string name of the column with the names; default "variable"
---@field value_name? string name of the column with the elements; default "value"

---Makes a long table of a wide one: some columns below one another, beside their names (unpivot).
---
---The result has the columns `keys`, repeated for each melted column, its name as text, and its elements. Numbers are
---promoted as by `strew.concat`. `strew.pivot` is the reverse.
---
---```lua
---local x = strew.table{{"city", {"Oslo", "Rome"}}, {"jan", {3, 8}}, {"feb", {4.5, 9}}}
---print(strew.melt(x, "city", {variable_name = "month", value_name = "rain"}))
---```
---```text
---table: 4 rows, 3 columns, cpu
--- city  month     rain
--- text  text   float64
--- Oslo  jan        3.0
--- Rome  jan        8.0
--- Oslo  feb        4.5
--- Rome  feb        9.0
---```
---@param x table of columns; error: columns of different lengths or devices
---@param keys? any columns to keep: a name, or a sequence of them; default: none
---@param values? any columns to melt; default: all others
---@param options? strew.melt_options
---@return table long a new table of columns; error: text, times and numbers among the values
---@overload fun(x: table, keys: any, options: strew.melt_options): table
function strew.melt(x, keys, values, options) end

---Options of strew.value_counts.
---@class strew.value_counts_options
---@field skip_nan? boolean true leaves out NaN, and rows with a key that is NaN; default false
---@field shares? boolean true adds a column "share": the count divided by the sum of all; default false

---Counts how often each value occurs, the most frequent first.
---
---Values are those of a tensor, or the rows of some columns of a table: text columns are counted by their words. Values
---with the same count are in ascending order. NaN is a value, the greatest one; `skip_nan = true` leaves it out.
---
---```lua
---print(strew.value_counts(strew.tensor{2, 7, 2, 5, 7, 2}))
---local x = strew.columns({city = strew.tensor{1, 0, 1}}, "city", {city = {"Rome", "Oslo"}})
---print(strew.value_counts(x, "city"))
---```
---```text
---table: 3 rows, 2 columns, cpu
--- value  count
--- int64  int64
---     2      3
---     7      2
---     5      1
---table: 2 rows, 2 columns, cpu
--- city  count
--- text  int64
--- Oslo      2
--- Rome      1
---```
---@param v strew.Tensor|table a tensor of any shape, or a table of columns
---@param by? any of a table: a column's name or number, or a sequence of them; default: all columns
---@param options? strew.value_counts_options
---@return table counts a table of columns: "value" or the key columns, then "count", int64
---@overload fun(v: strew.Tensor, options: strew.value_counts_options): table
function strew.value_counts(v, by, options) end

---Options of strew.pivot.
---@class strew.pivot_options
---@field fill? number|boolean value of missing cells, which keeps the dtype of integers; default: see strew.pivot
---@field dtype? strew.dtype of a sum, product or mean, as of `g:agg`
---@field skip_nan? boolean leave NaN out of the reduction, as if those rows were not there; default false

---Makes a pivot table: a row for each value of one column, a column for each value of another.
---
---Each cell is the reduction of `value` over the rows of x with these two keys, as `g:agg` computes it (?tables). Rows and
---columns are in ascending order, text by its words. A column's name is its word, or its number as text ("nan" and
---"0.0" without a sign). `reduce` is a word, or a word with options: `{"quantile", q = 0.5}`.
---
---A cell without rows is `fill`, else 0 for "count", else missing as in `strew.join`: NaN, and float64 instead of
---integers. "count" needs no `value`: that is a cross table (crosstab).
---
---```lua
---local x = {city = strew.tensor{0, 1, 0, 2, 0}, year = strew.tensor{2025, 2024, 2025, 2025, 2024},
---  sales = strew.tensor{5, 3, 2, 8, 1}}
---print(strew.pivot(x, "city", "year", "sales", "sum"))
---print(strew.pivot(x, "city", "year", "count"))
---```
---```text
---table: 3 rows, 3 columns, cpu
---  city     2024     2025
--- int64  float64  float64
---     0        1        7
---     1        3      nan
---     2      nan        8
---table: 3 rows, 3 columns, cpu
---  city   2024   2025
--- int64  int64  int64
---     0      1      2
---     1      1      0
---     2      0      1
---```
---@param x table of columns; error: columns of different lengths or devices
---@param row any the name or number of the column whose values become rows, or a sequence of several
---@param column any the name or number of the column whose values become columns
---@param value? any the name or number of the column to reduce; only "count" needs none
---@param reduce? any a reduction: "sum", "mean", "count", "max" or another word of `g:agg`, or {word, option = ...}
---@param options? strew.pivot_options
---@return table pivot a new table of columns: those of `row`, then one for each value of `column`
---@overload fun(x: table, row: any, column: any, reduce: string): table
function strew.pivot(x, row, column, value, reduce, options) end

---Options of strew.rolling.
---@class strew.rolling_options
---@field by? any windows within groups: a grouping of the rows, or keys as `strew.group_by` takes them
---@field min_count? integer windows of fewer elements are missing, 0 to n; default n

---Reduces a window of rows that ends at each row: moving averages, maxima, medians, ...
---
---The window of row i is rows i - n + 1 to i; the first ones are shorter. With `by` it is the last n rows of row i's
---group up to i. A window of fewer than `min_count` elements is missing: NaN, so that integers become float64 (an error
---if that does not hold them). By default only windows of n elements are there; `min_count = 1` takes all.
---
---A NaN makes the result of the windows that hold it NaN, and leaves with them. `{"mean", skip_nan = true}` leaves NaN
---out; then min_count counts the others. pandas' `rolling(n, min_periods = m)` is that with `min_count = m`; without NaN,
---or with m = n, it is the same as without skip_nan. Means, medians, deviations, ... have the rules of `g:agg`: ?tables.
---
---```lua
---local v = strew.tensor{1.0, 2, 6, 4, 8, 3}
---print(strew.rolling(v, 3, "mean"))
---print(strew.rolling(v, 3, "max", {min_count = 1}))
---print(strew.rolling(v, 2, "sum", {by = strew.tensor{0, 1, 0, 1, 0, 1}}))
---```
---```text
---float32[6] cpu
--- nan  nan    3    4    6    5
---float32[6] cpu
--- 1  2  6  6  8  8
---float32[6] cpu
--- nan  nan    7    6   14    7
---```
---@param v any a tensor, windows are of its rows along dimension 0; for a reduction of one's own maybe tensors by name
---@param n integer number of rows, 1 or more
---@param reduce any a reduction: a word of `g:agg`, {word, option = ...}, or one of strew.reduction
---@param options? strew.rolling_options
---@return strew.Tensor out as many rows as v
function strew.rolling(v, n, reduce, options) end

---Reduces ranges of rows, which may overlap: rows `starts[i]` to `ends[i] - 1` of v give row i.
---
---Dtypes, and values of ranges without elements, are those of a grouping's methods (?tables): sums of integers are int64,
---of unsigned ones uint64, and never wrap, their means float64; without elements a sum is 0, a mean or extreme of floats NaN.
---`{"quantile", q = 0.9}` gives options.
---
---Each range is reduced by itself, in the order of positions: its bits depend on its elements alone, wherever it lies,
---so that no NaN or huge number is left behind by one that has moved on. Sums, products, extremes, variances, `any` and
---`all` join neighbours in pairs, as a tree: blocks of 1, 2, 4, ... elements from every position, of which a range takes
---those of the binary digits of its length, from the smallest. That costs the logarithm of the length for each range and
---row of v. (1 M float64 on one core of an EPYC: rolling sums of 5, 100 and 10,000 rows take 6, 9 and 17 ms.) Medians,
---quantiles and `nunique` cost the logarithm of v's length, for each column of v. Others, as `logsumexp`, products of
---integers and reductions of one's own, join the elements of each range one by one: that costs the range's length.
---
---```lua
---local v = strew.tensor{1.0, 2, 6, 4, 8, 3}
---local starts, ends = strew.tensor{0, 1, 3, 2}, strew.tensor{3, 6, 3, 4}
---print(strew.ranges(v, starts, ends, "sum"))
---print(strew.ranges(v, starts, ends, {"quantile", q = 0.5}))
---```
---```text
---float32[4] cpu
---  9  23   0  10
---float32[4] cpu
---   2    4  nan    5
---```
---@param v any a tensor, ranges are of its rows along dimension 0; for a reduction of one's own maybe tensors by name
---@param starts strew.Tensor 1-D, of integers, 0 to the number of rows
---@param ends strew.Tensor 1-D, of integers, of the same size; none is less than its start
---@param reduce any a reduction: a word of `g:agg`, {word, option = ...}, or one of strew.reduction
---@return strew.Tensor out a row for each range
function strew.ranges(v, starts, ends, reduce) end

---Returns the words of the text columns of a table.
---
---The result is `x.words` or `x.words[column]`, even if a column is called "words": those of `x.city.words`.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("city,words\nOslo,120\nBergen,80\n"):flush()
---local x = strew.load(name .. ".csv", {header = true})
---print(strew.words(x, "city")[1], x.words[1])
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---Oslo	80
---```
---@param x table of columns, from strew.load, chunks, rows, columns or sort_by; error: any other table
---@param column? string|integer a column; error: unknown; default: all columns
---@return table words {word, ...}, nil for a column of numbers; for all columns {column = {word, ...}}
---@overload fun(x: table, options: {column?: string|integer}): table
function strew.words(x, column) end

---Returns the number that stands for a word in a text column.
---
---It is the word's code in `x.city:codes()`; a comparison with the word itself, as `x.city:eq("Oslo")`, needs none.
---
---```lua
---local x = strew.table{city = {"Oslo", "Bergen", "Oslo"}, rain = {1.5, 0.5, 3}}
---print(strew.code(x, "city", "Bergen"), strew.rows(x, x.city:eq("Oslo")))
---```
---```text
---1	table: 2 rows, 2 columns, cpu
--- city     rain
--- text  float64
--- Oslo      1.5
--- Oslo      3.0
---```
---@param x table of columns
---@param column string|integer a text column; error: unknown, or a column of numbers
---@param word string error: not in the column
---@return integer code from 0 on
function strew.code(x, column, word) end

---Options of strew.time.
---@class strew.time_options
---@field device? strew.device default: the program's device

---Reads times from text: one, or a nested sequence; or takes microseconds of int64 as times, and numbers with a unit.
---
---Without `format` a time is 2024-05-17, with T or a blank and 12:30, :00, a fraction, Z or an offset as +02:00 behind it; a
---year beyond 9999 or below 0 has a sign and 5 or 6 digits. "" and "NaT" are NaT. `format` has strftime's letters: Y y m b B
---d e j H I p M S f (a fraction) z (an offset) a A, T for H:M:S, F for Y-m-d, R for H:M, D for m/d/y and %%. Names of
---months and days are English. Without an offset a time is UTC. Digits beyond microseconds are dropped. Numbers since 1970
---have a unit in place of the format: "s", "ms", "us" or "ns"; those beyond times, and NaN, are NaT.
---
---```lua
---print(strew.time{"2024-05-17", "2024-05-17T12:30:00.25+02:00"})
---print(strew.time(1704153600, "s"))
---print(strew.time("17 May 2024, 1:05 PM", "%d %b %Y, %I:%M %p"))
---print(select(2, pcall(strew.time, {"2024-02-29", "2023-02-29"})))
---```
---```text
---time[2] cpu
---             2024-05-17  2024-05-17T10:30:00.25
---time[] cpu  2024-01-02
---time[] cpu  2024-05-17T13:05
---example:4: time: 'x' has "2023-02-29", which is not in the calendar, at x[2]
---```
---@param x any text, a nested Lua sequence of texts, or a tensor of int64 or times; with a unit numbers
---@param format? string default: ISO 8601; of numbers the unit
---@param options? strew.time_options
---@return strew.Tensor t time
function strew.time(x, format, options) end

---Returns the parts of times in the calendar, UTC: a table of columns.
---
---The columns are year, month (1 to 12), day, hour, minute, second, weekday (0 is Monday), day_of_year, from 1, quarter,
---iso_year, iso_week (ISO 8601: from Monday, week 1 has the year's first Thursday) and days_in_month. They are int64, or
---float64 (on devices without it float32) with NaN where a time is NaT. The calendar is the proleptic Gregorian one.
---
---```lua
---local c = strew.calendar(strew.time{"2024-02-29T12:30", "1969-12-31"})
---print(c:columns{"year", "month", "day", "hour", "weekday", "day_of_year"})
---print(c:columns{"quarter", "iso_year", "iso_week", "days_in_month"})
---```
---```text
---table: 2 rows, 6 columns, cpu
---  year  month    day   hour  weekday  day_of_year
--- int64  int64  int64  int64    int64        int64
---  2024      2     29     12        3           60
---  1969     12     31      0        2          365
---table: 2 rows, 4 columns, cpu
--- quarter  iso_year  iso_week  days_in_month
---   int64     int64     int64          int64
---       1      2024         9             29
---       4      1970         1             31
---```
---@param t strew.Tensor|string times
---@return table parts
function strew.calendar(t) end

---Rounds times down to the beginning of a unit.
---
---A unit is "year", "quarter", "month", "week" (from Monday), "day", "hour", "minute", "second", "millisecond" or
---"microsecond", or a number of seconds, which are counted from 1970-01-01. NaT stays.
---
---```lua
---local t = strew.time{"2024-02-29T12:44:59", "1969-12-31T23:59"}
---print(t:floor_time("month"))
---print(t:floor_time(900))
---```
---```text
---time[2] cpu
--- 2024-02-01  1969-12-01
---time[2] cpu
--- 2024-02-29T12:30  1969-12-31T23:45
---```
---@param t strew.Tensor|string times
---@param unit number|string
---@return strew.Tensor t time
function strew.floor_time(t, unit) end

---Adds months to times; a day that the month lacks becomes its last one.
---
---The time of the day stays, and so does NaT. A result that is out of range is NaT.
---
---```lua
---print(strew.time{"2024-01-31", "2023-12-31T12:30"}:add_months(2))
---```
---```text
---time[2] cpu
---       2024-03-31  2024-02-29T12:30
---```
---@param t strew.Tensor|string times
---@param n integer|strew.Tensor number of months, for each time or for all; error: floats
---@return strew.Tensor t time
function strew.add_months(t, n) end

---Writes times as text, by a format of strftime's letters.
---
---The letters are those that `strew.time` reads: Y y m b B h d e j H I p M S f z a A T F R D and %%. Names of months and
---days are English, %f has six digits, and %z is +0000: times are UTC. NaT is the empty word.
---
---```lua
---local t = strew.time{"2024-05-17T13:05", "2024-05-03", "NaT"}
---print(t:format("%Y-%m"))
---print(t:format("%a %e %B, %I:%M %p"))
---```
---```text
---text[3] cpu
--- "2024-05"  "2024-05"         ""
---text[3] cpu
--- "Fri 17 May, 01:05 PM"  "Fri  3 May, 12:00 AM"                      ""
---```
---@param t strew.Tensor|string times
---@param format string error: other letters, or none
---@return strew.Tensor t text, of t's shape
function strew.format(t, format) end

---Makes text of codes and words, or of numbers, booleans or times their words.
---
---Codes are integers 0, 1, ..., a tensor or a Lua table, of a sequence of words, or of the words of another text; a repeated
---word becomes one. Without words each element becomes its own: with the fewest digits that read back as the same number of
---its dtype, those of a Lua number as float64; NaN and NaT become the empty word. `t:to(dtype)` reads words as numbers.
---`t[i] = word` adds a word that t lacks to its list for good: many different ones are collected in a Lua table, of which
---strew.text makes text.
---
---```lua
---print(strew.text({0, 1, 0}, {"yes", "no"}))
---print(strew.text(strew.tensor{1, 2.5, 0.1}))
---print(select(2, pcall(strew.text, {0, 2}, {"yes", "no"})))
---```
---```text
---text[3] cpu
--- "yes"   "no"  "yes"
---text[3] cpu
--- "1.0"  "2.5"  "0.1"
---example:3: text: 'codes' has value 2 at [1], expected 0..1, the codes of 2 words
---  codes  int64[2] cpu
---```
---@param x any a tensor, or a nested Lua sequence
---@param words? string[]|strew.Tensor
---@return strew.Tensor t text
function strew.text(x, words) end

---Returns the codes of a text: positions in `t.words`, from 0, in a new tensor.
---
---```lua
---print(strew.tensor{"b", "a", "b"}:codes())
---```
---```text
---int32[3] cpu
--- 0  1  0
---```
---@param self strew.Tensor text
---@return strew.Tensor codes int32
function strew.codes(self) end

---Returns where words have a part.
---
---```lua
---print(strew.tensor{"Oslo", "Rome"}:contains("sl"))
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param t strew.Tensor text
---@param word string the part; no pattern
---@return strew.Tensor found bool
function strew.contains(t, word) end

---Returns where words begin with another one.
---
---```lua
---print(strew.tensor{"Oslo", "Rome"}:starts_with("O"))
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param t strew.Tensor text
---@param word string
---@return strew.Tensor found bool
function strew.starts_with(t, word) end

---Returns where words end with another one.
---
---```lua
---print(strew.tensor{"Oslo", "Rome"}:ends_with("me"))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param t strew.Tensor text
---@param word string
---@return strew.Tensor found bool
function strew.ends_with(t, word) end

---Returns words with capital letters in place of a to z.
---
---```lua
---print(strew.tensor{"Oslo", "Rome"}:upper())
---```
---```text
---text[2] cpu
--- "OSLO"  "ROME"
---```
---@param t strew.Tensor text
---@return strew.Tensor t text
function strew.upper(t) end

---Returns words with small letters in place of A to Z.
---
---```lua
---print(strew.tensor{"Oslo", "Rome"}:lower())
---```
---```text
---text[2] cpu
--- "oslo"  "rome"
---```
---@param t strew.Tensor text
---@return strew.Tensor t text
function strew.lower(t) end

---Returns the number of characters of words: of UTF-8, or of bytes where a word is no UTF-8.
---
---```lua
---print(strew.tensor{"Oslo", "Z\u{fc}rich", ""}:length())
---```
---```text
---int64[3] cpu
--- 4  6  0
---```
---@param t strew.Tensor text
---@return strew.Tensor n int64
function strew.length(t) end

------------------------------------------------------------------------------------------------------ Printing, showing

---Options of printing.
---@class strew.print_options
---@field precision? integer digits after the decimal point, default 4
---@field threshold? integer|number larger tensors show only their edges, default 1000 elements; math.huge: all
---@field edgeitems? integer number of elements at each edge, default 3
---@field linewidth? integer|"auto" characters in a line; default "auto": the terminal's width, else 80
---@field profile? "default"|"short"|"full" sets all: the defaults; 2 digits and edges of 2; all elements

---Sets how `print`, `tostring` and the prompt format tensors, and tables of columns.
---
---Options that are not given keep their value. `{profile = "default"}` restores the defaults.
---
---All elements have one format. Numbers are written out, unless one would be shown as zero or is too large (1e8; in
---float64 2^53, fewer with digits after the point): then all are in scientific notation. Of a matrix whose rows are
---longer than a line, middle columns are left out; with `threshold = math.huge` rows take several lines.
---
---```lua
---local t = strew.tensor{1 / 3, 2 / 3}
---strew.set_printoptions{precision = 2}
---print(t)
---strew.set_printoptions{profile = "default"}
---print(t)
---```
---```text
---float32[2] cpu
--- 0.33  0.67
---float32[2] cpu
--- 0.3333  0.6667
---```
---@param options? strew.print_options
function strew.set_printoptions(options) end

---Returns the options of printing, as a table for set_printoptions.
---
---```lua
---local options = strew.get_printoptions()
---print(options.precision, options.threshold, options.edgeitems)
---```
---```text
---4	1000	3
---```
---@return strew.print_options options
function strew.get_printoptions() end

---Options of strew.show.
---@class strew.show_options
---@field width? integer width in characters, default: the terminal's
---@field height? integer height in lines, default: the terminal's
---@field min? number value of the darkest colour, or start of the histogram; default: the minimum
---@field max? number value of the brightest colour, or end of the histogram; default: the maximum
---@field colormap? strew.colormap colours of a matrix, default "viridis"
---@field style? "ascii"|"blocks"|"256"|"truecolor" default: what the terminal supports; no colour if $NO_COLOR is set
---@field histogram? boolean true draws a histogram; default false
---@field bins? integer bins of the histogram, default 10

---Draws a tensor as text: a matrix as a picture, one dimension as a line, any tensor as a histogram.
---
---A tensor of shape [height, width, 3] or [height, width, 4], uint8 or floats in 0..1, is a colour picture. A tensor
---larger than the screen is scaled down to the means of equal blocks, computed on its device; a mean leaves NaN out,
---and a block of only NaN is `?`. The picture is written with `print`; the range of values follows below it.
---
---```lua
---strew.show(strew.arange(16):view(4, 4), {width = 8, style = "ascii"})
---strew.show(strew.tensor{1, 2, 2, 3, 3, 3}, {histogram = true, bins = 3, width = 40, style = "ascii"})
---```
---```text
---    ..::
---::--====
---++****##
---%%%%@@@@
---0 .. 15
---[    1, 1.667)  1  #######
---[1.667, 2.333)  2  ##############
---[2.333,     3]  3  #####################
---```
---@param self strew.Tensor error: a shape that cannot be drawn
---@param options? strew.show_options
function strew.show(self, options) end

---Options of strew.image.
---@class strew.image_options
---@field colormap? strew.colormap default "viridis"
---@field scale? integer pixels for an element, in each direction; default 1
---@field min? number value of the first colour; default: the smallest finite element
---@field max? number value of the last colour; default: the largest finite element
---@field nan? integer[] the colour of NaN, {red, green, blue}; default magenta, which no colour map contains

---A colour map: the colours from the smallest value to the largest.
---
---```lua
---local t = strew.tensor{{0.0, 1.0}}
---for _, name in ipairs{"viridis", "coolwarm", "grey"} do
---  print(name, table.unpack(strew.image(t, {colormap = name}):view(-1):tolist()))
---end
---```
---```text
---viridis	68	1	84	253	231	37
---coolwarm	59	76	192	180	4	38
---grey	0	0	0	255	255	255
---```
---@alias strew.colormap
---| "viridis" # dark violet, green, yellow
---| "magma" # black, violet, pink, light yellow
---| "inferno" # black, violet, orange, light yellow
---| "coolwarm" # blue, grey, red: shows differences from the middle of the range
---| "grey" # black to white; "gray" is the same

---Creates a colour picture of a matrix, with a colour map.
---
---`strew.save` writes it to a .png file.
---
---```lua
---local picture = strew.image(strew.tensor{{0.0, 0.5}, {0.5, 1.0}}, {scale = 20})
---print(table.unpack(picture.shape))
---print(picture[0][0])
---```
---```text
---40	40	3
---uint8[3] cpu
--- 68   1  84
---```
---@param self strew.Tensor [height, width], any dtype
---@param options? strew.image_options
---@return strew.Tensor picture uint8[height * scale, width * scale, 3], on self's device
function strew.image(self, options) end

---Shows a progress line at the terminal, or removes it.
---
---The line is written to standard error, and only if that is a terminal. Loading large files and compiling kernels show
---it by themselves.
---
---```lua
---for i = 1, 3 do strew.progress("counting", i / 3) end
---strew.progress()
---print("counted")
---```
---```text
---counted
---```
---@param doing? string a few words; omitted: removes the line
---@param done? number the fraction done, 0 to 1
---@overload fun(options: {doing?: string, done?: number})
function strew.progress(doing, done) end

-------------------------------------------------------------------------------- Devices, threads, memory, time, errors

---A device, as returned by strew.devices().
---@class strew.device_description
---@field name string the name for `{device = ...}`
---@field description string the name of the hardware
---@field error? string why the device cannot be opened; then all fields below are absent
---@field units? integer threads, or OpenCL's compute units
---@field launches? integer number of kernel launches so far
---@field float64? boolean true if it has float64
---@field int64_atomics? boolean true if it has 64-bit atomics
---@field exact_division? boolean true if the hardware rounds / and sqrt correctly; else strew uses integers
---@field denormals? boolean true if the hardware keeps denormals; else strew uses integers
---@field memory? integer bytes of memory
---@field largest_tensor? integer bytes of the largest tensor
---@field work_group? integer the largest work-group size
---@field driver? string
---@field promise? string guarantees that the device lacks, or needs slower code for

---Lists the devices, the CPU first, and the drivers that failed.
---
---OpenCL is loaded when a script first names it; `build/strew --devices` looks for devices in a child process first, so
---that a driver that crashes there costs one line. Kernels are compiled at first use and kept in `$XDG_CACHE_HOME/strew`
---(else `~/.cache/strew`), at most 256 MB.
---
---strew tests each device's arithmetic when it opens it. Operations that the device rounds differently are emulated with
---integers, more slowly; a float64 that is not exact is not offered. The first sort of each dtype sorts a few known items
---first: if the compiler's optimisations spoil them, sorts are compiled without optimisation.
---
---Results stay on the device, but the CPU computes a few of them, on every device: running sums within groups
---(`g:cumsum`) and the ids of a key table. For a device without float64 it also computes what needs float64: variances
---of groups, ranges and windows, quantiles of the latter two, exact means and products of groups of integers, means and
---quantiles of times, their sums with fractions of seconds, `bucketize` of integers with a list of floats, and `isclose`
---and `allclose` of int64 and int32.
---
---```lua
---local devices, problems = strew.devices()
---print(devices[1].name, devices[1].float64, type(problems))
---```
---```text
---cpu	true	table
---```
---@return strew.device_description[] devices
---@return string[] problems messages of drivers without a usable device
function strew.devices() end

---Returns the number of threads of the CPU.
---
---```lua
---strew.set_num_threads(2)
---print(strew.get_num_threads())
---```
---```text
---2
---```
---@return integer threads
function strew.get_num_threads() end

---Sets the number of threads of the CPU.
---
---Results do not depend on it.
---
---```lua
---strew.set_num_threads(1)
---print(strew.get_num_threads())
---```
---```text
---1
---```
---@param threads integer 1..256; 0: one for each available processor
function strew.set_num_threads(threads) end

---Returns the bytes of tensor memory in use, and their maximum so far (peak).
---
---```lua
---local t = strew.zeros(1000)
---local bytes, peak = strew.memory()
---print(bytes >= 4 * 1000, peak >= bytes)
---```
---```text
---true	true
---```
---@return integer bytes
---@return integer peak
function strew.memory() end

---Waits until all devices are idle and returns a monotonic time in seconds, for measuring.
---
---```lua
---local start = strew.clock()
---local t = strew.ones(100):sum()
---print(strew.clock() - start >= 0)
---```
---```text
---true
---```
---@return number seconds since an arbitrary start
function strew.clock() end

---Returns or sets whether float sums on a GPU are deterministic; true by default.
---
---After `strew.deterministic(false)` sums may use atomics, which can be faster; their last bits then vary between runs.
---
---```lua
---print(strew.deterministic())
---```
---```text
---true
---```
---@param enabled? boolean the new setting; omitted: no change
---@return boolean enabled the current setting
---@overload fun(options: {enabled?: boolean}): boolean
function strew.deterministic(enabled) end

---An error, as returned by strew.last_error().
---@class strew.error
---@field op string the function, as the script called it
---@field arg? string the invalid argument
---@field code string argument, dtype, shape, index, value, overlap, device, memory, freed, file, interrupted or time
---@field message string the whole message
---@field value? number|boolean the invalid value
---@field pos? integer[] its position, counted from 0; in a .csv file its line and column, counted from 1
---@field hint? string what to do about it

---Returns the last error of a call as a table, or nil if there was none.
---
---```lua
---local t = strew.zeros(3)
---pcall(t.scatter_add_, t, 0, strew.tensor{0, 9}, strew.ones(2))
---local e = strew.last_error()
---print(e.op, e.arg, e.code, e.value, e.pos[1])
---```
---```text
---scatter_add_	index	index	9	1
---```
---@return strew.error|nil
function strew.last_error() end

---Options of strew.help.
---@class strew.help_options
---@field search? string words to look for in all entries

---Prints the help about a name; without a name, the list of entries.
---
---Names are found in any form: "scatter_add_", "t:scatter_add_", "strew.scatter_add". The title of a topic, as "files",
---lists its names. At the prompt, `?name` does the same, `?` lists the topics, and `??word` is
---`strew.help{search = "word"}`.
---
---```lua
---strew.help{search = "logistic"}
---print(select(2, pcall(strew.help, "scater")))
---```
---```text
---  sigmoid  Returns the logistic function, 1 / (1 + exp(-x)).
---example:2: help: 'name' is "scater", no help found
---  hint  did you mean 'scatter'?
---```
---@param name? any a function or its name in any form, the name of a rule as "views", a topic; an expression or reduction
---@param options? strew.help_options
---@overload fun(options: {name?: any, search?: string})
function strew.help(name, options) end

return strew
