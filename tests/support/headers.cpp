// Nothing: the target is for its precompiled headers.
