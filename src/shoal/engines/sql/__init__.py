"""What all engines share: expressions and statements, written once and rendered for each dialect."""
