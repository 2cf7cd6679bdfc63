"""What a user requests: roles, privacy, objective, search, release."""
