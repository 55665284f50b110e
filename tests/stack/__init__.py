"""The real components that tests run against, started privately on this machine."""
