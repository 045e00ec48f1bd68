"""Passes over the graph of a model, as the Ethos-U compiler applies them before and after placement."""
