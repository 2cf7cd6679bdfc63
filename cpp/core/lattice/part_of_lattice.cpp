#include "core/lattice/part_of_lattice.h"

#include <numeric>

namespace shoal {

PartOfLattice::PartOfLattice(const LatticeProblem& whole, const Levels& at, const std::vector<int>& free)
    : at_(at), free_(free) {
  const Lattice& lattice = *whole.lattice;
  const GroupTable& rows = lattice.rows();
  // The combinations of the others: the groups where the free ones are on top.
  Levels others = at;
  for (int a : free) others[a] = static_cast<std::uint8_t>(lattice.height(a));
  GroupTable table;
  std::vector<std::uint32_t> group_of;
  lattice.roll_up(rows, others, table, &group_of);

  LatticeInput input;
  input.labels = lattice.labels();
  input.counts = lattice.labels() > 1 ? std::span(rows.histograms) : std::span(rows.sizes);
  input.privacy = lattice.privacy();
  for (int a : free) input.parts.push_back(lattice.levels_of(a));
  input.parts.emplace_back(1, std::vector<std::int32_t>(table.count()));
  std::iota(input.parts.back()[0].begin(), input.parts.back()[0].end(), 0);
  std::vector<std::int32_t> codes;
  codes.reserve(rows.count() * (free.size() + 1));
  for (std::size_t row = 0; row < rows.count(); ++row) {
    for (int a : free) codes.push_back(static_cast<std::int32_t>(lattice.part(rows, row, a)));
    codes.push_back(static_cast<std::int32_t>(group_of[row]));
  }
  input.codes = codes;
  input.repeated = true;
  lattice_ = std::make_unique<Lattice>(input);

  problem_.lattice = lattice_.get();
  problem_.k = whole.k;
  problem_.limit = whole.limit;
  problem_.price.kind = whole.price.kind;
  problem_.price.suppressed_row = whole.price.suppressed_row;
  for (int a : free) problem_.low.push_back(whole.low[a]), problem_.high.push_back(whole.high[a]);
  problem_.low.push_back(0), problem_.high.push_back(0);
  if (whole.price.kind != Price::Kind::cells) return;
  std::vector<char> is_free(at.size(), 0);
  for (int a : free) {
    is_free[a] = 1;
    problem_.price.fixed.push_back(whole.price.fixed[a]);
    if (!whole.price.units.empty()) problem_.price.units.push_back(whole.price.units[a]);
  }
  auto& fixed = problem_.price.fixed.emplace_back(1, Cost{0});
  for (std::size_t a = 0; a < at.size(); ++a)
    if (!is_free[a]) fixed[0] += whole.price.fixed[a][at[a]];
  if (whole.price.units.empty()) return;
  auto& units = problem_.price.units.emplace_back(1, std::vector<Cost>(table.count(), 0))[0];
  for (std::size_t group = 0; group < table.count(); ++group)
    for (std::size_t a = 0; a < at.size(); ++a)
      if (!is_free[a]) units[group] += whole.price.units[a][at[a]][lattice.part(table, group, static_cast<int>(a))];
}

Levels PartOfLattice::within(const Levels& whole) const {
  Levels part;
  for (int a : free_) part.push_back(whole[a]);
  part.push_back(0);
  return part;
}

Levels PartOfLattice::whole(const Levels& part) const {
  Levels levels = at_;
  for (std::size_t i = 0; i < free_.size(); ++i) levels[free_[i]] = part[i];
  return levels;
}

}  // namespace shoal
