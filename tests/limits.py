"""Time limits in tests. ctest ends a test that hangs; a test itself waits for no shorter time, for machines may be slow."""
PATIENCE = 3000  # seconds, until something that a test waits for counts as never happening
