#include "checker/cut_table.h"

#include <numeric>

namespace shoal_checker {

CutTable::CutTable(const Problem& given, int axis)
    : problem(given), length(axis < 0 ? 1 : given.sizes[axis]), stride(length + 1), first_cut{0} {
  for (int a = 0; a < problem.attributes(); ++a) {
    if (a == axis) continue;
    others.push_back(a);
    attribute_of.insert(attribute_of.end(), problem.sizes[a] - 1, static_cast<int>(others.size()) - 1);
    first_cut.push_back(first_cut.back() + problem.sizes[a] - 1);
  }
  std::vector<int> of_row(problem.rows(), 0), at(problem.rows(), 0);
  columns_ = problem.rows() > 0 ? 1 : 0;
  for (const int a : others)
    columns_ = refine_.by(of_row, columns_, problem.sizes[a],
                          [&](std::size_t r) { return problem.code(static_cast<int>(r), a); });
  codes_.resize(static_cast<std::size_t>(columns_) * others.size());
  for (int r = 0; r < problem.rows(); ++r) {
    at[r] = axis < 0 ? 0 : problem.code(r, axis);
    for (std::size_t a = 0; a < others.size(); ++a)
      codes_[static_cast<std::size_t>(of_row[r]) * others.size() + a] = problem.code(r, others[a]);
  }
  enter(of_row, at, problem.counts, problem.labels);
  for (const Demand& demand : problem.demands) enter(of_row, at, demand.rows, demand.values);
  if (problem.metric == Metric::cells) axis_units = axis < 0 ? std::vector<Number>{0} : problem.losses[axis];
}

void CutTable::enter(const std::vector<int>& of_row, const std::vector<int>& at, const std::vector<Number>& counts,
                     int values) {
  std::vector<std::vector<Entry>> per_column(columns_);
  for (std::size_t r = 0; r < of_row.size(); ++r)
    for (int v = 0; v < values; ++v)
      if (const Number rows = counts[r * values + v]; rows > 0)
        per_column[of_row[r]].push_back({at[r], v, static_cast<Count>(rows)});
  auto& all = entries_.emplace_back();
  auto& from = from_.emplace_back();
  for (const auto& own : per_column) {
    from.push_back(all.size());
    all.insert(all.end(), own.begin(), own.end());
  }
  from.push_back(all.size());
}

void CutTable::list(Pieces& made) {
  made.first.assign(made.count + 1, 0);
  for (const int g : made.of_column) ++made.first[g + 1];
  std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
  made.columns.resize(made.of_column.size());
  std::vector<int> next(made.first.begin(), made.first.end() - 1);
  for (std::size_t c = 0; c < made.of_column.size(); ++c) made.columns[next[made.of_column[c]]++] = static_cast<int>(c);
}

void CutTable::add(int column, Count* histogram, int demand) const {
  const auto& all = entries_[demand + 1];
  const auto& from = from_[demand + 1];
  for (std::size_t e = from[column]; e < from[column + 1]; ++e)
    histogram[all[e].value * stride + all[e].position + 1] += all[e].rows;
}

void CutTable::add_weighted(int column, Number weight, Number* histogram) const {
  for (std::size_t e = from_[0][column]; e < from_[0][column + 1]; ++e)
    histogram[entries_[0][e].position + 1] += weight * entries_[0][e].rows;
}

void CutTable::sum_up(Count* histogram, int values) const {
  for (int v = 0; v < values; ++v)
    for (int i = 1; i < stride; ++i) histogram[v * stride + i] += histogram[v * stride + i - 1];
}

}  // namespace shoal_checker
