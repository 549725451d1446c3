"""Agreement, comparison and planning over plain arrays; numpy and scipy only."""
