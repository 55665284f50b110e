"""A random instance, room by room: rows < places < members < work. generate.py puts it together."""
