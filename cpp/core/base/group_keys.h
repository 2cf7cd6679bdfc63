// group_keys.h - keys of 64 bits that tell groups apart by their values of several attributes.
//
// A key is a sum of one number per attribute, so that another value in one attribute changes it by one addition. Where
// the domains' product fits 64 bits the numbers are digits of a mixed radix: equal keys are then equal values. Where it
// does not they are drawn at random, and whoever finds a key compares the values: a group is never taken for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace shoal {

class GroupKeys {
 public:
  // Per attribute how many values it has.
  explicit GroupKeys(const std::vector<std::size_t>& sizes) {
    std::uint64_t largest = 0;  // of the keys so far
    for (const std::size_t size : sizes) {
      auto& numbers = numbers_.emplace_back(size);
      if (size < 2) continue;
      exact_ = exact_ && largest < UINT64_MAX && (UINT64_MAX - largest) / (largest + 1) >= size - 1;
      if (!exact_) continue;
      for (std::size_t value = 1; value < size; ++value) numbers[value] = (largest + 1) * value;
      largest += numbers.back();
    }
#ifdef SHOAL_COLLIDING_KEYS  // a test: every key is found where every other is
    exact_ = false;
    for (auto& numbers : numbers_) numbers.assign(numbers.size(), 0);
#else
    if (!exact_) draw();
#endif
  }

  // Whether equal keys are equal values.
  bool exact() const { return exact_; }
  std::uint64_t of(int attribute, int value) const { return numbers_[attribute][value]; }

 private:
  void draw() {
    std::mt19937_64 random(20050405);
    for (auto& numbers : numbers_)
      for (auto& number : numbers) number = random();
  }

  std::vector<std::vector<std::uint64_t>> numbers_;
  bool exact_ = true;
};

}  // namespace shoal
