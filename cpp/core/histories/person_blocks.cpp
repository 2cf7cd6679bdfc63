#include "core/histories/person_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace shoal {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Where the codes of a column lie on a line, in units of the cost.
std::vector<float> axis(const LocalProblem& table, std::size_t a, Cost weight) {
  const std::size_t size = table.parts[a][0].size();
  std::vector<float> found(size, 0);
  const LocalSpan* span = table.span(a);
  Cost whole = span && !span->ordered ? span->of_count.back() : table.units[a].back().front();
  if (whole == 0) whole = 1;
  for (std::size_t code = 0; code < size; ++code) {
    double place = static_cast<double>(whole) * static_cast<double>(code) /
                   static_cast<double>(std::max<std::size_t>(size, 2) - 1);
    if (span && span->ordered)
      place = code < span->position.size() ? static_cast<double>(span->position[code]) : static_cast<double>(whole);
    found[code] = static_cast<float>(place * static_cast<double>(weight));
  }
  return found;
}

class Halving {
 public:
  Halving(const BlockItems& items, const BlockSizes& sizes, std::uint64_t chance)
      : items_(items), sizes_(sizes), chance_(chance) {}

  std::vector<std::vector<int>> run() {
    std::vector<int> all(items_.rows.size());
    std::iota(all.begin(), all.end(), 0);
    if (!sizes_.by_length) {
      halve(all, 1);
      return std::move(blocks_);
    }
    const auto length = [&](int item) { return items_.values[static_cast<std::size_t>(item) * items_.features]; };
    std::stable_sort(all.begin(), all.end(), [&](int x, int y) { return length(x) < length(y); });
    for (std::size_t begin = 0, end; begin < all.size(); begin = end) {
      for (end = begin; end < all.size() && length(all[end]) == length(all[begin]);) ++end;
      halve({all.data() + begin, end - begin}, begin + 1);
    }
    return std::move(blocks_);
  }

 private:
  float value(int item, int feature) const {
    return items_.values[static_cast<std::size_t>(item) * items_.features + feature];
  }

  void halve(std::span<int> some, std::uint64_t place) {
    std::int64_t rows = 0, persons = 0;
    for (const int item : some) rows += items_.rows[item], persons += items_.persons[item];
    if (some.size() < 2 || rows <= sizes_.most_rows || persons < 2 * sizes_.least_persons) return keep(some);
    const int feature = widest(some, place);
    if (feature < 0) return keep(some);
    const auto less = [&](int x, int y) {
      return value(x, feature) != value(y, feature) ? value(x, feature) < value(y, feature) : x < y;
    };
    std::size_t middle = some.size() / 2;
    if (chance_) middle = some.size() * (35 + mixed(chance_ ^ mixed(place)) % 31) / 100;
    middle = std::clamp<std::size_t>(middle, 1, some.size() - 1);
    std::nth_element(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(middle), some.end(), less);
    std::int64_t left = 0;
    for (std::size_t i = 0; i < middle; ++i) left += items_.persons[some[i]];
    if (left < sizes_.least_persons || persons - left < sizes_.least_persons) return keep(some);
    halve(some.first(middle), place * 2);
    halve(some.subspan(middle), place * 2 + 1);
  }
  void keep(std::span<int> some) {
    std::vector<int> block(some.begin(), some.end());
    std::sort(block.begin(), block.end());
    blocks_.push_back(std::move(block));
  }
  int widest(std::span<const int> some, std::uint64_t place) const {
    int best = -1;
    double most = 0;
    for (int f = 0; f < items_.features; ++f) {
      double sum = 0, squares = 0;
      const double middle = value(some.front(), f);
      for (const int item : some) {
        const double off = value(item, f) - middle;
        sum += off, squares += off * off;
      }
      const auto n = static_cast<double>(some.size());
      double spread = std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
      if (chance_) spread *= 0.4 + static_cast<double>(mixed(chance_ + mixed(place * 64 + f)) % 1024) / 1024;
      if (spread > most) most = spread, best = f;
    }
    return best;
  }

  const BlockItems& items_;
  const BlockSizes sizes_;
  const std::uint64_t chance_;
  std::vector<std::vector<int>> blocks_;
};

}  // namespace

Features::Features(const People& people) {
  const PeopleProblem& p = people.problem();
  std::vector<std::vector<std::vector<float>>> axes(p.tables.size());
  std::vector<int> begin;
  Cost most = 1;
  for (std::size_t t = 0; t < p.tables.size(); ++t) {
    begin.push_back(count_);
    most = std::max(most, people.full(static_cast<int>(t)));
    for (std::size_t a = 0; a < p.tables[t].parts.size(); ++a) axes[t].push_back(axis(p.tables[t], a, p.weight[t]));
    count_ += 2 * static_cast<int>(axes[t].size());
  }
  values_.assign(static_cast<std::size_t>(count_) * people.count(), 0);
  std::vector<int> seen(p.tables.size());
  for (int h = 0; h < people.count(); ++h) {
    float* own = values_.data() + static_cast<std::size_t>(h) * count_;
    own[0] = static_cast<float>(people.length(h)) * static_cast<float>(most);
    std::fill(seen.begin(), seen.end(), 0);
    for (std::int64_t row = p.first[h]; row < p.first[h + 1]; ++row) {
      const int t = p.table_of[static_cast<std::size_t>(row)];
      for (std::size_t a = 0; a < axes[t].size(); ++a) {
        const float place = axes[t][a][people.code(static_cast<std::int32_t>(row), static_cast<int>(a))];
        own[begin[t] + 2 * a] += place;
        if (!seen[t]) own[begin[t] + 2 * a + 1] = place;
      }
      ++seen[t];
    }
    for (std::size_t t = 0; t < axes.size(); ++t)
      for (std::size_t a = 0; seen[t] && a < axes[t].size(); ++a) own[begin[t] + 2 * a] /= static_cast<float>(seen[t]);
  }
}

std::vector<std::vector<int>> blocks_of(const BlockItems& items, const BlockSizes& sizes, std::uint64_t chance) {
  return Halving(items, sizes, chance).run();
}

}  // namespace shoal
