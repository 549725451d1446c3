"""People, studies and their work: from recordings to answers. Knows no system."""
