// wrapper_test.cpp: strew.hpp: owners, conversions of arguments, results, failures. Built and run by hosts_test.sh.
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
  expect(strew::make(strew_reduce, STREW_FOLD_SUM, a, strew::dims{}, false, 0).item<int>() == 9, "no dims; item");
  int64_t numbers[2] = {4, 5}, size[1] = {2};
  const tensor b = strew::make(strew_from, cpu, STREW_INT64, 1, size, numbers);
  strew::call(strew_read, b, numbers, sizeof numbers);
  expect(holds(b, list<int64_t>{4, 5}), "arrays");
  strew::call(strew_fill, b, 7);
  expect(holds(b, list<int64_t>{7, 7}), "a number as a scalar");
  strew_operand low = strew_number(strew::scalar(8));
  expect(holds(strew::make(strew_clamp, b, &low, nullptr), list<int64_t>{8, 8}), "pointers");
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
  strew::call(strew_group, a, index, nullptr, strew::into(sums), nullptr);
  expect(holds(sums, list<int64_t>{1, 5}), "into an empty tensor");
  strew_tensor *same = sums.get();
  strew::call(strew_group, a, index, nullptr, strew::into(sums), nullptr);
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
  const strew::grouping groups = strew::get<strew::grouping>(strew_group_by, list<tensor>{index}, STREW_KEYS_FIRST);
  expect(strew_grouping_size(groups.get()) == 2, "groups of keys");
  expect(holds(strew::make(strew_grouping_counts, groups), list<int64_t>{2, 1}), "counts of groups");
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
