"""The command line: files in, text or JSON out."""
