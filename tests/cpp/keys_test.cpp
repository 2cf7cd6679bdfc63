// keys_test.cpp - keys of groups: exact where they can be, and never trusted where they cannot.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/group_keys.h"
#include "core/base/hash_index.h"
#include "core/base/slots.h"
#include "random_case.h"

namespace {

using namespace shoal;
using namespace shoal::testing;

// All tuples of values have different keys.
void small_domains_have_exact_keys(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> sizes(1 + random() % 4);
  for (auto& size : sizes) size = 1 + random() % 5;
  const GroupKeys keys(sizes);
  std::vector<std::uint64_t> sums{0};
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    std::vector<std::uint64_t> longer;
    for (const std::uint64_t sum : sums)
      for (std::size_t value = 0; value < sizes[a]; ++value)
        longer.push_back(sum + keys.of(static_cast<int>(a), static_cast<int>(value)));
    sums = std::move(longer);
  }
  std::sort(sums.begin(), sums.end());
  check(!keys.exact() || std::adjacent_find(sums.begin(), sums.end()) == sums.end(), "exact keys are different keys",
        seed);
}

void domains_of_64_bits_are_the_last_that_are_exact() {
#ifndef SHOAL_COLLIDING_KEYS
  const std::size_t wide = std::size_t{1} << 16;
  const GroupKeys full({wide, wide, 1, wide, wide});
  check(full.exact(), "a product of 2^64 has exact keys", 0);
  check(full.of(0, 65535) + full.of(1, 65535) + full.of(3, 65535) + full.of(4, 65535) == UINT64_MAX,
        "the last key is the largest number", 0);
  check(!GroupKeys({wide, wide, wide, wide, 2}).exact(), "one more attribute is too much", 0);
  check(!GroupKeys({wide, wide, wide, wide + 1}).exact(), "one more value is too much", 0);
  check(GroupKeys({wide, wide, wide, wide - 1}).exact(), "one value less is not", 0);
#else
  check(!GroupKeys({2, 2}).exact(), "keys that collide are not exact", 0);
#endif
}

// Groups that are given one key are told apart by who asks, also when the tables grow and when some are gone.
void groups_with_one_key_stay_apart(unsigned seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t key = random();
  const int many = static_cast<int>(1 + random() % 100);
  HashIndex index;
  index.clear(random() % 8);
  for (int id = 0; id < many; ++id) {
    check(index.find(key, [&](int known) { return known == id; }) < 0, "a new group is not found", seed);
    index.add(key, id);
  }
  for (int id = 0; id < many; ++id) {
    check(index.find(key, [&](int known) { return known == id; }) == id, "each group is found by itself", seed);
    check(index.find(key + 1, [](int) { return true; }) < 0, "another key finds nothing", seed);
  }
  Slots<1> slots;
  slots.clear(static_cast<std::size_t>(many));
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(many) + 1);
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t id = 0; id < static_cast<std::uint32_t>(many); ++id) {
      const auto count = round == 0 ? id : static_cast<std::uint32_t>(many);
      check(slots.find(&key, keys.data(), count, [&](std::uint32_t known) { return known == id; }) == id,
            "slots tell groups of one key apart", seed);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 1000;
  domains_of_64_bits_are_the_last_that_are_exact();
  for (unsigned seed = 0; seed < cases; ++seed) {
    small_domains_have_exact_keys(seed);
    groups_with_one_key_stay_apart(seed);
  }
  std::printf("%u cases\n", cases);
}
