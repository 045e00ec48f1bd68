"""Expected tensors and actual ones: differences, the patterns they form, and what explains them, as data."""
