"""Small models and inputs on which ways of computing an operator come apart, by family of operators."""
