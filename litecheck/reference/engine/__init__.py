"""Engine that computes models: arithmetics, dispatch, prepared layers, interpreter."""
