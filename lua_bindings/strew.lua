---@meta strew
-- strew.lua: the one text behind strew.help, the prompt's ?name, the reference (make doc), the manual page and what
-- editors show (LuaCATS, as lua-language-server reads it). Nothing here runs: editors and help.lua read it.
--
-- A line of dashes with a title begins a group. A block of lines with three dashes is a text: its first line says in
-- one sentence what there is to know, then come rules, an example that a test runs, and what the example prints. What
-- stands below the block is what the text is about; below "---# title" it is about a rule, and nothing is declared.
-- A function's further names (the method, and both in place, with an underscore) are assigned below it.
-- Where an argument's text begins with a "name" in quotes, that is what messages and signatures call it.

----------------------------------------------------------------------------------------------------------------- Rules

---# counting
---Inside a tensor everything counts from 0: dimensions, positions, and the numbers stored in index tensors.
---
---Dimensions and positions may be negative: -1 is the last. Inside an index tensor that holds only where a call asks
---for `mode = "wrap"`. Lua tables count from 1, as always. The border between the two is `strew.tensor{...}` and
---`t:tolist()`. A position out of range is an error, never nil: loop with `for i = 0, #t - 1`.
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
---`t:f_(...)` and `strew.f_(t, ...)` write the result into `t` and return it. Without the underscore the result is a
---new tensor and `t` stays as it was. Names and rules are PyTorch's where PyTorch has the operation. A result that does
---not fit into `t`, by its dtype or shape, is an error, and nothing is written. Of a view in place, as `t:squeeze_()`,
---`t` itself gets the new shape.
---
---```lua
---local t = strew.tensor{1, 2, 3}
---print(t:add(1):tolist()[1], t:add_(1) == t, strew.add(t, t):tolist()[1])
---```
---```text
---2	true	4
---```

---# options
---Optional arguments are given by position or by name, in a table that comes last.
---
---A key that the call does not know is an error that names it and those that it knows. `nil` stands for an argument
---that is left out.
---
---```lua
---local t = strew.tensor{{1.0, 2.0}, {3.0, 4.0}}
---print(t:sum(0, true))
---print(t:sum({dim = 0, keepdim = true}))
---print(select(2, pcall(t.sum, t, {dims = 0})))
---```
---```text
---float32[1, 2] cpu
--- 4  6
---float32[1, 2] cpu
--- 4  6
---example:4: sum: 'options' has unknown key "dims", known are dim, keepdim
---  hint  did you mean 'dim'?
---```

---# operators
---The operators `+ - * / // % ^ & | ~` work element by element on tensors and numbers; in place a method does it.
---
---Each is a function of its own, with its rules: broadcasting, promotion, division by zero. There are no operators for
---comparisons, whose results would be single booleans in Lua, and none to shift or to concatenate.
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
---| * # `t * u`: mul; of matrices, matmul
---| / # `t / u`: div, whose result is a float
---| // # `t // u`: floor_divide, rounded toward minus infinity
---| % # `t % u`: remainder, with the sign of `u`
---| ^ # `t ^ u`: pow
---| & # `t & u`: bitwise_and, of integers or bools
---| | # `t | u`: bitwise_or
---| ~ # `t ~ u`: bitwise_xor; `~t`: bitwise_not
---| # # `#t`: the size of dimension 0
---| == # identity: for elements `t:eq(u)`, for whole tensors `strew.equal(t, u)`
---| < # an error, as `<= > >=` are: `t:lt(u)`, `t:le(u)`, `t:gt(u)`, `t:ge(u)`

---# broadcasting
---Elementwise calls take operands of different shapes: sizes are aligned at the last dimension, and size 1 repeats.
---
---Numbers repeat everywhere. The scatter family's position form does not broadcast: ranks are equal there.
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
---Operands of different dtypes are brought to a common one, as in PyTorch: bool, then integers, then floats.
---
---Of two tensors of one kind the wider dtype wins (float16 with bfloat16 gives float32, uint8 with int8 int16). A
---number takes part by its kind alone: int64 + 1 stays int64, int64 + 0.5 gives float32, float16 + 0.5 stays float16.
---So does a tensor without dimensions beside one with dimensions: int8 + `strew.tensor(1)` stays int8.
---The scatter family does not promote: `src` has the dtype of `t`.
---
---Operands are converted to the common dtype first: int64 257 meets bfloat16 as 256. (Only a number that is a factor, or
---a divisor, of 16-bit floats is taken as float32, as in PyTorch.) A number that the common dtype cannot hold is an error
---in every call, in place too; on the way to a float it would become infinite. Comparisons take any number: integers
---compare with its value, floats with what it rounds to, or with its value if it is out of their range.
---
---```lua
---local t = strew.ones(2, {dtype = "int8"})
---print((t + 1).dtype, (t + 0.5).dtype, (t + strew.ones(2, {dtype = "int32"})).dtype, (t / 2).dtype)
---print((t + strew.tensor(1)).dtype, t:lt(300):all():item(), t:gt(0.5):all():item())
---print(select(2, pcall(t.add, t, 300)))
---```
---```text
---int8	float32	int32	float32
---int8	true	true
---example:4: add: 'other' is 300, which int8 cannot hold: a whole number in its range is needed
---  self  int8[2] cpu
---```

---# bits
---The same inputs give the same bits on one thread or many, on every run and on every OpenCL device.
---
---This holds for the scatter family, gathers, views, conversions, `+ - * / // %`, `sqrt`, `abs`, `neg`, `clamp`,
---rounding, comparisons, `where`, reductions, `cumsum`, sorts and random numbers; a NaN's payload is not part of it.
---Sums of the scatter family join in row-major order of `index`, as a plain loop would. `exp log sin cos tanh sigmoid
---pow` (but `x ^ 2`) and products of matrices are the same from run to run, not from device to device.
---`strew.devices()` says which device cannot keep this, `strew.deterministic(false)` lets go of it.
---
---```lua
---local index, src = strew.zeros(3, {dtype = "int64"}), strew.tensor{1e8, 1.0, -1e8}
---print(strew.scatter(src, index):item()) -- in order: in float32, 1e8 + 1 is 1e8
---```
---```text
---0.0
---```

---# errors
---A message says what, where, which value and what to do: a line of facts, one per tensor, and at most one hint.
---
---Errors are plain strings for `pcall`; `strew.last_error()` gives the same as a table. A call that fails has changed
---nothing: indices are checked, on every device, before the first element is written. Just a call in place that is
---interrupted may have written a part of its result; on the CPU the message says so.
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

---How the elements of a tensor are stored.
---
---Lua integers make int64, floats float32, booleans bool; `{dtype = ...}` asks for another one. Integers wrap on
---overflow. A number that the dtype cannot hold is an error, in arithmetic as in a fill, but comparisons take any. float16
---and bfloat16 are stored in 16 bits, computed in float32 and rounded once. Devices may lack float64: `strew.devices()`
---tells.
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
---| "float32" # default of Lua's floats
---| "float64"
---| "float16" # IEEE half precision
---| "bfloat16" # the upper half of a float32
---| "int64" # default of Lua's integers; may be an index
---| "int32" # may be an index
---| "int16"
---| "int8"
---| "uint8"
---| "bool" # sum counts, any is or, all is and

---Where a tensor lies and is computed.
---
---All tensors of a call lie on one device, numbers fit every one. There is no silent fallback: asking for a device that
---is not there is an error that lists what is. `{device = ...}` says where a new tensor is made, else the program's
---`--device`, else `$STREW_DEVICE`, else the CPU; `t:to(device)` copies it to another.
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
---| "opencl:0.0" # platform.device, numbered as clinfo -l prints them
---| string # "opencl:WORD": a part of the platform's or the device's name, in any case; two matches are an error

---How contributions that meet at one place are joined.
---
---Sums, products and means join one by one in row-major order of the index. Of NaN and numbers amax and amin give NaN;
---0 is more than -0. Means of integers round toward minus infinity; bool has no mean.
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
---@alias strew.reduction
---| "sum"
---| "add" # the same as sum
---| "prod"
---| "multiply" # the same as prod
---| "mul" # the same as prod
---| "mean"
---| "amax"
---| "max" # the same as amax
---| "amin"
---| "min" # the same as amin

---What becomes of index values outside of a dimension of size n.
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
---@alias strew.mode
---| "error" # the default: every value lies in 0..n-1, or nothing is done
---| "wrap" # -n..n-1: negative values count from the end
---| "clip" # moved to the nearest of 0..n-1
---| "drop" # skipped; gather gives 0 there

------------------------------------------------------------------------------------------------------------ The tensor

---A tensor: elements of one dtype, on one device, in 0 to 16 dimensions.
---
---`t[i]` is the part of `t` at position i of dimension 0, as a view, or a Lua number or boolean where `t` has one
---dimension; `t[i] = v` writes a number, or a tensor that broadcasts, there. `#t` is the size of dimension 0. `==` is
---identity: use `strew.equal`, or `t:eq(u)` element by element. `&`, `|`, `~` take integers and bools; `<` and `<=`
---raise an error. `tostring` and `print` show the elements, of more than 1000 only those at the edges. `local t <close>
---= ...` frees the tensor at the end of the block.
---
---```lua
---local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
---print(t.dtype, t.device, #t, table.concat(t.shape, " x "))
---t[0] = t[1] * 10
---t[1][2] = -6
---print(t)
---```
---```text
---int64	cpu	2	2 x 3
---int64[2, 3] cpu
--- 40  50  60
---  4   5  -6
---```
---@class strew.Tensor
---@field shape integer[] the sizes, as a Lua sequence: `{}` for a single number
---@field dtype strew.dtype how the elements are stored
---@field device string where they lie, with the full name: "opencl:0.0"
---@field [integer] any the part at this position of dimension 0
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

---The module. The program presets it; elsewhere `local strew = require "strew"`.
---
---```lua
---print((strew._VERSION:gsub("%d", "N")))
---```
---```text
---strew N.N.N
---```
---@class strew
---@field _VERSION string "strew 0.1.0"
strew = {}

---What new tensors take by name.
---@class strew.new_options
---@field dtype? strew.dtype
---@field device? strew.device where it is made; default: the program's device

---Makes a tensor of a number, a boolean, a nested sequence, or a copy of a tensor.
---
---All integers give int64, any float float32, booleans bool. Sequences of one level have one length, and numbers and
---booleans do not mix: the error names the place. Where a dtype is asked for, floats lose their fraction on the way to
---integers, and a number that does not fit is an error.
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

--------------------------------------------------------------------------------------------------------- Making tensors

---Makes a tensor full of zeros.
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
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence; none: a single number
---@return strew.Tensor t float32 unless a dtype is asked for
function strew.zeros(...) end

---Makes a tensor full of ones.
---
---```lua
---print(strew.ones(3))
---```
---```text
---float32[3] cpu
--- 1  1  1
---```
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t float32 unless a dtype is asked for
function strew.ones(...) end

---Makes a tensor whose elements hold whatever memory held.
---
---Write every one before it is read.
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
---@return strew.Tensor t float32 unless a dtype is asked for
function strew.empty(...) end

---Makes a tensor full of one value.
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
---@param shape integer|integer[] one size, or a sequence of them
---@param value number|boolean integers give int64, floats float32, booleans bool; error: a dtype that cannot hold it
---@param options? strew.new_options
---@return strew.Tensor t
function strew.full(shape, value, options) end

---Makes a matrix with ones on its diagonal and zeros elsewhere.
---
---```lua
---print(strew.eye(2, 3))
---```
---```text
---float32[2, 3] cpu
--- 1  0  0
--- 0  1  0
---```
---@param n integer rows
---@param m? integer columns, n unless given; by position only
---@param options? strew.new_options
---@return strew.Tensor t float32 unless a dtype is asked for
function strew.eye(n, m, options) end

---Makes the numbers from start up to, but not including, stop.
---
---Integers are exact, floats are `start + i * step` in float64, rounded once.
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
---@param start number the first one
---@param stop number the end, which is not reached
---@param step? number 1 unless given; not 0; by position only
---@param options? strew.new_options
---@return strew.Tensor t [n], int64 where all are integers, else float32
---@overload fun(stop: number, options?: strew.new_options): strew.Tensor
function strew.arange(start, stop, step, options) end

---Makes numbers at equal distances, both ends included.
---
---```lua
---print(strew.linspace(0, 1, 5))
---```
---```text
---float32[5] cpu
--- 0.0000  0.2500  0.5000  0.7500  1.0000
---```
---@param start number
---@param stop number
---@param steps integer how many there are
---@param options? strew.new_options
---@return strew.Tensor t [steps], float32 unless a dtype is asked for
function strew.linspace(start, stop, steps, options) end

---Makes random numbers, uniform in [0, 1).
---
---The generator is Philox 4x32-10: after the same `strew.manual_seed` the same numbers come on every device and thread
---count.
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
---@return strew.Tensor t float32 unless another float dtype is asked for
function strew.rand(...) end

---Makes random numbers of the standard normal distribution.
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
---@return strew.Tensor t float32 unless another float dtype is asked for
function strew.randn(...) end

---Makes random integers, uniform in low..high-1.
---
---```lua
---strew.manual_seed(1)
---print(strew.randint(1, 7, 10))
---```
---```text
---int64[10] cpu
--- 6  5  6  4  4  6  1  1  4  6
---```
---@param low integer the least; 0 where the shape, as a sequence, is the second argument
---@param high integer one more than the greatest
---@param ... integer|integer[]|strew.new_options "shape..." sizes, as numbers or one sequence
---@return strew.Tensor t int64 unless a dtype is asked for
---@overload fun(high: integer, shape: integer[], options?: strew.new_options): strew.Tensor
function strew.randint(low, high, ...) end

---Makes the integers 0..n-1 in random order.
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
---@return strew.Tensor t [n], int64 unless a dtype is asked for
function strew.randperm(n, options) end

---Sets the state of the random numbers.
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

------------------------------------------------------------------------------------- What a tensor is and what it holds

---Gives the sizes as results of their own, or the size of one dimension.
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
Tensor.size = strew.size

---Gives the strides, in elements, as results of their own, or the stride of one dimension.
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
Tensor.stride = strew.stride

---Gives the number of dimensions.
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
Tensor.dim = strew.dim

---Gives the number of elements.
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
Tensor.numel = strew.numel

---Do the elements lie one after the other, in row-major order?
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
Tensor.is_contiguous = strew.is_contiguous

---Gives "tensor" for a tensor, and nil for anything else.
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

---Gives the only element as a Lua number or boolean.
---
---It waits for the device. A tensor with more elements, or none, is an error.
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
Tensor.item = strew.item

---Gives all elements as nested Lua tables, or as one value where there is no dimension.
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
Tensor.tolist = strew.tolist

---Gives the element at a position as a Lua number or boolean.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}
---print(t:get(1, 0), t:get(-1, -1))
---```
---```text
---3	4
---```
---@param self strew.Tensor
---@param ... integer|integer[] "position..." one number for each dimension, -1 is the last; error: out of range
---@return number|boolean
function strew.get(self, ...) end
Tensor.get = strew.get

---Writes one element.
---
---The value comes last, behind one number for each dimension. Returns nothing.
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
---@param ... integer|number|boolean "position..., value" error: out of range, or a value that does not fit
function strew.set(self, ...) end
Tensor.set = strew.set

---Gives the same values as another dtype, on another device, or both.
---
---Floats stop at the ends of an integer's range and lose their fraction, NaN becomes 0; integers wrap; a float too
---large becomes infinite; bool is x ~= 0. Where nothing changes the result shares its elements with self.
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
---@param options? strew.new_options both by name
---@return strew.Tensor t
function strew.to(self, target, other, options) end
Tensor.to = strew.to

---Gives a copy with memory of its own, in row-major order.
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
Tensor.clone = strew.clone

---Gives the same values in row-major order: self, where it is so already, else a copy.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}:t()
---print(t:contiguous():stride())
---```
---```text
---2	1
---```
---@param self strew.Tensor
---@return strew.Tensor t
function strew.contiguous(self) end
Tensor.contiguous = strew.contiguous

---Gives self's shape and dtype with the values of src, broadcast and converted as `to` does.
---
---The two may lie on different devices.
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
---@param src strew.Tensor broadcasts to self's shape; error: its shape does not
---@return strew.Tensor t
function strew.copy(self, src) end
strew.copy_, Tensor.copy, Tensor.copy_ = strew.copy, strew.copy, strew.copy

---Gives self's shape and dtype with one value everywhere.
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
strew.fill_, Tensor.fill, Tensor.fill_ = strew.fill, strew.fill, strew.fill

---Gives self's shape and dtype with zeros everywhere.
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
strew.zero_, Tensor.zero, Tensor.zero_ = strew.zero, strew.zero, strew.zero

---Gives the tensor's memory back now.
---
---A later use of this tensor is an error; views of it live on. Otherwise memory is given back when Lua's collector
---finds that nothing holds the tensor.
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
Tensor.free = strew.free

------------------------------------------------------------------------------------------------------------------ Views

---Gives the same elements under another shape.
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
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; one may be -1, what is left for it
---@return strew.Tensor t shares self's elements
function strew.view(self, ...) end
Tensor.view = strew.view

---Gives the same values under another shape: a view where that is possible, else a copy.
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
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; one may be -1, what is left for it
---@return strew.Tensor t
function strew.reshape(self, ...) end
Tensor.reshape = strew.reshape

---Makes one dimension of several neighbours.
---
---```lua
---print(table.unpack(strew.zeros(2, 3, 4):flatten(1).shape))
---```
---```text
---2	12
---```
---@param self strew.Tensor
---@param start_dim? integer the first one, 0 unless given
---@param end_dim? integer the last one, -1 unless given
---@return strew.Tensor t a view where that is possible, else a copy
---@overload fun(self: strew.Tensor, options: {start_dim?: integer, end_dim?: integer}): strew.Tensor
function strew.flatten(self, start_dim, end_dim) end
Tensor.flatten = strew.flatten

---Puts the dimensions into another order.
---
---```lua
---print(table.unpack(strew.zeros(2, 3, 4):permute(2, 0, 1).shape))
---```
---```text
---4	2	3
---```
---@param self strew.Tensor
---@param ... integer|integer[] "dims..." each dimension once, as numbers or one sequence
---@return strew.Tensor t shares self's elements
function strew.permute(self, ...) end
Tensor.permute = strew.permute

---Exchanges two dimensions.
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
---@return strew.Tensor t shares self's elements
function strew.transpose(self, dim0, dim1) end
strew.transpose_, Tensor.transpose, Tensor.transpose_ = strew.transpose, strew.transpose, strew.transpose

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
---@param self strew.Tensor of 2 dimensions; of fewer it comes back as it is, of more is an error
---@return strew.Tensor t shares self's elements
function strew.t(self) end
strew.t_, Tensor.t, Tensor.t_ = strew.t, strew.t, strew.t

---Drops dimensions of size 1.
---
---```lua
---local t = strew.zeros(1, 3, 1)
---print(#t:squeeze().shape, #t:squeeze(0).shape, #t:squeeze(1).shape)
---```
---```text
---1	2	3
---```
---@param self strew.Tensor
---@param dim? integer this one, if its size is 1; all of size 1 unless given
---@return strew.Tensor t shares self's elements
---@overload fun(self: strew.Tensor, options: {dim?: integer}): strew.Tensor
function strew.squeeze(self, dim) end
strew.squeeze_, Tensor.squeeze, Tensor.squeeze_ = strew.squeeze, strew.squeeze, strew.squeeze

---Puts a dimension of size 1 in front of dimension dim.
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
---@param dim integer where it will be, -rank-1..rank
---@return strew.Tensor t shares self's elements
function strew.unsqueeze(self, dim) end
strew.unsqueeze_, Tensor.unsqueeze, Tensor.unsqueeze_ = strew.unsqueeze, strew.unsqueeze, strew.unsqueeze

---Repeats dimensions of size 1 without copying anything.
---
---An expanded view cannot be written in place, since elements of it share memory. As index or src of a scatter it is
---never copied out.
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
---@param ... integer|integer[] "shape..." sizes, as numbers or one sequence; -1 keeps a size; new ones come in front
---@return strew.Tensor t shares self's elements
function strew.expand(self, ...) end
Tensor.expand = strew.expand

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
---@return strew.Tensor t shares self's elements
function strew.expand_as(self, other) end
Tensor.expand_as = strew.expand_as

---Gives the part at one position of a dimension, without that dimension.
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
---@return strew.Tensor t shares self's elements
function strew.select(self, dim, position) end
Tensor.select = strew.select

---Gives `length` positions of a dimension, from `start` on.
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
---@return strew.Tensor t shares self's elements
function strew.narrow(self, dim, start, length) end
Tensor.narrow = strew.narrow

---Gives positions start, start + step, ... of a dimension, before stop, as Python's `t[start:stop:step]`.
---
---Ends beyond the dimension are moved to it.
---
---```lua
---print(strew.arange(6):slice(0, 1, -1, 2))
---print(strew.arange(6):slice(0, {stop = 2}))
---```
---```text
---int64[2] cpu
--- 1  3
---int64[2] cpu
--- 0  1
---```
---@param self strew.Tensor
---@param dim integer
---@param start? integer 0 unless given; negative ones count from the end
---@param stop? integer the end unless given; negative ones count from the end
---@param step? integer 1 or more, 1 unless given
---@return strew.Tensor t shares self's elements
---@overload fun(self: strew.Tensor, dim: integer, options: {start?: integer, stop?: integer, step?: integer}): strew.Tensor
function strew.slice(self, dim, start, stop, step) end
Tensor.slice = strew.slice

---Gives any view of the memory that self lies in, by its strides.
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
---@param offset? integer where it begins, in elements from the memory's start; where self does unless given
---@return strew.Tensor t shares self's elements
---@overload fun(self: strew.Tensor, shape: integer|integer[], strides: integer|integer[], options: {offset?: integer}): strew.Tensor
function strew.as_strided(self, shape, strides, offset) end
strew.as_strided_, Tensor.as_strided, Tensor.as_strided_ = strew.as_strided, strew.as_strided, strew.as_strided

---------------------------------------------------------------------------------------------------- Joining, splitting

---Joins tensors along a dimension.
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
---@param tensors strew.Tensor[] one or more; all sizes but that of dim agree, dtypes are promoted
---@param dim? integer 0 unless given
---@return strew.Tensor t
---@overload fun(self: strew.Tensor, ...: strew.Tensor|integer): strew.Tensor
function strew.cat(tensors, dim) end
Tensor.cat = strew.cat

---Joins tensors of one shape along a new dimension.
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
---@param dim? integer where the new dimension will be, 0 unless given
---@return strew.Tensor t
---@overload fun(self: strew.Tensor, ...: strew.Tensor|integer): strew.Tensor
function strew.stack(tensors, dim) end
Tensor.stack = strew.stack

---Splits into views of a length, or of lengths in a sequence.
---
---```lua
---local pieces = strew.arange(5):split(2)
---print(#pieces, pieces[3])
---print(strew.arange(5):split({1, 4})[2])
---```
---```text
---3	int64[1] cpu
--- 4
---int64[4] cpu
--- 1  2  3  4
---```
---@param self strew.Tensor
---@param size integer|integer[] of each piece, the last one may be shorter; or of all pieces, in sum the size of dim
---@param dim? integer 0 unless given
---@return strew.Tensor[] pieces a Lua sequence, counted from 1
---@overload fun(self: strew.Tensor, size: integer|integer[], options: {dim?: integer}): strew.Tensor[]
function strew.split(self, size, dim) end
Tensor.split = strew.split

---Splits into so many views of equal length, or fewer, where it does not come out even.
---
---```lua
---for i, piece in ipairs(strew.arange(5):chunk(3)) do print(i, piece) end
---```
---```text
---1	int64[2] cpu
--- 0  1
---2	int64[2] cpu
--- 2  3
---3	int64[1] cpu
--- 4
---```
---@param self strew.Tensor
---@param chunks integer 1 or more; of a dimension of size 0, 1048576 at most
---@param dim? integer 0 unless given
---@return strew.Tensor[] pieces a Lua sequence, counted from 1
---@overload fun(self: strew.Tensor, chunks: integer, options: {dim?: integer}): strew.Tensor[]
function strew.chunk(self, chunks, dim) end
Tensor.chunk = strew.chunk

--------------------------------------------------------------------------------------------------- Scatter by position

---What calls of the scatter family take by name.
---@class strew.mode_options
---@field mode? strew.mode what becomes of values out of range; "error" unless given

---What scatter takes by name.
---@class strew.scatter_options
---@field mode? strew.mode what becomes of values out of range; "error" unless given
---@field reduce? strew.reduction how src joins what is there; unless given, src replaces it

---What scatter_reduce takes by name.
---@class strew.scatter_reduce_options
---@field include_self? boolean true unless given; false: places that receive something forget their value
---@field mode? strew.mode what becomes of values out of range; "error" unless given

---Writes src, or a number, to the places that index names along dim; or joins it to what is there.
---
---For each position p of index, in row-major order: `self[p with p[dim] = index[p]] = src[p]`. Where places repeat, the
---last one wins, on every device. `{reduce = ...}` joins instead, as `scatter_reduce` does. Where the second argument
---is a tensor, this is the group form: `strew.scatter(src, index, {dim =, reduce =, ...})`, see `scatter_sum`.
---
---Ranks are equal; no size of index exceeds src's, nor, but along dim, self's. A larger src is read at index's
---positions, and `warn` says so after `warn("@on")`. An empty index changes nothing. In place, self may not share
---elements with itself, index or src.
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
---@param dim integer the dimension that index names places in
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param src strew.Tensor|number|boolean self's dtype; a number that self's dtype can hold
---@param options? strew.scatter_options
---@return strew.Tensor t self's shape and dtype
---@overload fun(src: strew.Tensor, index: strew.Tensor, options?: strew.group_scatter_options): strew.Tensor
function strew.scatter(self, dim, index, src, options) end
strew.scatter_, Tensor.scatter, Tensor.scatter_ = strew.scatter, strew.scatter, strew.scatter

---Adds src to the places that index names along dim.
---
---For each position p of index, in row-major order: `self[p with p[dim] = index[p]] += src[p]`, so that the bits are
---those of a plain loop, on every device and thread count. Shapes are as for `scatter`. bool sums are or.
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
---@param dim integer the dimension that index names places in
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param src strew.Tensor|number self's dtype; a number that self's dtype can hold
---@param options? strew.mode_options
---@return strew.Tensor t self's shape and dtype
function strew.scatter_add(self, dim, index, src, options) end
strew.scatter_add_, Tensor.scatter_add, Tensor.scatter_add_ = strew.scatter_add, strew.scatter_add, strew.scatter_add

---Joins src to the places that index names along dim, by sum, prod, mean, amax or amin.
---
---Shapes are as for `scatter`, order and NaN as in `reduction`. A mean counts self as one contribution, unless
---`include_self = false`. Places that receive nothing keep their value.
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
---@param dim integer the dimension that index names places in
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param src strew.Tensor|number self's dtype; a number that self's dtype can hold
---@param reduce strew.reduction
---@param options? strew.scatter_reduce_options
---@return strew.Tensor t self's shape and dtype
function strew.scatter_reduce(self, dim, index, src, reduce, options) end
strew.scatter_reduce_, Tensor.scatter_reduce, Tensor.scatter_reduce_ =
  strew.scatter_reduce, strew.scatter_reduce, strew.scatter_reduce

---Takes the elements that index names along dim.
---
---`out[p] = self[p with p[dim] = index[p]]` for each position p of index. A lookup in one dimension is
---`t:gather(0, index)`. Rows of a matrix: `t:index_select(0, rows)`.
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
---@param dim integer the dimension that index names places in
---@param index strew.Tensor int64 or int32, of self's rank, and no larger but along dim; error: a value out of range
---@param options? strew.mode_options
---@return strew.Tensor t index's shape, self's dtype
function strew.gather(self, dim, index, options) end
Tensor.gather = strew.gather

------------------------------------------------------------------------------------------------------ Scatter by group

---What the group form takes by name: dim, out and dim_size may also be given by position.
---@class strew.group_options
---@field dim? integer the dimension of src that is grouped, -1 unless given
---@field out? strew.Tensor takes part, is written in place and returned; keeps its values where nothing arrives
---@field dim_size? integer the result's size along dim; max(index) + 1 unless given
---@field fill? number|boolean what groups hold that receive nothing; 0 unless given, 1 for scatter_mul
---@field mode? strew.mode what becomes of values out of range; "error" unless given

---What sums and means of groups take by name.
---@class strew.group_sum_options: strew.group_options
---@field dtype? strew.dtype "float64" computes and returns a sum or mean in float64; src's own dtype unless given

---What strew.scatter takes by name in the group form.
---@class strew.group_scatter_options: strew.group_sum_options
---@field reduce? strew.reduction "sum" unless given

---What is left of those where dim, out and dim_size stand by position.
---@class strew.fill_options
---@field fill? number|boolean what groups hold that receive nothing; 0 unless given, 1 for scatter_mul
---@field mode? strew.mode what becomes of values out of range; "error" unless given

---The same for sums and means.
---@class strew.sum_options: strew.fill_options
---@field dtype? strew.dtype "float64" computes and returns a sum or mean in float64; src's own dtype unless given

---Sums the rows of src that belong to one group, by torch_scatter's rules.
---
---`out[index[p]] += src[p]` along dim, in row-major order. An index of one dimension lies along dim; one of higher rank
---is aligned with src's leading dimensions; sizes 1 expand. A group that receives nothing holds `fill`.
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
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.sum_options
---@return strew.Tensor out src's dtype, unless options say float64, and sizes, but along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor, options: strew.group_sum_options): strew.Tensor
function strew.scatter_sum(src, index, dim, out, dim_size, options) end
Tensor.scatter_sum = strew.scatter_sum

---Multiplies the rows of src that belong to one group.
---
---Shapes and order are as for `scatter_sum`. A group that receives nothing holds 1, unless `fill` says otherwise.
---
---```lua
---print(strew.scatter_mul(strew.tensor{2, 3, 4}, strew.tensor{0, 2, 0}))
---```
---```text
---int64[3] cpu
--- 8  1  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.fill_options
---@return strew.Tensor out src's dtype and sizes, but along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor, options: strew.group_options): strew.Tensor
function strew.scatter_mul(src, index, dim, out, dim_size, options) end
Tensor.scatter_mul = strew.scatter_mul

---Gives the mean, the average, of the rows of src that belong to one group.
---
---Shapes and order are as for `scatter_sum`. The average of integers is an integer: it rounds toward minus infinity, and
---its sum wraps in src's dtype. `{dtype = "float64"}`, or src:to("float64"), gives the fraction; without it `warn` says so
---once, after `warn("@on")`. With `out` it is `(out + sum) / count`, as in torch_scatter.
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
---@param src strew.Tensor error: bool without `dtype`, which has no mean
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.sum_options
---@return strew.Tensor out src's dtype, unless options say float64, and sizes, but along dim
---@overload fun(src: strew.Tensor, index: strew.Tensor, options: strew.group_sum_options): strew.Tensor
function strew.scatter_mean(src, index, dim, out, dim_size, options) end
Tensor.scatter_mean = strew.scatter_mean

---Gives the least of the rows of src that belong to one group, and where it was.
---
---Shapes are as for `scatter_sum`. NaN is less than any number, -0 less than 0.
---
---```lua
---print(strew.scatter_min(strew.tensor{5.0, 2.5, 2.5, 4.0}, strew.tensor{0, 0, 0, 2}))
---```
---```text
---float32[3] cpu
--- 2.5000  0.0000  4.0000	int64[3] cpu
--- 1  4  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.fill_options
---@return strew.Tensor out src's dtype and sizes, but along dim
---@return strew.Tensor arg int64: the position along dim of the first least, src's size there where there is none
---@overload fun(src: strew.Tensor, index: strew.Tensor, options: strew.group_options): strew.Tensor, strew.Tensor
function strew.scatter_min(src, index, dim, out, dim_size, options) end
Tensor.scatter_min = strew.scatter_min

---Gives the greatest of the rows of src that belong to one group, and where it was.
---
---Shapes are as for `scatter_sum`. NaN is more than any number, 0 more than -0.
---
---```lua
---print(strew.scatter_max(strew.tensor{5.0, 2.5, 7.0, 4.0}, strew.tensor{0, 0, 0, 2}))
---```
---```text
---float32[3] cpu
--- 7  0  4	int64[3] cpu
--- 2  4  3
---```
---@param src strew.Tensor any dtype and strides
---@param index strew.Tensor int64 or int32; error: a value out of range, with its value and position
---@param dim? integer
---@param out? strew.Tensor
---@param dim_size? integer
---@param options? strew.fill_options
---@return strew.Tensor out src's dtype and sizes, but along dim
---@return strew.Tensor arg int64: the position along dim of the first greatest, src's size there where there is none
---@overload fun(src: strew.Tensor, index: strew.Tensor, options: strew.group_options): strew.Tensor, strew.Tensor
function strew.scatter_max(src, index, dim, out, dim_size, options) end
Tensor.scatter_max = strew.scatter_max

------------------------------------------------------------------------------------------- Choosing, counting, moving

---Selects positions along a dimension: the rows, columns, ... that `index` names, in its order.
---
---`index` has at most one dimension; the result has its size along `dim`. Values may repeat. Out of range is an error,
---or what `mode` says.
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
---@param index strew.Tensor int64 or int32
---@param options? strew.mode_options
---@return strew.Tensor t
function strew.index_select(self, dim, index, options) end
Tensor.index_select = strew.index_select

---Returns the elements where `mask` is true, in row-major order, as one dimension (a filter).
---
---`self` and `mask` broadcast together. For whole rows of a matrix use `t:index_select(0, mask:nonzero():squeeze(1))`.
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
---@param mask strew.Tensor bool
---@return strew.Tensor t
function strew.masked_select(self, mask) end
Tensor.masked_select = strew.masked_select

---What bincount takes by name.
---@class strew.bincount_options
---@field weights? strew.Tensor one for each value: they are added instead of 1
---@field minlength? integer the size of the result, at least

---Counts how often each of 0, 1, 2, ... occurs; with `weights`, adds the weights of its occurrences.
---
---The result has a place for every value up to the largest. Negative values are an error.
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
---@param self strew.Tensor int64 or int32, one dimension
---@param options? strew.bincount_options
---@return strew.Tensor counts int64, or the weights' dtype
function strew.bincount(self, options) end
Tensor.bincount = strew.bincount

---What one_hot takes by name.
---@class strew.one_hot_options
---@field num_classes? integer the size of the new dimension; unless given, one more than the largest value

---Returns zeros with a further dimension, in which each value of `self` sets the element at its position to 1.
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
---@param self strew.Tensor int64 or int32, values from 0
---@param options? strew.one_hot_options
---@return strew.Tensor t int64
function strew.one_hot(self, options) end
Tensor.one_hot = strew.one_hot

---Returns where elements are NaN, as bools.
---
---```lua
---print(strew.tensor{1, 0 / 0, 2}:isnan())
---```
---```text
---bool[3] cpu
--- false   true  false
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t bool
function strew.isnan(self) end
Tensor.isnan = strew.isnan

---Reverses the order of elements along dimensions.
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
---@param ... integer|integer[] "dims..." the dimensions, as numbers or one sequence
---@return strew.Tensor t a copy
function strew.flip(self, ...) end
Tensor.flip = strew.flip

---Returns the differences of neighbours along a dimension: element 1 - element 0, 2 - 1, ...; bools: where they differ.
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
---@param n? integer how many times; 1 unless given
---@param dim? integer the last unless given
---@return strew.Tensor t
function strew.diff(self, n, dim) end
Tensor.diff = strew.diff

------------------------------------------------------------------------------------------------------------- Arithmetic

---Adds, element by element: `self + other`.
---
---bool sums are or.
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
strew.add_, Tensor.add, Tensor.add_ = strew.add, strew.add, strew.add

---Subtracts, element by element: `self - other`.
---
---```lua
---print(10 - strew.tensor{1, 2})
---```
---```text
---int64[2] cpu
--- 9  8
---```
---@param self strew.Tensor|number integers and floats, no bools
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.sub(self, other) end
strew.sub_, Tensor.sub, Tensor.sub_ = strew.sub, strew.sub, strew.sub

---Multiplies, element by element: `self * other`.
---
---bool products are and.
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
strew.mul_, Tensor.mul, Tensor.mul_ = strew.mul, strew.mul, strew.mul

---Divides, element by element: `self / other`.
---
---Integers and bools give float32; x / 0 is inf, -inf or nan.
---
---```lua
---print(strew.tensor{1, 2} / 2, strew.tensor{1, 0} / 0)
---```
---```text
---float32[2] cpu
--- 0.5000  1.0000	float32[2] cpu
--- inf  nan
---```
---@param self strew.Tensor|number any dtype
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t a float dtype
function strew.div(self, other) end
strew.div_, Tensor.div, Tensor.div_ = strew.div, strew.div, strew.div

---Divides and rounds toward minus infinity: `self // other`.
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
strew.floor_divide_, Tensor.floor_divide, Tensor.floor_divide_ =
  strew.floor_divide, strew.floor_divide, strew.floor_divide

---Gives the rest of floor_divide, with the sign of other: `self % other`.
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
strew.remainder_, Tensor.remainder, Tensor.remainder_ = strew.remainder, strew.remainder, strew.remainder

---Raises to a power: `self ^ other`.
---
---With the number 2 that is `self * self`, to the last bit.
---
---```lua
---print(strew.tensor{1, 2, 3} ^ 2, strew.tensor{4, 9} ^ 0.5)
---```
---```text
---int64[3] cpu
--- 1  4  9	float32[2] cpu
--- 2  3
---```
---@param self strew.Tensor|number integers and floats; error: an integer to a power below 0
---@param other strew.Tensor|number one of the two is a tensor
---@return strew.Tensor t of the promoted dtype
function strew.pow(self, other) end
strew.pow_, Tensor.pow, Tensor.pow_ = strew.pow, strew.pow, strew.pow

---Gives the lesser of two elements; of NaN and a number NaN.
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
Tensor.minimum = strew.minimum

---Gives the greater of two elements; of NaN and a number NaN.
---
---0 is more than -0.
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
Tensor.maximum = strew.maximum

---Changes the sign: `-self`.
---
---```lua
---print(-strew.tensor{1, -2})
---```
---```text
---int64[2] cpu
--- -1   2
---```
---@param self strew.Tensor integers, which wrap, and floats
---@return strew.Tensor t self's dtype
function strew.neg(self) end
strew.neg_, Tensor.neg, Tensor.neg_ = strew.neg, strew.neg, strew.neg

---Gives the size without the sign.
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
strew.abs_, Tensor.abs, Tensor.abs_ = strew.abs, strew.abs, strew.abs

---Rounds toward minus infinity.
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
strew.floor_, Tensor.floor, Tensor.floor_ = strew.floor, strew.floor, strew.floor

---Rounds toward plus infinity.
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
strew.ceil_, Tensor.ceil, Tensor.ceil_ = strew.ceil, strew.ceil, strew.ceil

---Rounds to the nearest whole number, halves to even.
---
---```lua
---print(strew.tensor{0.5, 1.5, -2.7}:round())
---```
---```text
---float32[3] cpu
---  0   2  -3
---```
---@param self strew.Tensor integers and floats
---@return strew.Tensor t self's dtype
function strew.round(self) end
strew.round_, Tensor.round, Tensor.round_ = strew.round, strew.round, strew.round

---Gives 0 in place of negative elements.
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
strew.relu_, Tensor.relu, Tensor.relu_ = strew.relu, strew.relu, strew.relu

---Moves elements below min to min, and those above max to max.
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
---@param min? strew.Tensor|number one of the two is due
---@param max? strew.Tensor|number where it is less than min, it wins
---@return strew.Tensor t of the promoted dtype
---@overload fun(self: strew.Tensor, options: {min?: strew.Tensor|number, max?: strew.Tensor|number}): strew.Tensor
function strew.clamp(self, min, max) end
strew.clamp_, Tensor.clamp, Tensor.clamp_ = strew.clamp, strew.clamp, strew.clamp

---Gives e to the power of each element.
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
strew.exp_, Tensor.exp, Tensor.exp_ = strew.exp, strew.exp, strew.exp

---Gives the natural logarithm: -inf of 0, nan of what is less.
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
strew.log_, Tensor.log, Tensor.log_ = strew.log, strew.log, strew.log

---Gives the square root, correctly rounded; nan of what is less than 0.
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
strew.sqrt_, Tensor.sqrt, Tensor.sqrt_ = strew.sqrt, strew.sqrt, strew.sqrt

---Gives 1 over the square root.
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
strew.rsqrt_, Tensor.rsqrt, Tensor.rsqrt_ = strew.rsqrt, strew.rsqrt, strew.rsqrt

---Gives the sine of an angle in radians.
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
strew.sin_, Tensor.sin, Tensor.sin_ = strew.sin, strew.sin, strew.sin

---Gives the cosine of an angle in radians.
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
strew.cos_, Tensor.cos, Tensor.cos_ = strew.cos, strew.cos, strew.cos

---Gives the hyperbolic tangent.
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
strew.tanh_, Tensor.tanh, Tensor.tanh_ = strew.tanh, strew.tanh, strew.tanh

---Gives 1 / (1 + exp(-x)).
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
strew.sigmoid_, Tensor.sigmoid, Tensor.sigmoid_ = strew.sigmoid, strew.sigmoid, strew.sigmoid

------------------------------------------------------------------------------------------------------------------- Bits

---Gives the bits that are set in both: `self & other`.
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
strew.bitwise_and_, Tensor.bitwise_and, Tensor.bitwise_and_ = strew.bitwise_and, strew.bitwise_and, strew.bitwise_and

---Gives the bits that are set in either: `self | other`.
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
strew.bitwise_or_, Tensor.bitwise_or, Tensor.bitwise_or_ = strew.bitwise_or, strew.bitwise_or, strew.bitwise_or

---Gives the bits that differ: `self ~ other`.
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
strew.bitwise_xor_, Tensor.bitwise_xor, Tensor.bitwise_xor_ = strew.bitwise_xor, strew.bitwise_xor, strew.bitwise_xor

---Inverts all bits: `~self`; true and false of a bool.
---
---```lua
---print(~strew.tensor{0, 5}, ~strew.tensor{true})
---```
---```text
---int64[2] cpu
--- -1  -6	bool[1] cpu
--- false
---```
---@param self strew.Tensor integers and bools
---@return strew.Tensor t self's dtype
function strew.bitwise_not(self) end
strew.bitwise_not_, Tensor.bitwise_not, Tensor.bitwise_not_ = strew.bitwise_not, strew.bitwise_not, strew.bitwise_not

---------------------------------------------------------------------------------------------------- Comparing, choosing

---Is each element equal to that of other? NaN equals nothing.
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.eq(self, other) end
strew.eq_, Tensor.eq, Tensor.eq_ = strew.eq, strew.eq, strew.eq

---Does each element differ from that of other?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.ne(self, other) end
strew.ne_, Tensor.ne, Tensor.ne_ = strew.ne, strew.ne, strew.ne

---Is each element less than that of other?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.lt(self, other) end
strew.lt_, Tensor.lt, Tensor.lt_ = strew.lt, strew.lt, strew.lt

---Is each element less than that of other, or equal?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.le(self, other) end
strew.le_, Tensor.le, Tensor.le_ = strew.le, strew.le, strew.le

---Is each element greater than that of other?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.gt(self, other) end
strew.gt_, Tensor.gt, Tensor.gt_ = strew.gt, strew.gt, strew.gt

---Is each element greater than that of other, or equal?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.ge(self, other) end
strew.ge_, Tensor.ge, Tensor.ge_ = strew.ge, strew.ge, strew.ge

---Are both elements other than 0?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.logical_and(self, other) end
strew.logical_and_, Tensor.logical_and, Tensor.logical_and_ = strew.logical_and, strew.logical_and, strew.logical_and

---Is one of the elements other than 0?
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
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.logical_or(self, other) end
strew.logical_or_, Tensor.logical_or, Tensor.logical_or_ = strew.logical_or, strew.logical_or, strew.logical_or

---Is each element 0?
---
---```lua
---print(strew.tensor{0, 2}:logical_not())
---```
---```text
---bool[2] cpu
---  true  false
---```
---@param self strew.Tensor any dtype
---@return strew.Tensor t bool; in place 0 or 1 of self's dtype
function strew.logical_not(self) end
strew.logical_not_, Tensor.logical_not, Tensor.logical_not_ = strew.logical_not, strew.logical_not, strew.logical_not

---Are two tensors of one shape equal in every element?
---
---It gives one Lua boolean. NaN equals nothing, -0 equals 0.
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
Tensor.equal = strew.equal

---Are the elements of two tensors equal, but for rounding?
---
---`|self - other| <= atol + rtol * |other|` everywhere, after broadcasting. Infinities equal themselves, NaN nothing.
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
---@param rtol? number 1e-5 unless given
---@param atol? number 1e-8 unless given
---@return boolean
---@overload fun(self: strew.Tensor, other: strew.Tensor, options: {rtol?: number, atol?: number}): boolean
function strew.allclose(self, other, rtol, atol) end
Tensor.allclose = strew.allclose

---Takes elements of a where condition is true, else those of b.
---
---The three broadcast.
---
---```lua
---local t = strew.tensor{-1, 2, -3}
---print(strew.where(t:gt(0), t, 0))
---```
---```text
---int64[3] cpu
--- 0  2  0
---```
---@param condition strew.Tensor bool
---@param a strew.Tensor|number
---@param b strew.Tensor|number
---@return strew.Tensor t of the promoted dtype
function strew.where(condition, a, b) end
Tensor.where = strew.where

---Puts a value where mask is true.
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
---@param value number|boolean|strew.Tensor a number, or a tensor without dimensions
---@return strew.Tensor t self's dtype
function strew.masked_fill(self, mask, value) end
strew.masked_fill_, Tensor.masked_fill, Tensor.masked_fill_ = strew.masked_fill, strew.masked_fill, strew.masked_fill

------------------------------------------------------------------------------------------------------------- Reductions

---Adds the elements.
---
---The order depends on the shape alone, so that the bits are the same everywhere. Of no elements it is 0.
---
---```lua
---local t = strew.tensor{{1, 2}, {3, 4}}
---print(t:sum(), t:sum(0))
---```
---```text
---int64[] cpu  10	int64[2] cpu
--- 4  6
---```
---@param self strew.Tensor any dtype; bools are counted
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t int64 for integers and bools, else self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.sum(self, dim, keepdim) end
Tensor.sum = strew.sum

---Multiplies the elements.
---
---Of no elements it is 1.
---
---```lua
---print(strew.tensor{2, 3, 4}:prod())
---```
---```text
---int64[] cpu  24
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t int64 for integers and bools, else self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.prod(self, dim, keepdim) end
Tensor.prod = strew.prod

---Gives the mean, the average.
---
---Of no elements it is nan.
---
---```lua
---print(strew.tensor{{1.0, 2.0}, {3.0, 4.0}}:mean(1))
---```
---```text
---float32[2] cpu
--- 1.5000  3.5000
---```
---@param self strew.Tensor a float dtype; error: integers, `t:to("float32")` first
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.mean(self, dim, keepdim) end
Tensor.mean = strew.mean

---What var and std take by name.
---@class strew.correction_options
---@field correction? number what is taken from the count that divides, 1 unless given

---Gives the variance.
---
---```lua
---local t = strew.tensor{1.0, 2.0, 6.0}
---print(t:var(), t:var({correction = 0}))
---```
---```text
---float32[] cpu  7	float32[] cpu  4.6667
---```
---@param self strew.Tensor a float dtype
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@param options? strew.correction_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, correction?: number}): strew.Tensor
function strew.var(self, dim, keepdim, options) end
Tensor.var = strew.var

---Gives the standard deviation, the root of the variance.
---
---```lua
---print(strew.tensor{1.0, 2.0, 6.0}:std())
---```
---```text
---float32[] cpu  2.6458
---```
---@param self strew.Tensor a float dtype
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@param options? strew.correction_options
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean, correction?: number}): strew.Tensor
function strew.std(self, dim, keepdim, options) end
Tensor.std = strew.std

---Gives the least element; NaN if there is one.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:amin(1))
---```
---```text
---int64[2] cpu
--- 1  2
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.amin(self, dim, keepdim) end
Tensor.amin = strew.amin

---Gives the greatest element; NaN if there is one.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:amax({0, 1}))
---```
---```text
---int64[] cpu  4
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t self's dtype
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.amax(self, dim, keepdim) end
Tensor.amax = strew.amax

---Gives the least element; along a dimension also where it is; of two tensors what minimum gives.
---
---NaN is the least, and -0 is less than 0, as in the scatter family. Of equal elements the first one's position is
---given. (PyTorch takes zeros for equal: there the position may be that of the other one.)
---
---```lua
---local t = strew.tensor{{3, 1}, {2, 4}}
---print(t:min())
---print(t:min(1))
---print(t:min(strew.tensor{2, 2}))
---```
---```text
---int64[] cpu  1
---int64[2] cpu
--- 1  2	int64[2] cpu
--- 1  0
---int64[2, 2] cpu
--- 2  1
--- 2  2
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; all unless given
---@param keepdim? boolean true: it stays, with size 1; false unless given
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64, with dim only
---@overload fun(self: strew.Tensor, other: strew.Tensor|number): strew.Tensor
function strew.min(self, dim, keepdim) end
Tensor.min = strew.min

---Gives the greatest element; along a dimension also where it is; of two tensors what maximum gives.
---
---NaN is the greatest, and -0 is less than 0, as in the scatter family. Of equal elements the first one's position is
---given. (PyTorch takes zeros for equal: there the position may be that of the other one.)
---
---```lua
---local t = strew.tensor{{3, 1}, {2, 4}}
---print(t:max())
---print(t:max(1))
---print(t:max(strew.tensor{2, 2}))
---```
---```text
---int64[] cpu  4
---int64[2] cpu
--- 3  4	int64[2] cpu
--- 0  1
---int64[2, 2] cpu
--- 3  2
--- 2  4
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; all unless given
---@param keepdim? boolean true: it stays, with size 1; false unless given
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64, with dim only
---@overload fun(self: strew.Tensor, other: strew.Tensor|number): strew.Tensor
function strew.max(self, dim, keepdim) end
Tensor.max = strew.max

---Gives the position of the least element: the first one, or the first NaN. -0 is less than 0.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:argmin(), strew.tensor{{3, 1}, {2, 4}}:argmin(1))
---```
---```text
---int64[] cpu  1	int64[2] cpu
--- 1  0
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; unless given, the position is that in all elements, in row-major order
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean}): strew.Tensor
function strew.argmin(self, dim, keepdim) end
Tensor.argmin = strew.argmin

---Gives the position of the greatest element: the first one, or the first NaN. -0 is less than 0.
---
---```lua
---print(strew.tensor{{3, 1}, {2, 4}}:argmax(), strew.tensor{{3, 1}, {2, 4}}:argmax(1))
---```
---```text
---int64[] cpu  3	int64[2] cpu
--- 0  1
---```
---@param self strew.Tensor any dtype; error: no elements
---@param dim? integer one dimension; unless given, the position is that in all elements, in row-major order
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, keepdim?: boolean}): strew.Tensor
function strew.argmax(self, dim, keepdim) end
Tensor.argmax = strew.argmax

---Are all elements other than 0?
---
---Of no elements it is true.
---
---```lua
---print(strew.tensor{{1, 0}, {1, 2}}:all(1))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t bool
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.all(self, dim, keepdim) end
Tensor.all = strew.all

---Is one of the elements other than 0?
---
---Of no elements it is false.
---
---```lua
---print(strew.tensor{{0, 0}, {1, 2}}:any(1))
---```
---```text
---bool[2] cpu
--- false   true
---```
---@param self strew.Tensor any dtype
---@param dim? integer|integer[] which dimensions; all unless given
---@param keepdim? boolean true: they stay, with size 1; false unless given
---@return strew.Tensor t bool
---@overload fun(self: strew.Tensor, options: {dim?: integer|integer[], keepdim?: boolean}): strew.Tensor
function strew.any(self, dim, keepdim) end
Tensor.any = strew.any

---Gives the sums of all elements up to each one, along a dimension.
---
---Sums of floats are carried in double precision made of two floats, on every device: the last one is as exact as `sum`.
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
---@return strew.Tensor t int64 for integers and bools, else self's dtype; in place always self's
function strew.cumsum(self, dim) end
strew.cumsum_, Tensor.cumsum, Tensor.cumsum_ = strew.cumsum, strew.cumsum, strew.cumsum

------------------------------------------------------------------------------------------------------- Sorting, finding

---Sorts along a dimension, and gives where each element was.
---
---Equal elements keep their order; NaN is the greatest.
---
---```lua
---print(strew.tensor{3, 1, 2}:sort())
---print(strew.tensor{3, 1, 2}:sort({descending = true}))
---```
---```text
---int64[3] cpu
--- 1  2  3	int64[3] cpu
--- 1  2  0
---int64[3] cpu
--- 3  2  1	int64[3] cpu
--- 0  2  1
---```
---@param self strew.Tensor any dtype
---@param dim? integer -1 unless given
---@param descending? boolean false unless given
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, descending?: boolean}): strew.Tensor, strew.Tensor
function strew.sort(self, dim, descending) end
Tensor.sort = strew.sort

---Gives the positions that sort along a dimension.
---
---Equal elements keep their order; NaN is the greatest.
---
---```lua
---local t = strew.tensor{3, 1, 2}
---print(t:argsort(), t:gather(0, t:argsort()))
---```
---```text
---int64[3] cpu
--- 1  2  0	int64[3] cpu
--- 1  2  3
---```
---@param self strew.Tensor any dtype
---@param dim? integer -1 unless given
---@param descending? boolean false unless given
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, options: {dim?: integer, descending?: boolean}): strew.Tensor
function strew.argsort(self, dim, descending) end
Tensor.argsort = strew.argsort

---Gives the k greatest elements along a dimension, in order, and where they were.
---
---```lua
---print(strew.tensor{3, 1, 4, 1, 5}:topk(2))
---print((strew.tensor{3, 1, 4, 1, 5}:topk(2, {largest = false})))
---```
---```text
---int64[2] cpu
--- 5  4	int64[2] cpu
--- 4  2
---int64[2] cpu
--- 1  1
---```
---@param self strew.Tensor any dtype
---@param k integer 0 to the size of dim
---@param dim? integer -1 unless given
---@param largest? boolean true unless given; false: the k least
---@return strew.Tensor values self's dtype
---@return strew.Tensor indices int64
---@overload fun(self: strew.Tensor, k: integer, options: {dim?: integer, largest?: boolean}): strew.Tensor, strew.Tensor
function strew.topk(self, k, dim, largest) end
Tensor.topk = strew.topk

---What unique takes by name.
---@class strew.unique_options
---@field return_inverse? boolean also the place of each element's value, in self's shape; false unless given
---@field return_counts? boolean also how often each value is there; false unless given

---Gives the different values, in ascending order.
---
---```lua
---local words = strew.tensor{7, 3, 7, 7}
---print(words:unique())
---local values, inverse, counts = words:unique{return_inverse = true, return_counts = true}
---print(values:gather(0, inverse), counts)
---```
---```text
---int64[2] cpu
--- 3  7
---int64[4] cpu
--- 7  3  7  7	int64[2] cpu
--- 1  3
---```
---@param self strew.Tensor any dtype and shape
---@param options? strew.unique_options
---@return strew.Tensor values [how many], self's dtype
---@return strew.Tensor inverse int64, where it is asked for
---@return strew.Tensor counts int64, where they are asked for
function strew.unique(self, options) end
Tensor.unique = strew.unique

---Gives the positions of elements other than 0, in row-major order.
---
---A filter is `t:gather(0, mask:nonzero():squeeze(1))`: the elements of `t` where `mask` is true.
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
---@return strew.Tensor t int64[how many, rank]
function strew.nonzero(self) end
Tensor.nonzero = strew.nonzero

--------------------------------------------------------------------------------------------------- Products of matrices

---Multiplies matrices, vectors and stacks of them, as PyTorch does.
---
---Of two vectors it is their dot product; a vector stands for one row in front, or one column behind; leading
---dimensions broadcast. Integer sums wrap; floats are computed by the machine's BLAS, or CLBlast, where there is one.
---
---```lua
---local a = strew.tensor{{1, 2}, {3, 4}}
---print(a:matmul(a), a:matmul(strew.tensor{1, 1}))
---```
---```text
---int64[2, 2] cpu
---  7  10
--- 15  22	int64[2] cpu
--- 3  7
---```
---@param self strew.Tensor 1 dimension or more, any dtype but bool
---@param other strew.Tensor the same dtype; error: inner sizes differ
---@return strew.Tensor t
function strew.matmul(self, other) end
Tensor.matmul = strew.matmul

---Multiplies two matrices.
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
Tensor.mm = strew.mm

---Multiplies a matrix and a vector.
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
Tensor.mv = strew.mv

---Multiplies two vectors and adds the products.
---
---The order of the sum depends on the length alone.
---
---```lua
---print(strew.tensor{1, 2, 3}:dot(strew.tensor{4, 5, 6}))
---```
---```text
---int64[] cpu  32
---```
---@param self strew.Tensor [k]
---@param other strew.Tensor [k], the same dtype
---@return strew.Tensor t without dimensions
function strew.dot(self, other) end
Tensor.dot = strew.dot

------------------------------------------------------------------------------------------------------------------ Files

---What strew.load takes by name.
---@class strew.load_options
---@field device? strew.device where the tensors are made; default: the program's device
---@field map? boolean .npy on the CPU: true reads elements when they are used; the file never changes
---@field header? boolean .csv: is the first line one of names? Unless given it is not, and looking like one is an error
---@field separator? string .csv: the character between cells, "," unless given
---@field dtype? strew.dtype .csv: of the columns of numbers; int64 or float64 unless given
---@field text? (string|integer)[] .csv: columns that hold text, whatever it looks like

---Reads tensors from a file: .npy, .npz, .csv or .png, which the end of its name tells.
---
---.npy gives a tensor, .npz a table of tensors by name. .csv gives a table of columns, by name with `header = true`,
---else by number: whole numbers are int64, other numbers float64 with nan for empty cells, and text becomes int64
---codes: the word of code c is `x.words[column][c + 1]`. `x.names` is the order of the columns. `strew.words(x)` and
---`strew.columns(x)` give the same where columns have those names. .png gives uint8, or
---int32 where it has 16 bits, of shape [height, width] if it is grey, else [height, width, channels].
---
---A file that is cut short, or says what is not so, is an error that names the place; nothing is allocated that it
---could not fill. .npz takes the library libzip, .png libpng: where they are missing the error names the package.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("city,rain\nOslo,1.5\nBergen,4\nOslo,2.5\n"):flush()
---local x = strew.load(name .. ".csv", {header = true})
---print(strew.scatter_mean(x.rain, x.city))
---print(x.words.city[1], x.words.city[2])
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---float64[2] cpu
--- 2  4
---Oslo	Bergen
---```
---@param path string
---@param options? strew.load_options
---@return any x a tensor, or a table of tensors; error: the file, the place in it and the reason
function strew.load(path, options) end

---What strew.save takes by name.
---@class strew.save_options
---@field compress? boolean .npz: true makes it smaller, and slower to write
---@field header? boolean .csv: a first line of names; unless given, where the columns have names
---@field separator? string .csv: the character between cells, "," unless given
---@field names? (string|integer)[] .csv: the order of the columns; that of the table that was loaded unless given
---@field words? table .csv: {column = {word, ...}}; those that were loaded unless given. Columns not in x are ignored

---Writes a tensor, or a table of tensors, to a file: .npy, .npz, .csv or .png, which the end of its name tells.
---
---.npy takes a tensor, .npz a table of tensors, .csv a matrix or a table of columns, .png what `load` gives for one.
---Files of NumPy have no bfloat16. The file is written under another name beside the old one, and takes its place when
---it is whole: an error, a full disk or a crash leaves the old one as it was. What a killed process has left of its save
---is removed by the next save into that folder.
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

---Lists the columns of a table that was loaded, in the order of the file.
---
---It is `x.names`, also where a column is called "names".
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("id,names\n7,Oslo\n"):flush()
---local x = strew.load(name .. ".csv", {header = true})
---print(table.concat(strew.columns(x), " "))
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---id names
---```
---@param x table as strew.load makes it; error: another one
---@return (string|integer)[] columns their names, or their numbers where they have none
function strew.columns(x) end

---Gives the words behind the codes of text columns of a table that was loaded.
---
---It is `x.words`, or `x.words[column]`, also where a column is called "words". The word of code c is the one at c + 1.
---
---```lua
---local name = os.tmpname()
---local file <close> = assert(io.open(name .. ".csv", "w"))
---file:write("city,words\nOslo,120\nBergen,80\n"):flush()
---local x = strew.load(name .. ".csv", {header = true})
---print(strew.words(x, "city")[x.city[1] + 1], x.words[1])
---os.remove(name)
---os.remove(name .. ".csv")
---```
---```text
---Bergen	80
---```
---@param x table as strew.load makes it; error: another one
---@param column? string|integer one of its columns; error: none of them
---@return table words {word, ...} of that column, nil if it holds numbers; {column = {word, ...}} of all without one
function strew.words(x, column) end

------------------------------------------------------------------------------------------------------ Printing, showing

---How tensors are printed.
---@class strew.print_options
---@field precision? integer digits behind the point, 4 unless set
---@field threshold? integer|number elements above which only the edges are shown, 1000 unless set; math.huge: never
---@field edgeitems? integer how many are shown at each edge, 3 unless set
---@field linewidth? integer|"auto" columns of a line, "auto" unless set: the terminal's, else 80
---@field profile? "default"|"short"|"full" sets all: the numbers above; 2 digits and edges of 2; never a summary

---Sets how tensors are printed, by `print`, `tostring` and the prompt.
---
---What is not named stays; `{profile = "default"}` goes back.
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

---Gives how tensors are printed, as set_printoptions takes it.
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

---What strew.show takes by name.
---@class strew.show_options
---@field width? integer columns, the terminal's unless given
---@field height? integer lines, the terminal's unless given
---@field min? number what is drawn darkest, or where the histogram begins; the least element unless given
---@field max? number what is drawn brightest, or where the histogram ends; the greatest element unless given
---@field colormap? strew.colormap of pictures; "viridis" unless given
---@field style? "ascii"|"blocks"|"256"|"truecolor" what the terminal can unless given; not one, or $NO_COLOR: no colour
---@field histogram? boolean true: how many elements lie between which numbers
---@field bins? integer of the histogram, 10 unless given

---Draws a tensor with characters: a matrix as a picture, one dimension as a line, any as a histogram.
---
---A tensor of shape [height, width, 3] or 4, uint8 or floats in 0..1, is a picture in colours. What is larger than the
---screen is drawn as means of equal parts, taken on the tensor's device. It is printed through `print`, the range below
---it.
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
---@param self strew.Tensor error: a shape that is no picture
---@param options? strew.show_options
function strew.show(self, options) end
Tensor.show = strew.show

---What strew.image takes by name.
---@class strew.image_options
---@field colormap? strew.colormap "viridis" unless given
---@field scale? integer pixels for a number, in each direction; 1 unless given
---@field min? number gets the first colour, as all below; the least finite number unless given
---@field max? number gets the last colour, as all above; the greatest finite number unless given
---@field nan? integer[] the colour of NaN, {red, green, blue}; magenta unless given, which no map has

---The colours that numbers get.
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
---| "coolwarm" # blue, grey, red: what is around the middle of the range
---| "grey" # black to white

---Makes a picture of a matrix: a colour for each number.
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
Tensor.image = strew.image

---Says what takes so long, on one line at the terminal that goes when it is done.
---
---Where standard error is no terminal nothing is said. Loading large files and compiling for a device call it by
---themselves.
---
---```lua
---for i = 1, 3 do strew.progress("counting", i / 3) end
---strew.progress()
---print("counted")
---```
---```text
---counted
---```
---@param doing? string a few words; unless given, it is done
---@param done? number which part of it is done, 0 to 1
function strew.progress(doing, done) end

-------------------------------------------------------------------------------- Devices, threads, memory, time, errors

---A device, as strew.devices() describes it.
---@class strew.device_description
---@field name string as `{device = ...}` takes it
---@field description string the hardware's own name
---@field error? string why it cannot be opened; then all below is absent
---@field units? integer how many work at the same time: threads, or OpenCL's compute units
---@field launches? integer kernels given to it so far
---@field float64? boolean does it have float64?
---@field int64_atomics? boolean
---@field exact_division? boolean does the hardware round / and sqrt correctly? If not, integers do
---@field denormals? boolean does the hardware keep them? If not, integers do
---@field memory? integer bytes
---@field largest_tensor? integer bytes
---@field work_group? integer
---@field driver? string
---@field promise? string which promise of strew it cannot keep, and what it costs

---Lists the devices, the CPU first, and what could not be used.
---
---```lua
---local devices, problems = strew.devices()
---print(devices[1].name, devices[1].float64, type(problems))
---```
---```text
---cpu	true	table
---```
---@return strew.device_description[] devices
---@return string[] problems why a driver brought no device, in words
function strew.devices() end

---Gives the number of threads that the CPU's work is shared among.
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

---Sets the number of threads that the CPU's work is shared among.
---
---No result depends on it.
---
---```lua
---strew.set_num_threads(1)
---print(strew.get_num_threads())
---```
---```text
---1
---```
---@param threads integer 1..256; 0: one for each processor that the process may use
function strew.set_num_threads(threads) end

---Gives the bytes of tensor memory in use, and the most there ever were.
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

---Gives seconds that only ever grow, after waiting for all work given to devices.
---
---```lua
---local start = strew.clock()
---local t = strew.ones(100):sum()
---print(strew.clock() - start >= 0)
---```
---```text
---true
---```
---@return number seconds from an arbitrary moment on
function strew.clock() end

---May float sums on a GPU join in any order? Not while this is true, which it is at first.
---
---`strew.deterministic(false)` lets them use atomics, which can be faster; their last bits then differ from run to run.
---
---```lua
---print(strew.deterministic())
---```
---```text
---true
---```
---@param enabled? boolean what is set; unless given, nothing
---@return boolean enabled what holds now
function strew.deterministic(enabled) end

---What strew.last_error() gives.
---@class strew.error
---@field op string the call, as the script named it
---@field arg? string the argument at fault
---@field code string argument, dtype, shape, index, value, overlap, device, memory, freed, file, interrupted or time
---@field message string all of it
---@field value? number|boolean the value at fault
---@field pos? integer[] where it stands, counted from 0
---@field hint? string what to do about it

---Gives the last error of a call, as a table; nil where there was none.
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

---What strew.help takes by name.
---@class strew.help_options
---@field search? string words that are looked for in all texts

---Prints the text about a name, or, without one, what there is.
---
---Names are found in any form: "scatter_add_", "t:scatter_add_", "strew.scatter_add". At the prompt `?name` does the
---same, and `??word` is `strew.help{search = "word"}`.
---
---```lua
---strew.help{search = "hyperbolic"}
---print(select(2, pcall(strew.help, "scater")))
---```
---```text
---  tanh  Gives the hyperbolic tangent.
---example:2: help: 'name' is "scater", of which there is no text
---  hint  did you mean 'scatter'?
---```
---@param name? string|function a function's name, in any form, or the function; a rule's: "dtype", "mode", "counting"
---@param options? strew.help_options
---@overload fun(options: strew.help_options)
function strew.help(name, options) end

return strew
