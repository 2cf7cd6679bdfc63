// random_case.h - small random problems for the core's tests, and how a failed claim ends a test.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "core/cuts/evaluate.h"
#include "core/privacy/privacy.h"

namespace shoal::testing {

inline int checks = 0;

inline void check(bool holds, const char* claim, unsigned seed) {
  ++checks;
  if (holds) return;
  std::printf("FAILED: %s (seed %u)\n", claim, seed);
  std::exit(1);
}

struct Case {
  std::vector<std::int32_t> sizes, codes;
  std::vector<Count> counts;
  std::vector<std::vector<Cost>> losses;
  Problem problem;
  std::unique_ptr<Privacy> privacy = nullptr;  // what `problem` points to, if it has rules
};

inline bool has_cost(const Problem& problem, const Cuts& cuts, Cost cost) {
  const Evaluation found = evaluate(problem, cuts);
  return found.admissible && found.cost == cost;
}

inline Case random_case(unsigned seed, int most_values = 4) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Case c;
  Problem& p = c.problem;
  p.metric = static_cast<Metric>(upto(3));
  p.labels = p.metric == Metric::classification ? 2 + upto(2) : 1;
  p.attributes = 1 + upto(3);
  for (int a = 0; a < p.attributes; ++a) c.sizes.push_back(1 + upto(most_values));
  const int rows = 4 + upto(40);
  std::vector<std::vector<std::int32_t>> distinct;
  for (int r = 0; r < rows; ++r) {
    std::vector<std::int32_t> row;
    for (int size : c.sizes) row.push_back(std::min(upto(size), upto(size)));
    std::size_t at = 0;
    while (at < distinct.size() && distinct[at] != row) ++at;
    if (at == distinct.size()) {
      distinct.push_back(row);
      c.codes.insert(c.codes.end(), row.begin(), row.end());
      c.counts.resize(c.counts.size() + p.labels, 0);
    }
    c.counts[at * p.labels + upto(p.labels)] += 1 + upto(3);
  }
  p.sizes = c.sizes;
  p.codes = c.codes;
  p.counts = c.counts;
  p.row_units = 60 * p.attributes;
  for (int size : c.sizes) {
    auto& losses = c.losses.emplace_back(static_cast<std::size_t>(size) * size, 0);
    for (int first = 0; first < size; ++first)
      for (int last = first; last < size; ++last)
        losses[first * size + last] = size > 1 ? 60 * (last - first) / (size - 1) : 0;
    p.losses.push_back(losses);
  }
  p.k = 1 + upto(std::min(8, static_cast<int>(p.total())));
  const int kind = upto(3);
  p.limit = kind == 0 ? 0 : kind == 1 ? upto(p.total()) : p.total();
  return c;
}

}  // namespace shoal::testing
