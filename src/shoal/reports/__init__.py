"""What people look at: pages that need nothing but themselves."""
