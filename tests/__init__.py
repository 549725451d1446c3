"""What proves Earwitness."""
