"""What reports say in sentences, a module for each kind of them."""
