"""The C++ core, one module for each room and each checker."""
