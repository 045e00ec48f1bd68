"""Other converters in child processes: TensorFlow's and ai-edge-quantizer, measured and limited."""
