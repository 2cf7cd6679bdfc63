"""The road from a table and a policy to a release: plan, solve, publish."""
