// strew.hpp: strew.h for C++17. Owners of tensors, contexts, tables and readers, and exceptions for failures.
//
//   strew::context context;
//   strew_device *cpu = context.device("cpu");
//   strew::tensor src = strew::from(cpu, std::vector<float>{1, 2, 3, 4}), index = ...;
//   strew::tensor t = strew::make(strew_transpose, src, 0, -1);
//   auto [values, indices] = strew::get<strew::tensor, strew::tensor>(strew_sort_with, src, -1, nullptr);
//   strew::tensor sums = strew::group(src, index), means = strew::group(src, index, STREW_GROUP_MEAN);
//   strew::in_place(strew_index_add_with, sums, 0, index, src, 1, nullptr);
//   float sum = strew::make(strew_reduce_with, STREW_FOLD_SUM, sums, nullptr).item<float>();
//
// Every function of strew.h that returns a status is called by its own name, with its arguments in their order:
//
//   call(function, arguments...)      without the last argument, the error
//   make(function, arguments...)      without *out and the error: returns the new tensor
//   get<R...>(function, arguments...) without as many results as there are types R, and the error: returns the results
//   in_place(function, tensor, arguments...) without *out and the error: the tensor is the result, too
//
// The scatter family has functions of its own, at the end of this file: group(src, index), scatter(self, dim, index, src),
// index_add(self, dim, index, source) and others, with the options that are used most.
//
// These arguments are converted:
//
//   tensor, context, table,           to its pointer; a tensor to an operand, too
//   reader, key_table, grouping,
//   expr, exact_sums
//   a number                          to a number, a strew_scalar or a strew_operand
//   list<int64_t>, list<int>          to a count and a pointer: sizes{2, 3}, dims{0, 1}
//   list<tensor>                      to a count and an array of tensors
//   std::string                       to its characters
//   into(tensor)                      to an *out: an empty tensor becomes the new one; any other is written in place
//
// Threads, lifetimes and errors are those of strew.h.
#ifndef STREW_HPP
#define STREW_HPP

#if __cplusplus < 201703L
#error "strew.hpp needs C++17"
#endif

#include "strew.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace strew {

// A failed call: what() is the message of strew_error.
class error : public std::runtime_error {
public:
  explicit error(const strew_error &report)
      : std::runtime_error(report.message), report_(std::make_shared<const strew_error>(report)) {}
  const strew_error &report() const noexcept { return *report_; }
  strew_status code() const noexcept { return report_->code; }
  // The name of the argument at fault, the position of the bad value in it, and what to do; empty if there is none.
  std::string argument() const { return report_->argument ? report_->argument : ""; }
  std::vector<int64_t> position() const {
    const int64_t *first = report_->position;
    return std::vector<int64_t>(first, first + (report_->position_rank > 0 ? report_->position_rank : 0));
  }
  std::string hint() const { return report_->hint; }

private:
  std::shared_ptr<const strew_error> report_; // copied without throwing
};

template <class T> using list = std::vector<T>;
using sizes = list<int64_t>;
using dims = list<int>;

// Owns a reference to a T, or is empty. A copy owns another reference to the same T.
template <class T, T *(*retain)(T *), void (*drop)(T *)> class owner {
public:
  owner() noexcept = default;
  explicit owner(T *owned) noexcept : pointer_(owned) {} // takes the reference over
  owner(const owner &other) noexcept : pointer_(other.pointer_ ? retain(other.pointer_) : nullptr) {}
  owner(owner &&other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  owner &operator=(owner other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~owner() { drop(pointer_); }

  T *get() const noexcept { return pointer_; } // borrowed
  T *release() noexcept { return std::exchange(pointer_, nullptr); }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }

private:
  T *pointer_ = nullptr;
};

// The dtype of elements that are T in C++.
template <class T> constexpr strew_dtype dtype_of() {
  static_assert(std::is_arithmetic_v<T>, "strew: expected a type of numbers");
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (std::is_same_v<T, bool>)
    return STREW_BOOL;
  else if constexpr (std::is_same_v<T, float>)
    return STREW_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return STREW_FLOAT64;
  else if constexpr (sizeof(T) == 1)
    return is_signed ? STREW_INT8 : STREW_UINT8;
  else {
    static_assert(std::is_integral_v<T>, "strew: no dtype has this type");
    if constexpr (is_signed)
      return sizeof(T) == 2 ? STREW_INT16 : sizeof(T) == 4 ? STREW_INT32 : STREW_INT64;
    else
      return sizeof(T) == 2 ? STREW_UINT16 : sizeof(T) == 4 ? STREW_UINT32 : STREW_UINT64;
  }
}

class tensor : public owner<strew_tensor, strew_retain, strew_release> {
public:
  using owner::owner;
  // Another reference to a tensor that is owned elsewhere, such as strew_check's.
  static tensor share(strew_tensor *borrowed) { return borrowed ? tensor(strew_retain(borrowed)) : tensor(); }

  strew_dtype dtype() const { return strew_tensor_dtype(get()); }
  strew_device *device() const { return strew_tensor_device(get()); }
  int rank() const { return strew_tensor_rank(get()); }
  int64_t numel() const { return strew_tensor_numel(get()); }
  strew::sizes sizes() const {
    const int64_t *first = strew_tensor_sizes(get());
    return strew::sizes(first, first + rank());
  }

  // The elements in row-major order; T is their type (STREW_EDTYPE).
  template <class T> list<T> read() const;
  // The element of a tensor with exactly one (STREW_ESHAPE), converted as by static_cast.
  template <class T> T item() const;
};

class context : public owner<strew_context, strew_context_retain, strew_context_release> {
public:
  using owner::owner;
  context() : context(strew_options{}) {}
  explicit context(const strew_options &options);
  // Another reference to a context that is owned elsewhere, such as strew_context_of's.
  static context share(strew_context *borrowed) { return context(borrowed ? strew_context_retain(borrowed) : nullptr); }
  // The device of this name, or the default one; owned by the context.
  strew_device *device(const char *name = nullptr) const;
};

using grouping = owner<strew_grouping, strew_grouping_retain, strew_grouping_release>;

namespace detail {
struct release_table {
  void operator()(strew_table *table) const noexcept { strew_table_release(table); }
};
struct close_reader {
  void operator()(strew_reader *reader) const noexcept { strew_reader_close(reader); }
};
struct release_key_table {
  void operator()(strew_key_table *table) const noexcept { strew_key_table_release(table); }
};
struct release_exact_sums {
  void operator()(strew_exact_sums *sums) const noexcept { strew_exact_sums_release(sums); }
};
struct release_expr {
  void operator()(strew_expr *expr) const noexcept { strew_expr_release(expr); }
};
} // namespace detail
using table = std::unique_ptr<strew_table, detail::release_table>;
using reader = std::unique_ptr<strew_reader, detail::close_reader>;
using key_table = std::unique_ptr<strew_key_table, detail::release_key_table>;
using exact_sums = std::unique_ptr<strew_exact_sums, detail::release_exact_sums>;
using expr = std::unique_ptr<strew_expr, detail::release_expr>;

// An *out, for one call.
class into {
public:
  explicit into(tensor &target) noexcept : target_(target), pointer_(target.get()) {}
  into(const into &) = delete;
  into &operator=(const into &) = delete;
  ~into() {
    if (pointer_ != target_.get()) target_ = tensor(pointer_);
  }
  strew_tensor **out() const noexcept { return &pointer_; }

private:
  tensor &target_;
  mutable strew_tensor *pointer_;
};

template <class N> strew_scalar scalar(N value) {
  static_assert(std::is_arithmetic_v<N>, "strew: expected a number");
  if constexpr (std::is_same_v<N, bool>)
    return strew_bool(value);
  else if constexpr (std::is_floating_point_v<N>)
    return strew_float(static_cast<double>(value));
  strew_scalar number = strew_int(static_cast<int64_t>(value));
  if (std::is_unsigned_v<N> && number.as.i < 0) number.dtype = STREW_UINT64; // above INT64_MAX
  return number;
}

namespace detail {

[[noreturn]] inline void fail(const char *op, strew_status code, const char *argument, const std::string &fact) {
  strew_error report = {};
  report.op = op;
  report.code = code;
  report.argument = argument;
  report.position_rank = -1;
  std::snprintf(report.message, sizeof report.message, "%s: '%s' %s", op, argument, fact.c_str());
  throw error(report);
}

// An argument on its way into C becomes a tuple of what the function takes in its place.

template <class N> struct number {
  N value;
  operator N() const { return value; }
  operator strew_scalar() const { return scalar(value); }
  operator strew_operand() const { return strew_number(scalar(value)); }
};
template <class T> struct passed {
  static auto pass(const T &argument) {
    if constexpr (std::is_arithmetic_v<T>)
      return std::make_tuple(number<T>{argument});
    else
      return std::tuple<T>(argument);
  }
};

struct operand {
  strew_tensor *tensor;
  operator strew_tensor *() const { return tensor; }
  operator strew_operand() const { // which an empty one would make the number 0
    if (!tensor) fail("operand", STREW_EARGUMENT, "tensor", "is empty, expected a tensor or a number");
    return strew_of(tensor);
  }
};
template <> struct passed<tensor> {
  static auto pass(const tensor &argument) { return std::make_tuple(operand{argument.get()}); }
};
template <> struct passed<context> {
  static auto pass(const context &argument) { return std::make_tuple(argument.get()); }
};
template <> struct passed<grouping> {
  static auto pass(const grouping &argument) { return std::make_tuple(argument.get()); }
};
template <class T, class D> struct passed<std::unique_ptr<T, D>> {
  static auto pass(const std::unique_ptr<T, D> &argument) { return std::make_tuple(argument.get()); }
};
template <> struct passed<std::string> {
  static auto pass(const std::string &argument) { return std::make_tuple(argument.c_str()); }
};
template <> struct passed<into> {
  static auto pass(const into &argument) { return std::make_tuple(argument.out()); }
};

// The size of a list: an int where C counts dimensions or tensors, a std::size_t where it counts elements.
struct length {
  std::size_t value;
  template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0> operator N() const {
    return static_cast<N>(value);
  }
};
template <class T> struct passed<list<T>> {
  static auto pass(const list<T> &argument) {
    return std::make_tuple(length{argument.size()}, argument.data());
  }
};
struct tensors {
  std::vector<strew_tensor *> pointers;
  operator strew_tensor * const *() const { return pointers.data(); }
};
template <> struct passed<list<tensor>> {
  static auto pass(const list<tensor> &argument) {
    tensors all;
    for (const tensor &each : argument) all.pointers.push_back(each.get());
    return std::make_tuple(length{argument.size()}, std::move(all));
  }
};

template <class F, class... A> void run(F function, std::tuple<A...> arguments) {
  constexpr bool fits = std::is_invocable_r_v<strew_status, F, A &..., strew_error *>;
  static_assert(fits, "strew: the arguments are not those of the function; the last one, error, is left out");
  if constexpr (fits) {
    strew_error report = {};
    const auto with_error = [&](auto &...each) { return function(each..., &report); };
    if (std::apply(with_error, arguments) != STREW_OK) throw error(report);
  }
}

// What C returns in place of an R.
template <class R> struct raw { using type = R; };
template <> struct raw<tensor> { using type = strew_tensor *; };
template <> struct raw<context> { using type = strew_context *; };
template <> struct raw<grouping> { using type = strew_grouping *; };
template <class T, class D> struct raw<std::unique_ptr<T, D>> { using type = T *; };

} // namespace detail

template <class F, class... A> void call(F function, A &&...arguments) {
  detail::run(function, std::tuple_cat(detail::passed<std::decay_t<A>>::pass(arguments)...));
}

// One result, or a tuple of several.
template <class R, class... More, class F, class... A> [[nodiscard]] auto get(F function, A &&...arguments) {
  std::tuple<typename detail::raw<R>::type, typename detail::raw<More>::type...> results{};
  const auto run = [&](auto &...result) {
    detail::run(function,
                std::tuple_cat(detail::passed<std::decay_t<A>>::pass(arguments)..., std::make_tuple(&result...)));
  };
  std::apply(run, results);
  if constexpr (sizeof...(More) == 0)
    return R(std::get<0>(results));
  else
    return std::apply([](auto... result) { return std::tuple<R, More...>(result...); }, results);
}

template <class F, class... A> [[nodiscard]] tensor make(F function, A &&...arguments) {
  return get<tensor>(function, std::forward<A>(arguments)...);
}

inline context::context(const strew_options &options) : owner(strew::get<context>(strew_context_create, &options)) {}
inline strew_device *context::device(const char *name) const {
  return strew::get<strew_device *>(strew_device_find, *this, name);
}

// A CPU tensor over memory of the host, without a copy: `count` elements of this shape. The host keeps the memory until
// the last view is released.
template <class T> [[nodiscard]] tensor wrap(strew_device *cpu, T *data, std::size_t count, const sizes &shape) {
  return make(strew_wrap, cpu, dtype_of<T>(), shape, nullptr, data, count * sizeof(T), nullptr, nullptr);
}
// The same over memory that no call may write.
template <class T> [[nodiscard]] tensor wrap(strew_device *cpu, const T *data, std::size_t count, const sizes &shape) {
  return make(strew_wrap_const, cpu, dtype_of<T>(), shape, nullptr, data, count * sizeof(T), nullptr, nullptr);
}
template <class T> [[nodiscard]] tensor wrap(strew_device *cpu, list<T> &values) {
  return wrap(cpu, values.data(), values.size(), {static_cast<int64_t>(values.size())});
}

// A new tensor with a copy of the values; of one dimension, or of this shape (STREW_ESHAPE if it needs more or fewer).
template <class T> [[nodiscard]] tensor from(strew_device *device, const list<T> &values, const sizes &shape) {
  static_assert(!std::is_same_v<T, bool>, "strew: std::vector<bool> has no elements in memory");
  tensor made = make(strew_empty, device, dtype_of<T>(), shape);
  if (static_cast<std::size_t>(made.numel()) != values.size())
    detail::fail("from", STREW_ESHAPE, "values",
                 "has " + std::to_string(values.size()) + " elements, shape " + std::to_string(made.numel()));
  return make(strew_from, device, dtype_of<T>(), shape, values.data());
}
template <class T> [[nodiscard]] tensor from(strew_device *device, const list<T> &values) {
  return from(device, values, {static_cast<int64_t>(values.size())});
}

template <class T> list<T> tensor::read() const {
  static_assert(!std::is_same_v<T, bool>, "strew: convert bools to STREW_UINT8 first: strew_to");
  if (dtype() != dtype_of<T>())
    detail::fail("read", STREW_EDTYPE, "self",
                 std::string("is ") + strew_dtype_name(dtype()) + ", expected " + strew_dtype_name(dtype_of<T>()));
  list<T> values(static_cast<std::size_t>(numel()));
  call(strew_read, *this, values.data(), values.size() * sizeof(T));
  return values;
}

template <class T> T tensor::item() const {
  const strew_scalar number = strew::get<strew_scalar>(strew_item, *this);
  if (number.dtype == STREW_FLOAT64) return static_cast<T>(number.as.f);
  if (number.dtype == STREW_UINT64) return static_cast<T>(static_cast<uint64_t>(number.as.i));
  return static_cast<T>(number.as.i);
}

template <class F, class... A> void in_place(F function, tensor &self, A &&...arguments) {
  call(function, self, std::forward<A>(arguments)..., into(self));
}

// The scatter family by name: new tensors, by the rules of strew.h; other options by make and get. A number or a tensor:
// `src` of scatter, `value`, `values`. groups: an index, or a grouping.

namespace detail {
inline strew_groups groups_of(const tensor &index) { return strew_by_index(index.get()); }
inline strew_groups groups_of(const grouping &groups) { return strew_by_grouping(groups.get()); }
// Options for one call.
template <class O> struct options {
  O all = {};
  operator const O *() const { return &all; }
};
inline options<strew_scatter_options> joined(strew_reduction reduction, strew_mode mode) {
  options<strew_scatter_options> with;
  with.all.reduction = reduction, with.all.mode = mode;
  return with;
}
inline options<strew_index_options> by(strew_mode mode) {
  options<strew_index_options> with;
  with.all.mode = mode;
  return with;
}
// dim_size below 0: the largest index value + 1, or that of the grouping.
template <class Call> auto grouped(int dim, int64_t dim_size, Call call) {
  strew_group_reduce_options options = {};
  options.dim = &dim;
  if (dim_size >= 0) options.dim_size = &dim_size;
  return call(&options);
}
} // namespace detail

template <class G>
[[nodiscard]] tensor group(const tensor &src, const G &groups, strew_group_reduction reduction = STREW_GROUP_SUM,
                           int dim = -1, int64_t dim_size = -1) {
  return detail::grouped(dim, dim_size, [&](const strew_group_reduce_options *options) {
    tensor out;
    call(strew_group_reduce, detail::groups_of(groups), reduction, src, options, into(out), nullptr);
    return out;
  });
}
// The extremes (STREW_GROUP_MIN, STREW_GROUP_MAX), and their positions along dim.
template <class G>
[[nodiscard]] std::tuple<tensor, tensor> group_with_positions(const tensor &src, const G &groups,
                                                              strew_group_reduction reduction, int dim = -1,
                                                              int64_t dim_size = -1) {
  return detail::grouped(dim, dim_size, [&](const strew_group_reduce_options *options) {
    return get<tensor, tensor>(strew_group_reduce, detail::groups_of(groups), reduction, src, options);
  });
}
template <class G> [[nodiscard]] tensor group_softmax(const tensor &src, const G &groups) {
  return make(strew_group_softmax_with, detail::groups_of(groups), src, nullptr);
}
// Groups of equal keys; groups of ids.
[[nodiscard]] inline grouping group_by(const list<tensor> &keys, strew_key_order order = STREW_KEYS_SORTED) {
  strew_group_by_options options = {};
  options.order = order;
  return get<grouping>(strew_group_by_with, keys, &options);
}
[[nodiscard]] inline grouping grouping_of(const tensor &index, int64_t dim_size = -1) {
  strew_grouping_options options = {};
  if (dim_size >= 0) options.dim_size = &dim_size;
  return get<grouping>(strew_grouping_create_with, index, &options);
}
[[nodiscard]] inline tensor counts(const grouping &groups) { return make(strew_grouping_counts, groups); }

template <class V>
[[nodiscard]] tensor scatter(const tensor &self, int dim, const tensor &index, const V &src,
                             strew_reduction reduction = STREW_ASSIGN, strew_mode mode = STREW_ERROR) {
  return make(strew_scatter, self, dim, index, src, detail::joined(reduction, mode));
}
[[nodiscard]] inline tensor gather(const tensor &self, int dim, const tensor &index, strew_mode mode = STREW_ERROR) {
  return make(strew_gather_with, self, dim, index, detail::by(mode));
}
[[nodiscard]] inline tensor index_select(const tensor &self, int dim, const tensor &index,
                                         strew_mode mode = STREW_ERROR) {
  return make(strew_index_select_with, self, dim, index, detail::by(mode));
}
[[nodiscard]] inline tensor index_add(const tensor &self, int dim, const tensor &index, const tensor &source,
                                      strew_mode mode = STREW_ERROR) {
  return make(strew_index_add_with, self, dim, index, source, 1, detail::by(mode));
}
[[nodiscard]] inline tensor index_copy(const tensor &self, int dim, const tensor &index, const tensor &source,
                                       strew_mode mode = STREW_ERROR) {
  return make(strew_index_reduce, self, dim, index, source, detail::joined(STREW_ASSIGN, mode));
}
template <class V>
[[nodiscard]] tensor index_fill(const tensor &self, int dim, const tensor &index, const V &value,
                                strew_mode mode = STREW_ERROR) {
  return make(strew_index_fill_with, self, dim, index, value, detail::by(mode));
}
[[nodiscard]] inline tensor index_reduce(const tensor &self, int dim, const tensor &index, const tensor &source,
                                         strew_reduction reduction, strew_mode mode = STREW_ERROR) {
  return make(strew_index_reduce, self, dim, index, source, detail::joined(reduction, mode));
}
template <class V>
[[nodiscard]] tensor index_put(const tensor &self, const list<tensor> &indices, const V &values,
                               strew_reduction reduction = STREW_ASSIGN, strew_mode mode = STREW_ERROR) {
  return make(strew_index_put, self, indices, values, detail::joined(reduction, mode));
}
[[nodiscard]] inline tensor index_get(const tensor &self, const list<tensor> &indices, strew_mode mode = STREW_ERROR) {
  return make(strew_index_get, self, indices, detail::by(mode));
}
[[nodiscard]] inline tensor take(const tensor &self, const tensor &index, strew_mode mode = STREW_ERROR) {
  return make(strew_take_with, self, index, detail::by(mode));
}
[[nodiscard]] inline tensor scatter_nd(const tensor &self, const tensor &indices, const tensor &updates,
                                       strew_reduction reduction = STREW_ASSIGN, strew_mode mode = STREW_ERROR) {
  return make(strew_scatter_nd, self, indices, updates, detail::joined(reduction, mode));
}
[[nodiscard]] inline tensor gather_nd(const tensor &self, const tensor &indices, int batch_dims = 0,
                                      strew_mode mode = STREW_ERROR) {
  return make(strew_gather_nd_with, self, indices, batch_dims, detail::by(mode));
}
[[nodiscard]] inline tensor masked_select(const tensor &self, const tensor &mask) {
  return make(strew_masked_select, self, mask);
}
template <class V> [[nodiscard]] tensor masked_fill(const tensor &self, const tensor &mask, const V &value) {
  return make(strew_masked_fill, self, mask, value);
}

[[nodiscard]] inline tensor segment_csr(const tensor &src, const tensor &indptr,
                                        strew_group_reduction reduction = STREW_GROUP_SUM) {
  tensor out;
  call(strew_group_reduce, strew_by_ends(indptr.get()), reduction, src, nullptr, into(out), nullptr);
  return out;
}
[[nodiscard]] inline tensor segment_coo(const tensor &src, const tensor &index,
                                        strew_group_reduction reduction = STREW_GROUP_SUM) {
  tensor out;
  call(strew_group_reduce, strew_by_sorted(index.get()), reduction, src, nullptr, into(out), nullptr);
  return out;
}
[[nodiscard]] inline tensor gather_csr(const tensor &src, const tensor &indptr) {
  return make(strew_gather_csr, src, indptr);
}
[[nodiscard]] inline tensor bincount(const tensor &self, const tensor &weights = {}, int64_t minlength = 0) {
  return make(strew_bincount, self, weights, minlength);
}

} // namespace strew
#endif
