"""What the tests of the real binary share."""
