// mondrian_cut.h - finds the cut of one group and divides its rows.
#pragma once

#include <optional>
#include <utility>

#include "core/rows/mondrian.h"

namespace shoal {

// The rows in the order of the groups: codes lie together, so that a small group stays in the cache.
struct MondrianRows {
  explicit MondrianRows(const MondrianProblem& problem);

  std::size_t size() const { return counts.size(); }
  const std::int32_t* row(std::size_t at) const { return codes.data() + at * attributes; }
  std::int32_t code(std::size_t at, std::size_t attribute) const { return codes[at * attributes + attribute]; }

  std::size_t attributes;
  std::vector<std::int32_t> codes;  // row-major
  std::vector<Count> counts;
  std::vector<std::int32_t> index;  // the distinct row of the problem; increasing within a group
};

struct MondrianGroup {
  std::size_t begin = 0, end = 0;
  Count rows = 0;
};

// What is known of some rows, and what they would lose if they were a group. Rows are added one by one.
class MondrianLoss {
 public:
  explicit MondrianLoss(const MondrianProblem& problem);
  void clear();
  void add(const MondrianRows& rows, std::size_t at);
  // Rows times bits of label, or rows times width.
  double value() const;

 private:
  void widen(const std::int32_t* codes);
  double width(std::size_t attribute) const;

  const MondrianProblem& p_;
  Count rows_ = 0;
  std::vector<std::int64_t> labels_;                    // gain: rows per label
  std::vector<std::size_t> sets_, nodes_;               // cost: the attributes of either kind
  std::vector<std::int32_t> first_, least_, greatest_;  // per attribute: the code of the first row, and the extent
  std::vector<std::int32_t> steps_;                     // per attribute: values of a set, level of a node
  std::vector<std::vector<std::uint32_t>> seen_;        // sets: per code the last turn in which it was added
  std::uint32_t turn_ = 0;
};

// Holds scratch memory; one per thread.
class MondrianCutter {
 public:
  struct Cut {
    std::size_t attribute = 0, at = 0;  // of an ordered attribute: the rows of the first side, sorted
    double loss = 0;
    Count off = 0;  // how far the greatest side is from half of the rows
    bool better(const Cut& other) const { return std::pair(loss, off) < std::pair(other.loss, other.off); }
  };

  MondrianCutter(const MondrianProblem& problem, MondrianRows& rows, const Watch& watch);

  bool admitted(const MondrianGroup& group);
  // Divides the rows of a group by the chosen cut. The sides, in their order; none if no cut is allowable, or if the time
  // ended before it was found.
  const std::vector<MondrianGroup>& cut(const MondrianGroup& group);

  // The same in steps, so that several cutters can look at one large group: each begins, one or another finds the best
  // cut of each candidate, and one of them divides the rows by the best of these.
  // Tells how many attributes could be cut; the widest comes first.
  std::size_t begin(const MondrianGroup& group) {
    group_ = group;
    sides_.clear();
    candidates_.clear();
    if (group.rows / 2 >= p_.k && size() >= 2) measure();
    return candidates_.size();
  }
  std::optional<Cut> find_candidate(std::size_t candidate) { return find(candidates_[candidate].second); }
  const std::vector<MondrianGroup>& divide(const Cut& cut);

 private:
  static constexpr std::size_t kLong = 1 << 12;  // distinct rows of a group whose cuts take so long that time may end

  struct Mark {  // a place between two sorted rows
    std::size_t at;
    Count left;
    double loss;
  };
  bool is_node(std::size_t attribute) const { return p_.attributes[attribute].kind == MondrianAttribute::Kind::node; }
  std::size_t place(std::size_t sorted) const { return group_.begin + order_[sorted]; }
  std::size_t size() const { return group_.end - group_.begin; }

  void measure();
  void rank_by_frequency(std::int32_t size);
  void sort(std::size_t attribute);
  std::optional<Cut> find(std::size_t attribute) {
    return is_node(attribute) ? find_node(attribute) : find_ordered(attribute);
  }
  std::optional<Cut> find_ordered(std::size_t attribute);
  std::optional<Cut> find_node(std::size_t attribute);

  std::vector<Mark>::const_iterator nearest() const;
  void keep_admitted();
  void price();
  bool admitted(std::size_t from, std::size_t to, Count rows);
  std::size_t pool(std::vector<std::size_t>& side_of_run);

  const MondrianProblem& p_;
  MondrianRows& rows_;
  const Watch& watch_;
  std::optional<Judge> judge_;
  MondrianLoss loss_;
  MondrianGroup group_;
  std::vector<std::pair<double, std::size_t>> candidates_;  // width, attribute; widest first
  std::vector<std::size_t> levels_;                         // nodes: the level on which all rows meet
  std::vector<std::int32_t> keys_;                          // per row of the group what it is sorted by
  std::vector<std::uint32_t> order_, starts_;
  std::vector<std::uint64_t> sorted_;
  std::vector<Count> frequency_;  // sets: per code its rows, or its rank; 0 between calls
  std::vector<std::int32_t> present_;
  std::vector<std::vector<std::uint32_t>> seen_;  // sets: per code the last turn in which it was seen
  std::uint32_t turn_ = 0;
  std::vector<Mark> marks_;
  std::vector<std::pair<std::size_t, Count>> runs_;  // nodes: where the rows of each child end, and how many
  std::vector<std::size_t> side_of_run_;
  std::vector<std::uint32_t> side_;  // per row of the group
  std::vector<MondrianGroup> sides_;
  std::vector<std::int32_t> moved_codes_, moved_index_;
  std::vector<Count> moved_counts_;
};

}  // namespace shoal
