"""Engine that computes models: arithmetics, dispatch, prepared constants, interpreter."""
