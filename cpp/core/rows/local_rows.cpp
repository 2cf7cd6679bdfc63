#include "core/rows/local_rows.h"

namespace shoal {
namespace {

constexpr std::int64_t kMostVisits = 300'000'000;  // of rows at nodes
constexpr double kMostNodes = 1e5;

}  // namespace

std::vector<Levels> nodes_by_price(const Rows& rows, const Levels& low, const Levels& high) {
  std::vector<Levels> nodes{low};
  std::vector<Levels> steps(rows.attributes());
  for (int a = 0; a < rows.attributes(); ++a)
    for (int level = low[a]; level <= high[a]; ++level) steps[a].push_back(static_cast<std::uint8_t>(level));
  const auto size = [&] {
    return std::accumulate(steps.begin(), steps.end(), 1.0, [](double product, const Levels& step) {
      return product * static_cast<double>(step.size());
    });
  };
  while (size() > kMostNodes) {  // every second level of the tallest attribute goes
    auto& tallest =
        *std::max_element(steps.begin(), steps.end(), [](const auto& x, const auto& y) { return x.size() < y.size(); });
    Levels kept;
    for (std::size_t i = 0; i < tallest.size(); ++i)
      if (i % 2 == 0 || i + 1 == tallest.size()) kept.push_back(tallest[i]);
    if (kept.size() == tallest.size()) kept.erase(kept.begin());
    tallest = std::move(kept);
  }
  for (int a = 0; a < rows.attributes(); ++a) {
    std::vector<Levels> more;
    for (const Levels& node : nodes)
      for (const std::uint8_t level : steps[a]) more.push_back(node), more.back()[a] = level;
    nodes = std::move(more);
  }
  std::vector<double> prices;
  for (const Levels& node : nodes) {
    double price = 0;
    for (int a = 0; a < rows.attributes(); ++a) price += rows.mean(a, node[a]);
    prices.push_back(price);
  }
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return prices[x] < prices[y]; });
  const auto stride = static_cast<std::size_t>(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(nodes.size()) * rows.count() / kMostVisits));
  std::vector<Levels> chosen;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i % stride == 0 || i + 1 == order.size()) chosen.push_back(nodes[order[i]]);
  return chosen;
}

}  // namespace shoal
