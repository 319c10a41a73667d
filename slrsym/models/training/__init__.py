"""Training: descent, equations of motion, their solutions, runs and schedules."""
