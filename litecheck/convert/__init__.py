"""A float model becomes an integer one: calibration statistics, a plan of scales and zero points, an edited model."""
