// cells_test.cpp - cell suppression against plain counting, in C++ so that sanitizers see every access.
#include <map>

#include "core/cells/suppression.h"
#include "random_case.h"

namespace {

using namespace shoal;
using shoal::testing::check;
using shoal::testing::checks;

struct Table {
  std::vector<std::int32_t> codes;
  std::vector<Count> counts;
  int attributes = 0;
  CellProblem problem;
};

void fill(Table& made, unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  made.attributes = 1 + upto(5);
  std::vector<int> sizes;
  const bool even = upto(2) == 0;
  for (int a = 0; a < made.attributes; ++a) {
    sizes.push_back(1 + upto(5));
    auto& units = made.problem.units.emplace_back();
    for (int code = 0; code < sizes.back(); ++code) units.push_back(even ? 1 : upto(4));
  }
  std::map<std::vector<std::int32_t>, Count> rows;
  for (int row = 1 + upto(40); row > 0; --row) {
    std::vector<std::int32_t> codes;
    for (const int size : sizes) codes.push_back(upto(size));
    rows[codes] += 1 + upto(3) * upto(3);
  }
  Count total = 0;
  for (const auto& [codes, count] : rows) {
    made.codes.insert(made.codes.end(), codes.begin(), codes.end());
    made.counts.push_back(count);
    total += count;
  }
  made.problem.codes = made.codes;
  made.problem.counts = made.counts;
  made.problem.k = 1 + upto(std::min(total, Count{8}));
}

std::vector<std::int32_t> shown(const Table& made, int row, Pattern pattern) {
  std::vector<std::int32_t> found;
  for (int a = 0; a < made.attributes; ++a)
    found.push_back(pattern >> a & 1 ? -1 : made.codes[row * made.attributes + a]);
  return found;
}

Cost price(const Table& made, int row, Pattern pattern) {
  Cost sum = 0;
  for (int a = 0; a < made.attributes; ++a)
    if (pattern >> a & 1) sum += made.problem.units[a][made.codes[row * made.attributes + a]];
  return sum;
}

// Without a vector per comparison: the sanitizers keep a trace of every allocation.
bool alike(const Table& made, std::size_t row, std::size_t other, Pattern pattern) {
  for (int a = 0; a < made.attributes; ++a)
    if (!(pattern >> a & 1) && made.codes[row * made.attributes + a] != made.codes[other * made.attributes + a])
      return false;
  return true;
}

Count box(const Table& made, int row, Pattern pattern) {
  Count size = 0;
  for (std::size_t other = 0; other < made.counts.size(); ++other)
    if (alike(made, row, other, pattern)) size += made.counts[other];
  return size;
}

// Every copy is released once, and for what is said; returns the groups.
std::map<std::vector<std::int32_t>, Count> released(const Table& made, const CellOutcome& out, unsigned seed) {
  std::map<std::vector<std::int32_t>, Count> groups;
  std::vector<Count> copies(made.counts.size(), 0);
  Cost cost = 0;
  for (const Piece& piece : out.pieces) {
    check(piece.copies > 0, "a piece has copies", seed);
    copies[piece.row] += piece.copies;
    cost += price(made, piece.row, piece.pattern) * piece.copies;
    groups[shown(made, piece.row, piece.pattern)] += piece.copies;
  }
  check(copies == made.counts, "every copy is released once", seed);
  check(cost == out.cost, "the cost is that of the pieces", seed);
  return groups;
}

void cells_are_as_counted(unsigned seed) {
  Table made;
  fill(made, seed);
  Cost least = 0;
  for (std::size_t row = 0; row < made.counts.size(); ++row) {
    Cost best = kInfinite;
    for (Pattern pattern = 0; pattern < Pattern{1} << made.attributes; ++pattern)
      if (box(made, static_cast<int>(row), pattern) >= made.problem.k)
        best = std::min(best, price(made, static_cast<int>(row), pattern));
    least += best * made.counts[row];
  }
  Options options;
  options.seed = seed;
  const CellOutcome wild = cheapest_boxes(made.problem, options);
  released(made, wild, seed);
  check(wild.proved && wild.cost == least, "wildcards are the cheapest boxes", seed);
  for (const Piece& piece : wild.pieces)
    check(box(made, piece.row, piece.pattern) >= made.problem.k, "a box has k rows", seed);
  for (const std::int64_t nodes : {std::int64_t{0}, std::int64_t{3}, INT64_MAX}) {
    options.budget.nodes = nodes;
    const CellOutcome out = suppress_cells(made.problem, options);
    for (const auto& [values, size] : released(made, out, seed))
      check(size >= made.problem.k, "a group has k rows", seed);
    check(out.bound <= least && least <= out.cost, "the bound is below the cheapest boxes, and they are below the cost",
          seed);
    check(!out.proved || out.bound == out.cost, "what is proved has no gap", seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500;
  for (unsigned seed = 0; seed < cases; ++seed) cells_are_as_counted(seed);
  std::printf("%d checks hold\n", checks);
}
