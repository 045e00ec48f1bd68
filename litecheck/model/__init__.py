"""Model as immutable values: read from verified tables, viewed as a graph, edited and written back."""
