// wrapper_test.cpp: strew.hpp: owners, conversions of arguments, results, the scatter family by name,
// failures. Built and run by hosts_test.sh.
#include <strew.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

int passed, failed;

void expect(bool fact, const char *what) {
  ++(fact ? passed : failed);
  if (!fact) std::printf("FAILED wrapper: %s\n", what);
}

// The message of the failure of an action, or "".
template <class Action> std::string failure(Action action, strew_status code) {
  try {
    action();
  } catch (const strew::error &error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  }
  return "";
}

using strew::list;
using strew::tensor;
template <class T> bool holds(const tensor &t, const list<T> &expected) { return t.read<T>() == expected; }

void test_owners(strew_device *cpu) {
  tensor a = strew::from(cpu, list<float>{1, 2, 3}), none;
  tensor b = a, c = std::move(a);
  expect(!a && b && b.get() == c.get(), "copied and moved");
  a = b;
  b = std::move(c);
  b = tensor(b);
  expect(a.get() == b.get() && !c, "assigned");
  c = none;
  tensor d = tensor::share(a.get()), e(a.release());
  expect(!a && d.get() == e.get() && !tensor::share(nullptr), "shared and released");
  expect(e.dtype() == STREW_FLOAT32 && e.rank() == 1 && e.numel() == 3 && e.sizes() == strew::sizes{3} &&
             e.device() == cpu,
         "properties");
  strew::context context = strew::context::share(strew_device_context(cpu));
  expect(context.get() == strew_device_context(cpu) && context.device() == cpu, "a shared context");
}

void test_arguments(strew_device *cpu) {
  const tensor a = strew::make(strew_full, cpu, STREW_FLOAT32, strew::sizes{2, 3}, 1.5);
  expect(holds(a, list<float>(6, 1.5f)), "sizes and a scalar");
  expect(holds(strew::make(strew_binary, STREW_ADD, a, 1), list<float>(6, 2.5f)), "a tensor and a number as operands");
  expect(holds(strew::make(strew_binary, STREW_MUL, 2.0f, a), list<float>(6, 3)), "a number first");
  expect(strew::make(strew_binary, STREW_EQ, a, true).dtype() == STREW_BOOL, "a bool as an operand");
  expect(strew::make(strew_permute, a, strew::sizes{1, 0}).sizes() == strew::sizes{3, 2}, "dims");
  expect(strew::make(strew_cat, list<tensor>{a, a, a}, 0).sizes() == strew::sizes{6, 3}, "a list of tensors");
  expect(strew::make(strew_reduce_with, STREW_FOLD_SUM, a, nullptr).item<int>() == 9, "no options; item");
  const tensor largest = strew::from(cpu, list<uint64_t>{UINT64_MAX}, {});
  expect(largest.item<double>() == 0x1p64 && largest.item<uint64_t>() == UINT64_MAX, "item of an uint64");
  int64_t numbers[2] = {4, 5}, size[1] = {2};
  const tensor b = strew::make(strew_from, cpu, STREW_INT64, 1, size, numbers);
  strew::call(strew_read, b, numbers, sizeof numbers);
  expect(holds(b, list<int64_t>{4, 5}), "arrays");
  strew::call(strew_fill, b, 7);
  expect(holds(b, list<int64_t>{7, 7}), "a number as a scalar");
  expect(holds(strew::make(strew_clamp_with, b, 8, strew_no_operand()), list<int64_t>{8, 8}), "an operand left out");
  expect(strew::get<strew_dtype>(strew_dtype_from_word, std::string("int8")) == STREW_INT8, "a string");
  expect(strew::get<bool>(strew_equal, b, b), "a bool as the result");
}

void test_results(strew_device *cpu) {
  const tensor a = strew::from(cpu, list<int64_t>{3, 1, 2}), index = strew::from(cpu, list<int64_t>{1, 0, 1});
  strew_sort_options descending = {};
  descending.descending = true;
  const auto [values, indices] = strew::get<tensor, tensor>(strew_sort_with, a, 0, &descending);
  expect(holds(values, list<int64_t>{3, 2, 1}) && holds(indices, list<int64_t>{0, 2, 1}), "two results");
  tensor sums;
  strew::call(strew_group_reduce, strew_by_index(index.get()), STREW_GROUP_SUM, a, nullptr, strew::into(sums), nullptr);
  expect(holds(sums, list<int64_t>{1, 5}), "into an empty tensor");
  strew_tensor *same = sums.get();
  strew::call(strew_group_reduce, strew_by_index(index.get()), STREW_GROUP_SUM, a, nullptr, strew::into(sums), nullptr);
  expect(sums.get() == same && holds(sums, list<int64_t>{2, 10}), "into a given tensor");
  strew::call(strew_transpose, sums, 0, 0, strew::into(sums));
  expect(sums.get() != same && holds(sums, list<int64_t>{2, 10}), "a call that always makes a new tensor");
  same = sums.get();
  failure([&] { strew::call(strew_gather_with, a, 9, index, nullptr, strew::into(sums)); }, STREW_ESHAPE);
  expect(sums.get() == same, "a failure leaves it");
  strew::table table = strew::get<strew::table>(strew_table_create, strew::context::share(strew_device_context(cpu)));
  strew::call(strew_table_add, table, std::string("a"), a);
  expect(strew_table_count(table.get()) == 1 && strew_table_find(table.get(), "a") == a.get(), "a table");
  strew::key_table keys =
      strew::get<strew::key_table>(strew_key_table_create, strew::context::share(strew_device_context(cpu)), 1);
  strew_tensor *const key[] = {a.get()};
  strew::tensor ids = strew::make(strew_key_table_ids, keys, key);
  expect(strew_tensor_numel(ids.get()) == strew_tensor_numel(a.get()), "ids of keys");
  const strew::exact_sums exact = strew::get<strew::exact_sums>(strew_exact_sums_create, cpu, int64_t(3), nullptr);
  strew::call(strew_exact_sums_add, exact, a, strew_by_index(ids.get()), nullptr);
  const tensor exactly = strew::make(strew_exact_sums_result, exact, STREW_GROUP_SUM, nullptr);
  expect(holds(exactly, list<int64_t>{3, 1, 2}), "exact sums");
  strew_group_by_options by_first{};
  by_first.order = STREW_KEYS_FIRST;
  const strew::grouping groups = strew::get<strew::grouping>(strew_group_by_with, list<tensor>{index}, &by_first);
  expect(strew_grouping_size(groups.get()) == 2, "groups of keys");
  expect(holds(strew::make(strew_grouping_counts, groups), list<int64_t>{2, 1}), "counts of groups");
}

// The scatter family by name.
void test_family(strew_device *cpu) {
  const auto longs = [&](const list<int64_t> &values) { return strew::from(cpu, values); };
  const tensor a = longs({1, 2, 3, 4}), i = longs({2, 0, 2, 0}), far = longs({9}),
               square = strew::from(cpu, list<int64_t>{1, 2, 3, 4}, {2, 2});
  const tensor mask = strew::make(strew_binary, STREW_GT, a, 2);
  expect(holds(strew::group(a, i), list<int64_t>{6, 0, 4}), "group");
  expect(holds(strew::group(a, i, STREW_GROUP_MAX, -1, 4), list<int64_t>{4, 0, 3, 0}), "group: dim_size");
  expect(holds(strew::group(square, longs({0, 0}), STREW_GROUP_SUM, 0), list<int64_t>{4, 6}), "group: dim");
  const strew::grouping keys = strew::group_by({i}), firsts = strew::group_by({i}, STREW_KEYS_FIRST);
  expect(holds(strew::group(a, keys), list<int64_t>{6, 4}) && holds(strew::group(a, firsts), list<int64_t>{4, 6}),
         "group_by");
  expect(holds(strew::counts(strew::grouping_of(i)), list<int64_t>{2, 0, 2}) &&
             strew_grouping_size(strew::grouping_of(i, 9).get()) == 9,
         "grouping_of, counts");
  const auto [least, where] = strew::group_with_positions(a, i, STREW_GROUP_MIN);
  expect(holds(least, list<int64_t>{2, 0, 1}) && holds(where, list<int64_t>{1, 4, 0}), "group_with_positions");
  expect(holds(strew::group_softmax(strew::from(cpu, list<float>{1, 5, 1, 5}), i), list<float>(4, 0.5f)),
         "group_softmax");
  expect(holds(strew::scatter(a, 0, i, a), list<int64_t>{4, 2, 3, 4}), "scatter");
  expect(holds(strew::scatter(a, -1, i, 5, STREW_SUM), list<int64_t>{11, 2, 13, 4}), "scatter a number");
  expect(holds(strew::scatter(a, 0, far, 5, STREW_SUM, STREW_DROP), list<int64_t>{1, 2, 3, 4}), "scatter: mode");
  expect(holds(strew::gather(a, 0, i), list<int64_t>{3, 1, 3, 1}) &&
             holds(strew::gather(a, 0, longs({-1}), STREW_WRAP), list<int64_t>{4}),
         "gather");
  expect(holds(strew::index_select(square, 0, longs({1})), list<int64_t>{3, 4}), "index_select");
  expect(holds(strew::index_add(a, 0, i, a), list<int64_t>{7, 2, 7, 4}), "index_add");
  expect(holds(strew::index_copy(a, 0, i, a), list<int64_t>{4, 2, 3, 4}), "index_copy");
  expect(holds(strew::index_fill(a, 0, i, 0), list<int64_t>{0, 2, 0, 4}), "index_fill");
  expect(holds(strew::index_reduce(a, 0, i, a, STREW_PROD), list<int64_t>{8, 2, 9, 4}), "index_reduce");
  expect(holds(strew::index_put(square, {longs({0, 1}), longs({1, 0})}, 7), list<int64_t>{1, 7, 7, 4}), "index_put");
  expect(holds(strew::index_get(square, {longs({1}), longs({0})}), list<int64_t>{3}), "index_get");
  expect(holds(strew::take(square, longs({3, 0})), list<int64_t>{4, 1}), "take");
  const tensor at = strew::from(cpu, list<int64_t>{1, 1}, {1, 2});
  expect(holds(strew::scatter_nd(square, at, longs({9}), STREW_SUM), list<int64_t>{1, 2, 3, 13}), "scatter_nd");
  expect(holds(strew::gather_nd(square, at), list<int64_t>{4}), "gather_nd");
  expect(holds(strew::masked_select(a, mask), list<int64_t>{3, 4}), "masked_select");
  expect(holds(strew::masked_fill(a, mask, 0), list<int64_t>{1, 2, 0, 0}), "masked_fill");
  const tensor ends = longs({0, 3, 4}), sorted = longs({0, 0, 0, 1});
  expect(holds(strew::segment_csr(a, ends), list<int64_t>{6, 4}), "segment_csr");
  expect(holds(strew::segment_coo(a, sorted, STREW_GROUP_MAX), list<int64_t>{3, 4}), "segment_coo");
  expect(holds(strew::gather_csr(longs({8, 9}), ends), list<int64_t>{8, 8, 8, 9}), "gather_csr");
  expect(holds(strew::bincount(i, {}, 4), list<int64_t>{2, 0, 2, 0}) &&
             holds(strew::bincount(i, a), list<int64_t>{6, 0, 4}),
         "bincount");
  expect(failure([&] { tensor never = strew::group(a, ends); }, STREW_ESHAPE) != "", "group fails");
  tensor b = longs({1, 1, 1});
  strew_tensor *same = b.get();
  strew::in_place(strew_index_add_with, b, 0, i, a, 1, nullptr);
  expect(b.get() == same && holds(b, list<int64_t>{7, 1, 5}), "in_place");
  failure([&] { strew::in_place(strew_scatter, b, 0, far, 1, nullptr); }, STREW_EINDEX);
  expect(b.get() == same && holds(b, list<int64_t>{7, 1, 5}), "in_place fails");
}

void test_expressions(strew_device *cpu) {
  const strew::context context = strew::context::share(strew_device_context(cpu));
  const std::string text = "k * x + 1";
  const strew::expr line = strew::get<strew::expr>(strew_expr_parse, context, text, text.size());
  const tensor x = strew::from(cpu, list<float>{1, 2, 3});
  const strew_operand inputs[] = {strew_number(strew::scalar(2)), strew_of(x.get())};
  strew_expr_values values = {};
  values.inputs = inputs;
  expect(holds(strew::make(strew_expr_evaluate, line, &values), list<float>{3, 5, 7}), "an expression");
  expect(strew::make(strew_expr_reduce, line, &values, STREW_FOLD_SUM, nullptr).item<int>() == 15, "its sum");
  tensor given = strew::from(cpu, list<float>{0, 0, 0});
  strew::call(strew_expr_evaluate, line, &values, strew::into(given));
  expect(holds(given, list<float>{3, 5, 7}), "an expression into a tensor");
  const auto parse = [&](const std::string &wrong) {
    const strew::expr none = strew::get<strew::expr>(strew_expr_parse, context, wrong, wrong.size());
  };
  expect(failure([&] { parse("x +"); }, STREW_EARGUMENT) != "", "a wrong text");
}

void test_memory(strew_device *cpu) {
  list<double> host = {1, 2, 3, 4};
  const tensor shared = strew::wrap(cpu, host), square = strew::wrap(cpu, host.data(), host.size(), {2, 2});
  strew::call(strew_fill, shared, 0.5);
  host[0] = 9;
  expect(holds(square, list<double>{9, 0.5, 0.5, 0.5}) && square.rank() == 2, "wrapped");
  expect(holds(strew::from(cpu, list<int8_t>{1, 2}, {1, 2}), list<int8_t>{1, 2}), "int8");
  expect(holds(strew::from(cpu, list<uint8_t>{1, 2}), list<uint8_t>{1, 2}), "uint8");
  expect(holds(strew::from(cpu, list<int16_t>{1, 2}), list<int16_t>{1, 2}), "int16");
  expect(holds(strew::from(cpu, list<int32_t>{1, 2}), list<int32_t>{1, 2}), "int32");
  expect(holds(strew::from(cpu, list<long long>{1, 2}), list<int64_t>{1, 2}), "long long");
  expect(holds(strew::from(cpu, list<float>{}), list<float>{}), "empty");
}

void test_failures(strew_device *cpu) {
  const tensor a = strew::from(cpu, list<float>{1, 2, 3});
  try {
    const tensor index = strew::from(cpu, list<int64_t>{0, 7});
    const tensor never = strew::make(strew_gather_with, a, 0, index, nullptr);
    expect(false, "a failure is thrown");
  } catch (const strew::error &error) {
    const strew::error copy = error;
    expect(copy.code() == STREW_EINDEX && copy.argument() == "index" && copy.position() == strew::sizes{1},
           "the report");
    expect(copy.report().has_value && copy.report().value.as.i == 7, "the value");
    expect(std::string(copy.what()).find("gather: 'index' has value 7 at [1]") == 0, copy.what());
    expect(copy.hint().empty() || copy.hint().size() > 3, "the hint");
  }
  expect(failure(
             [&] {
               strew::from(cpu, list<float>{1, 2, 3}, {2, 2}).read<float>();
             },
             STREW_ESHAPE) == "from: 'values' has 3 elements, shape 4",
         "too few values");
  expect(failure([&] { a.read<double>(); }, STREW_EDTYPE) == "read: 'self' is float32, expected float64",
         "read as another type");
  expect(failure([&] { strew::wrap(cpu, static_cast<float *>(nullptr), 0, {3}).numel(); }, STREW_ESHAPE) != "",
         "too little memory");
  expect(failure([&] { strew::context::share(strew_device_context(cpu)).device("gpu"); }, STREW_EDEVICE) != "",
         "no such device");
  tensor gone = strew::from(cpu, list<float>{1}), here = std::move(gone);
  expect(failure([&] { strew::make(strew_binary, STREW_ADD, here, gone).numel(); }, STREW_EARGUMENT) ==
             "operand: 'tensor' is empty, expected a tensor or a number",
         "an empty tensor is not the number 0");
  const tensor wide = strew::from(cpu, list<uint64_t>{1});
  strew::call(strew_fill, wide, UINT64_MAX);
  expect(holds(wide, list<uint64_t>{UINT64_MAX}), "the largest number");
  strew_options options = {};
  options.threads = -1;
  expect(failure([&] { strew::context context(options); }, STREW_EARGUMENT) != "", "a context that cannot be made");
}

} // namespace

int main() {
  strew_context *alive = nullptr;
  {
    strew::context context;
    strew_device *cpu = context.device("cpu");
    test_owners(cpu);
    test_arguments(cpu);
    test_results(cpu);
    test_family(cpu);
    test_expressions(cpu);
    test_memory(cpu);
    test_failures(cpu);
    alive = strew_context_retain(context.get());
  }
  expect(strew_context_bytes(alive) == 0, "tensors are left over");
  strew_context_release(alive);
  std::printf("wrapper: %d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
