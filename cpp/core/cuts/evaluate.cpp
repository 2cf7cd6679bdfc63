#include "core/cuts/evaluate.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/privacy/giving_up.h"
#include "core/privacy/privacy.h"

namespace shoal {

Evaluation evaluate(const Problem& problem, const Cuts& cuts) {
  const int rows = problem.distinct(), attributes = problem.attributes, labels = problem.labels;
  // First code of each row's interval, per attribute: equal tuples are one group.
  std::vector<std::int32_t> keys(static_cast<std::size_t>(rows) * attributes);
  for (int row = 0; row < rows; ++row)
    for (int a = 0; a < attributes; ++a) {
      auto next = std::upper_bound(cuts[a].begin(), cuts[a].end(), problem.code(row, a));
      keys[static_cast<std::size_t>(row) * attributes + a] = next == cuts[a].begin() ? 0 : *(next - 1);
    }
  auto key = [&](int row) { return std::span(keys).subspan(static_cast<std::size_t>(row) * attributes, attributes); };
  std::vector<int> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int x, int y) {
    return std::lexicographical_compare(key(x).begin(), key(x).end(), key(y).begin(), key(y).end());
  });

  Evaluation result;
  const Cost suppressed_cost = problem.suppressed_cost();
  std::vector<Count> histogram(labels);
  std::vector<Offer> offers;
  std::optional<Judge> judge;
  if (problem.privacy) judge.emplace(*problem.privacy);
  Cost groups = 0, released = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    std::fill(histogram.begin(), histogram.end(), 0);
    for (; end < order.size() && std::ranges::equal(key(order[begin]), key(order[end])); ++end)
      for (int label = 0; label < labels; ++label) histogram[label] += problem.count(order[end], label);
    const Count size = std::accumulate(histogram.begin(), histogram.end(), Count{0});
    Count lost = size < problem.k ? size : 0;
    bool kept = size >= problem.k;
    if (judge) {
      judge->clear();
      for (std::size_t i = begin; i < end; ++i) judge->add(order[i]);
      const Verdict verdict = kept ? judge->verdict(size) : Verdict::hopeless;
      kept = verdict == Verdict::admitted;
      lost = judge->lost(verdict, size);
    }
    groups += kept;
    released += kept ? size : 0;
    const Cost before = result.cost;
    if (!kept) {
      result.suppressed += lost;
      result.cost += suppressed_cost * lost;
    } else if (problem.metric == Metric::discernibility) {
      result.cost += Cost{size} * size;
    } else if (problem.metric == Metric::classification) {
      result.cost += size - *std::max_element(histogram.begin(), histogram.end());
    } else {
      for (int a = 0; a < attributes; ++a) {
        const int first = key(order[begin])[a];
        auto next = std::upper_bound(cuts[a].begin(), cuts[a].end(), first);
        const int last = (next == cuts[a].end() ? problem.sizes[a] : *next) - 1;
        result.cost += size * problem.loss(a, first, last);
      }
    }
    begin = end;
    if (const Cost gain = kept && problem.privacy ? problem.privacy->excess(1, size) : 0; gain > 0)
      offers.push_back({size, suppressed_cost * size - (result.cost - before), gain, static_cast<int>(offers.size())});
  }
  result.admissible = result.suppressed <= problem.limit;
  const Cost excess = problem.privacy ? problem.privacy->excess(groups, released) : 0;
  if (excess <= 0 || !result.admissible) return result;
  const GivenUp choice = cheapest_given_up(std::move(offers), excess, problem.limit - result.suppressed, kInfinite);
  result.admissible = choice.partition.cost < kInfinite;
  if (!result.admissible) return result;
  result.cost += choice.partition.cost;
  result.suppressed += choice.rows;
  return result;
}

}  // namespace shoal
