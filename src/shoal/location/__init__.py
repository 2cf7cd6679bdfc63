"""Places: released tables of points, and requests that are sent from somewhere."""
