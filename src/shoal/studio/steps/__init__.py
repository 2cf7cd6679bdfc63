"""The steps on the way from a file to a release, one file each."""
