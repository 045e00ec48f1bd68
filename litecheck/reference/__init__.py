"""Reference kernels, bit-exact under named arithmetics, and the interpreter that runs whole models with them."""
