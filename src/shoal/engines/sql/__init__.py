"""What all engines share: expressions and statements, written once and rendered per dialect."""
