"""One-operator models, parts of models, and the inputs that decide: what every judge of a device draws from."""
