// random_privacy.h - random sensitive values, populations and privacy rules for a random problem.
#pragma once

#include <random>

#include "core/privacy/privacy.h"
#include "random_case.h"

namespace shoal::testing {

constexpr int kDiseases = 4, kJobs = 2, kFacts = kDiseases * kJobs;

// A rule on diseases, with thresholds that small groups can reach. `joint` asks it for each job by itself.
inline Rule random_rule(Rule::Kind kind, bool joint, const std::vector<double>& shares, std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  Rule rule;
  rule.kind = kind;
  for (int fact = 0; fact < kFacts; ++fact) rule.cells.push_back(joint ? fact : fact % kDiseases);
  for (int cell = 0; cell < (joint ? kFacts : kDiseases); ++cell) {
    rule.values.push_back(cell % kDiseases);
    rule.parts.push_back(cell / kDiseases);
  }
  rule.table = shares;
  rule.most = one_of({0.15, 0.3, 0.5, 0.7}) + 1e-9;
  switch (kind) {
    case Rule::Kind::distinct: rule.least = one_of({2, 3}); break;
    case Rule::Kind::entropy: rule.least = one_of({1.5, 2, 2.5}); break;
    case Rule::Kind::recursive: rule.from = 2, rule.most = one_of({1, 2, 3}); break;
    case Rule::Kind::ordered: rule.distance = 1.0 / (kDiseases - 1); break;
    case Rule::Kind::hierarchical: rule.tree = {{0, 1, 2, 3}, {0, 0, 1, 1}, {0, 0, 0, 0}}, rule.distance = 0.5; break;
    case Rule::Kind::shares: {
      const double factor = one_of({1.5, 2.5}), floor = one_of({0, 0, 0.3});
      for (double share : shares) {
        rule.floors.push_back(share * floor);
        rule.caps.push_back(share * factor);
        rule.from += rule.floors.back() > 0;
      }
      break;
    }
    case Rule::Kind::population: rule.least = one_of({3, 8, 20}) * 1e6; break;
    case Rule::Kind::presence: rule.least = -1; break;
    case Rule::Kind::equal: break;
  }
  return rule;
}

// Gives the problem one to three rules, some people whom no row is like, and now and then a limit on average risk.
inline void add_privacy(Case& c, unsigned seed) {
  std::mt19937 random(seed ^ 0xface);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Problem& p = c.problem;
  for (int strangers = upto(3); strangers > 0; --strangers) {
    std::vector<std::int32_t> row;
    for (int size : c.sizes) row.push_back(upto(size));
    bool known = false;
    for (std::size_t at = 0; at < c.codes.size(); at += row.size())
      known |= std::equal(row.begin(), row.end(), c.codes.begin() + static_cast<std::ptrdiff_t>(at));
    if (known) continue;
    c.codes.insert(c.codes.end(), row.begin(), row.end());
    c.counts.resize(c.counts.size() + p.labels, 0);
  }
  p.codes = c.codes;
  p.counts = c.counts;

  c.privacy = std::make_unique<Privacy>();
  Privacy& privacy = *c.privacy;
  std::vector<double> shares(kDiseases, 0);
  const int values = 2 + upto(kFacts - 1);  // with few of them many groups lack some
  for (int row = 0; row < p.distinct(); ++row) {
    privacy.first.push_back(static_cast<std::int64_t>(privacy.facts.size()));
    Count rows = 0;
    for (int label = 0; label < p.labels; ++label) rows += p.count(row, label);
    for (Count i = 0; i < rows; ++i) {
      privacy.facts.push_back(std::min(upto(values), upto(kFacts)));
      privacy.counts.push_back(1);
      shares[static_cast<std::size_t>(privacy.facts.back() % kDiseases)] += 1.0 / p.total();
    }
    privacy.population.push_back((rows + upto(4) + (rows == 0)) * 1'000'000);
  }
  privacy.first.push_back(static_cast<std::int64_t>(privacy.facts.size()));
  for (int rules = 1 + upto(3); rules > 0; --rules) {
    const auto kind = static_cast<Rule::Kind>(upto(9));
    const bool joint = kind != Rule::Kind::population && kind != Rule::Kind::presence && upto(4) == 0;
    privacy.rules.push_back(random_rule(kind, joint, shares, random));
    if (kind == Rule::Kind::presence && p.limit == 0 && upto(2)) {
      privacy.rules.back().least = 0.2;
      privacy.rules.back().most = 0.95;
      privacy.empty_groups = true;
    }
    privacy.supersets &= kind == Rule::Kind::population || (kind == Rule::Kind::distinct && !joint);
  }
  privacy.strict = p.limit == 0;
  if (upto(3) == 0) privacy.most_risk = 0.05 * (1 + upto(6));
  p.privacy = &privacy;
}

}  // namespace shoal::testing
