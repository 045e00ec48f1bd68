"""How a model is computed: arithmetics, dispatch, prepared layers, the interpreter."""
