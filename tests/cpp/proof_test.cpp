// proof_test.cpp - proofs that the core writes, followed by the checker, which shares nothing with it.
//
// Compiled with SHOAL_PLANTED_BUG the core has one wrong inequality, and the checker must refuse some of its proofs.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "checker/problem.h"
#include "core/cuts/exact.h"
#include "core/cuts/proof.h"
#include "random_case.h"

namespace {

using namespace shoal;
using namespace shoal::testing;

shoal_checker::Problem seen(const Problem& p) {
  shoal_checker::Problem found;
  found.metric = static_cast<shoal_checker::Metric>(p.metric);
  found.k = p.k;
  found.limit = p.limit;
  found.sizes.assign(p.sizes.begin(), p.sizes.end());
  found.codes.assign(p.codes.begin(), p.codes.end());
  found.labels = p.labels;
  found.counts.assign(p.counts.begin(), p.counts.end());
  for (const auto& each : p.losses) found.losses.emplace_back(each.begin(), each.end());
  found.row_units = p.row_units;
  return found;
}

bool is_accepted(const Problem& problem, const Outcome& proof, Cost bound) {
  shoal_checker::Lines lines(proof.proof, nullptr);
  try {
    shoal_checker::check_cuts(seen(problem), proof.axis, bound, lines);
  } catch (const shoal_checker::Refuted&) {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned cases = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 2000;
  int refused = 0;
  for (unsigned seed = 0; seed < cases; ++seed) {
    const Case c = random_case(seed);
    Options options;
    options.climbs = 1;
    const Outcome found = exact(c.problem, options);
    check(found.proved && found.found, "a search ends with a proof", seed);
    const auto axis = static_cast<int>(seed % static_cast<unsigned>(c.problem.attributes));
    try {
      const Outcome proof = prove_cuts(c.problem, axis, found.cost, options);
      check(proof.proved, "a second pass ends with a proof", seed);
      const bool accepted = is_accepted(c.problem, proof, found.cost);
      refused += !accepted;
#ifndef SHOAL_PLANTED_BUG
      check(accepted, "the checker accepts the proof", seed);
      check(!is_accepted(c.problem, proof, found.cost + 1), "it refuses a claim raised by one", seed);
#endif
    } catch (const std::logic_error&) {
#ifndef SHOAL_PLANTED_BUG
      check(false, "no cuts cost less than the optimum", seed);
#endif
    }
  }
#ifdef SHOAL_PLANTED_BUG
  check(refused > 0, "the checker catches a wrong inequality of the core", 0);
  std::printf("%d of %u proofs of a core with a planted bug are refused\n", refused, cases);
#else
  std::printf("%d checks on %u problems hold\n", checks, cases);
#endif
}
