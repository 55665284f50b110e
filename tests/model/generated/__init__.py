"""A random instance, in layers: rows < places < members < work. generate.py puts it together."""
