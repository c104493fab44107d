"""The explorer as files, for hosts that run no programs."""
