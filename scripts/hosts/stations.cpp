// stations.cpp: a program in C++ groups readings by station with strew.hpp: owners, results and exceptions.
// c++ -std=c++17 stations.cpp $(pkg-config --cflags --libs strew) -o stations && ./stations
#include <strew.hpp>

#include <cstdio>
#include <cstdlib>

int main() {
  const std::vector<int32_t> station = {0, 2, 1, 2, 0, 2};
  std::vector<float> rain = {1.5f, 0.25f, 3, 4, 2.5f, 0.5f};
  try {
    strew::context context;
    strew_device *cpu = context.device("cpu");
    const strew::tensor index = strew::from(cpu, station);
    const strew::tensor values = strew::wrap(cpu, rain); // the vector itself, without a copy

    strew::tensor sums = strew::group(values, index);
    const auto [highest, when] = strew::group_with_positions(values, index, STREW_GROUP_MAX);
    const strew::tensor total = strew::make(strew_reduce_with, STREW_FOLD_SUM, sums, nullptr);
    const strew::tensor share = strew::make(strew_binary, STREW_DIV, sums, total);

    const auto sum = sums.read<float>(), part = share.read<float>(), most = highest.read<float>();
    const auto at = when.read<int64_t>();
    for (std::size_t i = 0; i < sum.size(); i++)
      std::printf("station %zu: %.2f, a share of %.2f; most was %.2f, in reading %d\n", i, double(sum[i]),
                  double(part[i]), double(most[i]), int(at[i]));

    strew::call(strew_binary, STREW_MUL, values, 10, strew::into(sums)); // of another shape
  } catch (const strew::error &error) {
    std::printf("%s (%s)\n", error.what(), strew_enum_name(STREW_WORDS_STATUS, error.code()));
  }
  return EXIT_SUCCESS;
}
