"""A float model becomes an int8 model: calibration, the plan that the rules allow, and its application."""
