"""Fronts: releases none of which is better in everything, found, shown, narrowed and picked from."""
