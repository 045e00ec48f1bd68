"""What the tensors of a float model hold on given data: samples, observed statistics, ranges chosen from them."""
