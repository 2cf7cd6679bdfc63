#include "core/rows/nearest.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/base/parallel.h"

namespace shoal {
namespace {

constexpr std::size_t kBlock = 4096;      // sums of a block stay in the first cache
constexpr std::size_t kRowsPerTask = 16;  // how often a scan looks whether it shall stop

// What a cell of one attribute loses under the least node over two codes.
Cost apart(const std::vector<std::vector<std::int32_t>>& parts, const std::vector<std::vector<Cost>>& units,
           std::int32_t a, std::int32_t b) {
  std::size_t level = 0;
  while (parts[level][a] != parts[level][b]) ++level;
  return units[level][parts[level][a]];
}

// The nearest rows so far, as a heap with the farthest on top; none can be spared.
class Nearest {
 public:
  explicit Nearest(std::int64_t needed) : needed_(needed) {}

  // Rows come in the order of their numbers, so one as far away as the farthest is not nearer.
  Cost worth() const { return held_ >= needed_ ? heap_.front().distance : std::numeric_limits<Cost>::max(); }

  void add(Cost distance, std::int32_t row, Count count) {
    heap_.push_back({distance, row, count});
    std::push_heap(heap_.begin(), heap_.end());
    held_ += count;
    while (held_ - heap_.front().count >= needed_) {
      held_ -= heap_.front().count;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
  }

  std::vector<std::int32_t> sorted(Cost& farthest) {
    std::sort_heap(heap_.begin(), heap_.end());
    farthest = heap_.empty() ? 0 : heap_.back().distance;
    std::vector<std::int32_t> rows;
    rows.reserve(heap_.size());
    for (const Entry& entry : heap_) rows.push_back(entry.row);
    return rows;
  }

 private:
  struct Entry {
    Cost distance;
    std::int32_t row;
    Count count;
    bool operator<(const Entry& other) const {
      return distance != other.distance ? distance < other.distance : row < other.row;
    }
  };
  std::int64_t needed_, held_ = 0;
  std::vector<Entry> heap_;
};

// Columns of narrow codes and sums that just hold the distances: the scan is bound by how many fit a register.
template <class Code, class Sum>
class Scan {
 public:
  Scan(const Distances& distances)
      : distances_(distances), columns_(distances.attributes()), steps_(distances.attributes()) {
    const std::size_t attributes = distances.attributes(), rows = distances.rows();
    for (std::size_t a = 0; a < attributes; ++a) {
      columns_[a].resize(rows);
      for (std::size_t row = 0; row < rows; ++row)
        columns_[a][row] = static_cast<Code>(distances.codes[row * attributes + a]);
      steps_[a] = one_step(a);
    }
  }

  std::vector<std::int32_t> around(std::size_t row, Count k, Cost& farthest) const {
    Nearest nearest(k - distances_.counts[row]);
    std::vector<std::vector<Sum>> apart_of_code(columns_.size());
    for (std::size_t a = 0; a < columns_.size(); ++a)
      if (steps_[a] < 0) apart_of_code[a] = lost_beside(a, columns_[a][row]);
    const auto sums = std::make_unique<Sum[]>(kBlock);
    for (std::size_t begin = 0; begin < distances_.rows(); begin += kBlock) {
      const std::size_t size = std::min(kBlock, distances_.rows() - begin);
      std::fill_n(sums.get(), size, Sum{0});
      for (std::size_t a = 0; a < columns_.size(); ++a) {
        const Code* column = columns_[a].data() + begin;
        if (steps_[a] >= 0) add_step(sums.get(), column, size, columns_[a][row], static_cast<Sum>(steps_[a]));
        else
          for (std::size_t i = 0; i < size; ++i) sums[i] = static_cast<Sum>(sums[i] + apart_of_code[a][column[i]]);
      }
      for (std::size_t i = 0; i < size; ++i)
        if (static_cast<Cost>(sums[i]) < nearest.worth() && begin + i != row)
          nearest.add(static_cast<Cost>(sums[i]), static_cast<std::int32_t>(begin + i), distances_.counts[begin + i]);
    }
    return nearest.sorted(farthest);
  }

 private:
  static void add_step(Sum* sums, const Code* column, std::size_t size, Code code, Sum step) {
    for (std::size_t i = 0; i < size; ++i) sums[i] = static_cast<Sum>(sums[i] + (column[i] != code ? step : Sum{0}));
  }

  // What two different codes lose where that is always the same, as with suppression; else -1.
  Cost one_step(std::size_t a) const {
    const auto& parts = distances_.parts[a];
    const auto& units = distances_.units[a];
    if (parts.size() == 1) return 0;
    const bool plain =
        parts.size() == 2 && std::all_of(units[0].begin(), units[0].end(), [](Cost each) { return each == 0; });
    return plain && units[0].size() == parts[0].size() ? units[1][0] : -1;
  }

  std::vector<Sum> lost_beside(std::size_t a, Code code) const {
    const std::size_t size = distances_.parts[a][0].size();
    std::vector<Sum> lost(size);
    for (std::size_t other = 0; other < size; ++other)
      lost[other] = static_cast<Sum>(apart(distances_.parts[a], distances_.units[a], static_cast<std::int32_t>(code),
                                           static_cast<std::int32_t>(other)));
    return lost;
  }

  const Distances& distances_;
  std::vector<std::vector<Code>> columns_;
  std::vector<Cost> steps_;
};

template <class Code, class Sum>
void scan_all(const Distances& distances, Count k, const Options& options, const Watch& watch, Neighbours& found) {
  const Scan<Code, Sum> scan(distances);
  std::atomic<bool> stopped{false};
  parallel((distances.rows() + kRowsPerTask - 1) / kRowsPerTask, options.threads, [&](std::size_t task, std::size_t) {
    if (stopped || watch.stopped()) {
      stopped = true;
      return;
    }
    const std::size_t end = std::min(distances.rows(), (task + 1) * kRowsPerTask);
    for (std::size_t row = task * kRowsPerTask; row < end; ++row)
      if (distances.counts[row] < k) found.rows[row] = scan.around(row, k, found.farthest[row]);
  });
  found.complete = !stopped;
}

}  // namespace

Cost Distances::between(std::size_t a, std::size_t b) const {
  Cost sum = 0;
  for (std::size_t i = 0; i < attributes(); ++i)
    sum += apart(parts[i], units[i], codes[a * attributes() + i], codes[b * attributes() + i]);
  return sum;
}

Neighbours nearest(const Distances& distances, Count k, const Options& options, const Watch& watch) {
  Neighbours found;
  found.rows.resize(distances.rows());
  found.farthest.assign(distances.rows(), 0);
  Cost greatest = 0;
  std::size_t domain = 0;
  for (std::size_t a = 0; a < distances.attributes(); ++a) {
    greatest += *std::max_element(distances.units[a].back().begin(), distances.units[a].back().end());
    domain = std::max(domain, distances.parts[a][0].size());
  }
  const bool narrow = greatest <= std::numeric_limits<std::uint16_t>::max();
  const bool few = domain <= std::size_t{std::numeric_limits<std::uint16_t>::max()};
  if (narrow && few) scan_all<std::uint16_t, std::uint16_t>(distances, k, options, watch, found);
  else if (narrow) scan_all<std::int32_t, std::uint16_t>(distances, k, options, watch, found);
  else if (few) scan_all<std::uint16_t, Cost>(distances, k, options, watch, found);
  else scan_all<std::int32_t, Cost>(distances, k, options, watch, found);
  return found;
}

}  // namespace shoal
