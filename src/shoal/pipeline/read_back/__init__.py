"""A release as a table for analysis: labels become numbers, dates, intervals, categories or lists."""
