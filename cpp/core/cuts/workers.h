// workers.h - one node expander per thread, and tasks spread over them.
#pragma once

#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/cuts/node_expander.h"

namespace shoal {

class Workers {
 public:
  explicit Workers(std::vector<std::unique_ptr<NodeExpander>> expanders) : expanders_(std::move(expanders)) {}

  NodeExpander& first() { return *expanders_.front(); }

  // Calls task(i, expander) for every i below `tasks`.
  template <class Task>
  void each(std::size_t tasks, const Task& task) {
    parallel(tasks, static_cast<int>(expanders_.size()),
             [&](std::size_t i, std::size_t worker) { task(i, *expanders_[worker]); });
  }

 private:
  std::vector<std::unique_ptr<NodeExpander>> expanders_;
};

}  // namespace shoal
