#include <tuple>

#include "core/cell_patterns.h"

namespace shoal {

CellOutcome cheapest_boxes(const CellProblem& problem, const Options& options) {
  const Watch watch(options);
  CellRows rows(problem);
  const Pattern everything = (Pattern{1} << rows.attributes()) - 1;
  struct Best {
    Cost price;
    Count size;
    Pattern pattern;
  };
  std::vector<Best> best(rows.count());
  Count total = 0;
  for (const Count count : problem.counts) total += count;
  for (int row = 0; row < rows.count(); ++row) best[row] = {rows.price(row, everything), total, everything};
  std::vector<std::uint32_t> box_of;
  std::vector<Count> sizes;
  std::vector<int> open(rows.count());
  for (int row = 0; row < rows.count(); ++row) open[row] = row;
  CellOutcome out;
  Cost reached = 0;  // no pattern that is yet to come costs any row less
  for (PatternOrder order(problem); !order.empty(); ) {
    reached = order.price();
    std::erase_if(open, [&](int row) { return best[row].price < reached; });  // equal prices may have larger boxes
    if (open.empty() || watch.stopped() || out.nodes >= options.budget.nodes) break;
    const Pattern pattern = order.next();
    ++out.nodes;
    sizes.assign(rows.group(pattern, box_of), 0);
    for (int row = 0; row < rows.count(); ++row) sizes[box_of[row]] += rows.copies(row);
    for (const int row : open) {
      const Count size = sizes[box_of[row]];
      if (size < problem.k) continue;
      const Cost price = rows.price(row, pattern);
      Best& known = best[row];
      if (std::tuple(price, -size, std::popcount(pattern), pattern) <
          std::tuple(known.price, -known.size, std::popcount(known.pattern), known.pattern))
        known = {price, size, pattern};
    }
    if (order.empty()) open.clear();
  }
  out.found = true;
  out.proved = open.empty();
  out.cost = out.bound = 0;
  for (int row = 0; row < rows.count(); ++row) {
    out.cost += best[row].price * rows.copies(row);
    out.bound += (out.proved ? best[row].price : std::min(best[row].price, reached)) * rows.copies(row);
    out.pieces.push_back({row, best[row].pattern, rows.copies(row)});
  }
  return out;
}

}  // namespace shoal
