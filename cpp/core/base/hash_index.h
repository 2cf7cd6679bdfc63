// hash_index.h - open addressing from 64-bit keys to small numbers, cleared all at once.
//
// A key can stand for several numbers: those of groups that are gone, and of groups that have it by accident, where
// keys are not exact (group_keys.h). Who looks one up says which number is meant.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace shoal {

class HashIndex {
 public:
  void clear(std::size_t expected) {
    const std::size_t size = std::bit_ceil(expected * 2 + 16);
    keys_.resize(size);
    values_.assign(size, -1);
    mask_ = size - 1;
    shift_ = 64 - std::countr_zero(size);
    used_ = 0;
  }
  // The value under the key that is meant, -1 if there is none.
  template <class Meant>
  std::int32_t find(std::uint64_t key, Meant meant) const {
    std::size_t slot = first_slot(key);
    for (; values_[slot] >= 0; slot = (slot + 1) & mask_)
      if (keys_[slot] == key && meant(values_[slot])) return values_[slot];
    return -1;
  }
  // Adds a value to those under a key.
  void add(std::uint64_t key, std::int32_t value) {
    if (used_ * 2 > mask_) grow();
    std::size_t slot = first_slot(key);
    while (values_[slot] >= 0) slot = (slot + 1) & mask_;
    keys_[slot] = key;
    values_[slot] = value;
    ++used_;
  }

 private:
  // The upper bits of the product: they depend on every bit of a key, and exact keys may differ in their upper bits alone.
  std::size_t first_slot(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> shift_; }
  void grow() {
    HashIndex larger;
    larger.clear(mask_ + 1);
    for (std::size_t slot = 0; slot <= mask_; ++slot)
      if (values_[slot] >= 0) larger.add(keys_[slot], values_[slot]);
    *this = std::move(larger);
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> values_;
  std::size_t mask_ = 0, used_ = 0;
  int shift_ = 0;
};

}  // namespace shoal
