"""Problems, results, and the facts that outlive a run."""
