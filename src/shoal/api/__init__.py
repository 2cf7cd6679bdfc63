"""The doors: every public function, one per file."""
