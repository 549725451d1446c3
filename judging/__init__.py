"""Systems and what is said of them: responses, judges, agreement, exports."""
