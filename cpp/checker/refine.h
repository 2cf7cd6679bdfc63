// refine.h - groups of rows that are alike in one attribute after the other, told apart exactly.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shoal_checker {

class Refine {
 public:
  // Parts groups by one more attribute, `part(row)` in 0 .. parts - 1; returns how many there are now.
  template <class Part>
  int by(std::vector<int>& of_row, int groups, int parts, const Part& part) {
    int made = 0;
    const std::int64_t pairs = std::int64_t{groups} * parts;
    if (pairs <= kMostPlaces) {
      places_.assign(static_cast<std::size_t>(pairs), -1);
      for (std::size_t r = 0; r < of_row.size(); ++r) {
        int& place = places_[static_cast<std::size_t>(of_row[r]) * parts + part(r)];
        if (place < 0) place = made++;
        of_row[r] = place;
      }
      return made;
    }
    std::unordered_map<std::int64_t, int> found;
    for (std::size_t r = 0; r < of_row.size(); ++r) {
      const auto [at, fresh] = found.try_emplace(std::int64_t{of_row[r]} * parts + part(r), made);
      made += fresh;
      of_row[r] = at->second;
    }
    return made;
  }

 private:
  static constexpr std::int64_t kMostPlaces = 1 << 22;
  std::vector<int> places_;
};

}  // namespace shoal_checker
