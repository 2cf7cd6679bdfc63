// hash_index.h - open addressing from 64-bit keys to small numbers, cleared all at once.
//
// Keys are sums of random numbers, one per interval of each attribute, so that moving a group into another
// interval changes its key by one addition. Two groups meet by accident with probability below 2^-64 per
// pair; what a search reports is priced again from scratch.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace shoal {

class HashIndex {
 public:
  void clear(std::size_t expected) {
    const std::size_t size = std::bit_ceil(expected * 2 + 16);
    keys_.resize(size);
    values_.assign(size, -1);
    mask_ = size - 1;
    used_ = 0;
  }
  // The value under the key, -1 if there is none.
  std::int32_t get(std::uint64_t key) const { return values_[find(key)]; }
  void put(std::uint64_t key, std::int32_t value) {
    if (used_ * 2 > mask_) grow();
    const std::size_t slot = find(key);
    used_ += values_[slot] < 0;
    keys_[slot] = key;
    values_[slot] = value;
  }

 private:
  std::size_t find(std::uint64_t key) const {
    std::size_t slot = key * 0x9E3779B97F4A7C15u >> 24 & mask_;
    while (values_[slot] >= 0 && keys_[slot] != key) slot = (slot + 1) & mask_;
    return slot;
  }
  void grow() {
    HashIndex larger;
    larger.clear(mask_ + 1);
    for (std::size_t slot = 0; slot <= mask_; ++slot)
      if (values_[slot] >= 0) larger.put(keys_[slot], values_[slot]);
    *this = std::move(larger);
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> values_;
  std::size_t mask_ = 0, used_ = 0;
};

}  // namespace shoal
