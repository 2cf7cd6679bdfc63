// local_candidates.h - the rows that could join a box, and how a search around a row branches over them.
//
// A value of an attribute is in the box, or it is not: a box that grows takes in rows and brings others nearer, and rows
// that would bring a value with them go once the box is to be without it.
#pragma once

#include <vector>

#include "core/rows/local_box.h"

namespace shoal {

struct Candidates {
  std::vector<int> rows;
  std::vector<Cost> growth;  // of the box, if the row joined
  std::vector<Cost> parts;   // of it, per row and attribute
  void clear() { rows.clear(), growth.clear(), parts.clear(); }

  // Only those whose place `keep` is true of.
  template <class Keep>
  void keep_if(std::size_t attributes, const Keep& keep) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!keep(i)) continue;
      if (kept < i) {
        rows[kept] = rows[i];
        growth[kept] = growth[i];
        std::copy_n(parts.begin() + static_cast<std::ptrdiff_t>(i * attributes), attributes,
                    parts.begin() + static_cast<std::ptrdiff_t>(kept * attributes));
      }
      ++kept;
    }
    rows.resize(kept), growth.resize(kept), parts.resize(kept * attributes);
  }
};

class Branching {
 public:
  struct Value {
    int attribute = -1, code = 0;  // no attribute: no candidate is outside the box
  };

  Branching(const LocalProblem& problem, const Rows& rows, const Boxes& boxes)
      : p_(problem), rows_(rows), boxes_(boxes) {}

  // Rows that are allowed to join a row in a box cheaper than `most`. `allowed` is asked by row.
  template <class Allowed>
  void around(int row, Cost most, const Allowed& allowed, Candidates& near) const {
    near.clear();
    const int attributes = rows_.attributes();
    const Box box = boxes_.around(row);
    std::vector<std::vector<Cost>> apart(attributes);
    for (int a = 0; a < attributes; ++a)
      for (int code = 0; code < static_cast<int>(p_.parts[a][0].size()); ++code)
        apart[a].push_back(boxes_.dearer(box, a, code));
    const Cost room = most - box.price;
    for (int other = 0; other < rows_.count(); ++other) {
      if (other == row || rows_.rows(other) == 0 || !allowed(other)) continue;
      Cost sum = 0;
      for (int a = 0; a < attributes && sum < room; ++a) sum += apart[a][rows_.code(other, a)];
      if (sum >= room) continue;
      near.rows.push_back(other);
      near.growth.push_back(sum);
      for (int a = 0; a < attributes; ++a) near.parts.push_back(apart[a][rows_.code(other, a)]);
    }
  }
  // The value to branch on: where it tells most.
  Value choose(const Candidates& near) const;
  // The box has grown along one attribute: what is it still to grow for each?
  void grow(const Box& box, int a, Candidates& near) const;
  // The box is to be without a value that it does not hold.
  void leave_out(const Box& box, const Value& value, Candidates& near) const;

 private:
  const LocalProblem& p_;
  const Rows& rows_;
  const Boxes& boxes_;
};

}  // namespace shoal
