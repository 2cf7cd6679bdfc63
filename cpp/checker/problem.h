// problem.h - what a proof is about, for the checker: a coded table, and what is asked of its recodings.
//
// The checker shares no line with the search. It includes nothing of cpp/core, and has its own definitions of everything;
// its twin is src/shoal/checker/checker.py, which gives the same verdicts. The rules and their proofs: docs/proofs.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace shoal_checker {

using Number = std::int64_t;

inline constexpr Number kNone = Number{1} << 61;  // no partition; the sum of two fits 64 bits, and no cost reaches it
inline constexpr double kSlack = 1e-9 + 1e-12;    // what a group may lack of entropy, and still be counted as admitted

enum class Metric { squares, minority, cells };

// What a group must satisfy besides its size: l values that are present, or their entropy at least log(l).
struct Demand {
  bool entropy = false;
  double l = 1;
  int values = 0;
  std::vector<Number> rows;  // per distinct row and value

  bool hopeless(const Number* counts) const;  // no part of the group can be admitted
  bool admits(const Number* counts) const;    // a group in doubt is
};

struct Problem {
  Metric metric = Metric::squares;
  Number k = 1, limit = 0;  // the limit: most rows that may be suppressed
  std::vector<int> sizes;   // values per attribute
  std::vector<int> codes;   // distinct rows, row-major
  int labels = 1;
  std::vector<Number> counts;  // per distinct row and class label
  std::vector<Demand> demands;
  std::vector<std::vector<Number>> losses;  // cells, cuts: per attribute units of the interval [first * size + last]
  Number row_units = 1;                     // cells: units of a suppressed row
  std::vector<std::vector<std::vector<int>>> levels;    // levels: [attribute][level][code] -> part
  std::vector<std::vector<std::vector<Number>>> units;  // cells, levels: [attribute][level][code] -> units
  std::vector<int> low, high;

  int attributes() const { return static_cast<int>(sizes.size()); }
  int rows() const { return sizes.empty() ? 0 : static_cast<int>(codes.size() / sizes.size()); }
  int code(int row, int attribute) const { return codes[static_cast<std::size_t>(row) * sizes.size() + attribute]; }
  Number total() const {
    Number sum = 0;
    for (const Number each : counts) sum += each;
    return sum;
  }
  // What a suppressed row costs; no released row costs more.
  Number suppressed_cost() const {
    return metric == Metric::squares ? total() : metric == Metric::minority ? 1 : row_units;
  }
  // Whether a released group stays released when suppressed rows join it, as far as that can happen.
  bool joins_are_kept() const {
    for (const Demand& each : demands)
      if (each.entropy && limit > 0) return false;
    return true;
  }
};

// The proof does not prove its claim.
struct Refuted : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Somebody asked to end.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};

// The lines of a proof, one after the other, with their numbers in the file.
class Lines {
 public:
  // `progress` is told how many lines were read; it ends the check by returning false.
  Lines(const std::string& text, std::function<bool(Number)> progress);

  std::vector<std::string> next();  // the words of a line
  void finish();
  Number number() const { return read_ + 1; }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  Number read_ = 0;
  std::function<bool(Number)> progress_;
};

// A number as a proof writes it.
Number whole(const std::string& text);

// Both throw `Refuted` unless the lines prove that nothing costs less than the bound. An axis of -1 is none.
void check_cuts(const Problem& problem, int axis, Number bound, Lines& lines);
void check_levels(const Problem& problem, Number bound, Lines& lines);

}  // namespace shoal_checker
